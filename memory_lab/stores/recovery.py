"""Reading a session's file that may be damaged: what can be read is used, the rest is set aside in a file of its own.

A torn end is what a kill leaves: that append was never acknowledged.  Lines that cannot be read before others that can
are damage: each is taken for a message that is lost.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import MessageError, StoreError
from ..messages import Message, check_message
from . import FORMAT, check_format, unpacked

HEAD = b'{"memory_lab"'


@dataclass
class Reading:
    """messages, times: of what could be read; lines: their bytes.  first: the version before them.

    bad: lines that could not be read.  lost: how many of them stood before one that could, the header aside.
    whole: whether the last line has its end.
    """

    messages: list[Message] = field(default_factory=list)
    times: list[datetime | None] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    first: int = 0
    bad: list[bytes] = field(default_factory=list)
    lost: int = 0
    whole: bool = True
    notices: list[str] = field(default_factory=list)

    @property
    def version(self) -> int:
        """Of the session: lost messages count, so that nobody takes the mended log for the one that they knew."""
        return self.first + self.lost + len(self.messages)


def header(session_id: str, first: int) -> str:
    """The first line of a session's file.  first: the version before its first message."""
    return json.dumps({"memory_lab": FORMAT, "session": session_id, "first": first})


def read_lines(path: Path, data: bytes) -> Reading:
    """What a file of JSON lines holds.  Raises StoreError for a newer format, and for what is no such file at all."""
    pieces = data.split(b"\n")
    reading = Reading(whole=pieces[-1] == b"")
    if reading.whole:
        pieces.pop()
    first = _json(pieces[0])
    headed = isinstance(first, dict) and "memory_lab" in first and type(first.get("first")) is int
    if headed:
        check_format(first["memory_lab"], str(path))
        reading.first = first["first"]
    torn, more = [] if headed else [pieces[0]], []
    for number, piece in enumerate(pieces[1:], 1):
        record = _json(piece)
        try:
            message, at = unpacked(record)
        except (ValueError, TypeError):
            torn.append(piece)
            continue
        if torn:
            reading.bad += torn
            reading.lost += len(torn) - (not headed and number == len(torn))
            torn = []
        reading.messages.append(message)
        reading.times.append(at)
        reading.lines.append(piece)
        more.append(record.get("more", 0))
    if not reading.messages and not headed and data[:len(HEAD)] != HEAD[:len(data)]:
        raise StoreError(f"{path} is no file of a session; move it away, or give another folder. A bare list of "
                         "messages is opened if its name ends in .json")
    if more and more[-1]:  # an append that was cut off between its lines
        start = len(more) - 1
        while start and more[start - 1] == more[start] + 1:
            start -= 1
        torn = reading.lines[start:] + torn
        del reading.lines[start:], reading.messages[start:], reading.times[start:]
    reading.bad += torn
    return reading


def mend(path: Path, session_id: str, reading: Reading, state: Path) -> str:
    """What to tell the user of a damaged file, now mended: it has what could be read, the rest is beside it.

    state: the file of what was derived from the log, set aside too if messages before the end are lost.
    """
    from .jsonl import replace

    notice = ""
    if reading.bad:
        name = set_aside(path, b"\n".join(reading.bad) + b"\n")
        lost = f"{len(reading.bad)} line{'s' * (len(reading.bad) != 1)} of {path.name} could not be read"
        notice = f"{lost}; {len(reading.messages)} messages could. The rest is in {name.name}"
    if reading.lost and state.exists():
        set_aside(state, state.read_bytes())
        state.unlink()
    lines = [header(session_id, reading.first + reading.lost).encode(), *reading.lines]
    replace(path, b"\n".join(lines) + b"\n")
    return notice


def bare_list(path: Path) -> Reading:
    """What a file of source 002's shape holds: a JSON list of messages.  The file is not changed."""
    found = _json(path.read_bytes())
    if not isinstance(found, list):
        raise StoreError(f"{path} holds no JSON list of messages; mend it or move it away")
    reading, skipped = Reading(), []
    for number, message in enumerate(found):
        try:
            check_message(message)
        except MessageError as error:
            skipped.append(f"{number} ({error.rule})")
            continue
        reading.messages.append(message)
        reading.times.append(None)
    if skipped:
        reading.notices.append(f"{path.name}: left out what is no message: items {', '.join(skipped)}; the file is as "
                               "it was")
    return reading


def set_aside(path: Path, data: bytes) -> Path:
    """A new file beside that one, with that content; none that exists is overwritten."""
    number = 1
    while True:
        target = path.with_name(f"{path.name}.damaged-{number}")
        with contextlib.suppress(FileExistsError):
            file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(file, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(file)
            return target
        number += 1


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
