"""The verdict on an answer: correct, wrong, abstained, stale or ambiguous, with the span and the rule that decided.

Copy with: find.py, clauses.py, doubts.py (and the files that they name).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from memory_lab.errors import SettingError

from . import cues
from .clauses import Clause, abstains, split, stance
from .doubts import doubt, rivals_of
from .find import TYPES, Occurrence, occurrences
from .fold import Folded, fold


@dataclass(frozen=True)
class Verdict:
    """correct, wrong, abstained, stale or ambiguous, and why.

    span: (start, end) of the deciding value in the answer, or None.  value: the accepted or forbidden value found
    there, or None.  rule: the short name of the rule that decided.
    """

    verdict: str
    span: tuple[int, int] | None = None
    value: str | None = None
    rule: str = ""


@dataclass(frozen=True)
class _Claim:
    what: Occurrence
    clause: Clause
    stance: str
    age: int = 0


def strict(answer: str, accept: Sequence[str]) -> bool:
    """Whether some accepted value is a plain substring of the answer: the grader of source 000, kept to compare."""
    return any(value in answer for value in _values("accept", accept))


def match(answer: str, *, accept: Sequence[str], forbid: Sequence[str] = (), type: str = "free",
          answerable: bool = True, language: str | None = None) -> Verdict:
    """The Verdict on an answer to a probe.

    accept: values that are right.  forbid: values that were right once (stale).
    type: number, date, name, choice or free; free tells numbers, dates and codes from text by their form.
    answerable=False: it was never said; then an answer that says so is correct, and any other is wrong.
    language: en, es, zh-Hant, zh-Hans; None guesses between Spanish and the rest, and leaves 03/04 ambiguous.
    Raises SettingError for an unknown type, a bare string as list, an empty value, or nothing to accept.
    Cost: linear in the answer; no model call.
    Does not understand: no paraphrase, no inflection, no arithmetic, and on purpose no fuzzy ratio.
    Idea: the grader's miss of source 000 (一千 against 1000日圓).  Chapter 4.

    >>> match("預算是1000日圓", accept=["一千"], type="number").verdict
    'correct'
    >>> match("I do not know whether you are allergic to shellfish.", accept=["shellfish"]).rule
    'abstention'
    >>> match("It was 500, now 1000.", accept=["1000"], forbid=["500"], type="number")
    Verdict(verdict='correct', span=(16, 20), value='1000', rule='corrected')
    """
    accept, forbid = _values("accept", accept), _values("forbid", forbid)
    if type not in TYPES:
        raise SettingError(f"type is {type!r}; it must be one of {', '.join(TYPES)}")
    if answerable and not accept:
        raise SettingError("accept is empty: give a right value, or answerable=False if the answer was never said")
    folded = fold(answer)
    clauses = split(folded.text)
    if not clauses:
        return Verdict("abstained" if answerable else "wrong", rule="empty")
    wanted = [o for value in accept for o in occurrences(folded.text, value, type, language)]
    unwanted = [o for value in forbid for o in occurrences(folded.text, value, type, language)]
    right, old = _claims(folded.text, clauses, _outside(wanted, unwanted), _outside(unwanted, wanted))
    if not answerable:
        return _unanswerable(folded, clauses, right, old)
    rivals = rivals_of(folded.text, clauses, type, language, wanted, unwanted)
    return _judge(folded, clauses, right, old, rivals, accept, type)


def _values(name: str, values: Sequence[str]) -> list[str]:
    if isinstance(values, str):
        raise SettingError(f"{name} is the string {values!r}; it must be a list of strings: [{values!r}]")
    for value in values:
        if not value.strip() or not fold(value).text.strip():
            raise SettingError(f"{name} holds an empty value, which every answer would contain: leave it out")
    return list(values)


def _outside(some: list[Occurrence], others: list[Occurrence]) -> list[Occurrence]:
    """Those that are not a part of a longer value of the other side: 京都 inside 東京都 is not 京都."""
    return [o for o in some
            if not any(p.start <= o.start and o.end <= p.end and p.end - p.start > o.end - o.start for p in others)]


def _claims(text: str, clauses: list[Clause], wanted: list[Occurrence],
            unwanted: list[Occurrence]) -> tuple[list[_Claim], list[_Claim]]:
    begins = [c.start for c in clauses]
    every = sorted([*wanted, *unwanted], key=lambda o: (o.start, o.end))
    claims = []
    for place, what in enumerate(every):
        clause = clauses[max(0, bisect_right(begins, what.start) - 1)]
        # an age is read between the neighbouring values, so that "from 500 to 1000" dates each apart
        left = max([clause.start, *[o.end for o in every[max(0, place - 1):place]]])
        right = min([clause.end, *[o.start for o in every[place + 1:place + 2]]])
        claims.append(_Claim(what, clause, stance(clause, what.start, what.end), _age(text, left, what, right)))
    mine = set(map(id, wanted))
    return [c for c in claims if id(c.what) in mine], [c for c in claims if id(c.what) not in mine]


def _age(text: str, left: int, what: Occurrence, right: int) -> int:
    """How far a value is marked as past: 2 old, 1 in the past tense, 0 unmarked, -1 current."""
    before, around = text[left:what.start], text[left:max(right, what.end)]
    if cues.OLD.search(around) or cues.OLD_JUST_BEFORE.search(before):
        return 2
    if cues.CURRENT.search(before):
        return -1
    return 1 if cues.PAST.search(before) else 0


def _unanswerable(folded: Folded, clauses: list[Clause], right: list[_Claim], old: list[_Claim]) -> Verdict:
    for claim in old:
        if claim.stance == "asserted":
            return _verdict(folded, "wrong", claim, "answered the unanswerable")
    for claim in right:
        if claim.stance == "asserted":
            return _verdict(folded, "correct", claim, claim.what.rule)
    if abstains(clauses) or all(c.asked for c in clauses):
        return Verdict("correct", rule="abstained rightly")
    return Verdict("wrong", rule="answered the unanswerable")


def _verdict(folded: Folded, verdict: str, claim: _Claim, rule: str) -> Verdict:
    return Verdict(verdict, folded.span(claim.what.start, claim.what.end), claim.what.value, rule)


def _judge(folded: Folded, clauses: list[Clause], right: list[_Claim], old: list[_Claim], rivals: list,
           accept: list[str], type: str) -> Verdict:
    stances = {s: [c for c in right if c.stance == s] for s in ("asserted", "negated", "doubled", "withheld", "asked")}
    said, stale = stances["asserted"], [c for c in old if c.stance == "asserted"]
    if said:
        best = min(said, key=lambda c: c.age)
        if stale:
            ages = best.age, min(c.age for c in stale)
            if ages[0] > ages[1]:
                return _verdict(folded, "stale", min(stale, key=lambda c: c.age), "forbidden value")
            if ages[0] == ages[1]:
                return _verdict(folded, "ambiguous", best, "both values")
        rule = doubt(folded.text, best.what, best.clause, stances, rivals, type)
        if rule:
            return _verdict(folded, "wrong" if rule == "taken back" else "ambiguous", best, rule)
        return _verdict(folded, "correct", best, "corrected" if stale else best.what.rule)
    if stale:
        return _verdict(folded, "stale", stale[0], "forbidden value")
    for name, verdict, rule in (("doubled", "ambiguous", "double negation"), ("withheld", "abstained", "abstention"),
                                ("asked", "abstained", "asked, not said")):
        if stances[name]:
            return _verdict(folded, verdict, stances[name][0], rule)
    if stances["negated"]:
        return _verdict(folded, "wrong", stances["negated"][0], "negated")
    other = any(stance(clause, q.start, q.end) == "asserted" for q, clause in rivals)
    if (abstains(clauses) or all(c.asked for c in clauses)) and not other:
        return Verdict("abstained", rule="abstention" if abstains(clauses) else "asked, not said")
    inside = any(fold(value).text in folded.text for value in accept)
    return Verdict("wrong", rule="border" if inside else "no accepted value")
