"""OpenAI messages: a list of them, {"messages": [...]}, a list of such, or either as JSON Lines."""

from __future__ import annotations

from typing import Any

from .draft import Draft, LoggedConversation, left_out, title
from .files import Source
from .repair import add_raw, kind

NAME = "OpenAI messages (JSON or JSONL)"


def looks_like(data: Any) -> bool:
    """Whether some item is a message or holds a list of messages."""
    if isinstance(data, dict):
        return _holds_messages(data) or _is_message(data)
    return isinstance(data, list) and any(
        (isinstance(item, dict) and (_is_message(item) or _holds_messages(item))) or _is_message_list(item)
        for item in data)


def read(source: Source) -> list[LoggedConversation]:
    """The conversations, in file order.  Raises LogError for an item that is neither message nor conversation."""
    data = source.data
    if isinstance(data, dict):
        return [_conversation(source, data if _holds_messages(data) else {"messages": [data]}, None)]
    if any(_is_message(item) for item in data) and not any(_holds_messages(item) for item in data):
        return [_one_list(source, data)]
    return [_conversation(source, item, index) for index, item in enumerate(data)]


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("role"), str) and "messages" not in item


def _holds_messages(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("messages"), list)


def _is_message_list(item: Any) -> bool:
    return isinstance(item, list) and any(_is_message(message) for message in item)


def _one_list(source: Source, data: list) -> LoggedConversation:
    """The file is one conversation: each item (JSON) or line (JSONL) is a message."""
    draft = Draft("conversation", source.where(), NAME)
    draft.numbered = False
    for index, raw in enumerate(data):
        draft.where = source.where(index)
        add_raw(draft, raw, index)
    return draft.done()


def _conversation(source: Source, item: Any, index: int | None) -> LoggedConversation:
    where = source.where(index)
    if isinstance(item, list):
        item = {"messages": item}
    place = "conversation" if index is None else f"conversation {index + 1}"
    if not _holds_messages(item):
        found = f"an object with the fields {', '.join(map(str, item))[:80]}" if isinstance(item, dict) else kind(item)
        draft = Draft(place, where, NAME)
        raise draft.fail(f"expected a conversation, an object with a list 'messages', found {found}.")
    draft = Draft(title(item, place), where, NAME)
    for number, raw in enumerate(item["messages"]):
        add_raw(draft, raw, number)
    left_out(draft, item, {"messages", "title", "name", "id"})
    if not item["messages"]:
        draft.note("no messages in it")
    return draft.done()
