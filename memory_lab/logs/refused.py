"""Words for data that is no chat log, and for what is known about it."""

from __future__ import annotations

from typing import Any

from .repair import kind

_EVENTS = ("message_start", "content_block_start", "content_block_delta", "response.created", "response.completed")


def describe(data: Any) -> str:
    """Words for data of no known kind."""
    first = data[0] if isinstance(data, list) and data else data
    keys = f" with the fields {', '.join(map(str, first))[:100]}" if isinstance(first, dict) and first else ""
    if isinstance(data, list):
        return f"a list whose first item is {kind(first)}{keys}" if data else "an empty list"
    return f"{kind(data)}{keys}"


def advice(data: Any) -> str:
    """A sentence for data that is nearly a log; "" for any other."""
    if isinstance(data, list) and data and all(isinstance(item, str) for item in data):
        return "The texts do not say who spoke. "
    first = data[0] if isinstance(data, list) and data else data
    first = first if isinstance(first, dict) else {}
    if first.get("object") == "chat.completion.chunk" or first.get("type") in _EVENTS:
        return "These are the events of a streamed answer: log the whole answer instead. "
    return ""
