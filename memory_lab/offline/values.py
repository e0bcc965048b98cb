"""Kinds of value that a sentence holds (a date, a price, a place ...), and spans of each kind."""

from __future__ import annotations

import re
from functools import lru_cache

from .patterns import patterns

_EXACT_CASE = ("place", "name", "selfname", "address", "proper")  # where a capital is what tells
_MEASURES = ("email", "phone", "time", "date", "duration", "distance", "weight", "height", "volume", "times")
_COMPILED = {
    kind: re.compile(pattern, 0 if kind in _EXACT_CASE else re.IGNORECASE) for kind, pattern in patterns("values")
}


@lru_cache(maxsize=100_000)
def kinds(folded: str) -> frozenset[str]:
    """Kinds of value in a sentence (in simplified characters): the names in patterns/values.txt, and "digits".

    "number", "digits" and "code" are what is no part of a time, a date or a price.
    """
    found = {kind for kind, pattern in _COMPILED.items() if pattern.search(folded)}
    if found & {"money", "date", "time"} and "code" in found:
        rest = folded
        for kind in ("email", "money", "time", "date"):
            rest = _COMPILED[kind].sub(" ", rest)
        if not _COMPILED["code"].search(rest):
            found.discard("code")
    if "number" in found:  # a number of its own, not the digits of a time or a price
        rest = folded
        for kind in ("email", "phone", "money", "time", "date"):
            if kind in found:
                rest = _COMPILED[kind].sub(" ", rest)
        if not _COMPILED["number"].search(rest):
            found.discard("number")
        if re.search(r"\d", rest):
            found.add("digits")
    if "figure" in found:  # a bare amount: "three weeks" and "1.95 m" are none
        rest = folded
        for kind in _MEASURES:  # in this order: they overlap
            rest = _COMPILED[kind].sub(" ", rest) if kind in found else rest
        if not _COMPILED["figure"].search(rest):
            found.discard("figure")
    return frozenset(found)


def spans(folded: str, kind: str) -> list[tuple[int, int]]:
    """Where values of that kind stand in the text."""
    return [match.span() for match in _COMPILED[kind].finditer(folded)]
