"""How important an item is, by the published formula; what the source leaves open is decided here, and said.

    importance = type + length + 0.5 x recency + 0.5 x mark, at most 1

Published (003): the weights of the types, 30 days of recency, both factors, the cap.  Decided here: length adds up to
0.1, reached at 200 characters, a Chinese one counted twice; recency falls evenly from 1 to 0 over 30 days and stays
there; a mark is a share of 1, not a flag; a summary weighs as a fact, any other type as conversation.

Copy with: retrieval/stores/contract.py for Item.  Chapter 10.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta

from ..errors import SettingError
from ..retrieval.stores.contract import Item

WEIGHTS = {"personal": 0.8, "preference": 0.7, "fact": 0.5, "conversation": 0.3}
SUMMARY = "summary"  # the type of what stands for several items
RECENT = timedelta(days=30)
LENGTH, LONG = 0.1, 200  # what length adds at most; columns at which it does


def importance(item: Item, *, now: datetime | None = None, weights: Mapping[str, float] = WEIGHTS) -> float:
    """0 to 1: type + length + 0.5 x recency + 0.5 x mark, capped.

    now: with a time zone; without it, or without item.at, recency is 0.  weights: of the types.
    item.metadata["mark"] is a number from 0 to 1, or a truth value.  item.importance is not read: it is what somebody
    noted when the item was saved, and recency has changed since.
    Raises SettingError for a mark that is no such number.  Cost: O(characters).

    >>> from datetime import UTC
    >>> day = datetime(2026, 5, 1, tzinfo=UTC)
    >>> said = Item("1", "I am allergic to shellfish.", type="personal", at=day)
    >>> [round(importance(said, now=day + timedelta(days=days)), 4) for days in (0, 27, 30, 90)]
    [1.0, 0.8635, 0.8135, 0.8135]
    """
    age = None if now is None or item.at is None else max(now - item.at, timedelta())
    recency = 0.0 if age is None else max(0.0, 1 - age / RECENT)
    weight = weights.get(item.type, weights.get("fact" if item.type == SUMMARY else "conversation", 0.0))
    return min(1.0, weight + _length(item.text) + 0.5 * recency + 0.5 * mark_of(item))


def mark_of(item: Item) -> float:
    """What item.metadata["mark"] says, 0 where it says nothing."""
    mark = item.metadata.get("mark", 0)
    if isinstance(mark, str) or not 0 <= mark <= 1:
        raise SettingError(f"item {item.id!r}: its mark is {mark!r}; it must be a number from 0 to 1")
    return float(mark)


def pinned(item: Item) -> bool:
    """Whether item.metadata["pinned"] says that it must never go."""
    return bool(item.metadata.get("pinned"))


def _length(text: str) -> float:
    columns = sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
    return LENGTH * min(1.0, columns / LONG)
