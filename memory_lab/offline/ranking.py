"""Which statements of a talk are worth keeping, under which heading, and which of them a newer one replaces."""

from __future__ import annotations

import re
from typing import NamedTuple

from .analysis import analyse
from .corrections import same_matter, withdraws
from .evidence import Evidence
from .extract import slots, statements
from .language import fold, sentences
from .marks import marks
from .patterns import compiled
from .question import is_question, is_request
from .subject import people_named
from .transcript import Line


class Item(NamedTuple):
    """A statement that may go into the summary. points: how much it matters."""

    text: str
    speaker: str
    order: int
    points: float
    heading: str
    earlier: bool
    evidence: Evidence


def items_of(lines: list[Line], headings: list[str]) -> list[Item]:
    """The statements of a transcript as items to rank for a summary, oldest first."""
    found, seen = [], {}
    for line in lines:
        before = None
        for sentence in sentences(line.text) if not line.earlier else (line.text,):
            stated = is_request(sentence) or not is_question(sentence)
            analysis = analyse(sentence)
            if not stated or not analysis.terms:
                continue
            evidence = Evidence(sentence, line.speaker, analysis, marks(sentence), before, None, False)
            before = analysis
            heading = line.heading if line.heading in headings else _best_heading(evidence, headings)
            item = Item(sentence, line.speaker, len(found), _points(evidence, line), heading, line.earlier, evidence)
            key = re.sub(r"\W", "", fold(sentence).lower())
            if key in seen:  # said again: the place of the newest
                found[seen[key]] = None
            seen[key] = len(found)
            found.append(item)
    return [item for item in found if item is not None]


_MATTERS = frozenset(
    [
        "allergy",
        "cannot_eat",
        "avoid",
        "like",
        "dislike",
        "fear",
        "budget",
        "selfname",
        "live",
        "move",
        "work",
        "decision",
        "cancel",
        "promise",
        "deadline",
        "appointment",
        "health",
        "medicine",
        "preference_of",
        "lodging",
        "address",
        "seat",
        "delivery",
        "refund",
        "broken",
        "contact",
        "birthday",
        "anniversary",
        "pet",
        "order",
        "code",
        "password",
        "phone",
        "email",
        "trip",
        "meeting",
        "goal",
        "size",
        "payment",
        "secret",
        "reply_style",
        "diet",
    ]
)


def _points(evidence: Evidence, line: Line) -> float:
    analysis, marked = evidence.analysis, evidence.marks
    points = {"user": 2.0, "assistant": -4.5}.get(line.speaker, 0.0)
    hard = analysis.kinds & {"date", "time", "money", "code", "phone", "email", "number", "duration", "selfname"}
    points += 2.0 * bool(hard) + 0.5 * min(len(hard), 3)
    points += min(4.0, 1.5 * sum(near == 1.0 and (c in _MATTERS) for c, near in analysis.concepts.items()))
    points += 1.0 * bool(people_named(analysis)) + 0.5 * ("name" in analysis.kinds) + 0.5 * analysis.negated
    points += 0.5 * (marked.update or marked.retract) + 0.5 * marked.once - 2.0 * marked.guess
    points += 1.5 * bool(statements(evidence.text))
    if _FAREWELL.search(analysis.folded):
        points -= 3.0
    if sum(term.weight >= 0.8 for term in analysis.terms) < 2 and not hard:
        points -= 1.0
    return max(points, 0.0) + (1.0 if line.earlier else 0.0)


_FAREWELL = compiled("summariser", "farewell")

_CATEGORIES = (
    (
        "prohibition",
        r"prohibit|forbid|never|restric|don.?t|禁|不可|prohibi|restric",
        {"allergy", "cannot_eat", "avoid"},
    ),
    ("promise", r"promis|commit|承诺|约定|promesa|compromis", {"promise"}),
    (
        "decision",
        r"decision|decid|plan|agreed|决定|计划|decisi|planes",
        {"decision", "cancel", "appointment", "meeting", "trip", "change", "goal", "deadline", "event"},
    ),
    (
        "preference",
        r"prefer|like|taste|偏好|喜好|爱好|gusto",
        {"like", "dislike", "preference_of", "taste", "reply_style", "diet", "hobby", "seat"},
    ),
    ("people", r"people|person|name|who|人|姓名|nombre", {"selfname", "name"}),
    ("number", r"number|figure|amount|code|date|fact|数|号|日期|número|cifra|fecha|datos|hechos", set()),
)


def _best_heading(evidence: Evidence, headings: list[str]) -> str:
    if not headings:
        return ""
    analysis = evidence.analysis
    own = {c for c, near in analysis.concepts.items() if near >= 0.9} | (analysis.kinds & {"selfname"})
    fits = []
    for name, _, concepts in _CATEGORIES:
        if name == "prohibition":
            fit = bool(own & {"allergy", "cannot_eat"}) or bool("avoid" in own and analysis.negated)
        elif name == "people":
            fit = bool(own & concepts) or bool(people_named(analysis))
        elif name == "number":
            fit = bool(analysis.kinds & {"number", "money", "code", "date", "time", "phone", "email", "duration"})
        else:
            fit = bool(own & concepts)
        if fit:
            fits.append(name)
    for name in fits:
        pattern = next(pattern for known, pattern, _ in _CATEGORIES if known == name)
        heading = next((heading for heading in headings if re.search(pattern, fold(heading), re.IGNORECASE)), None)
        if heading:
            return heading
    for pattern in (r"other|misc|note|fact|其他|otros", _CATEGORIES[2][1]):
        for heading in headings:
            if re.search(pattern, fold(heading), re.IGNORECASE):
                return heading
    return headings[0]


_VALUED = frozenset({"date", "time", "money", "code", "phone", "email", "place", "selfname"})


def _replaces(new: Evidence, old: Evidence) -> bool:
    if old.marks.once:
        return False
    if (new.marks.retract or new.marks.forget) and withdraws(new, old):
        return True
    other_values = _VALUED & old.analysis.kinds - new.analysis.kinds  # those would be lost with the old statement
    return new.marks.update and not other_values and bool(same_matter(new, old, True))


def without_superseded(items: list[Item]) -> list[Item]:
    """The items without those that a newer one replaces: by the same attribute, a correction, a retraction."""
    gone: set[int] = set()
    newest: dict[tuple[str, str], Item] = {}
    for item in items:
        if item.speaker != "user":
            continue
        for slot in slots(item.text):
            old = newest.get(slot)
            if not item.evidence.marks.once and not (old is not None and item.evidence.marks.also):
                newest[slot] = item
                # an old statement that says something else too stays
                if old is not None and all(newest[each] is not old for each in slots(old.text)):
                    gone.add(old.order)
        mark = item.evidence.marks
        if (mark.update or mark.retract or mark.forget) and not mark.once and not mark.guess:
            earlier = [old for old in items[: items.index(item)] if old.speaker == "user" and old.order not in gone]
            old = next((old for old in reversed(earlier) if _replaces(item.evidence, old.evidence)), None)
            if old is not None:
                gone.add(old.order)
    return [item for item in items if item.order not in gone]
