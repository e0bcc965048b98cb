"""The offline model as a function: from a request of the chat API to the message that answers it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ..messages import Message, text_of


class Reply(NamedTuple):
    """content or calls (name and arguments); cut: it had to leave out all it was asked for, for want of room."""

    content: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    cut: bool = False


def reply(request: dict[str, Any], room: int, count) -> Reply:
    """What the model says. room: tokens that it may write; count: the counter. Which of its tasks it is, in order:

    a tool call that is forced or asked for, JSON by a schema, a summary, and else an answer from the context.
    """
    messages: list[Message] = request["messages"]
    if request.get("tools") and request.get("tool_choice") != "none":
        from .tools import call_for

        call = call_for(messages, request["tools"], request.get("tool_choice", "auto"))
        if call:
            return Reply(calls=(call,))
    form = (request.get("response_format") or {}).get("type", "text")
    if form == "json_schema":
        from .filler import fill

        return Reply(
            json.dumps(fill(request["response_format"]["json_schema"]["schema"], messages), ensure_ascii=False)
        )
    from .summariser import asks_for_summary, summary

    if asks_for_summary(messages):
        text = summary(messages, room, count)
        return Reply(text, cut=not text)
    from .reader import answer

    text = answer(messages)
    return Reply(json.dumps({"answer": text}, ensure_ascii=False) if form == "json_object" else text)


def last_user(messages: list[Message]) -> str:
    """The words of the newest user message; "" when there is none."""
    return next((text_of(message) for message in reversed(messages) if message["role"] == "user"), "")
