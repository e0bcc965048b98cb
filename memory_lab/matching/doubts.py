"""Why an asserted value may still not settle an answer: another number beside it, a retraction, an unclear date.

Copy with: find.py, clauses.py (and the files that they name).
"""

from __future__ import annotations

import re
from bisect import bisect_right

from . import cues
from .clauses import Clause
from .dates import Date, dates
from .find import Occurrence, spoken
from .numerals import Quantity, quantities
from .units import AFTER

OFFERED = re.compile(r"\s*[$¥€]?(?:or|o|u|或者?|还是|/|to|a|到|至|~|-|and|y|和|与)\s*[$¥€]?\s*")
OR_BEHIND = re.compile(r",?\s*(?:or|o|或者?|还是)(?![a-z])\s*\w")
OR_BEFORE = re.compile(r"\w,?\s*(?:\bor|\bo|或者?|还是)\s*$")
PERHAPS = re.compile(r"也可能|也许是|\b(?:or )?(?:maybe|perhaps|possibly)\b|\bo (?:quizas?|tal vez)\b")
RANGE_ONLY = re.compile(r"(?:and|y|和|与)$")


def rivals_of(text: str, clauses: list[Clause], type: str, language: str | None, wanted: list[Occurrence],
              unwanted: list[Occurrence]) -> list[tuple[Quantity | Date, Clause]]:
    """Numbers, or dates, in the answer that are neither accepted nor forbidden, with the clause of each."""
    rules = {o.rule for o in wanted}
    tongue = spoken(text, language)
    others: list[Quantity | Date] = []
    if type == "date" or "date equal" in rules:
        others = [*dates(text, tongue)]
    elif type == "number" or "number equal" in rules:
        others = [*quantities(text, tongue == "es")]
    begins = [c.start for c in clauses]
    taken = {(o.start, o.end) for o in (*wanted, *unwanted)}
    return [(o, clauses[max(0, bisect_right(begins, o.start) - 1)]) for o in others if (o.start, o.end) not in taken]


def doubt(text: str, what: Occurrence, clause: Clause, stances: dict[str, list], rivals: list,
          type: str) -> str | None:
    """Why a value that is asserted still does not settle the answer, or None.

    stances: the claims about accepted values, by stance.  "taken back" makes the answer wrong, the rest ambiguous.
    """
    if not what.clear:
        return "unclear date"
    if clause.unsure:
        return "unsure"
    if stances["withheld"] or stances["doubled"]:
        return "withheld elsewhere"
    if any(c.what.start > what.start for c in stances["negated"]):
        return "contradiction"
    for other, there in rivals:
        first, last = sorted([(what.start, what.end), (other.start, other.end)])
        gap = text[first[1]:last[0]]
        if len(gap) < 24 and _offers(text, gap, first[0]) and not cues.CHANGE.search(clause.text):
            return "alternatives"
        if other.start > what.end and PERHAPS.search(text, what.end, other.start):
            return "alternatives"
        if other.start > what.end and cues.RETRACT.search(text, what.end, other.start) and there.start > clause.start:
            return "taken back"
    before = text[clause.start:what.start]
    if type in ("choice", "name") and (OR_BEHIND.match(text, what.end) or OR_BEFORE.search(before)):
        return "alternatives"
    return None


def _offers(text: str, gap: str, start: int) -> bool:
    """Whether two neighbouring numbers are offered as alternatives or a range; "and" does so behind "between" alone."""
    unit = AFTER.match(gap)
    gap = gap[unit.end():] if unit else gap
    if not OFFERED.fullmatch(gap):
        return False
    between = re.search(r"(?:\bbetween|\bentre|介于|在)\s*[$¥€]?$", text[max(0, start - 12):start])
    return bool(between) or not RANGE_ONLY.search(gap.strip())
