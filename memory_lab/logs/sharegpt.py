"""ShareGPT: {"conversations": [{"from": "human", "value": ...}]}, with the tool turns and fields of LLaMA-Factory."""

from __future__ import annotations

import json
from typing import Any

from .draft import Draft, LoggedConversation, left_out, title, when
from .files import Source
from .repair import TIMES, add_raw, arguments_text, as_text, kind

NAME = "ShareGPT"
ROLES = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "chatgpt": "assistant",
         "bing": "assistant", "bard": "assistant", "model": "assistant", "system": "system",
         "function_call": "call", "tool_call": "call", "observation": "result", "tool": "result",
         "function_response": "result", "tool_response": "result", "function": "result"}
_LISTS = ("conversations", "conversation", "items")


def looks_like(data: Any) -> bool:
    """Whether some item is a ShareGPT turn or holds a list of them."""
    items = data if isinstance(data, list) else [data]
    return any(_is_turn(item) or _turns(item) is not None for item in items)


def read(source: Source) -> list[LoggedConversation]:
    """The conversations, in file order.  Raises LogError for an item that is none, and for an unknown speaker."""
    data = source.data
    if isinstance(data, list) and any(_is_turn(item) for item in data):
        return [_conversation(source, {"conversations": data}, None)]
    if isinstance(data, dict):
        return [_conversation(source, data, None)]
    return [_conversation(source, item, index) for index, item in enumerate(data)]


def _is_turn(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("from"), str) and "value" in item


def _turns(item: Any) -> list | None:
    """The list of turns in an item; a list under the same key with OpenAI's role and content counts too."""
    for key in _LISTS if isinstance(item, dict) else ():
        turns = item.get(key)
        if isinstance(turns, list) and any(
                _is_turn(turn) or (isinstance(turn, dict) and "role" in turn and "content" in turn) for turn in turns):
            return turns
        if key == "conversations" and turns == []:
            return turns
    return None


def _conversation(source: Source, item: Any, index: int | None) -> LoggedConversation:
    place = "conversation" if index is None else f"conversation {index + 1}"
    draft = Draft(title(item, place) if isinstance(item, dict) else place, source.where(index), NAME)
    turns = _turns(item)
    if turns is None:
        raise draft.fail(f"expected an object with a list 'conversations' of {{from, value}}, found {kind(item)}"
                         " without one.")
    system = item.get("system")
    if isinstance(system, str) and system:
        draft.add({"role": "system", "content": system})
    for number, turn in enumerate(turns):
        _turn(draft, turn, number)
    if not turns:
        draft.note("no messages in it")
    left_out(draft, item, {*_LISTS, "title", "name", "id", "system"})
    return draft.done()


def _turn(draft: Draft, turn: Any, number: int) -> None:
    if isinstance(turn, dict) and "from" not in turn and "role" in turn:
        add_raw(draft, turn, number)
        return
    if not isinstance(turn, dict):
        raise draft.fail(f"expected an object with from and value, found {kind(turn)}.", number)
    speaker = turn.get("from")
    role = ROLES.get(speaker.strip().lower()) if isinstance(speaker, str) else None
    if role is None:
        raise draft.fail(f"the speaker is {speaker!r:.60}; expected one of {', '.join(ROLES)}. "
                         "Rename it or take the turn out.", number)
    if turn.get("value") in (None, ""):
        draft.note("empty value" if turn.get("value") == "" else "null value read as empty")
    value = as_text(turn.get("value") if turn.get("value") is not None else "")
    at = next((time for time in (when(turn.get(key)) for key in TIMES) if time), None)
    for key, extra in turn.items():
        if key not in ("from", "value", *TIMES) and extra not in (None, "", [], {}):
            draft.unknown[f"field {key} of a turn"] += 1
    if role == "call":
        _call(draft, value, at)
    elif role == "result":
        draft.result(value, at=at)
    else:
        draft.add({"role": role, "content": value}, at, number)


def _call(draft: Draft, value: str, at: Any) -> None:
    """One call, or a list of parallel calls, written as JSON in the value."""
    try:
        calls = json.loads(value)
    except (ValueError, RecursionError):
        calls = None
    calls = calls if isinstance(calls, list) else [calls]
    if not calls or not all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls):
        draft.unknown["function_call that is not {name, arguments}"] += 1
        draft.call("unknown_tool", value, at=at)
        return
    for call in calls:
        arguments = call.get("arguments", {})
        draft.call(call["name"], arguments_text(draft, arguments) if isinstance(arguments, str) else as_text(arguments),
                   at=at)
