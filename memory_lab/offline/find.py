"""The statements of a context that answer a question.

A statement's score (score.py) is the share of the question's content words that it covers, by stem, by concept, or by a
kind of what is asked ("pet" by "dog"), with the kind of value that the question wants. Its nearness (meaning.py) tells
what other words may mean. A fitted rule (decide.py) weighs both, and says whether anything answers. Of statements on
one matter the newest wins. No world knowledge, no reasoning over two statements.
"""

from __future__ import annotations

from typing import NamedTuple

from .analysis import Analysis, analyse
from .corrections import Hit, corrected, same_matter, withdraws
from .decide import RIVAL, answering, member, rule
from .evidence import Evidence
from .groups import Group, cover, groups_of, heard_weight, meets
from .language import base, language_of
from .marks import forbids
from .meaning import doubt, led, nearness, words
from .question import Question, is_question, read_question
from .score import score_of
from .subject import as_speaker, of_others, people_named, subject_of

THRESHOLD = 0.6  # of a score that is an answer by its words alone
CORRECTED = 0.45  # score from which a statement can be what a correction without a subject corrects
SAME = 0.93  # of the best score: a statement this near is on the same matter, a marked update also from UPDATE
UPDATE = 0.8
UNMARKED, MARKED = 0.5, 0.1  # of the best one's odds: a newer statement from which is about as likely to be the answer
TOPIC = 12  # statements: how long a word of the user's stays what the talk is about


class Asked(NamedTuple):
    """A question against a context. told: the statements that may answer it; hits: all of them, oldest first.

    text: the question as the speaker would ask it, "my car" where it says "Anna's car" and Anna is the user."""

    text: str
    want: Question
    groups: list[Group]
    hits: list[Hit]
    told: list[Hit]


def weigh(question: str, evidence: list[Evidence], names: dict[str, str] | None = None) -> Asked | None:
    """Every statement with its score and nearness; None for a question without a content word.

    names: who speaks in which role, where messages carry names: "Anna's car" is then what Anna says of her car."""
    language = language_of(question)
    asked, want = analyse(question), read_question(question, language)
    roles = {names[term.text] for term in asked.terms if names and term.text in names}
    if len(roles) == 1:
        asked = asked._replace(text=as_speaker(question, language, names),
                               terms=tuple(term for term in asked.terms if term.text not in names))
        want = want._replace(about=roles.pop(), named=True)
    groups = groups_of(asked)
    if not groups:
        return None
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
    hits = _with_nearness(asked, corrected(hits, want, CORRECTED))
    if want.named:
        told = [hit for hit in hits if hit.evidence.speaker == want.about]
    else:
        told = [hit for hit in hits if want.about == "assistant" or hit.evidence.speaker != "assistant"]
    return Asked(asked.text, want, groups, hits, told)


def _with_nearness(asked: Analysis, hits: list[Hit]) -> list[Hit]:
    items = [hit.evidence for hit in hits]
    near = nearness(asked, items, [analyse(led(item)) for item in items])
    return [hit._replace(near=each) for hit, each in zip(hits, near, strict=True)]


def find(question: str, evidence: list[Evidence], names: dict[str, str] | None = None) -> list[Hit]:
    """The statements that answer the question, oldest first: one, or several that add up; none when it is not said.

    Behind them, marked as other, one on another matter that may be meant as well.  names: as in weigh()."""
    asked = weigh(question, evidence, names)
    if asked is None:
        return []
    want, hits, told = asked.want, asked.hits, asked.told
    none = doubt(asked.text)
    sure = answering(told, asked.groups, want, none)
    if not sure:
        return _from_the_other_side(asked, none)
    best = sure[0][1]
    likely = [hit for certain, hit in sure if certain >= RIVAL]
    if best.score < THRESHOLD:  # found by its meaning: a correction without a subject may be one of it
        raised = {hit.order: max(hit.score, certain) for certain, hit in sure if certain >= RIVAL or hit is best}
        hits = corrected([hit._replace(score=raised.get(hit.order, hit.score)) for hit in hits], want, CORRECTED)
        best, likely = hits[best.order], [hits[hit.order] for hit in likely]
    kinds = [kind for kind in want.wants if meets(kind, best.evidence.analysis)]
    classes = [group for group in asked.groups if member(group, best)]
    certainties = {hit.order: certain for certain, hit in sure}
    rivals = [hit for hit in hits if hit.order == best.order
              or ((hit.heir or (hit in likely and _as_sure(hit, certainties, best)))
                  and _rivals(hit, best, kinds, classes))]
    chosen = _with_what_holds(_choose(rivals, hits, want), hits, want)
    other = _other(sure, chosen, hits) if chosen and not want.past else None
    return [*chosen, other] if other is not None else chosen


def _with_what_holds(chosen: list[Hit], hits: list[Hit], want: Question) -> list[Hit]:
    """"Not the old card. Take the one ending in 7716": of what is not to be, the next sentence may say what is."""
    told = chosen[0].evidence if len(chosen) == 1 else None
    if told is None or want.negated or want.yes_no or not forbids(told.text, base(told.analysis.language)):
        return chosen
    after = [hit for hit in hits[chosen[0].order + 1 :][:1] if hit.evidence.before == told.text]
    return chosen + [hit for hit in after if not hit.evidence.analysis.negated and not is_question(hit.evidence.text)]


def _other(sure: list[tuple[float, Hit]], chosen: list[Hit], hits: list[Hit]) -> Hit | None:
    """The next statement, on another matter and still true, where it is not much less likely than the one chosen."""
    best = chosen[-1].evidence
    for certain, hit in sure:
        item = hit.evidence
        if certain < max(rule()["cut"], rule()["second"] * sure[0][0]):
            return None
        if any(hit.order == each.order or item.text == each.evidence.text for each in chosen) or hit.heir:
            continue
        if item.marks.forget or item.marks.retract or of_others(item.analysis, best.analysis):
            continue
        if subject_of(item.analysis) == "other" != subject_of(best.analysis):
            continue
        if not item.analysis.kinds and len(words(item.analysis)) < 2:
            continue
        if _shares(item, best) and (best.marks.update or best.marks.retract or item.marks.update or item.marks.once
                                    or item.analysis.negated != best.analysis.negated):
            continue
        newer = [each.evidence for each in hits[hit.order + 1 :] if each.evidence.speaker == "user"]
        if not any((new.marks.update or new.marks.retract or new.marks.forget)
                   and (same_matter(new, item, True) or withdraws(new, item)) for new in newer):
            return hit._replace(other=True)
    return None


def _from_the_other_side(asked: Asked, none: float) -> list[Hit]:
    """What the assistant said, where the asked side said nothing: only by plain words, and if that is sure too."""
    if asked.want.named:
        return []
    best = max((hit for hit in asked.hits if hit.score >= THRESHOLD), key=lambda hit: (hit.score, hit.order),
               default=None)
    if best is None or best.evidence.speaker != "assistant":
        return []
    sure = answering(asked.hits, asked.groups, asked.want, none)
    return _choose([best], asked.hits, asked.want) if any(hit.order == best.order and certain >= RIVAL
                                                          for certain, hit in sure) else []


def _as_sure(hit: Hit, certainties: dict[int, float], best: Hit) -> bool:
    """Is it about as likely as the best? A marked update may be less so: it need not repeat what it is about."""
    if hit.evidence.marks.update and best.score >= THRESHOLD:
        return True  # whether it is on the same matter is told by its words
    mine, its = (certainties[each.order] / max(1e-6, 1 - certainties[each.order]) for each in (hit, best))
    return mine >= (MARKED if hit.evidence.marks.update else UNMARKED) * its


def _rivals(hit: Hit, best: Hit, kinds: list[str], classes: list[Group]) -> bool:
    """Is a hit on the best one's matter, so that the newer of them counts?

    kinds, classes: of the wanted, what the best has (a date; "green", where a colour is asked for)."""
    if not hit.heir and of_others(hit.evidence.analysis, best.evidence.analysis):
        return False
    near = hit.score >= best.score * (UPDATE if hit.evidence.marks.update else SAME)
    if not near or not (hit.heir or _shares(hit.evidence, best.evidence)):
        return False
    if any(mine < 0.4 and theirs >= 0.7 for mine, theirs in zip(hit.matches, best.matches, strict=False)):
        return False
    if not hit.heir and not all(member(group, hit) for group in classes):
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
