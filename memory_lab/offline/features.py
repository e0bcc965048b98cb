"""What the choice of an answer goes by: the features of a statement, beside all others of its context.

A context of a chat holds few statements, so the choice among them tells more than the share of a question's words that
one covers: is it the only one with the kind of value, or with a member of the class, that the question asks for? How
far is the next one behind? How near does it come by its meaning (meaning.py)? decide.py weighs them.
Cost: a few passes over the statements, whatever they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .analysis import Analysis
from .corrections import Hit
from .groups import Group, meets, named_kind
from .lexicon import class_of, lexicon
from .meaning import Nearness
from .names import introduces
from .question import MET_BY, NEGATIVE, Question
from .score import HARD
from .subject import opposite, people_asked, people_in, people_named, subject_of

SURE = frozenset({"phone", "email", "time", "distance", "weight", "height", "volume", "times"})
PLAIN = 0.6  # score from which the words alone say that a statement answers


class Context(NamedTuple):
    """What all statements of a context say together about a question.

    kinds: of the values wanted; having: how many statements have one; members: group -> how many name a member of it;
    unheard: some group of the question is met nowhere; persons: whom the question names; classes: groups that are one;
    nearest: the best figures of nearness; mean: of all their nearness as a whole; ranked: the statements by score.
    """

    kinds: tuple[str, ...]
    having: int
    members: tuple[int, ...]
    unheard: bool
    persons: frozenset[str]
    classes: frozenset[int]
    nearest: Nearness
    mean: float
    ranked: tuple[Hit, ...]


def survey(told: Sequence[Hit], groups: Sequence[Group], want: Question) -> Context:
    """What the statements have in common with the question, taken together: features need it for each of them."""
    # "who" is met by "my sister", "what is she called" by a name alone
    named = any("name" in group.concepts for group in groups)
    kinds = tuple("called" if kind == "person" and named else kind for kind in want.wants if kind in MET_BY)
    known = lexicon().classes
    near = [hit.near for hit in told if worth_weighing(hit)] or [Nearness(0.0)]
    nearest = Nearness(*map(max, zip(*near, strict=True)))
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
        sum(each.whole for each in near) / len(near),
        tuple(sorted(told, key=lambda hit: -hit.score)),
    )


def features(best: Hit, groups: Sequence[Group], want: Question, seen: Context) -> dict[str, float]:
    """The features of one statement beside all the others, by the names in decide.json; most are 0 or 1."""
    analysis = best.evidence.analysis
    met = any(meets(kind, analysis) for kind in seen.kinds)
    pairs = list(zip(best.matches, groups, strict=False))
    total = sum(group.weight for _, group in pairs) or 1.0
    lost = [group for match, group in pairs if match < 0.5 and group.weight >= 0.8]
    members = [i for i, group in enumerate(groups) if member(group, best)]
    people = people_in(analysis) if seen.persons else frozenset()
    second = next((hit.score for hit in seen.ranked if hit is not best and not _same_matter(hit, best)), 0.0)
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
        "other_label": _of_other_label(groups, analysis, closest) or (
            "phone" in sure and "phone" not in analysis.concepts and bool(_LABELS & analysis.concepts.keys())),
        "not_called": "called" in seen.kinds and bool(seen.persons) and not _speaks_of(seen.persons, best),
        "other_code": "code" in seen.kinds and any(
            match < (0.8 if group.concepts & _LABELS else 0.5) and group.weight >= 0.8 and group.concepts
            for match, group in pairs),  # under 0.8 it has a number, of whatever
        "introduces": introduces(analysis) and not {"person", "called"} & {*want.wants},
        "by_name": best.evidence.named is not None and introduces(best.evidence.named),
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


_LABELS = frozenset({"order", "code", "password", "plate", "flight", "postcode", "locker", "coupon", "member_id",
                     "account_number", "card_last"})


def _of_other_label(groups: Sequence[Group], analysis: Analysis, closest: float) -> bool:
    """Does the statement tell a number (the order's), and the question ask for another one, or for something else?

    closest: how far the statement covers any word of the question."""
    asked = frozenset(concept for group in groups for concept in group.concepts) & (_LABELS - {"code"})
    told = (_LABELS - {"code"}) & analysis.concepts.keys()
    return bool(told) and not asked & told and (bool(asked) or ("code" in analysis.kinds and closest < 0.6))


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


def worth_weighing(hit: Hit) -> bool:
    """Can it answer at all? No guess can; nor "But enough of that", without content word or value; nor a bare date."""
    analysis = hit.evidence.analysis
    if hit.evidence.reply_to is None and not any(char.isalpha() for char in analysis.text):
        return False
    return bool(hit.matches) and bool(
        hit.score or analysis.kinds or any(term.weight >= 0.5 for term in analysis.terms))


def refused(hit: Hit, values: dict[str, float], seen: Context) -> bool:
    """Can it be no answer, however near: no value of a kind that has a form, or that of something or somebody else?"""
    item = hit.evidence
    labelled = item.speaker in ("tool", "assistant", "notes")  # they say what a code is the code of
    return bool(values["formless"] or values["other_label"] or values["not_called"]
                or (values["other_code"] and labelled)
                or opposite(seen.persons, people_named(item.analysis)))
