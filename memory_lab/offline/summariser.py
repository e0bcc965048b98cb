"""A summary by extraction: the statements worth keeping, in the speakers' own words, within the room that there is.

Kept first: what an earlier summary holds, then names, numbers, prohibitions, preferences, decisions and promises of the
user's. Of two statements on one matter the newer stays. Nothing is rephrased, so nothing is distorted; what does not
fit is lost. Asked for in English, Chinese or Spanish; headings that the prompt lists ("People:") are used.
"""

from __future__ import annotations

import re

from ..messages import Message, text_of
from .language import fold
from .patterns import compiled
from .ranking import Item, items_of, without_superseded
from .transcript import talk

_ASKS = compiled("summariser", "asks")
_LIMIT = compiled("summariser", "limit")


def asks_to_summarise(text: str) -> bool:
    """Does an instruction, in simplified characters, ask for a summary?"""
    return bool(_ASKS.search(text))


def asks_for_summary(messages: list[Message]) -> bool:
    """Does the request ask for a summary: in its first instruction, or in its last user message?"""
    first = text_of(messages[0]) if messages[0]["role"] in ("system", "developer") else ""
    last = text_of(messages[-1]) if messages[-1]["role"] == "user" else ""
    # Only the opening of the instructions: behind it may stand a summary, which speaks of summaries.
    return asks_to_summarise(fold(first[:200])) or asks_to_summarise(fold(last[:400]))


def summary(messages: list[Message], room: int, count) -> str:
    """The summary, of at most `room` tokens (or fewer, if the prompt says so); "" if not even one statement fits."""
    asked = "\n".join(text_of(message) for message in messages if message["role"] in ("system", "developer", "user"))
    stated = [int(number) for number in _LIMIT.findall(fold(asked))]
    room = min([room, *stated[-1:]])
    headings = _headings(messages)
    items = without_superseded(items_of(talk(messages), headings))
    wanted = [item for item in items if item.points >= 3.0] or sorted(items, key=lambda item: -item.points)[:1]
    chosen: list[Item] = []
    used = sum(count.text(heading) + 3 for heading in headings)
    for item in sorted(wanted, key=lambda item: (-item.points, -item.order)):
        cost = count.text(_line(item)) + 1
        if used + cost <= room or not chosen:
            chosen.append(item)
            used += cost
    while chosen and count.text(_written(chosen, headings)) > room:
        chosen.pop()
    if len(chosen) < len(wanted):  # the headings were counted as if all were needed: fill what is left
        for item in wanted:
            if item not in chosen and used + 40 > room and count.text(_written([*chosen, item], headings)) <= room:
                chosen.append(item)
    return _written(chosen, headings)


def _headings(messages: list[Message]) -> list[str]:
    """Lines of the instructions like "People:": what the summary is to be written under."""
    found = []
    for message in messages:
        if message["role"] in ("system", "developer") or message is messages[-1]:
            for line in text_of(message).splitlines():
                match = re.match(r"^\W{0,4}([^\W\d_][\w ,/&-]{1,30})[:：]\s*$", line)
                if match and not re.search(
                    r"so far|message|summary|heading|conversation|transcript|摘要|对话|對話|resumen|mensajes|below",
                    match[1],
                    re.IGNORECASE,
                ):
                    found.append(match[1].strip())
    return list(dict.fromkeys(found))


def _line(item: Item) -> str:
    return f"- {item.speaker.capitalize()}: {item.text}"


def _written(chosen: list[Item], headings: list[str]) -> str:
    lines = []
    ordered = sorted(chosen, key=lambda item: item.order)
    for heading in headings or [""]:
        under = [_line(item) for item in ordered if item.heading == heading]
        if under and heading:
            lines.append(f"{heading}:")
        lines += under
    return "\n".join(lines)
