"""Rows of a gateway or tracer, a request and its answer each: LiteLLM spend logs, {request, response}, API answers.

Each row repeats the history before it, so a row that continues an earlier one replaces it: what is left is each chat
once, with its last answer.
"""

from __future__ import annotations

from typing import Any

from ..errors import LogError
from ..messages import text_of
from . import lists, responses
from .draft import Draft, LoggedConversation, title, when
from .files import Source
from .repair import as_text, decoded, kind

NAME = "request and answer rows"
LITELLM = "LiteLLM rows"
_PAIRS = (("request", "response"), ("body", "response"), ("inputs", "outputs"), ("input", "output"),
          ("kwargs", "response"), ("prompt", "completion"))
_TIMES = ("startTime", "start_time", "timestamp", "created_at", "created")
_STORE = ("The proxy stores prompts only with store_prompts_in_spend_logs: true under general_settings. "
          "Set that, and export what is logged from then on.")


def looks_like(data: Any) -> bool:
    """Whether some item is a row with a request, an answer, or both."""
    return any(_row(item) is not None for item in (data if isinstance(data, list) else [data]))


def read(source: Source) -> list[LoggedConversation]:
    """Each chat once, in the order of its last row.  Raises LogError where no row has its messages."""
    several = isinstance(source.data, list)
    rows = source.data if several else [source.data]
    times = list(map(_time, rows))
    talks: dict[int, LoggedConversation] = {}   # index of the row -> its chat
    begun: dict[int, int] = {}                  # hash of what a row sent, and of that with its answer -> its index
    inside: set[int] = set()                    # hashes of all beginnings of all chats
    empty = 0
    for index in sorted(range(len(rows)), key=times.__getitem__) if all(times) else range(len(rows)):
        where = index if several else None
        found = _row(rows[index])
        if found is None:
            raise LogError(f"{source.where(where)}: expected a row with a request or an answer, found "
                           f"{kind(rows[index])} without one. Take it out.")
        form, beside, asked, answer = found
        if not asked and not answer:
            empty += 1
            continue
        draft = Draft(title(rows[index], "row" if where is None else f"row {index + 1}"), source.where(where), form)
        talk, length = _talk(draft, beside, asked, answer)
        hashes = _hashes(talk.messages)
        if hashes[-1] in inside:
            continue
        old = next((begun[known] for known in reversed(hashes[:-1]) if known in begun), None)
        if old in talks:  # else another row has continued it already: a second answer to the same question
            talk.name = talks.pop(old).name
        talks[index] = talk
        begun |= {hashes[max(length, 1) - 1]: index, hashes[-1]: index}
        inside |= set(hashes)
    if not talks:
        raise LogError(f"{source.path}: {empty} rows without their messages. {_STORE}" if empty > 1 else
                       f"{source.path}: this row has no messages in it. {_STORE}")
    result = list(talks.values())
    if empty:
        result[0].notes.append(f"rows without their messages left out: {empty}")
    if len(rows) - empty > len(result):
        result[0].notes.append(f"rows that a later row repeats, joined: {len(rows) - empty - len(result)}")
    return result


def _row(item: Any) -> tuple[str, dict[str, Any], list[Any], list[Any]] | None:
    """(format, fields beside the messages, what was asked, the answer) of a row; None if it is none."""
    if not isinstance(item, dict):
        return None
    if "call_type" in item and ("request_id" in item or "spend" in item):
        beside, asked = _asked(item.get("messages"))
        if not asked:
            beside, asked = _asked(item.get("proxy_server_request"))
        return LITELLM, beside, asked, _answered(item.get("response"))
    if isinstance(item.get("choices"), list) and lists.talk_in(item) is None:
        return "one answer of the chat completions API", {}, [], _answered(item)
    if isinstance(item.get("output"), list) and (item.get("object") == "response" or _is_answer(item["output"])):
        return responses.NAME, *_asked({**item, "messages": None}), _answered(item)
    for before, after in _PAIRS:
        if isinstance(item.get(before), dict | list | str) and isinstance(item.get(after), dict | list | str):
            beside, asked = _asked(item[before], words=False)
            answer = _answered(item[after])
            if asked and (answer or item[after] in ({}, [], "")):
                return NAME, beside, asked, answer
    return None


def _asked(value: Any, *, words: bool = True) -> tuple[dict[str, Any], list[Any]]:
    """(fields beside, messages) of a request.  words: whether bare text counts as what a user said."""
    value = decoded(value)
    if isinstance(value, dict):
        for key in ("messages", "input", "body", "data", "request"):
            inner = decoded(value.get(key))
            if isinstance(inner, str) and inner and key == "input":
                return value, [{"role": "user", "content": inner}]
            if isinstance(inner, dict):
                beside, asked = _asked(inner, words=False)
                if asked:
                    return beside, asked
            items = lists.talk_in({"messages": inner}) if isinstance(inner, list) else None
            if items and any(map(lists.is_message, items)):
                return value, items
        return value, [value] if lists.is_message(value) else []
    if isinstance(value, list):
        items = lists.talk_in({"messages": value})
        return {}, items if items is not None and any(map(lists.is_message, items)) else []
    return {}, [{"role": "user", "content": value}] if words and isinstance(value, str) and value.strip() else []


def _answered(value: Any) -> list[Any]:
    """The messages or items of an answer."""
    value = decoded(value)
    if isinstance(value, list):
        return value if _is_answer(value) else []
    if not isinstance(value, dict):
        return [{"role": "assistant", "content": value}] if isinstance(value, str) and value.strip() else []
    if isinstance(value.get("choices"), list):
        choice = value["choices"][0] if value["choices"] and isinstance(value["choices"][0], dict) else {}
        if isinstance(choice.get("message"), dict):
            return [{"role": "assistant"} | {key: each for key, each in choice["message"].items()
                                             if each not in (None, [], {})}]
        return [{"role": "assistant", "content": choice["text"]}] if isinstance(choice.get("text"), str) else []
    if lists.is_message(value):
        return [value]
    for key in ("output", "body", "message", "data", "generations", "messages"):
        inner = value.get(key)
        while isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], list):
            inner = inner[0]
        found = _answered(inner) if isinstance(inner, dict | list) else []
        if found:
            return found
    return []


def _is_answer(items: list[Any]) -> bool:
    return any(isinstance(item, dict) and (lists.is_message(item) or responses.is_item(item)) for item in items)


def _talk(draft: Draft, beside: dict[str, Any], asked: list[Any], answer: list[Any]) -> tuple[LoggedConversation, int]:
    """The conversation of a row, and how many of its messages were sent with the request."""
    form = draft.form
    lists.add_system(draft, {key: beside[key] for key in ("system", "instructions") if beside.get(key)})
    lists.add_items(draft, asked)
    length = len(draft.messages)
    lists.add_items(draft, answer)
    if not asked:
        draft.note("an answer alone: what was sent with the request is not in the file")
    draft.form = form
    return draft.done(), length


def _hashes(messages: list[dict[str, Any]]) -> list[int]:
    """For each message one number for it and all before it: rows with the same beginning have the same."""
    hashes, known = [], 0
    for message in messages:
        calls = tuple(as_text(call.get("function") or call.get("custom")) for call in message.get("tool_calls") or ())
        known = hash((known, message["role"], text_of(message), calls))
        hashes.append(known)
    return hashes or [0]


def _time(row: Any) -> float:
    found = next((when(row.get(key)) for key in _TIMES if row.get(key)), None) if isinstance(row, dict) else None
    return found.timestamp() if found else 0.0
