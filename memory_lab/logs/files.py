"""A file's JSON, or a LogError that says where it stops being JSON and what to do."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..errors import LogError

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass
class Source:
    """A parsed log file.

    data: the JSON value; of JSON Lines, the list of the lines' values.  lines: the line number of each item of data,
    or None where the file is one JSON value.  notes: what was done to read it.
    """

    path: str
    data: Any
    lines: list[int] | None = None
    notes: list[str] = field(default_factory=list)

    def where(self, index: int | None = None) -> str:
        """Words for a place: the file, and the line or item (items are counted from 1, as lines are)."""
        if index is None:
            return self.path
        return f"{self.path}, line {self.lines[index]}" if self.lines else f"{self.path}, item {index + 1}"


def open_log(path: str | PathLike[str]) -> Source:
    """The file's JSON value, or the list of its JSON Lines.

    Raises LogError for a missing, empty, cut, compressed or HTML file, and for text that is not JSON (line and column).
    """
    return parse_log(fspath(path), _read(fspath(path)))


def parse_log(name: str, raw: bytes) -> Source:
    """The same for content that was read already.  name: what errors call it."""
    notes: list[str] = []
    text = _decode(name, _unpacked(name, raw, notes), notes)
    head = text.lstrip()[:200].lower()
    if not head:
        raise LogError(f"{name}: the file is empty. Export the chat again, or give another file.")
    if head.startswith("<"):
        raise LogError(f"{name}: this is an HTML or XML page, not JSON. "
                       "An export has a JSON file beside it (ChatGPT: conversations.json): give that one.")
    try:
        return Source(name, _unwrapped(_parse(text), notes), None, notes)
    except json.JSONDecodeError as error:
        lines = _as_lines(name, text)
        if lines is None:
            raise LogError(f"{name}, line {error.lineno}, column {error.colno}: {_reason(text, error)}") from error
    except RecursionError:
        raise LogError(f"{name}: the JSON is nested too deeply to be a chat log.") from None
    except ValueError as error:
        raise LogError(f"{name}: not readable as JSON: {error}") from error
    return Source(name, [value for _, value in lines], [number for number, _ in lines], notes)


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except FileNotFoundError:
        raise LogError(f"{name}: there is no such file.") from None
    except (OSError, ValueError) as error:
        raise LogError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _unpacked(name: str, raw: bytes, notes: list[str]) -> bytes:
    if raw[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd") or raw[:3] == b"BZh":
        raise LogError(f"{name}: this is a compressed archive that cannot be opened here. Unpack it and give the JSON "
                       "file that is in it.")
    if raw[:2] != b"\x1f\x8b":
        return raw
    try:
        raw = gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise LogError(f"{name}: this is a damaged gzip archive ({error}). Unpack it by hand, or copy it again.") \
            from error
    if raw[257:262] == b"ustar":
        raise LogError(f"{name}: this is a tar archive. Unpack it and give the folder.")
    notes.append("unpacked from gzip")
    return raw


def _decode(name: str, raw: bytes, notes: list[str]) -> str:
    if raw.startswith(codecs.BOM_UTF8):
        notes.append("byte order mark at the start ignored")
        raw = raw[3:]
    encoding = _UTF16.get(raw[:2])
    if encoding:
        raw = raw[2:]
    elif len(raw) >= 2 and not all(raw[:2]) and any(raw[:2]):
        # JSON begins with an ASCII character, so the zero byte's side tells the byte order (RFC 4627, section 3).
        encoding = "utf-16-be" if raw[0] == 0 else "utf-16-le"
    if encoding:
        notes.append("read as UTF-16")
    try:
        return raw.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise LogError(f"{name}, line {line}: byte {error.start} is not {(encoding or 'utf-8').upper()} text. "
                       "Save the file as UTF-8, or export it again.") from error


def _parse(text: str) -> Any:
    return json.loads(text)


def _unwrapped(data: Any, notes: list[str]) -> Any:
    """JSON that some program encoded twice: a string that holds JSON."""
    if isinstance(data, str) and data.lstrip()[:1] in ("[", "{"):
        try:
            data = _parse(data)
        except ValueError:
            return data
        notes.append("the whole file was JSON encoded twice")
    return data


def _as_lines(name: str, text: str) -> list[tuple[int, Any]] | None:
    """The (line number, value) pairs of JSON Lines, or None if the text is no such thing."""
    # Not splitlines(): U+2028 and its like may stand unescaped inside a JSON string.
    rows = [(n, row) for n, row in enumerate(text.split("\n"), 1) if row.strip()]
    if len(rows) < 2 or rows[0][1].strip() in ("[", "{"):
        return None
    values, bad = [], []
    for number, row in rows:
        try:
            values.append((number, _parse(row)))
        except json.JSONDecodeError as error:
            bad.append((number, row, error))
        except (ValueError, RecursionError) as error:
            raise LogError(f"{name}, line {number}: not readable as JSON: {error}") from error
    if not any(isinstance(value, dict | list) for _, value in values):
        return None
    if bad:
        number, row, error = bad[0]
        others = "" if len(bad) == 1 else f" ({len(bad)} lines are bad, this is the first)"
        raise LogError(f"{name}, line {number}, column {error.colno}: {_reason(row, error)} "
                       f"The file is JSON Lines, one object a line; {len(values)} other lines are readable{others}. "
                       "Mend this line or delete it.")
    return values


def _reason(text: str, error: json.JSONDecodeError) -> str:
    if not text[error.pos:].strip() or error.msg.startswith("Unterminated string"):
        return "the JSON ends in the middle: the file is cut off. Export or copy it again."
    found = text[error.pos:error.pos + 20].split("\n")[0]
    return f"not JSON here ({error.msg[0].lower() + error.msg[1:]}, found {found!r})."
