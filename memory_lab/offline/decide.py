"""Which statement answers, and is it an answer or only the nearest one? A logistic rule over plain features.

A context of a chat holds few statements, so the choice among them tells more than the share of a question's words that
one covers: is it the only one with the kind of value, or with a member of the class, that the question asks for? How
far is the next one behind? Cost: a few passes over the hits, whatever the context says.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from .corrections import Hit
from .groups import Group, meets, named_kind
from .lexicon import class_of, lexicon
from .question import MET_BY, Question
from .score import HARD
from .subject import people_asked, people_in, subject_of

# Fitted by logistic regression (L2 = 1) on the best eight statements of each question of fixtures reader_dev.json,
# reader_dev2.json (its half "tune"), reader_pairs.json (nine random one-line facts a context) and of the shipped
# conversations without long_300, in four languages. Cross-validated by context, six folds: the best statement is right
# in .92, it is given in .88, and of the unanswerable .79 are turned down. Refit when a feature changes.
WEIGHTS = {
    "score": 0.95, "margin": 5.13, "met": 0.18, "unmet": 0.08, "share": -1.08, "strong": 1.09, "missing": -0.63,
    "proper": -0.31, "named": -0.49, "unheard": 0.28, "best_match": 1.38, "only_kind": 1.21, "member": 0.18,
    "only_member": 1.56, "generic": 0.06, "yes_no": 0.57, "others": 0.7, "person": 0.18, "other": 0.37, "hard": -1.21,
    "negated": 0.12, "asks_code": -0.44, "nothing": -0.88, "classless": -1.11,
}
SURE = frozenset({"phone", "email", "time", "distance", "weight", "height", "volume", "times"})
BIAS, CUT = -2.84, 0.38  # about the lowest cut at which three in four of the unanswerable are still turned down
RIVAL = 0.2  # certainty from which another statement on the same matter may be the newer one
NEAREST = 8  # statements that are weighed against each other


class Context(NamedTuple):
    """What all statements of a context say together about a question.

    kinds: of the values wanted; having: how many statements have one; members: group -> how many name a member of it;
    unheard: some group of the question is met nowhere; persons: whom the question names; classes: groups that are one.
    """

    kinds: tuple[str, ...]
    having: int
    members: tuple[int, ...]
    unheard: bool
    persons: frozenset[str]
    classes: frozenset[int]


def survey(told: Sequence[Hit], groups: Sequence[Group], want: Question) -> Context:
    """What the statements have in common with the question, taken together: features need it for each of them."""
    # "who" is met by "my sister", "what is she called" by a name alone
    named = any("name" in group.concepts for group in groups)
    kinds = tuple("called" if kind == "person" and named else kind for kind in want.wants if kind in MET_BY)
    known = lexicon().classes
    return Context(
        kinds,
        sum(any(meets(kind, hit.evidence.analysis) for kind in kinds) for hit in told) if kinds else 0,
        tuple(sum(_member(group, hit) for hit in told) for group in groups),
        any(group.weight >= 0.8 and group.concepts
            and all(len(hit.matches) <= i or hit.matches[i] < 0.5 for hit in told)
            for i, group in enumerate(groups)),
        people_asked(frozenset(c for group in groups for c in group.concepts)),
        frozenset(i for i, group in enumerate(groups) if group.concepts & known),
    )


def features(best: Hit, told: Sequence[Hit], groups: Sequence[Group], want: Question,
             seen: Context) -> dict[str, float]:
    """The features of one statement beside all the others, by the names of WEIGHTS; most are 0 or 1."""
    analysis = best.evidence.analysis
    met = any(meets(kind, analysis) for kind in seen.kinds)
    pairs = list(zip(best.matches, groups, strict=False))
    total = sum(group.weight for _, group in pairs) or 1.0
    lost = [group for match, group in pairs if match < 0.5 and group.weight >= 0.8]
    member = [i for i, group in enumerate(groups) if _member(group, best)]
    people = people_in(analysis) if seen.persons else frozenset()
    second = max((hit.score for hit in told if hit is not best and not _same_matter(hit, best)), default=0.0)
    closest = max(best.matches, default=0.0)
    return {
        "score": best.score,
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
        "member": bool(member),
        "only_member": any(seen.members[i] == 1 for i in member),
        "generic": not seen.kinds and not member,
        "yes_no": want.yes_no,
        "others": bool(people) and not seen.persons & people,
        "person": bool(seen.persons) and not _speaks_of(seen.persons, best),
        "other": not seen.persons and "person" not in want.wants and subject_of(analysis) == "other",
        "hard": bool(seen.kinds) and not met and set(seen.kinds) <= HARD | {"called"},
        "negated": analysis.negated and not want.negated,
        "asks_code": "code" in seen.kinds and not analysis.kinds & {"code", "phone"},
        "nothing": closest < 0.6,
        "classless": not met and bool(seen.classes - set(member)),
    }


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


def _member(group: Group, hit: Hit) -> bool:
    """Does the statement name one of a class that the question asks for ("hockey" where it says "sport")?"""
    return any("/" in c and near == 1.0 and class_of(c) in group.concepts
               for c, near in hit.evidence.analysis.concepts.items())


def certainty(values: dict[str, float]) -> float:
    """How sure it is, from 0 to 1, that the statement with these features answers."""
    return 1.0 / (1.0 + exp(-BIAS - sum(WEIGHTS[name] * value for name, value in values.items())))


_LABELS = frozenset({"order", "code", "password", "plate", "flight", "postcode", "locker"})


def _refused(hit: Hit, groups: Sequence[Group], seen: Context) -> bool:
    """Can it be no answer, however near: no value of a kind that has a form, or the value of something else?"""
    analysis, sure = hit.evidence.analysis, SURE & set(seen.kinds)
    if sure and not any(meets(kind, analysis) for kind in sure):
        return True
    if "phone" in sure and "phone" not in analysis.concepts and _LABELS & analysis.concepts.keys():
        return True
    if "called" in seen.kinds and seen.persons and not _speaks_of(seen.persons, hit):
        return True
    return "code" in seen.kinds and any(match < 0.5 and group.weight >= 0.8 and group.concepts
                                        for match, group in zip(hit.matches, groups, strict=False))


def answering(told: Sequence[Hit], groups: Sequence[Group], want: Question) -> list[Hit]:
    """The statements of those told that may answer, the surest first; none if not even that one is sure enough."""
    nearest = sorted(told, key=lambda hit: (-hit.score, -hit.order))[:NEAREST]
    if not nearest or not nearest[0].score:
        return []
    seen = survey(told, groups, want)
    sure = {hit.order: 0.0 if _refused(hit, groups, seen) else certainty(features(hit, told, groups, want, seen))
            for hit in nearest}
    nearest.sort(key=lambda hit: (-sure[hit.order], -hit.order))
    return [hit for hit in nearest if sure[hit.order] >= RIVAL] if sure[nearest[0].order] >= CUT else []
