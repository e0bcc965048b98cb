"""A file's saves, one after another: its time and size are looked at ten times a second, which costs nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

PAUSE = 0.1  # seconds


def saves(path: Path, *, pause: float = PAUSE) -> Iterator[None]:
    """Once at the beginning, then each time the file has been saved. A file that is away for a moment is waited for.

    Ends with the KeyboardInterrupt of the one who watches.
    """
    before = _state(path)
    yield
    while True:
        time.sleep(pause)
        now = _state(path)
        if now != before and now is not None:
            before = now
            yield


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
