"""One conversation while it is being read: what every reader needs to keep calls and results together."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from ..errors import LogError, MessageError
from ..messages import check_message
from .opaque import estimate

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class LoggedConversation:
    """A conversation out of a log.

    name: its title or id, else its place in the file.  messages: plain dicts, oldest first, each valid for add().
    times: one datetime or None per message, or None if the log has no times.  format: the reader's name.
    unknown: kinds of item that were not understood, counted.  opaque: estimated tokens of those that were kept whole.
    notes: what was repaired or left out, in words.  file: where it was read.
    """

    name: str
    messages: list[dict[str, Any]]
    times: list[datetime | None] | None = None
    unknown: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    format: str = ""
    opaque: Counter[str] = field(default_factory=Counter)
    file: str = ""


class Draft:
    """Collects the messages of one conversation.

    where: words for its place in the file, for errors.  places: the same for each message, where they differ.
    """

    def __init__(self, name: str, where: str, form: str):
        self.name, self.where, self.form = name, where, form
        self.places: list[str] = []
        self.messages: list[dict[str, Any]] = []
        self.times: list[datetime | None] = []
        self.unknown: Counter[str] = Counter()
        self.opaque: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()
        self._open: list[tuple[str, str]] = []      # (id, name) of calls that have no result yet
        self._last: tuple[str, int] | None = None   # (id, index) of the newest result, for what follows it

    def note(self, words: str, times: int = 1) -> None:
        self._notes[words] += times

    def keep(self, kind: str, part: Any) -> None:
        """Count an item that is not understood and that is kept as an opaque part."""
        self.unknown[kind] += 1
        self.opaque[kind] += estimate(part)

    def fail(self, words: str, item: int | None = None) -> LogError:
        """A LogError with this place; item: index of the message in the conversation."""
        if item is not None and self.places:
            return LogError(f"{self.places[item]}: {words}")
        return LogError(f"{self.where}{'' if item is None else f', message {item + 1}'}: {words}")

    def add(self, message: dict[str, Any], at: datetime | None = None, item: int | None = None) -> None:
        """Append a message in the OpenAI form; raises LogError if no model API would take it."""
        message = self._sendable(message)
        try:
            check_message(message, len(self.messages))
        except MessageError as error:
            raise self.fail(f"cannot be made a valid message: {error}", item) from error
        if message["role"] in ("user", "assistant"):
            self._open = [(call["id"], call.get("function", call.get("custom", {})).get("name", ""))
                          for call in message.get("tool_calls") or ()]
            self._last = None
        self.messages.append(message)
        self.times.append(at)

    def call(self, name: str, arguments: str, *, ident: str | None = None, at: datetime | None = None) -> None:
        """Append a tool call; calls that follow each other without a result are one parallel call."""
        call = {"id": ident or f"call_{len(self.messages)}_{len(self._open)}", "type": "function",
                "function": {"name": function_name(name), "arguments": arguments}}
        last = self.messages[-1] if self.messages else {}
        if last.get("tool_calls") and len(self._open) == len(last["tool_calls"]):
            call = self._sendable(call)
            if any(call["id"] == other for other, _ in self._open):
                call["id"] += f"_{len(self._open)}"
            last["tool_calls"].append(call)
            self._open.append((call["id"], call["function"]["name"]))
        else:
            self.add({"role": "assistant", "content": None, "tool_calls": [call]}, at)

    def result(self, text: str, *, name: str | None = None, at: datetime | None = None) -> None:
        """Append a tool result without an id: to the open call of that name, else the oldest open call.

        A second result of a call is joined to the first; a result that no call explains gets a call before it.
        """
        ident = self.answer(name)
        if ident is None and self._last is not None:
            self.note("further result of the same tool call, joined to the first")
            self.messages[self._last[1]]["content"] += "\n" + self._sendable(text)
            return
        if ident is None:
            self.note("tool result without a call: an empty call was put before it")
            self.call(name or "unknown_tool", "{}", at=at)
            ident = self.answer(None)
        self.add({"role": "tool", "tool_call_id": ident, "content": text}, at)
        self._last = (ident, len(self.messages) - 1)

    def answer(self, name: str | None, ident: str | None = None) -> str | None:
        """The id of the open call that a result belongs to, which is then closed; None if no call is open."""
        if not self._open:
            return None
        wanted = function_name(name) if name else None
        match = next((i for i, call in enumerate(self._open) if call[0] == ident),
                     next((i for i, call in enumerate(self._open) if call[1] == wanted), 0))
        return self._open.pop(match)[0]

    def is_open(self, ident: str) -> bool:
        return any(call == ident for call, _ in self._open)

    def renamed(self, ident: str) -> str | None:
        """The open call that had this id until repair.py found it used twice in one message."""
        return next((call for call, _ in self._open if call.rpartition("_")[0] == ident), None)

    def done(self) -> LoggedConversation:
        notes = [f"{words}: {n}" if n > 1 else words for words, n in self._notes.items()]
        times = self.times if any(self.times) else None
        return LoggedConversation(self.name, self.messages, times, self.unknown, notes, self.form,
                                  self.opaque)

    def _sendable(self, value: Any) -> Any:
        """A copy without lone surrogates, which no encoder takes, and without numbers that JSON does not have."""
        if isinstance(value, str):
            if value.isascii() or not _SURROGATE.search(value):
                return value
            self.note(f"lone surrogate replaced by U+FFFD in message {len(self.messages) + 1}")
            return _SURROGATE.sub("\ufffd", value)
        if isinstance(value, dict):
            return {self._sendable(key): self._sendable(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._sendable(item) for item in value]
        if isinstance(value, float) and not isfinite(value):
            self.note("number that JSON does not have made text")
            return str(value)
        return value


def function_name(name: str) -> str:
    """The name as the API's pattern for function names allows it: browser.search becomes browser_search."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", str(name))[:64] or "unknown_tool"


def when(value: Any) -> datetime | None:
    """A time out of a log: seconds or milliseconds since 1970, or ISO 8601; None if it is none of these."""
    try:
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
        time = datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError, TypeError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def title(item: dict[str, Any], place: str) -> str:
    """A conversation's name: its title, name or id, else its place in the file."""
    for key in ("title", "name", "id", "uuid", "conversation_id", "session_id"):
        value = item.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return _SURROGATE.sub("\ufffd", str(value).strip())
    return place


def left_out(draft: Draft, item: dict[str, Any], used: set[str]) -> None:
    """Notes which fields beside the messages were not used, so that nothing goes silently."""
    spare = sorted(str(key) for key, value in item.items() if key not in used and value not in (None, "", [], {}))
    if spare:
        draft.note("fields beside the messages not used: " + ", ".join(spare))
