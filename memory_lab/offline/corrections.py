"""Corrections and retractions: which earlier statement a newer one replaces or takes back."""

from __future__ import annotations

from typing import NamedTuple

from .analysis import Analysis
from .evidence import Evidence
from .groups import meets
from .lexicon import class_of
from .meaning import Nearness
from .question import Question
from .subject import subject_of

NEAR = 20  # statements: how far back a correction without a subject reaches


class Hit(NamedTuple):
    """A statement with its score for a question; order: its place in the context.

    leans: the score needs the sentence before, which is then quoted too; matches: one figure a group of the question's
    words; heir: it corrects a hit, and has its score; corrects: the order of that hit; near: how near its meaning comes
    to an answer (meaning.py); other: it is on another matter than the answer, and may be meant instead.
    """

    score: float
    order: int
    evidence: Evidence
    leans: bool = False
    matches: tuple[float, ...] = ()
    heir: bool = False
    corrects: int = -1
    near: Nearness = Nearness(0.0)
    other: bool = False


def corrected(hits: list[Hit], want: Question, threshold: float) -> list[Hit]:
    """The hits, where a correction without a subject ("make it Friday") has the score of what it corrects."""
    found: list[Hit] = []
    for hit in hits:
        item = hit.evidence
        valued = item.analysis.kinds & _VALUES or not item.marks.retract
        has_kind = not want.wants or any(meets(kind, item.analysis) for kind in want.wants)
        if (
            item.speaker == (want.about if want.named else "user")
            and item.marks.update
            and valued
            and has_kind
            and not item.marks.guess
        ):
            target = _target(
                item, hit.order, [old for old in found[-60:] if want.named or old.evidence.speaker != "assistant"], want
            )
            if target is not None and target.score >= threshold and target.score * 0.99 > hit.score:
                hit = hit._replace(score=target.score * 0.99, matches=target.matches, leans=False, heir=True,
                                   corrects=target.order)
        found.append(hit)
    return found


def corrects_at_last(hit: Hit, hits: list[Hit]) -> int:
    """The order of the statement that a chain of corrections began with; its own for what corrects nothing."""
    while hit.heir:
        hit = hits[hit.corrects]
    return hit.order


def _target(new: Evidence, order: int, before: list[Hit], want: Question) -> Hit | None:
    """What a correction corrects: the newest statement with its words, else the one with a value just before it."""
    passed = False
    for old in reversed(before):
        matter = same_matter(new, old.evidence, bool(want.wants))
        if matter == "words" or (matter and not passed and order - old.order <= NEAR):
            return old
        passed = passed or bool(old.evidence.analysis.kinds & _VALUES)
    return None


_VALUES = frozenset({"number", "date", "time", "money", "code", "phone", "email", "place", "duration"})
_GENERIC = frozenset(
    {
        "change",
        "number",
        "date",
        "time",
        "place",
        "person",
        "avoid",
        "like",
        "taste",
        "event",
        "appointment",
        "day",
        "food",
        "diet",
        "money",
        "cost",
        "name",
        "city",
        "trip",
        "home",
        "decision",
        "own",
        "quit",
        "preference_of",
        "limit",
        "code",
        "have",
        "country",
        "family",
    }
)


_FREE = frozenset(
    {
        "change",
        "number",
        "date",
        "time",
        "avoid",
        "like",
        "taste",
        "decision",
        "quit",
        "have",
        "own",
        "preference_of",
        "limit",
        "day",
        "money",
        "cost",
        "place",
        "person",
        "model",
        "home",
    }
)


def same_matter(new: Evidence, old: Evidence, wanted: bool) -> str:
    """By what the newer statement gives another value for what the older one speaks of: "words", "values", or "".

    wanted: values of one kind (two dates) are enough; else they must be different things of one class (two colours).
    """
    kinds = new.analysis.kinds & old.analysis.kinds & _VALUES if wanted else frozenset()
    if "code" in old.analysis.kinds - kinds:
        kinds -= {"number"}  # a house number does not correct an order's
    shared = {
        c for c in new.analysis.concepts if new.analysis.concepts[c] == 1.0 and c in old.analysis.concepts
    } - _GENERIC
    words = {key for term in new.analysis.terms if term.weight >= 0.8 for key in term.keys} & old.analysis.keys
    classes = _other_kinds(new.analysis, old.analysis)
    if subject_of(new.analysis) == "other" and not words and (
            new.named is None or new.named not in (old.analysis, old.named)):
        return ""
    content = sum(term.weight >= 0.8 for term in new.analysis.terms)
    topics = {c for term in new.analysis.terms if term.weight >= 0.5 for c in term.concepts if "/" not in c} - _FREE
    if not (shared or words) and (content > 5 or topics):
        return ""
    if (shared or words) and (kinds or classes or new.marks.retract):
        same = words or any(old.analysis.concepts[c] == 1.0 for c in shared)
        return "words" if same else "values"  # "the car" need not be the bus of an hour ago
    return "values" if (kinds or classes) and content <= 4 else ""


def _other_kinds(new: Analysis, old: Analysis) -> bool:
    """Do the two name different things of one class (red, green), so that one may replace the other?"""
    mine, theirs = ({c for c, near in each.concepts.items() if near == 1.0 and class_of(c)} for each in (new, old))
    return any(class_of(c) in {class_of(d) for d in theirs} for c in mine - theirs)


def withdraws(new: Evidence, old: Evidence) -> bool:
    """Whether the new statement takes the old one back: it cancels, forgets or quits what the old one named."""
    words = {key for term in new.analysis.terms if term.weight >= 0.8 for key in term.keys}
    shared = (
        {c for c, near in new.analysis.concepts.items() if near == 1.0 and old.analysis.concepts.get(c) == 1.0}
        - _GENERIC
        - {"cancel", "quit"}
    )
    named = {c for c, near in new.analysis.concepts.items() if near == 1.0 and old.analysis.concepts.get(c) == 1.0} & {
        "name",
        "code",
        "phone",
        "email",
        "address",
        "budget",
    }
    return bool(
        shared or named or words & {key for term in old.analysis.terms if term.weight >= 0.8 for key in term.keys}
    )
