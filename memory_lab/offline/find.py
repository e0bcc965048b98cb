"""The statements of a context that answer a question.

A statement's score (score.py) is the share of the question's content words that it covers, by stem, by concept, or by a
kind of what is asked ("pet" by "dog"), with the kind of value that the question wants. Below THRESHOLD there is no
answer. Of statements on one matter the newest wins. No world knowledge, no reasoning over two statements.
"""

from __future__ import annotations

from .analysis import analyse
from .corrections import Hit, corrected, withdraws
from .decide import answering
from .evidence import Evidence
from .groups import Group, cover, groups_of, heard_weight, meets
from .language import language_of
from .question import Question, read_question
from .score import score_of
from .subject import people_named

THRESHOLD = 0.6
CORRECTED = 0.45  # score from which a statement can be what a correction without a subject corrects
SAME = 0.93  # of the best score: a statement this near is on the same matter, a marked update also from UPDATE
UPDATE = 0.8
TOPIC = 12  # statements: how long a word of the user's stays what the talk is about


def find(question: str, evidence: list[Evidence], names: dict[str, str] | None = None) -> list[Hit]:
    """The statements that answer the question, oldest first: one, or several that add up; none when it is not said.

    names: who speaks in which role, where messages carry names: "Anna's car" is then what Anna says of her car."""
    language = language_of(question)
    asked, want = analyse(question), read_question(question, language)
    roles = {names[term.text] for term in asked.terms if names and term.text in names}
    if len(roles) == 1:
        asked = asked._replace(terms=tuple(term for term in asked.terms if term.text not in names))
        want = want._replace(about=roles.pop(), named=True)
    groups = groups_of(asked)
    if not groups:
        return []
    persons = people_named(asked)
    own = [[cover(group, item.analysis) for group in groups] for item in evidence]
    groups = [group._replace(weight=heard_weight(group, [row[i] for row in own])) for i, group in enumerate(groups)]
    hits, heard = [], [-99] * len(groups)
    for order, item in enumerate(evidence):
        topics = [order - last <= TOPIC for last in heard]
        score, leans, matches = score_of(groups, own[order], topics, want, persons, item)
        if item.speaker == "user":
            heard = [order if match >= 0.9 else last for match, last in zip(own[order], heard, strict=True)]
        hits.append(Hit(score, order, item, leans, matches))
    hits = corrected(hits, want, CORRECTED)
    likely = _likely(hits, groups, want)
    if not likely:
        return []
    best = likely[0]
    kinds = [kind for kind in want.wants if meets(kind, best.evidence.analysis)]
    rivals = [hit for hit in hits if hit is best or ((hit.heir or hit in likely) and _rivals(hit, best, kinds))]
    return _choose(rivals, hits, want)


def _likely(hits: list[Hit], groups: list[Group], want: Question) -> list[Hit]:
    """The statements that may answer, the surest first; the other side's only where the asked side has none."""
    if want.named:
        told = [hit for hit in hits if hit.evidence.speaker == want.about]
    else:
        told = [hit for hit in hits if want.about == "assistant" or hit.evidence.speaker != "assistant"]
    likely = answering(told, groups, want)
    if likely or want.named:
        return likely
    rest = max((hit for hit in hits if hit.score >= THRESHOLD), key=lambda hit: (hit.score, hit.order), default=None)
    return [rest] if rest is not None and rest.evidence.speaker == "assistant" else []


def _rivals(hit: Hit, best: Hit, kinds: list[str]) -> bool:
    """Is a hit on the best one's matter, so that the newer of them counts?  kinds: of the wanted, what the best has."""
    near = hit.score >= best.score * (UPDATE if hit.evidence.marks.update else SAME)
    if not near or not (hit.heir or _shares(hit.evidence, best.evidence)):
        return False
    if any(mine < 0.4 and theirs >= 0.7 for mine, theirs in zip(hit.matches, best.matches, strict=False)):
        return False
    return not kinds or any(meets(kind, hit.evidence.analysis) for kind in kinds)


_LOOSE = frozenset({"avoid", "change", "number", "date", "time", "place", "person", "day", "money", "use", "own"})


def _shares(one: Evidence, other: Evidence) -> bool:
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


def _choose(same: list[Hit], hits: list[Hit], want: Question) -> list[Hit]:
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
