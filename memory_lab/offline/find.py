"""The statements of a context that answer a question.

A statement's score (score.py) is the share of the question's content words that it covers, by stem, by concept, or by a
kind of what is asked ("pet" by "dog"), with the kind of value that the question wants. Its nearness (meaning.py) tells
what other words may mean. A fitted rule (decide.py) weighs both, and says whether anything answers. Of statements on
one matter the newest wins (rivals.py). No world knowledge; over two statements it reasons only where one of them
introduced a name that the other uses ("My teacher is called Safiya").
"""

from __future__ import annotations

from typing import NamedTuple

from .analysis import Analysis, analyse
from .corrections import Hit, corrected, corrects_at_last, same_matter, withdraws
from .decide import RIVAL, Judged, answering, rule
from .evidence import Evidence
from .features import member
from .groups import Group, cover, groups_of, heard_weight, meets
from .language import base, language_of
from .marks import forbids
from .meaning import doubt, led, nearness, words
from .question import Question, is_question, read_question
from .rivals import THRESHOLD, are_rivals, as_sure, choose, shares
from .score import score_of
from .subject import as_speaker, of_others, people_named, subject_of

CORRECTED = 0.45  # score from which a statement can be what a correction without a subject corrects
SURELY = 0.6  # certainty from which a statement surely answers
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
    best = sure[0].hit
    likely = [each.hit for each in sure if each.certain >= RIVAL]
    if best.score < THRESHOLD:  # found by its meaning: a correction without a subject may be one of it
        raised = {hit.order: max(hit.score, certain) for certain, _, hit in sure if certain >= RIVAL or hit is best}
        hits = corrected([hit._replace(score=raised.get(hit.order, hit.score)) for hit in hits], want, CORRECTED)
        best, likely = hits[best.order], [hits[hit.order] for hit in likely]
    kinds = [kind for kind in want.wants if meets(kind, best.evidence.analysis)]
    classes = [group for group in asked.groups if member(group, best)]
    certainties = {each.hit.order: each.bare for each in sure}
    plain = {each.hit.order for each in sure if each.bare >= SURELY}
    known = {hit.order for hit in likely if as_sure(hit, certainties, best)}
    rivals = [hit for hit in hits if hit.order == best.order
              or (corrects_at_last(hit, hits) in known
                  and are_rivals(hit, best, kinds, classes, {hit.order, best.order} <= plain))]
    chosen = _with_what_holds(choose(rivals, hits, want), hits, want)
    other = _other(sure, chosen, hits) if chosen and not want.past else None
    return [*chosen, other] if other is not None else chosen


def _with_what_holds(chosen: list[Hit], hits: list[Hit], want: Question) -> list[Hit]:
    """"Not the old card. Take the one ending in 7716": of what is not to be, the next sentence may say what is, and so
    may the reply to a question back."""
    told = chosen[0].evidence if len(chosen) == 1 else None
    if told is None or want.negated or want.yes_no or not forbids(told.text, base(told.analysis.language)):
        return chosen
    own = [hit for hit in hits[chosen[0].order + 1 :] if hit.evidence.speaker == told.speaker][:1]
    after = [hit for hit in own if hit.evidence.before == told.text  # or "Which, then?" - "The copper one."
             or (hit.evidence.reply_to is not None and hit.evidence.marks.pronoun)]
    return chosen + [hit for hit in after if not hit.evidence.analysis.negated and not is_question(hit.evidence.text)]


def _other(sure: list[Judged], chosen: list[Hit], hits: list[Hit]) -> Hit | None:
    """The next statement, on another matter and still true, where it is not much less likely than the one chosen."""
    best = chosen[-1].evidence
    for certain, _, hit in sure:
        item = hit.evidence
        if certain < max(rule()["cut"], rule()["second"] * sure[0].certain):
            return None
        if any(hit.order == each.order or item.text == each.evidence.text for each in chosen) or hit.heir:
            continue
        if item.marks.forget or item.marks.retract or of_others(item.analysis, best.analysis):
            continue
        if subject_of(item.analysis) == "other" != subject_of(best.analysis):
            continue
        if not item.analysis.kinds and len(words(item.analysis)) < 2:
            continue
        if shares(item, best) and (best.marks.update or best.marks.retract or item.marks.update or item.marks.once
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
    return choose([best], asked.hits, asked.want) if any(
        each.hit.order == best.order and each.certain >= RIVAL for each in sure) else []
