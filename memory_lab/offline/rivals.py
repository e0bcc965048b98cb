"""Of statements on one matter, which holds: the newest, the one before, or several that add up."""

from __future__ import annotations

from .corrections import Hit, withdraws
from .evidence import Evidence
from .features import member
from .groups import Group, meets
from .question import Question
from .subject import of_others

THRESHOLD = 0.6  # of a score that is an answer by its words alone
SAME = 0.93  # of the best score: a statement this near is on the same matter, a marked update also from UPDATE
UPDATE = 0.8
AT_ALL = 0.01  # of the best one's odds: less, and not even an update in the same words is on its matter
UNMARKED, MARKED = 0.5, 0.1  # of the best one's odds: a newer statement from which is about as likely to be the answer


def as_sure(hit: Hit, certainties: dict[int, float], best: Hit) -> bool:
    """Is it about as likely as the best? A marked update may be less so: it need not repeat what it is about."""
    mine, its = (certainties[each.order] / max(1e-6, 1 - certainties[each.order]) for each in (hit, best))
    if hit.evidence.marks.update and best.score >= THRESHOLD:
        return mine >= AT_ALL * its  # whether it is on the same matter is told by its words
    return mine >= (MARKED if hit.evidence.marks.update else UNMARKED) * its


def are_rivals(hit: Hit, best: Hit, kinds: list[str], classes: list[Group], plain: bool) -> bool:
    """Is a hit on the best one's matter, so that the newer of them counts?

    kinds, classes: of the wanted, what the best has (a date; "green", where a colour is asked for).  plain: both answer
    the question surely, so they need no word in common ("My flat is in Leeds", "I live in Ghent now")."""
    if not hit.heir and of_others(hit.evidence.analysis, best.evidence.analysis):
        return False
    near = hit.score >= best.score * (UPDATE if hit.evidence.marks.update else SAME)
    plain = plain and hit.evidence.marks.update and bool(kinds or classes)
    if not near or not (hit.heir or plain or shares(hit.evidence, best.evidence)):
        return False
    if any(mine < 0.4 and theirs >= 0.7 for mine, theirs in zip(hit.matches, best.matches, strict=False)):
        return False
    if not hit.heir and not plain and not all(member(group, hit) for group in classes):
        return False
    return not kinds or any(meets(kind, hit.evidence.analysis) for kind in kinds)


_LOOSE = frozenset({"avoid", "change", "number", "date", "time", "place", "person", "day", "money", "use", "own"})


def shares(one: Evidence, other: Evidence) -> bool:
    """Do two statements have a word, or a concept that one of them names, in common?"""
    a, b = ({c: near for c, near in each.analysis.concepts.items() if c not in _LOOSE} for each in (one, other))
    return (
        any(near == 1.0 and c in b for c, near in a.items())
        or any(near == 1.0 and c in a for c, near in b.items())
        or any(term.weight >= 0.5 and term.keys <= other.analysis.keys for term in one.analysis.terms)
        or any(
            near == 1.0 and c in b
            for led in (one.reply_to, one.lead if one.marks.pronoun else None)
            if led is not None
            for c, near in led.concepts.items()
        )
    )


def choose(same: list[Hit], hits: list[Hit], want: Question) -> list[Hit]:
    """Of statements on one matter the newest; the one before for "before"; several where the newest says "also"."""
    spoken = (
        [hit for hit in same if hit.evidence.speaker in ("user", "notes", "tool")]
        if want.about == "user" and not want.named
        else []
    )
    same = spoken or same
    if not want.once:
        same = [hit for hit in same if not hit.evidence.marks.once] or same
    if want.past and len(same) > 1:
        return same[-2:-1]
    chosen = [same[-1]]
    while chosen[0].evidence.marks.also and not chosen[0].evidence.marks.update and len(chosen) < min(len(same), 4):
        chosen.insert(0, same[-len(chosen) - 1])
    newest = chosen[-1]
    for hit in hits[newest.order + 1 :]:
        item = hit.evidence
        if (
            item.speaker == "user"
            and (item.marks.forget or item.marks.retract)
            and not item.marks.once
            and hit.score >= 0.3
            and withdraws(item, newest.evidence)
        ):
            return [] if item.marks.forget and not item.marks.retract else [hit]
    return [] if newest.evidence.marks.forget and not newest.evidence.marks.retract else chosen
