"""A store in one SQLite file: the default for what must outlive the process.

The file says who wrote it (application id) and in which version (user version); a file of another program, of a newer
version, or a damaged one is refused, and nothing in it is changed.  Chapter 9.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from os import PathLike, fspath
from typing import Any

from ...errors import StoreError
from .contract import Item, passing, rows
from .memory import nearest

APPLICATION = 0x4D4C4954  # "MLIT"
VERSION = 1
_TABLE = """
CREATE TABLE items (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, text TEXT NOT NULL,
    type TEXT NOT NULL, at TEXT, importance REAL NOT NULL, sources TEXT NOT NULL, metadata TEXT NOT NULL, vector BLOB)
"""


class SqliteStore:
    """Items in a file; exact search.  path: made if it is not there (its folder must be); ":memory:" for none.

    Each add() and delete() is one transaction: after a crash all of it is there, or nothing.  May be used from several
    threads, and the file by several processes.  Raises StoreError as the contract says, and for a file of another kind.
    Cost: O(items) a search; the rows are read again only when the file has changed.
    """

    def __init__(self, path: str | PathLike[str]):
        self.path, self._lock, self._read = fspath(path), threading.RLock(), (None, [])
        with self._said():
            self._base = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._base.close()
                raise

    def _open(self) -> None:
        ours, version = self._value("PRAGMA application_id"), self._value("PRAGMA user_version")
        if not self._value("SELECT count(*) FROM sqlite_master") and not ours:
            with self._change():
                if not self._value("SELECT count(*) FROM sqlite_master"):  # nobody was faster
                    self._base.execute(_TABLE)
                    self._base.execute(f"PRAGMA application_id = {APPLICATION}")
                    self._base.execute(f"PRAGMA user_version = {VERSION}")
            return
        if ours != APPLICATION:
            raise StoreError(f"{self.path}: a database of another program: give the path of a store, or of no file")
        if version > VERSION:
            raise StoreError(f"{self.path}: written by a newer version (format {version}, this one reads {VERSION}): "
                             "update memory-lab; the file was left as it is")
        if (found := self._value("PRAGMA quick_check")) != "ok":
            raise StoreError(f"{self.path}: damaged ({found}): restore it from a copy; it was left as it is")

    def _value(self, statement: str) -> Any:
        return self._base.execute(statement).fetchone()[0]

    @contextmanager
    def _said(self) -> Iterator[None]:
        """SQLite's own errors as StoreError, with the path and what to do."""
        try:
            yield
        except sqlite3.Error as error:
            words = str(error)
            hint = {"file is not a database": "no store, or a damaged one: restore it from a copy",
                    "database is locked": "another process is writing: try again",
                    "Cannot operate on a closed database.": "this store was closed: open it again"}.get(
                        words, "it was left as it is; restore it from a copy, or give another path")
            raise StoreError(f"{self.path}: {words}: {hint}") from error

    @contextmanager
    def _change(self) -> Iterator[None]:
        """One transaction: all of what is done within, or nothing."""
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def _pairs(self) -> list[tuple[Item, Any]]:
        """All items with their vectors, in the order in which they were added."""
        with self._lock, self._said():
            state = self._value("PRAGMA data_version"), self._base.total_changes
            if self._read[0] != state:
                found = self._base.execute("SELECT id, text, type, at, importance, sources, metadata, vector "
                                           "FROM items ORDER BY number").fetchall()
                try:
                    self._read = state, [_pair(*row) for row in found]
                except (ValueError, TypeError) as error:
                    raise StoreError(f"{self.path}: an unreadable row ({error}): restore it from a copy") from error
            return self._read[1]

    @property
    def dimensions(self) -> int | None:
        """Numbers in a vector; None before the first."""
        return next((len(vector) for _, vector in self._pairs() if vector is not None), None)

    def __len__(self) -> int:
        with self._lock, self._said():
            return self._value("SELECT count(*) FROM items")

    def add(self, items: Sequence[Item], vectors: Sequence[Any] | None = None) -> None:
        """Add new items; all or none."""
        with self._lock, self._said(), self._change():
            new, _ = rows(items, vectors, self.dimensions)
            for item, vector in zip(items, new, strict=True):
                if self._base.execute("SELECT 1 FROM items WHERE id = ?", (item.id,)).fetchone():
                    raise StoreError(f"the id {item.id!r} is there already: delete() it first, or give another")
                self._base.execute(
                    "INSERT INTO items (id, text, type, at, importance, sources, metadata, vector) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (item.id, item.text, item.type, item.at and item.at.isoformat(), float(item.importance),
                     json.dumps(item.sources), json.dumps(item.metadata), None if vector is None else vector.tobytes()))

    def get(self, id: str) -> Item | None:
        """The item of that id, or None."""
        return next((item for item, _ in self._pairs() if item.id == id), None)

    def delete(self, ids: Iterable[str]) -> int:
        """How many items were deleted; an unknown id counts for nothing."""
        with self._lock, self._said(), self._change():
            return sum(self._base.execute("DELETE FROM items WHERE id = ?", (id,)).rowcount for id in list(ids))

    def list(self, *, where: Mapping[str, Any] | None = None, contains: str = "") -> list[Item]:
        """The items that pass (see passing), in the order in which they were added."""
        passes = passing(where, contains)
        return [item for item, _ in self._pairs() if passes(item)]

    def nearest(self, vector: Any, *, top_k: int = 5, where: Mapping[str, Any] | None = None,
                contains: str = "") -> list[tuple[Item, float]]:
        """Up to top_k (item, cosine), the nearest first; among equals the older."""
        passes = passing(where, contains)
        return nearest([each for each in self._pairs() if passes(each[0])], vector, self.dimensions, top_k)

    def close(self) -> None:
        """Close the file; using the store after that raises StoreError."""
        with self._lock:
            self._base.close()


def _pair(id: str, text: str, type: str, at: str | None, importance: float, sources: str, metadata: str,
          vector: bytes | None) -> tuple[Item, Any]:
    import numpy as np

    return (Item(id, text, type, at and datetime.fromisoformat(at), importance, tuple(json.loads(sources)),
                 json.loads(metadata)), None if vector is None else np.frombuffer(vector, dtype="<f4"))
