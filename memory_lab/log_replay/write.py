"""Files that are there whole or not at all: the results of a replay, its figure, its page."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import SettingError


@contextmanager
def atomically(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder, which takes the name `path` when the block ends well, and goes otherwise."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o644)  # mkstemp's files are for their owner alone
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def folder_for(option: str, folder: Path) -> None:
    """Nothing; the folder is there afterwards.  Raises SettingError that names the option."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"{option} {folder}: no folder can be made there ({error.strerror}). Give another.") \
            from error


def write_page(path: Path, page: str) -> Path:
    """The path, with the page in it.  Raises SettingError where it cannot be written."""
    try:
        with atomically(path) as part:
            part.write_text(page, encoding="utf-8", errors="replace")
    except OSError as error:
        raise SettingError(f"--html {path}: the report cannot be written ({error.strerror}). Give another.") from error
    return path


def write_results(out: Path, result: dict[str, Any], replays: list, recommendation: Any) -> list[Path]:
    """The files written into a folder: replay.json, and where there is something to draw the figure and its words."""
    from .figure import draw

    paths = [out / "replay.json"]
    try:
        if recommendation:
            png, alt = out / "replay.png", out / "replay.alt.txt"
            with atomically(png) as part:
                words = draw(replays, recommendation, part)
            with atomically(alt) as part:
                part.write_text(words + "\n", encoding="utf-8")
            result = {**result, "figure": {"file": png.name, "alt": words}}
            paths += [png, alt]
        with atomically(paths[0]) as part:
            part.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SettingError(f"--out {out}: the results cannot be written ({error.strerror}). Give another.") from error
    return paths
