"""Lists of messages in the OpenAI, Anthropic, LangChain or Responses form: one list, {"messages": [...]}, a list of
such, or either as JSON Lines.  The form is found for each message, since programs mix them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import anthropic, langchain, others, plain, responses
from .draft import Draft, LoggedConversation, left_out, title, when
from .files import Source
from .repair import TIMES, add_raw, as_text, decoded, kind

NAME = "OpenAI messages (JSON or JSONL)"
KEYS = ("messages", "history", "chat_history", "conversation", "conversations", "turns", "dialogue", "dialog", "chat",
        "transcript", "contents", "items", "input", "data", "log")
_WRAPS = ("message", "payload", "item")  # where a line holds its message beside a time and ids
_USED = {*KEYS, "system", "instructions", "title", "name", "id"}


def looks_like(data: Any) -> bool:
    """Whether some item is a message or holds a list of messages."""
    return is_message(data) or talk_in(data) is not None or (isinstance(data, list) and any(
        is_message(item) or talk_in(item) is not None for item in data))


def read(source: Source) -> list[LoggedConversation]:
    """The conversations, in file order.  Raises LogError for an item that is neither message nor conversation."""
    data = source.data
    if isinstance(data, dict):
        return [_conversation(source, {"messages": [data]} if talk_in(data) is None else data, None)]
    if any(map(is_message, data)) and not any(talk_in(item) is not None for item in data):
        return _one_list(source, data)
    return [_conversation(source, item, index) for index, item in enumerate(data)]


def is_message(item: Any) -> bool:
    """Whether an item is a message of a form that is known, or wraps one."""
    if not isinstance(item, dict) or isinstance(item.get("messages"), list):
        return False
    return isinstance(item.get("role"), str) or responses.is_item(item) or langchain.is_item(item) \
        or others.is_item(item) or _wrapped(item) is not None


def talk_in(item: Any) -> list[Any] | None:
    """The list of messages that an item is or holds; None if it holds none."""
    if isinstance(item, list):
        return item if any(map(is_message, item)) else None
    if not isinstance(item, dict):
        return None
    nested = decoded(item.get("messages"))
    if isinstance(nested, list):
        return nested[0] if len(nested) == 1 and talk_in(nested[0]) is not None else nested  # LangSmith wraps it twice
    for key in KEYS:
        inner = item.get(key)
        if isinstance(inner, list) and any(map(is_message, inner)):
            return inner
        if isinstance(inner, dict) and isinstance(inner.get("messages"), list):
            return inner["messages"]
    return next((value for value in item.values() if isinstance(value, list) and any(map(is_message, value))), None)


def add_items(draft: Draft, items: list[Any]) -> None:
    """Adds the items of one conversation to its draft, each read in the form that it has.

    An item without a role and of a type that nobody knows is kept as an opaque part of the answer that it leads to.
    """
    sealed, wrapped = any(map(responses.is_item, items)), any(_wrapped(item) is not None for item in items)
    times = [item.get("created_at") for item in items if isinstance(item, dict)]
    if len(times) == len(items) > 1 and all(isinstance(time, int) for time in times) and \
            times == sorted(times, reverse=True) and times[0] > times[-1]:
        draft.note("newest message first: turned round")
        items = items[::-1]
    answer, forms = responses.Answer(), []
    for number, item in enumerate(items):
        at, inner = None, _wrapped(item) if wrapped else None
        if inner is not None:
            at = next((time for time in (when(item.get(key)) for key in TIMES) if time), None)
            item, sealed = inner, sealed or responses.is_item(inner)
        elif wrapped and isinstance(item, dict) and not is_message(item):
            draft.unknown[f"line of type {as_text(item.get('type', 'unknown'))[:60]}, left out"] += 1
            continue
        odd = isinstance(item, dict) and isinstance(item.get("type"), str) and not {"role", "content"} & item.keys()
        if isinstance(item, dict) and (sealed or odd) and not langchain.is_item(item):
            raws, form = answer.take(number, item), responses.NAME if sealed else ""
        else:
            raws, form = _raws(item, number)
            raws = answer.joined(raws)
        for index, raw in raws:
            if at and isinstance(raw, dict):
                raw = {**raw, "timestamp": at.isoformat()}
            add_raw(draft, raw, index)
        forms += [form] if form else []
    for index, raw in answer.rest():
        add_raw(draft, raw, index)
    draft.form = forms[0] if forms else draft.form


def _raws(item: Any, number: int) -> tuple[Iterator[tuple[int, Any]], str]:
    """The raw messages of an item with its number, and the name of its form ("" for OpenAI's)."""
    if langchain.is_item(item):
        return iter([(number, langchain.convert(item))]), langchain.NAME
    if anthropic.is_item(item):
        return ((number, raw) for raw in anthropic.convert(item)), anthropic.NAME
    if others.is_item(item):
        return ((number, raw) for raw in others.convert(item)), ""
    turn = plain.turn(item) if isinstance(item, dict) and "role" not in item else None
    return ((number, raw) for raw in turn or [item]), ""


def _wrapped(item: Any) -> dict[str, Any] | None:
    """The message that a line holds beside its time and ids, as {"type": "user", "message": {...}}."""
    if isinstance(item, dict) and "role" not in item:
        for key in _WRAPS:
            inner = item.get(key)
            if isinstance(inner, dict) and (isinstance(inner.get("role"), str) or responses.is_item(inner)
                                            or langchain.is_item(inner)):
                return inner
    return None


def _one_list(source: Source, data: list) -> list[LoggedConversation]:
    """The file is one conversation, each item (JSON) or line (JSONL) a message; or several, told apart by a session."""
    sessions: dict[str, list[int]] = {}
    for index, item in enumerate(data):
        named = isinstance(item, dict) and next((item[key] for key in ("sessionId", "session_id", "conversation_id")
                                                 if isinstance(item.get(key), str)), None)
        sessions.setdefault(named or next(reversed(sessions), ""), []).append(index)
    talks = []
    for name, places in sessions.items():
        draft = Draft(name or "conversation", source.where(), NAME)
        draft.places = [source.where(place) for place in places]
        add_items(draft, [data[place] for place in places])
        talks.append(draft.done())
    return talks


def _conversation(source: Source, item: Any, index: int | None) -> LoggedConversation:
    where = source.where(index)
    place = "conversation" if index is None else f"conversation {index + 1}"
    items = talk_in(item)
    if isinstance(item, list):
        items, item = item, {}
    if items is None:
        found = f"an object with the fields {', '.join(map(str, item))[:80]}" if isinstance(item, dict) else kind(item)
        draft = Draft(place, where, NAME)
        raise draft.fail(f"expected a conversation, an object with a list 'messages', found {found}.")
    draft = Draft(title(item, place), where, NAME)
    add_system(draft, item)
    form, draft.form = draft.form, NAME
    add_items(draft, items)
    draft.form = draft.form if draft.form != NAME else form
    left_out(draft, item, _USED | {key for key, value in item.items() if value is items})
    if not items:
        draft.note("no messages in it")
    return draft.done()


def add_system(draft: Draft, item: dict[str, Any]) -> None:
    """Adds the instructions that stand beside the messages: Anthropic's system, the Responses API's instructions."""
    for key, form in (("system", anthropic.NAME), ("instructions", responses.NAME)):
        words = item.get(key)
        if isinstance(words, list):
            words = anthropic.result(words)
        if words not in (None, "", []):
            draft.form = form
            draft.add({"role": "system", "content": words if isinstance(words, str) else as_text(words)})
