"""Lists without roles of their own: question and answer pairs, and turns that name a speaker."""

from __future__ import annotations

from typing import Any

from .draft import Draft, LoggedConversation, left_out, title
from .files import Source
from .repair import ALIASES, add_raw, kind

NAME = "pairs or named speakers"
PAIRS = (("user", "assistant"), ("human", "assistant"), ("human", "ai"), ("user", "bot"), ("question", "answer"),
         ("prompt", "response"), ("prompt", "completion"), ("query", "response"), ("instruction", "output"),
         ("input", "output"), ("q", "a"))
SPEAKERS, WORDS = ("speaker", "sender", "author", "from", "who"), ("text", "content", "message", "value", "utterance")
_ROLES = {**ALIASES, "user": "user", "assistant": "assistant", "system": "system", "customer": "user",
          "agent": "assistant"}


def looks_like(data: Any) -> bool:
    """Whether the data is, or holds, a list of pairs or of turns with a speaker that is known."""
    return _is_turn(data) or any(_is_turn(item) or _list_in(item) is not None
                                 for item in (data if isinstance(data, list) else [data]))


def read(source: Source) -> list[LoggedConversation]:
    """The conversations, in file order.  Raises LogError for an item that is none."""
    data = source.data
    if _is_turn(data):
        return [_conversation(source, {}, [data], None)]
    if isinstance(data, dict):
        return [_conversation(source, data, _list_in(data), None)]
    if any(map(_is_turn, data)):
        return [_conversation(source, {}, data, None)]
    return [_conversation(source, item, _list_in(item), index) for index, item in enumerate(data)]


def _pair(item: Any) -> tuple[str, str] | None:
    """The two keys of a pair: a text under the first; a text or null under the second."""
    if not isinstance(item, dict):
        return None
    return next((pair for pair in PAIRS if isinstance(item.get(pair[0]), str) and pair[1] in item
                 and isinstance(item[pair[1]], str | None)), None)


def _spoken(item: Any) -> tuple[str, str] | None:
    """The keys of a turn that names its speaker, who is one that is known."""
    if not isinstance(item, dict):
        return None
    who = next((key for key in SPEAKERS if isinstance(item.get(key), str)), None)
    words = next((key for key in WORDS if isinstance(item.get(key), str)), None)
    return (who, words) if who and words and item[who].strip().lower() in _ROLES else None


def _is_turn(item: Any) -> bool:
    two = isinstance(item, list) and len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], str | None)
    return two or _pair(item) is not None or _spoken(item) is not None


def turn(item: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The raw messages that a turn stands for; None if it is no such turn."""
    spoken, pair = _spoken(item), _pair(item)
    if spoken:
        who, words = spoken
        rest = {key: value for key, value in item.items() if key not in (who, words, "role")}
        return [{**rest, "role": _ROLES[item[who].strip().lower()], "content": item[words]}]
    if not pair:
        return None
    asked, answer = item[pair[0]], item[pair[1]]
    if pair == ("instruction", "output") and isinstance(item.get("input"), str) and item["input"]:
        asked = f"{asked}\n{item['input']}"
    said = [("system", item["system"])] if isinstance(item.get("system"), str) and item["system"] else []
    for question, reply in item["history"] if _pairs(item.get("history")) else ():
        said += [("user", question), ("assistant", reply)]
    said += [("user", asked), ("assistant", answer)]
    return [{"role": role, "content": words} for role, words in said if words is not None]


def _list_in(item: Any) -> list[Any] | None:
    if isinstance(item, list):
        return item if any(map(_is_turn, item)) else None
    return next((value for value in item.values() if isinstance(value, list) and any(map(_is_turn, value))), None) \
        if isinstance(item, dict) else None


def _conversation(source: Source, item: Any, turns: list[Any] | None, index: int | None) -> LoggedConversation:
    place = "conversation" if index is None else f"conversation {index + 1}"
    beside = item if isinstance(item, dict) else {}
    draft = Draft(title(beside, place), source.where(index), NAME)
    if turns is None:
        raise draft.fail(f"expected a list of pairs or of turns with a speaker, found {kind(item)} without one.")
    if isinstance(beside.get("system"), str) and beside["system"]:
        draft.add({"role": "system", "content": beside["system"]})
    for number, each in enumerate(turns):
        _turn(draft, each, number)
    left_out(draft, beside, {"system", "title", "name", "id", *(key for key in beside if beside[key] is turns)})
    return draft.done()


def _turn(draft: Draft, item: Any, number: int) -> None:
    raws = turn(item) if isinstance(item, dict) else None
    if raws is None and _is_turn(item):
        raws = [{"role": role, "content": words} for role, words in zip(("user", "assistant"), item, strict=True)
                if words is not None]
    if raws is None:
        raise draft.fail(f"expected a pair of texts or a turn with a speaker, found {kind(item)}. Take it out.", number)
    for raw in raws:
        add_raw(draft, raw, number)


def _pairs(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, list) and _is_turn(each) for each in value)
