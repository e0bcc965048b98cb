"""Sessions as files that can be read: one JSON line a message, a JSON file for what was derived from them.

    {"memory_lab": 1, "session": "ann", "first": 0}     the format, the id, the version before the first message
    {"at": "2026-01-05T10:00:00", "message": {...}}     one message; "more": n where n of the same append follow

An append is one write to the end of the file.  A kill in the middle of it leaves a line, or an append, that has no end:
the next reader sets it aside (recovery.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from errno import ENOSPC
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import StoreError, VersionError
from ..messages import Message
from . import FORMAT, Saved, check_format, check_session_id, pack_all
from .recovery import Reading, bare_list, header, mend, read_lines, set_aside

try:
    import fcntl
except ImportError:  # Windows: one process at a time
    fcntl = None


class Known(NamedTuple):
    """A file as it was when this process last read or wrote it, so that an append need not read it again."""

    inode: int
    size: int
    changed: int
    first: int
    version: int

    def same(self, now: os.stat_result) -> bool:
        """Whether nobody has written to the file since."""
        return (self.inode, self.size, self.changed) == (now.st_ino, now.st_size, now.st_mtime_ns)


class Opened(NamedTuple):
    """A locked file.  first, version: before its first message, and behind its last.  reading: empty if not asked."""

    file: int
    first: int
    version: int
    reading: Reading


class JsonLinesStore:
    """A folder with one file a session, which only its owner may read.

    durable: whether an append that returned survives a power cut (False: it survives a kill all the same).
    A damaged file is mended when it is read: what can be read stays, the rest is kept in a file named *.damaged-N, and
    the notices say so.  A file ann.json, a bare list of messages as source 002 wrote it, is opened as session ann; the
    first append writes ann.jsonl beside it and leaves it alone.
    Locks hold between processes of one machine; on Windows only one process may write.
    Cost: O(1) an append; O(n) a load, a clear, and the first append to a file of n messages.  Raises StoreError.
    """

    def __init__(self, folder: str | Path, *, durable: bool = True):
        self.folder, self.durable = Path(folder), durable
        self._known: dict[str, Known] = {}
        self._notices: dict[str, list[str]] = {}

    def _path(self, session_id: str, end: str = ".jsonl") -> Path:
        # some file systems do not tell Ann from ann: a capital is written as = and the small letter
        return self.folder / (re.sub("[A-Z]", lambda found: "=" + found[0].lower(), check_session_id(session_id)) + end)

    @contextlib.contextmanager
    def _open(self, session_id: str, *, read: bool = False) -> Iterator[Opened]:
        """The session's file, locked, sound and made if it was missing.  read: with its messages, in any case."""
        path = self._path(session_id)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            while True:
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
                try:
                    if fcntl:
                        fcntl.flock(file, fcntl.LOCK_EX)
                    opened = self._opened(session_id, path, file, read)
                    if opened is not None:
                        yield opened
                        return
                finally:
                    os.close(file)
        except OSError as error:
            full = "The disk is full: make room" if error.errno == ENOSPC else "See that this user may write there"
            raise StoreError(f"{path}: {error.strerror}. {full}, then save again; nothing that was stored is "
                             "lost") from error

    def _opened(self, session_id: str, path: Path, file: int, read: bool) -> Opened | None:
        """None where the file has to be opened again: it was replaced, by another process or because it was mended."""
        now = os.fstat(file)
        try:
            if os.stat(path).st_ino != now.st_ino:
                return None
        except FileNotFoundError:
            return None
        known = self._known.get(session_id)
        if not read and known and known.same(now):
            return Opened(file, known.first, known.version, Reading())
        data, old = _all(file), self._path(session_id, ".json")
        if not data:
            reading = bare_list(old) if old.exists() else Reading()
        else:
            reading = read_lines(path, data)
            if reading.bad or not reading.whole:
                notice = mend(path, session_id, reading, self._path(session_id, "~state.json"))
                self._notices.setdefault(session_id, []).extend([notice] if notice else [])
                return None
            self._know(session_id, now, reading.first + reading.lost, reading.version)
        return Opened(file, reading.first + reading.lost, reading.version, reading)

    def _know(self, session_id: str, now: os.stat_result, first: int, version: int) -> None:
        self._known[session_id] = Known(now.st_ino, now.st_size, now.st_mtime_ns, first, version)

    def append(self, session_id: str, messages: Sequence[Message], expected_version: int | None = None, *,
               times: Sequence[datetime | None] | None = None) -> int:
        """The new version; all messages are stored, or none.  Raises VersionError if it is not the expected one."""
        records = pack_all(messages, times)
        with self._open(session_id) as opened:
            version = _checked(session_id, expected_version, opened.version) + len(records)
            lines, start = _linked(records), os.fstat(opened.file).st_size
            if start == 0:  # source 002's messages, if there are any, come along
                old = _linked(pack_all(opened.reading.messages, opened.reading.times))
                lines = [header(session_id, 0), *old, *lines]
            self._write(opened.file, "".join(line + "\n" for line in lines).encode(), start)
            self._know(session_id, os.fstat(opened.file), opened.first, version)
        return version

    def _write(self, file: int, data: bytes, start: int) -> None:
        """All of the data behind the file's end, or none of it."""
        try:
            while data:
                data = data[os.write(file, data):]
            if self.durable:
                os.fsync(file)
        except BaseException:
            os.ftruncate(file, start)
            raise

    def load(self, session_id: str) -> Saved:
        """The session; version 0 without messages for one that does not exist."""
        if not any(self._path(session_id, end).exists() for end in (".jsonl", ".json")):
            return Saved([], [], 0)
        with self._open(session_id, read=True) as opened:
            with contextlib.suppress(StoreError):  # a newer format: load_state() says so
                self._state(session_id)            # a damaged one is named with the rest
            reading, notices = opened.reading, self._notices.pop(session_id, [])
        return Saved(reading.messages, reading.times, reading.version, (*notices, *reading.notices))

    def list(self) -> list[str]:
        """The ids of all sessions, sorted."""
        found = set()
        for path in self.folder.glob("*.json*"):
            if path.suffix in (".json", ".jsonl") and "~" not in path.name:
                found.add(re.sub("=([a-z])", lambda letter: letter[1].upper(), path.stem))
        return sorted(found)

    def clear(self, session_id: str, expected_version: int | None = None) -> int:
        """The new version, one higher; messages and state are gone, but for what was set aside as damaged."""
        with self._open(session_id) as opened:
            version = _checked(session_id, expected_version, opened.version) + 1
            self._path(session_id, "~state.json").unlink(missing_ok=True)
            replace(self._path(session_id), header(session_id, version).encode() + b"\n")
        return version

    def delete(self, session_id: str) -> None:
        """Nothing is left of the session, but for what was set aside as damaged."""
        with self._open(session_id):
            for end in ("~state.json", ".json", ".jsonl"):
                self._path(session_id, end).unlink(missing_ok=True)

    def save_state(self, session_id: str, state: dict[str, Any], version: int) -> None:
        """Keep the state of that version.  Raises VersionError for one the log has not, or older than the one kept."""
        with self._open(session_id) as opened:
            kept = self._state(session_id)
            if not max(kept[1] if kept else 0, opened.first) <= version <= opened.version:
                raise VersionError(session_id, version, opened.version)
            record = {"memory_lab": FORMAT, "version": version, "state": state}
            replace(self._path(session_id, "~state.json"), json.dumps(record, ensure_ascii=False).encode() + b"\n")

    def load_state(self, session_id: str) -> tuple[dict[str, Any], int] | None:
        """(state, its version), or None; None too for a damaged one, which is set aside: it can be derived again."""
        if not self._path(session_id).exists():
            return None
        with self._open(session_id):
            return self._state(session_id)

    def _state(self, session_id: str) -> tuple[dict[str, Any], int] | None:
        path = self._path(session_id, "~state.json")
        if not path.exists():
            return None
        try:
            record = json.loads(path.read_bytes())
            state, version, form = record["state"], record["version"], record["memory_lab"]
        except (KeyError, TypeError, ValueError):
            name = set_aside(path, path.read_bytes()).name
            path.unlink()
            self._notices.setdefault(session_id, []).append(
                f"{path.name} could not be read and is in {name} now; it is derived anew from the messages")
            return None
        check_format(form, str(path))
        return state, version


def replace(path: Path, data: bytes) -> None:
    """Put a file in place as a whole: whoever reads meanwhile finds the old one or the new one."""
    part = path.with_name(f"{path.name}.part")  # whoever writes it holds the session's lock
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, path)


def _checked(session_id: str, expected: int | None, version: int) -> int:
    if expected is not None and expected != version:
        raise VersionError(session_id, expected, version)
    return version


def _all(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    with open(os.dup(file), "rb") as stream:
        return stream.read()


def _linked(records: Sequence[str]) -> list[str]:
    """The lines of one append: each but the last says how many more there are."""
    return [record if not left else f'{{"more":{left},{record[1:]}'
            for left, record in zip(range(len(records) - 1, -1, -1), records, strict=True)]
