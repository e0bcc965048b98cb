"""Whom a sentence is about: the speaker, or people named by their relation to the speaker."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from .analysis import Analysis
from .language import base
from .lexicon import lexicon, plain
from .patterns import compiled
from .stopwords import STOP

_NOT_PEOPLE = frozenset(
    {
        "person",
        "client",
        "guest",
        "doctor",
        "dentist",
        "vet",
        "agent",
        "teacher",
        "lawyer",
        "people_count",
        "companion",
        "recipient",
        "member",
        "accompany",
        "make_by",
        "lend_word",
    }
)
_ME = {
    "en": re.compile(r"\b(?:i|i[’'](?:m|ve|d|ll)|we|we[’'](?:re|ve|ll)|me)\b", re.IGNORECASE),
    "es": re.compile(r"\b(?:yo|me|nosotros|nos)\b", re.IGNORECASE),
}
_OTHER = {
    "en": re.compile(
        r"^(?:\W*(?:and|but|also|so|well|oh|yes|no|actually|by the way|btw|today|yesterday)[, ]+)*(?:he|she|they)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(r"^(?:él|ella|ellos|ellas)\b", re.IGNORECASE),
}


# "Safiya has opened a school": a capital word that is no word of the lexicon, then a verb.
_NAMED = compiled("subject", "named", 0)


def _known(analysis: Analysis, key: str) -> bool:
    first = analysis.terms[0] if analysis.terms else None
    head = re.match(r"\w+", analysis.text)
    return (
        first is None
        or bool(first.concepts)
        or head is None
        or head[0].lower() in STOP[key]
        or head[0].lower() != first.text.split()[0]
    )


@lru_cache(maxsize=50_000)
def people_asked(concepts: frozenset[str]) -> frozenset[str]:
    """Of the concepts, those that are persons (sister, boss), not roles that anybody may have."""
    parents = lexicon().parents
    return frozenset(
        c
        for c in concepts
        if c not in _NOT_PEOPLE and (parents.get(c, {}).get("person", 0) > 0.9 or c in ("family", "friend"))
    )


def people_in(analysis: Analysis) -> frozenset[str]:
    """Concepts of people whom a sentence names ("my sister"): the ones said, with their wider kinds (family)."""
    return _people_in(analysis.text, analysis.language)


def people_named(analysis: Analysis) -> frozenset[str]:
    """The people whom the words themselves name, without their wider kinds: whom a question is about."""
    return people_asked(frozenset(c for term in analysis.terms for c in term.concepts))


@lru_cache(maxsize=100_000)
def _people_in(text: str, language: str) -> frozenset[str]:
    from .analysis import analyse

    analysis = analyse(text, language)
    own = frozenset(c for term in analysis.terms for c in term.concepts)
    return people_asked(own) | frozenset(c for c in people_asked(frozenset(analysis.concepts)) if c not in ("person",))


@lru_cache(maxsize=100_000)
def _subject(text: str, language: str) -> str:
    from .analysis import analyse

    analysis = analyse(text, language)
    key = base(language)
    if key == "zh":
        first = next((i for i, char in enumerate(analysis.folded) if char in "我咱"), None)
        third = next((i for i, char in enumerate(analysis.folded) if char in "他她它"), None)
        words = [term.text for term in analysis.terms if people_asked(term.concepts)]
        at = min((analysis.folded.find(word) for word in words), default=None)
        if (
            at is not None
            and re.match(r".{0,6}?我?(?:的|们家|家)?$", analysis.folded[:at])
            and not re.search(r"我[^的家]", analysis.folded[:at])
        ):
            return "other"
        return "other" if third is not None and third <= 2 and (first is None or third < first) else "me"
    if _OTHER[key].search(analysis.folded) or (_NAMED.match(analysis.text) and not _known(analysis, key)):
        return "other"
    me = _ME[key].search(analysis.folded)
    words = [term.text.split()[0] for term in analysis.terms if people_asked(term.concepts)]
    lower = analysis.folded.lower().replace("'", "’")
    places = [lower.find(word) for word in words if plain(word)]
    at = min((place for place in places if not _BEHIND.search(lower[:place])), default=None)  # not "the car of my aunt"
    if at is None or at > 30:
        return "me"
    return "other" if me is None or at < me.start() else "me"


def subject_of(analysis: Analysis) -> str:
    """ "other" for a sentence whose subject is somebody else than the speaker; "me" for all the rest."""
    return _subject(analysis.text, analysis.language)


_BEHIND = compiled("subject", "behind")
_THIRD = compiled("subject", "third")


def dropped_subject(analysis: Analysis, lead: Analysis) -> bool:
    """Does a Spanish sentence go on about the person before it, its subject left out ("Toca el violín")?"""
    return (
        analysis.language == "es"
        and bool(_THIRD.match(analysis.text))
        and bool(people_in(lead))
        and not _ME["es"].search(analysis.text)
    )


def of_others(one: Analysis, other: Analysis) -> bool:
    """Does each name people, and are they not the same? A sister and a sibling may be; two grandparents are not."""
    mine, theirs = people_named(one), people_named(other)
    return bool(mine and theirs) and not (mine & people_in(other) or theirs & people_in(one))


_PAIRS = [("grandmother", "grandfather"), ("mother", "father"), ("sister", "brother"), ("daughter", "son"),
          ("wife", "husband")]


def opposite(asked: frozenset[str], named: frozenset[str]) -> bool:
    """Is one of a pair asked about, and the other named, each alone?"""
    return any({*pair} & asked == {one} and {*pair} & named == {other}
               for pair in _PAIRS for one, other in (pair, pair[::-1]))


_SELF = {"en": ("my", "I"), "es": ("mi", "yo"), "zh": ("我", "我")}
_AGREES = [(re.compile(pattern, re.IGNORECASE), turned) for pattern, turned in (
    (r"\b(?:is|are) I\b", "am I"), (r"\bdoes I\b", "do I"), (r"\bhas I\b", "have I"), (r"\bI is\b", "I am"),
    (r"\bI has\b", "I have"), (r"\bI does\b", "I do"),
    (r"(?<! do| am)(?<! did| was)(?<! have)(?<! would| could)(?<! can) I(?=[?.!]*$)", " me"),
    (r"\b(to|from|with|for|of|by|at|on|about|near|after|before|than|without|like) I\b", r"\1 me"))]


def as_speaker(question: str, language: str, names: Iterable[str]) -> str:
    """The question as one of these names would ask it: "Which is Anna's car?" becomes "Which is my car?"."""
    own, self = _SELF[base(language)]
    for name in names:
        part = re.escape(name)
        question = re.sub(rf"(?i:\b{part}['’]s\b)|(?i:\bde {part}\b)", own, question)
        question = re.sub(rf"(?i:\b{part}\b|{part}(?=[\u3400-\u9fff]))", self, question)
    for pattern, turned in _AGREES if self == "I" else ():
        question = pattern.sub(turned, question)
    return question
