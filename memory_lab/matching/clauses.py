"""What an answer claims about a place in it: whether the clause there asserts, denies, asks or withholds.

Clause by clause, because "I do not know much about wine, but your budget is 1,000 yen" answers the question.
Does not parse: scope is the clause, and a few words before and behind the value.

Copy with: cues.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import cues

SENTENCE = re.compile(
    r"[!?。;\n]+"
    r"|(?<!\bno)(?<!\bmr)(?<!\bms)(?<!\bdr)(?<!\bmrs)(?<!\bst)(?<!\bsra)(?<!\bsr)\.+(?=\s|$|[\"')\]]|[^\x00-\xff])")
CLAUSE = re.compile(
    r",(?!\d{3}(?!\d))(?!\s*(?:\w+,\s){0,3}(?:\w+\s)?(?:or|nor|ni)\b)|[:()\[\]\"「」『』→]| - |->|\.\.+"
    r"|(?<!not )(?<!n't )\b(?=(?:but|however|although|though|because|whereas|while|now|currently|then|replaced by)\b)"
    r"|\band (?=(?:you|your|it|is|i|i'm|we|the|he|she|they|my|now|then|was)\b)"
    r"|(?=但是?|不过(?!敏)|然而|而是|可是|而且|因为|现在|目前|如今|后来|改[成为]|变成|所以)"
    r"|\b(?=(?:pero|aunque|sino|porque|mientras|ahora|actualmente|luego|despues)\b)"
    r"|\by (?=(?:tu|tus|el|la|es|son|ahora|usted|su)\b)")
UNIT_OF_SPEECH = re.compile(r"[a-z'ñ]+|[\u4e00-\u9fff]")


@dataclass
class Clause:
    """A stretch of the folded answer.  withheld, asked: so are its values.  unsure: a bare "not sure" stands beside."""

    start: int
    end: int
    text: str
    withheld: bool = False
    asked: bool = False
    unsure: bool = False


def _pieces(pattern: re.Pattern, text: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [start]
    for hit in pattern.finditer(text, start, end):
        cuts += [hit.start(), hit.end()]
    cuts.append(end)
    return [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=True) if text[a:b].strip()]


def split(text: str) -> list[Clause]:
    """The clauses of a folded answer, in order.

    >>> [clause.text.strip() for clause in split("not 500 but 1000, i think. blue?")]
    ['not 500', 'but 1000', 'i think', 'blue']
    """
    clauses: list[Clause] = []
    for start, end in _pieces(SENTENCE, text, 0, len(text)):
        sentence = [Clause(a, b, text[a:b]) for a, b in _pieces(CLAUSE, text, start, end)]
        _ask(sentence, "?" in text[end:end + 2])
        _withhold(sentence)
        clauses += sentence
    if abstains(clauses):
        for clause in clauses:
            clause.withheld |= bool(cues.USUAL.search(clause.text))
    return clauses


def _ask(sentence: list[Clause], questioned: bool) -> None:
    opened = False
    for clause in sentence:
        last = clause is sentence[-1]
        opened |= "¿" in clause.text
        asked = (opened or (questioned and (last or bool(cues.QUESTION.match(clause.text))))
                 or (last and clause.text.rstrip().endswith(("吗", "呢"))))
        clause.asked = asked and not cues.TAG.search(clause.text)


def _withhold(sentence: list[Clause]) -> None:
    for place, clause in enumerate(sentence):
        aside = cues.ASIDE.search(clause.text)
        found = None if aside else cues.ABSTAIN.search(clause.text)
        clause.withheld |= bool(found or aside)
        if not found:
            continue
        before, after = clause.text[:found.start()], clause.text[found.end():]
        if not re.search(r"\w", after) and len(UNIT_OF_SPEECH.findall(before)) <= 4:
            for other in sentence:
                other.unsure = True
        for later in sentence[place + 1:]:
            if not cues.GOES_ON.match(later.text):
                break
            later.withheld = True
        for earlier in reversed(sentence[:place]):
            if not cues.TOPIC.match(earlier.text):
                break
            earlier.withheld = True


def abstains(clauses: list[Clause]) -> bool:
    """Whether some clause says that the answer is not known."""
    return any(c.withheld and not cues.ASIDE.search(c.text) for c in clauses)


def stance(clause: Clause, start: int, end: int) -> str:
    """asserted, negated, doubled, withheld or asked: what a clause says of the value at start to end of the answer."""
    before, after = clause.text[:max(0, start - clause.start)], clause.text[max(0, end - clause.start):]
    if clause.withheld:
        return "withheld"
    if clause.asked or cues.WHETHER.search(before):
        return "asked"
    before = cues.NEUTRAL.sub(lambda hit: " " * len(hit[0]), before)
    count = len(cues.NEGATOR.findall(before))
    if cues.NEGATOR_ES.search(before):
        count = 1  # Spanish doubles its negations without cancelling them
    if cues.NEGATED_AFTER.match(after) and not (count and after.startswith("也")):  # 既不 ... 也不 denies each once
        count += 1
    return ("asserted", "negated", "doubled")[min(count, 2)]
