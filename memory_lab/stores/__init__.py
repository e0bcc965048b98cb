"""Where the messages of a session, and what a memory derived from them, outlive the process.

    JsonLinesStore(folder)   a readable file a session: for one machine, to learn with and to look into
    SqliteStore(path)        one file for all sessions; several processes: the default
    RedisStore(url)          one server for many machines (extra: redis)

All keep the same contract, Store.  A session's log only grows, and its version grows with it: a writer says which
version it knows, and whoever is late gets a VersionError instead of a torn conversation.  Chapter 11.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ..errors import MessageError, StoreError
from ..messages import Message, check_message

FORMAT = 1  # of all three; a store that says a higher number was written by a newer memory_lab
ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,127}")


class Saved(NamedTuple):
    """A session as it was loaded.  messages, times: n of each, oldest first.  version: of the session.

    notices: what a user should know of the reading, such as what was set aside.
    """

    messages: list[Message]
    times: list[datetime | None]
    version: int
    notices: tuple[str, ...] = ()

    @property
    def first(self) -> int:
        """The version before the first of the messages: versions count on over a clear()."""
        return self.version - len(self.messages)


@runtime_checkable
class Store(Protocol):
    """What a ChatSession needs of a store.  Every method may raise StoreError; the session id is checked by each."""

    def append(self, session_id: str, messages: Sequence[Message], expected_version: int | None = None, *,
               times: Sequence[datetime | None] | None = None) -> int:
        """The new version: the old one plus len(messages).  All of them are stored, or none.  expected_version: the one
        that the writer has seen (None: whatever it is); raises VersionError if the session is at another."""

    def load(self, session_id: str) -> Saved:
        """The session; version 0 without messages for one that does not exist."""

    def list(self) -> list[str]:
        """The ids of all sessions, sorted."""

    def clear(self, session_id: str, expected_version: int | None = None) -> int:
        """The new version, one higher: messages and state are gone, and who knew the old talk cannot append."""

    def delete(self, session_id: str) -> None:
        """Nothing is left of the session, not even its id; none such is no error."""

    def save_state(self, session_id: str, state: dict[str, Any], version: int) -> None:
        """Keep what was derived from the log up to that version.  Raises VersionError, and keeps what there is, if the
        session has no such version or has the state of a later one."""

    def load_state(self, session_id: str) -> tuple[dict[str, Any], int] | None:
        """(state, its version), or None."""


def check_session_id(session_id: Any) -> str:
    """The id, if it is one; else StoreError: ids come from outside, and they name files and keys.

    >>> check_session_id("user-42")
    'user-42'
    """
    if not isinstance(session_id, str) or not ID.fullmatch(session_id) or ".." in session_id:
        shown = repr(session_id)[:60]
        raise StoreError(f"session id {shown}: use 1 to 128 of A-Z a-z 0-9 _ . @ + -, not a dot in front, no two dots "
                         "in a row; hash what your users choose")
    return session_id


def packed(message: Message, at: datetime | None) -> str:
    """A message and its time as one line of JSON; raises MessageError for what is no message."""
    check_message(message)
    record = {"at": at.isoformat()} if at is not None else {}
    return json.dumps(record | {"message": message}, ensure_ascii=False, separators=(",", ":"))


def unpacked(record: Any) -> tuple[Message, datetime | None]:
    """The message and its time; raises ValueError for anything else."""
    if not isinstance(record, dict) or "message" not in record:
        raise ValueError("no record with a message")
    check_message(record["message"])
    at = record.get("at")
    return record["message"], None if at is None else datetime.fromisoformat(at)


def pack_all(messages: Sequence[Message], times: Sequence[datetime | None] | None) -> list[str]:
    """One line for each message.  Raises StoreError if one is none: a store must not hold what cannot be sent."""
    times = [None] * len(messages) if times is None else times
    try:
        return [packed(message, at) for message, at in zip(messages, times, strict=True)]
    except MessageError as error:
        raise StoreError(f"a message cannot be stored: {error}") from error
    except ValueError as error:
        raise StoreError(f"{len(messages)} messages with {len(times)} times: give one time (or None) each") from error


NO_STATE = "what was derived from the messages could not be read; it is derived anew"


def as_json(text: str) -> Any:
    """What the JSON text says; None if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def check_format(found: Any, where: str) -> None:
    """Nothing; raises StoreError for data of a newer memory_lab, or of nobody."""
    if type(found) is not int or found < 1:
        raise StoreError(f"{where} is not a store of memory_lab (format {found!r}); give another path")
    if found > FORMAT:
        raise StoreError(f"{where} has format {found}, this memory_lab knows {FORMAT}: it was written by a newer "
                         "version; update memory-lab. Nothing was changed")


def open_store(where: str | Path) -> Store:
    """The store that a setting names: redis://..., rediss://... or unix://..., a folder, else an SQLite file.

    >>> type(open_store("redis://localhost:6379/0")).__name__
    'RedisStore'
    """
    text = str(where)
    if text.startswith(("redis://", "rediss://", "unix://")):
        from .redis import RedisStore

        return RedisStore(text)
    if text.endswith("/") or Path(text).is_dir():
        from .jsonl import JsonLinesStore

        return JsonLinesStore(text)
    from .sqlite import SqliteStore

    return SqliteStore(text)


_HOMES = {"JsonLinesStore": "jsonl", "RedisStore": "redis", "SqliteStore": "sqlite"}


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
