"""Answers of model calls on disk, so that a stopped run goes on where it was and repeats cost nothing.

A call is known by a hash of its address and its whole body, model and settings included.  Kept are answers alone, no
prompts and no keys, in one SQLite file that only its owner may read.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from ..errors import StoreError
from .calls import wants_json
from .layers import CAPPED, Forward, asked, watched
from .replies import is_json, read_reply

FORMAT = 1
APPLICATION = 0x6D6C6163  # "mlac": tells our file from another program's
SCHEMA = """CREATE TABLE calls (key TEXT PRIMARY KEY, model TEXT NOT NULL, type TEXT NOT NULL, answer BLOB NOT NULL)
WITHOUT ROWID"""


class CallCache:
    """A layer that answers from the file what was asked before, and keeps what is new.

    path: the file, made where it is missing.  address: stands for the endpoint's, where that is another on each run (a
    server in this process).  read_only: change and make no file, and keep what is new in this process
    alone (for a dry run).
    hits, kept: calls answered from it, and answers put into it.  fault: why it could not be written, None if it could;
    the answer is handed on all the same.
    Kept is what succeeded and is whole: with its end, with something said, not cut by a cap that Spending set, and JSON
    where JSON was asked for.  What is asked twice has one answer, whatever its temperature: for another, delete
    the file.  Several processes may share it.  Raises StoreError for a file that is no such cache.
    """

    def __init__(self, path: str | Path, *, address: str | None = None, read_only: bool = False):
        self.path, self.address, self.read_only = Path(path), address, read_only
        self.hits = self.kept = 0
        self.fault: str | None = None
        self._new: dict[str, tuple[str, bytes]] = {}
        self._lock = threading.Lock()
        self._file: sqlite3.Connection | None = None
        if not read_only or self.path.exists():
            try:
                self._file = self._opened()
            except (OSError, sqlite3.Error) as error:
                raise StoreError(f"the cache {self.path} cannot be used ({error}); give another file") from error

    def _opened(self) -> sqlite3.Connection:
        if not self.read_only:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # before SQLite makes it for everyone to read
        mode = "ro" if self.read_only else "rw"
        made = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode={mode}", uri=True, timeout=30,
                               isolation_level=None, check_same_thread=False)
        try:
            self._prepare(made)
        except BaseException:
            made.close()
            raise
        return made

    def _prepare(self, file: sqlite3.Connection) -> None:
        if not self.read_only:
            file.execute("BEGIN IMMEDIATE")  # of several processes that open a new file, one makes the table
            if not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                file.execute(SCHEMA)
                file.execute(f"PRAGMA application_id = {APPLICATION}")
                file.execute(f"PRAGMA user_version = {FORMAT}")
            file.execute("COMMIT")
        found = tuple(file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        if found != (APPLICATION, FORMAT):
            raise sqlite3.DatabaseError("it is another program's, or of another version")

    def __call__(self, request: httpx2.Request, forward: Forward) -> httpx2.Response:
        """The answer: the one that is kept, else what forward gives."""
        body = asked(request)
        if body is None:
            return forward(request)
        key = key_of(f"{self.address}{request.url.path}" if self.address else str(request.url), body)
        with self._lock:
            row = self._new.get(key) or (self._file and self._file.execute(
                "SELECT type, answer FROM calls WHERE key = ?", (key,)).fetchone())
            self.hits += row is not None
        if row:
            return httpx2.Response(200, headers={"content-type": row[0]}, content=row[1], request=request)
        response = forward(request)
        if response.status_code != 200:
            return response
        kind = response.headers.get("content-type", "application/json")
        return watched(response, partial(self._keep, key, body, kind, request.extensions))

    def _keep(self, key: str, body: dict[str, Any], kind: str, extensions: dict[str, Any], answer: bytes) -> None:
        if not keepable(body, answer, capped=CAPPED in extensions):
            return
        with self._lock:
            if self.read_only:
                self._new[key] = kind, answer
                return
            try:
                self._file.execute("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?)",
                                   (key, str(body.get("model")), kind, answer))
                self.kept += 1
            except sqlite3.Error as error:  # the answer is paid for: it is not to be lost with the disk's room
                self.fault = str(error)

    def close(self) -> None:
        """Close the file; what is kept is written already."""
        if self._file is not None:
            self._file.close()
            self._file = None


def key_of(url: str, body: dict[str, Any]) -> str:
    """The name of a call: a hash of its address and its body.

    >>> key_of("http://a/v1", {"model": "m", "n": 1}) == key_of("http://a/v1", {"n": 1, "model": "m"})
    True
    """
    return hashlib.sha256(json.dumps([url, body], sort_keys=True).encode()).hexdigest()


def keepable(body: dict[str, Any], answer: bytes, *, capped: bool = False) -> bool:
    """Whether an answer with status 200 is as good as it will ever be.  capped: its length had a limit of ours."""
    reply = read_reply(answer)
    if reply is None or not reply.whole:
        return False
    if reply.vectors:
        return True
    if not reply.said or reply.finish == "content_filter" or (reply.finish == "length" and capped):
        return False
    return not wants_json(body) or bool(reply.refusal) or is_json(reply.text)
