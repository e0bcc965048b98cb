"""The code cells of any file that calls itself a notebook, however broken; or the reason why there are none."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST = 400_000_000  # bytes of a file; sources and outputs together
_MOST_CELLS, _LONGEST_SOURCE = 2_000, 500_000
_CONFLICT = re.compile(r"^(<{7} |={7}$|>{7} )", re.MULTILINE)


class UnreadableError(ValueError):
    """Why a file is no notebook, in a teacher's words."""


@dataclass
class Found:
    """A code cell of a submission."""

    source: str
    ids: tuple[str, ...]
    index: int


def read_cells(path: Path) -> tuple[list[Found], list[str]]:
    """The code cells of a file, and what was odd about it. Raises UnreadableError."""
    if path.is_symlink() or not path.is_file():
        raise UnreadableError("it is a link or no file")
    if path.stat().st_size > LARGEST:
        raise UnreadableError(f"it is larger than {LARGEST // 1_000_000} MB")
    text, notes = _text(path.read_bytes())
    if not text.strip():
        raise UnreadableError("the file is empty")
    if text.lstrip()[:1] == "<":
        raise UnreadableError("it is a web page, not a notebook: the page was saved instead of the file")
    try:
        body = json.loads(text)
    except RecursionError as error:
        raise UnreadableError("it is nested too deep") from error
    except ValueError as error:
        if _CONFLICT.search(text):
            raise UnreadableError("it holds the conflict markers of a merge") from error
        if text.lstrip()[:1] not in "{[":
            raise UnreadableError("it is no notebook (no JSON)") from error
        raise UnreadableError(f"the file is cut off or damaged: {error}") from error
    return _cells(body, notes)


def _text(raw: bytes) -> tuple[str, list[str]]:
    marks = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    for mark, encoding in marks.items():
        if raw.startswith(mark):
            try:
                return raw.decode(encoding), [f"the file is {'UTF-16' if '16' in encoding else 'UTF-8 with a BOM'}"]
            except UnicodeDecodeError as error:
                raise UnreadableError(f"it says {encoding} and is not") from error
    if raw[:4] == b"PK\x03\x04" or raw[:2] == b"\x1f\x8b":
        raise UnreadableError("it is an archive with a notebook's name")
    try:
        return raw.decode("utf-8"), []
    except UnicodeDecodeError:
        if b"\x00" in raw[:1000]:
            raise UnreadableError("it is a binary file") from None
        return raw.decode("latin-1"), ["the file is not UTF-8; read as Latin-1"]


def _cells(body: Any, notes: list[str]) -> tuple[list[Found], list[str]]:
    if not isinstance(body, dict):
        raise UnreadableError("it is JSON, but no notebook")
    cells = body.get("cells")
    if cells is None and isinstance(body.get("worksheets"), list):
        cells = [cell for sheet in body["worksheets"] if isinstance(sheet, dict) for cell in sheet.get("cells") or []]
        notes.append("an old notebook (format 3); read all the same")
    if not isinstance(cells, list):
        raise UnreadableError("it is JSON, but has no cells")
    if len(cells) > _MOST_CELLS:
        raise UnreadableError(f"it has more than {_MOST_CELLS} cells")
    metadata = body.get("metadata") if isinstance(body.get("metadata"), dict) else {}
    kernel = metadata.get("kernelspec") if isinstance(metadata.get("kernelspec"), dict) else {}
    if str(kernel.get("language", "python")).lower() not in ("python", ""):
        notes.append(f"its kernel is {str(kernel.get('name'))[:40]!r}; graded with Python")
    found = []
    for index, cell in enumerate(cells):
        if not isinstance(cell, dict):
            notes.append(f"cell {index + 1} is no cell; left out")
            continue
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", cell.get("input", ""))
        if isinstance(source, list):
            source = "".join(line for line in source if isinstance(line, str))
        if not isinstance(source, str) or len(source) > _LONGEST_SOURCE:
            notes.append(f"cell {index + 1} has no source that could be read, or one too long; left out")
            continue
        if source != (source := source.encode("utf-8", "replace").decode()):
            notes.append(f"cell {index + 1} holds half a character; replaced")
        about = cell.get("metadata") if isinstance(cell.get("metadata"), dict) else {}
        names = [about.get(key, {}).get(word) if isinstance(about.get(key), dict) else None
                 for key, word in (("memory_lab", "id"), ("nbgrader", "grade_id"))]
        ids = tuple(dict.fromkeys(name for name in (*names, cell.get("id")) if isinstance(name, str)))
        found.append(Found(source.replace("\r\n", "\n").replace("\r", "\n"), ids, index))
    return found, notes
