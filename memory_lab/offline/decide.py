"""Which statement answers, and is it an answer or only the nearest one? A softmax over them all and "none of them".

A context of a chat holds few statements, so the choice among them tells more than the share of a question's words that
one covers: is it the only one with the kind of value, or with a member of the class, that the question asks for? How
far is the next one behind? To such plain features comes how near a statement is by its meaning (meaning.py). The
weights were fitted by tools/reader/fit.py. Cost: a few passes over the hits, whatever the context says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from .corrections import Hit
from .groups import Group, meets, named_kind
from .lexicon import class_of, lexicon
from .meaning import Nearness
from .question import MET_BY, NEGATIVE, Question
from .score import HARD
from .subject import opposite, people_asked, people_in, people_named, subject_of

SURE = frozenset({"phone", "email", "time", "distance", "weight", "height", "volume", "times"})
PLAIN = 0.6  # score from which the words alone say that a statement answers
SAID = 0.25  # so much over PLAIN, with the kind of value that is wanted: said in the question's own words
ALONE = 0.5  # score from which the only statement with that kind of value is taken
FLOOR = 0.4  # the least certainty of both, whatever their meaning
RIVAL = 0.2  # certainty from which another statement on the same matter may be the newer one
NEAREST = 8  # statements that are weighed: that many by their words, and as many by their meaning


@cache
def rule() -> dict[str, Any]:
    """What tools/reader/fit.py wrote (decide.json): "weights" by feature, "bias"; "mean" and "spread" of the nearness
    of all statements, which speak for "none of them"; "cut", the least certainty, and "second" (find.py)."""
    return json.loads((Path(__file__).parent / "decide.json").read_text(encoding="utf-8"))


class Context(NamedTuple):
    """What all statements of a context say together about a question.

    kinds: of the values wanted; having: how many statements have one; members: group -> how many name a member of it;
    unheard: some group of the question is met nowhere; persons: whom the question names; classes: groups that are one;
    nearest: the best figures of nearness; none: what speaks for no answer at all.
    """

    kinds: tuple[str, ...]
    having: int
    members: tuple[int, ...]
    unheard: bool
    persons: frozenset[str]
    classes: frozenset[int]
    nearest: Nearness
    none: float


def survey(told: Sequence[Hit], groups: Sequence[Group], want: Question, doubt: float) -> Context:
    """What the statements have in common with the question, taken together: features need it for each of them."""
    # "who" is met by "my sister", "what is she called" by a name alone
    named = any("name" in group.concepts for group in groups)
    kinds = tuple("called" if kind == "person" and named else kind for kind in want.wants if kind in MET_BY)
    known = lexicon().classes
    near = [hit.near for hit in told if worth_weighing(hit)] or [Nearness(0.0)]
    nearest = Nearness(*map(max, zip(*near, strict=True)))
    mean = sum(each.whole for each in near) / len(near)
    return Context(
        kinds,
        sum(any(meets(kind, hit.evidence.analysis) for kind in kinds) for hit in told) if kinds else 0,
        tuple(sum(member(group, hit) for hit in told) for group in groups),
        any(group.weight >= 0.8 and group.concepts
            and all(len(hit.matches) <= i or hit.matches[i] < 0.5 for hit in told)
            for i, group in enumerate(groups)),
        people_asked(frozenset(c for group in groups for c in group.concepts)),
        frozenset(i for i, group in enumerate(groups) if group.concepts & known),
        nearest,
        doubt + rule()["mean"] * mean + rule()["spread"] * (nearest.whole - mean),
    )


def features(best: Hit, told: Sequence[Hit], groups: Sequence[Group], want: Question,
             seen: Context) -> dict[str, float]:
    """The features of one statement beside all the others, by the names in decide.json; most are 0 or 1."""
    analysis = best.evidence.analysis
    met = any(meets(kind, analysis) for kind in seen.kinds)
    pairs = list(zip(best.matches, groups, strict=False))
    total = sum(group.weight for _, group in pairs) or 1.0
    lost = [group for match, group in pairs if match < 0.5 and group.weight >= 0.8]
    members = [i for i, group in enumerate(groups) if member(group, best)]
    people = people_in(analysis) if seen.persons else frozenset()
    second = max((hit.score for hit in told if hit is not best and not _same_matter(hit, best)), default=0.0)
    closest, sure, near = max(best.matches, default=0.0), SURE & set(seen.kinds), best.near
    return {
        "score": best.score,
        "plain": max(0.0, best.score - PLAIN),
        "margin": min(best.score - second, 0.5),
        "met": met,
        "unmet": bool(seen.kinds) and not met,
        "share": sum(group.weight for match, group in pairs if match >= 0.7) / total,
        "strong": min(sum(match >= 0.85 and group.weight >= 0.8 for match, group in pairs), 3),
        "missing": min(len(lost), 3),
        "proper": any(group.proper for group in lost),
        "named": any(named_kind(group) for group in lost),
        "unheard": seen.unheard,
        "best_match": closest,
        "only_kind": met and seen.having == 1,
        "member": bool(members),
        "only_member": any(seen.members[i] == 1 for i in members),
        "generic": not seen.kinds and not members,
        "yes_no": want.yes_no,
        "others": bool(people) and not seen.persons & people,
        "person": bool(seen.persons) and not _speaks_of(seen.persons, best),
        "other": not seen.persons and "person" not in want.wants and subject_of(analysis) == "other",
        "hard": bool(seen.kinds) and not met and set(seen.kinds) <= HARD | {"called"},
        "negated": analysis.negated and not want.negated,
        "unnegated": want.negated and not analysis.negated and not NEGATIVE & analysis.concepts.keys(),
        "asks_code": "code" in seen.kinds and not analysis.kinds & {"code", "phone"},
        "nothing": closest < 0.6,
        "classless": not met and bool(seen.classes - set(members)),
        "formless": bool(sure) and not any(meets(kind, analysis) for kind in sure),
        "other_label": ("phone" in sure and "phone" not in analysis.concepts
                        and bool(_LABELS & analysis.concepts.keys())),
        "not_called": "called" in seen.kinds and bool(seen.persons) and not _speaks_of(seen.persons, best),
        "other_code": "code" in seen.kinds and any(match < 0.5 and group.weight >= 0.8 and group.concepts
                                                   for match, group in pairs),
        "words": near.words,
        "words_least": near.least,
        "words_most": near.most,
        "words_led": near.led,
        "words_led_least": near.led_least,
        "words_told": near.told,
        "words_behind": near.words - seen.nearest.words,
        "words_most_behind": near.most - seen.nearest.most,
        "words_led_behind": near.led - seen.nearest.led,
    }


_LABELS = frozenset({"order", "code", "password", "plate", "flight", "postcode", "locker"})


def _same_matter(hit: Hit, best: Hit) -> bool:
    """Is one an update of the other, or its exception, with the same words of the question? Then neither is a rival."""
    once = hit.evidence.marks.once != best.evidence.marks.once
    if not (once or hit.heir or best.heir or hit.evidence.marks.update or best.evidence.marks.update):
        return False
    return all((a >= 0.7) == (b >= 0.7) for a, b in zip(hit.matches, best.matches, strict=False))


def _speaks_of(persons: frozenset[str], hit: Hit) -> bool:
    item = hit.evidence
    own = people_in(item.analysis)
    if own and item.named is None:  # it names somebody itself: the words before do not change whom
        return bool(persons & own)
    told = (item.analysis, item.lead, item.reply_to, item.named)
    return any(persons & people_in(each) for each in told if each is not None)


def member(group: Group, hit: Hit) -> bool:
    """Does the statement name one of a class that the question asks for ("hockey" where it says "sport")?"""
    return any("/" in c and near == 1.0 and class_of(c) in group.concepts
               for c, near in hit.evidence.analysis.concepts.items())


def certainty(values: dict[str, float], near: Nearness, seen: Context) -> float:
    """How sure it is, from 0 to 1, that the statement with these features answers, rather than none."""
    weights = rule()["weights"]
    odds = rule()["bias"] + near.whole - seen.none + sum(weights[name] * value for name, value in values.items())
    said = values["met"] and values["plain"] >= SAID and not values["missing"]
    alone = values["only_kind"] and values["strong"] and values["score"] >= ALONE and not values["person"]
    least = FLOOR if said or alone else 0.0
    return max(least, 1.0 / (1.0 + exp(-odds)))


def worth_weighing(hit: Hit) -> bool:
    """Can it answer at all? No guess can; nor "But enough of that", without content word or value; nor a bare date."""
    analysis = hit.evidence.analysis
    if hit.evidence.reply_to is None and not any(char.isalpha() for char in analysis.text):
        return False
    return bool(hit.matches) and bool(
        hit.score or analysis.kinds or any(term.weight >= 0.5 for term in analysis.terms))


def candidates(told: Sequence[Hit]) -> list[Hit]:
    """The statements to weigh: the best by their words, and the best by their meaning."""
    told = [hit for hit in told if worth_weighing(hit)]
    words = sorted(told, key=lambda hit: (-hit.score, -hit.order))[:NEAREST]
    meaning = sorted(told, key=lambda hit: (-hit.near.whole, -hit.order))[:NEAREST]
    return list({hit.order: hit for hit in words + meaning}.values())


def refused(hit: Hit, values: dict[str, float], seen: Context) -> bool:
    """Can it be no answer, however near: no value of a kind that has a form, or that of something or somebody else?"""
    item = hit.evidence
    labelled = item.speaker in ("tool", "assistant", "notes")  # they say what a code is the code of
    return bool(values["formless"] or values["other_label"] or values["not_called"]
                or (values["other_code"] and labelled)
                or opposite(seen.persons, people_named(item.analysis)))


def answering(told: Sequence[Hit], groups: Sequence[Group], want: Question, doubt: float) -> list[tuple[float, Hit]]:
    """(certainty, statement) of those worth weighing, the surest first; none if not even that is sure enough.

    doubt: what the question alone says of that (meaning.py)."""
    if not told:
        return []
    seen = survey(told, groups, want, doubt)
    weighed = [(features(hit, told, groups, want, seen), hit) for hit in candidates(told)]
    sure = [(certainty(values, hit.near, seen), hit) for values, hit in weighed
            if not refused(hit, values, seen)]
    sure.sort(key=lambda each: (-each[0], -each[1].order))
    return sure if sure and sure[0][0] >= rule()["cut"] else []
