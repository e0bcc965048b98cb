"""Sessions in one SQLite file: several processes and many threads; each append is a transaction."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import StoreError, VersionError
from ..messages import Message
from . import FORMAT, NO_STATE, Saved, as_json, check_format, check_session_id, pack_all, unpacked

SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, version INTEGER NOT NULL, first INTEGER) WITHOUT ROWID;
CREATE TABLE messages (session TEXT, version INTEGER, record TEXT NOT NULL, PRIMARY KEY (session, version))
    WITHOUT ROWID;
CREATE TABLE states (session TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL) WITHOUT ROWID;
"""
DAMAGED = ("It is damaged or no SQLite file: nothing was changed. Move it aside and try `sqlite3 FILE .recover`, or "
           "restore a copy")


class SqliteStore:
    """All sessions in one file, which only its owner may read.

    path: the file; it and its folder are made if they are missing.  wait: seconds to wait for other processes.
    Write-ahead logging: readers never wait for a writer.  durable: whether an append that returned survives a power
    cut (False: it survives a kill of the process all the same, and is several times as fast).
    One connection a process, one operation at a time; after a fork each process makes its own.
    What is deleted is overwritten in the file.  Not for a network drive: SQLite's locks do not hold there.
    Cost: O(1) an append; O(n) a load of n messages.  Raises StoreError.
    """

    def __init__(self, path: str | Path, *, wait: float = 30.0, durable: bool = True):
        self.path, self.wait, self.durable = Path(path), wait, durable
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # before SQLite makes it: the -wal and -shm files beside it take over its rights
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            made = sqlite3.connect(self.path, timeout=self.wait, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(made)
            except BaseException:
                made.close()
                raise
            self._connection, self._process = made, os.getpid()
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            connection.execute("BEGIN IMMEDIATE")  # of several processes that open a new file, one makes the tables
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    raise StoreError(f"{self.path} is another program's database; give another path")
                for statement in SCHEMA.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                version = FORMAT
            connection.execute("COMMIT")
        check_format(version, str(self.path))
        if not _has_first(connection):  # a file of the first days
            connection.execute("BEGIN IMMEDIATE")
            if not _has_first(connection):
                connection.execute("ALTER TABLE sessions ADD COLUMN first INTEGER")
            connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if self.durable else 'NORMAL'}")
        connection.execute("PRAGMA secure_delete = ON")

    @contextmanager
    def _operation(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                connection = self._connected()
                connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            except (sqlite3.Error, OSError) as error:
                raise StoreError(f"{self.path}: {error}. {_advice(error)}") from error

    def close(self) -> None:
        """Close the file; the next operation opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, session_id: str, messages: Sequence[Message], expected_version: int | None = None, *,
               times: Sequence[datetime | None] | None = None) -> int:
        """The new version; all messages are stored, or none.  Raises VersionError if it is not the expected one."""
        check_session_id(session_id)
        records = pack_all(messages, times)
        with self._operation(write=True) as connection:
            version = _checked(connection, session_id, expected_version)
            connection.executemany("INSERT INTO messages VALUES (?, ?, ?)", [
                (session_id, version + place, record) for place, record in enumerate(records, 1)])
            connection.execute("INSERT INTO sessions VALUES (?, ?, 0) ON CONFLICT (id) DO UPDATE SET version = "
                               "excluded.version", (session_id, version + len(records)))
            return version + len(records)

    def load(self, session_id: str) -> Saved:
        """The session; version 0 without messages for one that does not exist."""
        check_session_id(session_id)
        with self._operation() as connection:
            version, first = connection.execute("SELECT version, first FROM sessions WHERE id = ?",
                                                (session_id,)).fetchone() or (0, 0)
            rows = connection.execute("SELECT version, record FROM messages WHERE session = ? ORDER BY version",
                                      (session_id,)).fetchall()
            state = connection.execute("SELECT state FROM states WHERE session = ?", (session_id,)).fetchone()
        expected = range((version - len(rows) if first is None else first) + 1, version + 1)
        if [number for number, _ in rows] != list(expected):  # a damaged page may lose rows without an error
            raise StoreError(f"{self.path}: of session {session_id!r} {len(rows)} messages can be read, and there were "
                             f"{len(expected)}. {DAMAGED}")
        messages, times = [], []
        for number, record in rows:
            try:
                message, at = unpacked(json.loads(record))
            except ValueError as error:
                raise StoreError(f"{self.path}: message {number} of session {session_id!r} cannot be read ({error}); "
                                 "another program wrote to it. Restore a copy, or clear() the session") from error
            messages.append(message)
            times.append(at)
        return Saved(messages, times, version, () if state is None or as_json(state[0]) is not None else (NO_STATE,))

    def list(self) -> list[str]:
        """The ids of all sessions, sorted."""
        with self._operation() as connection:
            return [row[0] for row in connection.execute("SELECT id FROM sessions ORDER BY id")]

    def clear(self, session_id: str, expected_version: int | None = None) -> int:
        """The new version, one higher; messages and state are gone."""
        check_session_id(session_id)
        with self._operation(write=True) as connection:
            version = _checked(connection, session_id, expected_version) + 1
            _empty(connection, session_id)
            connection.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", (session_id, version, version))
            return version

    def delete(self, session_id: str) -> None:
        """Nothing is left of the session, not even its id."""
        check_session_id(session_id)
        with self._operation(write=True) as connection:
            _empty(connection, session_id)
            connection.execute("DELETE FROM sessions WHERE id = ?", (session_id,))

    def save_state(self, session_id: str, state: dict[str, Any], version: int) -> None:
        """Keep the state of that version.  Raises VersionError for one the log has not, or older than the one kept."""
        check_session_id(session_id)
        text = json.dumps(state, ensure_ascii=False)
        with self._operation(write=True) as connection:
            now = _version(connection, session_id)
            kept = connection.execute("SELECT version FROM states WHERE session = ?", (session_id,)).fetchone()
            first = connection.execute("SELECT min(version) FROM messages WHERE session = ?",
                                       (session_id,)).fetchone()[0]
            least = max(kept[0] if kept else 0, now if first is None else first - 1)
            if not least <= version <= now:
                raise VersionError(session_id, version, now)
            connection.execute("INSERT OR REPLACE INTO states VALUES (?, ?, ?)", (session_id, version, text))

    def load_state(self, session_id: str) -> tuple[dict[str, Any], int] | None:
        """(state, its version), or None; None too for one that cannot be read, which load() says."""
        check_session_id(session_id)
        with self._operation() as connection:
            row = connection.execute("SELECT state, version FROM states WHERE session = ?", (session_id,)).fetchone()
        state = as_json(row[0]) if row else None
        return None if state is None else (state, row[1])


def _has_first(connection: sqlite3.Connection) -> bool:
    return "first" in {row[1] for row in connection.execute("PRAGMA table_info(sessions)")}


def _version(connection: sqlite3.Connection, session_id: str) -> int:
    row = connection.execute("SELECT version FROM sessions WHERE id = ?", (session_id,)).fetchone()
    return row[0] if row else 0


def _checked(connection: sqlite3.Connection, session_id: str, expected: int | None) -> int:
    version = _version(connection, session_id)
    if expected is not None and expected != version:
        raise VersionError(session_id, expected, version)
    return version


def _empty(connection: sqlite3.Connection, session_id: str) -> None:
    connection.execute("DELETE FROM messages WHERE session = ?", (session_id,))
    connection.execute("DELETE FROM states WHERE session = ?", (session_id,))


def _advice(error: Exception) -> str:
    text = str(error)
    if "locked" in text:
        return "Another process holds it: raise wait, or end that process"
    if "full" in text or getattr(error, "errno", None) == 28:
        return "The disk is full: make room, then save again; nothing that was stored is lost"
    if "not a database" in text or "malformed" in text or "decode" in text:
        return DAMAGED
    return "See that the path exists, that this user may write there, and that it is on a local disk"
