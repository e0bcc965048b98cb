"""Marks in a sentence that change how it counts: an update, a retraction, "only this time", "also", a guess."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .language import fold
from .patterns import patterns

PLAIN = ("update", "forget", "retract", "once", "also", "guess", "pronoun", "goes_on")
_CUTS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in patterns("marks") if "." in name}
_FOUND = {
    name: re.compile(pattern, re.IGNORECASE) for name, pattern in patterns("marks") if name in PLAIN
}
# What a correction turns down, cut from the quote so that the answer does not bring the old value back.
_KEPT = {"stale": "", "stale.first": r"\1", "stale.shi": "是"}
_STALE = [
    (re.compile(pattern, re.IGNORECASE), _KEPT[name]) for name, pattern in patterns("marks") if name.startswith("stale")
]


class Marks(NamedTuple):
    """What a sentence does beside stating: update, take back, guess, hold once, lean on a pronoun."""

    update: bool
    forget: bool
    retract: bool
    once: bool
    also: bool
    guess: bool
    pronoun: bool


@lru_cache(maxsize=100_000)
def marks(sentence: str) -> Marks:
    """How the sentence counts beside others on its matter."""
    text = fold(sentence)
    found = Marks(*(bool(_FOUND[name].search(text)) for name in Marks._fields))
    # "Forget the boots, I will buy a tent" changes a plan; it takes nothing back.
    return found._replace(forget=False) if found.forget and _FOUND["goes_on"].search(text) else found


def without_stale(sentence: str) -> str:
    """The sentence without the value that it says is no longer so; the whole sentence if too little is left."""
    text = sentence
    for pattern, keep in _STALE:
        text = pattern.sub(keep, text)
    return text.strip() if len(text.strip()) >= max(4, len(sentence) // 4) else sentence


def ruled_out(sentence: str, language: str) -> tuple[str, str]:
    """What a sentence forbids or turns down, and what it is cut from: the words after its negator, and those before."""
    found = _CUTS[f"negator.{language}"].match(sentence)
    return (sentence[found.end() :].strip(), found.group().strip(" ,.，。")) if found else ("", sentence)


def forbids(sentence: str, language: str) -> bool:
    """Does the sentence begin with what is not to be ("Do not take the old card")?"""
    found = _CUTS[f"negator.{language}"].match(sentence)
    return bool(found) and found.end() <= (8 if language == "zh" else 20)


def bounded(sentence: str, language: str) -> str:
    """The figure that a sentence does not want to go over; "" when it names no bound so."""
    found = _CUTS[f"bound.{language}"].match(sentence)
    return sentence[found.end() :].strip() if found else ""
