"""Is it a question, and what does it ask for: kinds of value wanted, whose, past or present."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .analysis import analyse, unaffirmed
from .language import base, fold, language_of
from .lexicon import LANGUAGES
from .patterns import patterns

_TABLE = {key: re.compile(pattern, re.IGNORECASE) for key, pattern in patterns("question")}
_WANTS = {
    language: [(key.split(".")[2], pattern) for key, pattern in _TABLE.items() if key.startswith(f"wants.{language}.")]
    for language in LANGUAGES
}
MET_BY = {
    "selfname": {"selfname"},
    "phone": {"phone"},
    "email": {"email"},
    "code": {"code", "digits", "phone"},
    "time": {"time"},
    "duration": {"duration"},
    "age": {"number", "duration"},
    "frequency": {"number", "date", "duration"},
    "number": {"number", "code"},
    "amount": {"money", "figure", "percent", "volume"},
    "distance": {"distance", "duration"},
    "weight": {"weight"},
    "height": {"height"},
    "volume": {"volume"},
    "percent": {"percent"},
    "times": {"times"},
    "date": {"date", "time"},
    "place": {"place", "address"},
    "person": {"name"},
    "called": {"name", "selfname"},
}


# A question with such a word asks for what must not be, though nothing in it is negated: "What do I detest?"
NEGATIVE = frozenset({"avoid", "cannot_eat", "dislike", "ban", "hate_word", "allergy", "fear", "reaction"})

FINE = frozenset({"distance", "weight", "height", "volume", "percent", "times"})


class Question(NamedTuple):
    """wants: kinds of value asked for; past: the earlier value; once: what holds this time only; about: whose words.

    mine: it speaks of the asker; negated: it asks what is not, or must not be; named: it is about a speaker by name.
    """

    wants: tuple[str, ...]
    past: bool
    once: bool
    about: str
    yes_no: bool
    mine: bool
    negated: bool
    named: bool = False


@lru_cache(maxsize=50_000)
def is_question(sentence: str) -> bool:
    """Does the sentence ask for information?"""
    text = fold(sentence).strip().strip("\"'”」").replace("'", "’")
    if text.endswith(("?", "？")):
        return True
    return bool(_TABLE[f"asks.{base(language_of(sentence))}"].search(text)) and not _statement(text)


def _statement(text: str) -> bool:
    # "Can't stand olives", "When I was six, I moved" and "What I fear is the dark." only begin like questions.
    return bool(_TABLE["states.en"].match(text) or _TABLE["states.zh"].search(text))


@lru_cache(maxsize=50_000)
def is_request(sentence: str) -> bool:
    """Does the sentence ask for something to be done ("Could you change it to Friday?"): words that also state."""
    return bool(_TABLE[f"request.{base(language_of(sentence))}"].search(fold(sentence)))


@lru_cache(maxsize=10_000)
def read_question(sentence: str, language: str) -> Question:
    """What the question asks for."""
    key, text = base(language), fold(sentence).replace("'", "’")

    def has(name: str) -> bool:
        return bool(_TABLE[name].search(text))

    wants = tuple(kind for kind, pattern in _WANTS[key] if pattern.search(text))
    if "selfname" in wants:
        wants = ("selfname",)
    if "phone" in wants or "email" in wants:
        wants = tuple(kind for kind in wants if kind in ("phone", "email"))
    if "age" in wants or "duration" in wants or "frequency" in wants:
        wants = tuple(kind for kind in wants if kind not in ("number", "amount"))
    fine = [kind for kind in wants if kind in FINE]
    if fine:  # "how tall" asks for no other number
        wants = tuple(kind for kind in wants if kind in FINE or kind == "frequency")
    about = "assistant" if has("advice" if key == "en" else f"you.{key}") else "user"
    return Question(
        wants,
        has(f"past.{key}"),
        has(f"once.{key}"),
        about,
        has(f"yesno.{key}"),
        has(f"mine.{key}"),
        bool(_TABLE[f"negated.{key}"].search(unaffirmed(text)))
        or bool(NEGATIVE & {c for term in analyse(sentence).terms for c in term.concepts}),
    )
