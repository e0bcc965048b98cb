"""What the user stated, by subject and attribute: one current value or several, and all that was current before.

Copy with: the folder facts/, the base, window.py, compaction.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import Any

from ..errors import LogError, whole
from .fact import KINDS, RANK, Fact, Retraction, mentions, same
from .render import CLOSE, OPEN
from .render import line as line_of


def keeping_order(fact: Fact) -> tuple[int, int]:
    """Sorts facts by who stays longest: by kind as in KINDS, within a kind the newest first.

    A prohibition or an allergy does not grow less true with age, so of these the oldest stay.
    """
    return RANK[fact.kind], fact.valid_from if fact.kind in ("prohibition", "allergy") else -fact.valid_from


class FactTable:
    """Facts with their history.

    max_facts: how many may be current at once.  Where there are more, the last by keeping_order is closed at that
    message, with ended="crowded out": so at(n) stays what it was, and nothing vanishes from the history.
    Order of changes is the order of the log.  Cost: O(facts) a change.

    >>> table = FactTable()
    >>> table.upsert(Fact("user", "home", "Bristol", 0, "I live in Bristol", 0, kind="place"))
    True
    >>> table.upsert(Fact("user", "home", "Cardiff", 8, "I live in Cardiff now", 8, kind="place"))
    True
    >>> [(fact.value, fact.valid_from, fact.valid_to) for fact in table.history("user", "home")]
    [('Bristol', 0, 8), ('Cardiff', 8, None)]
    >>> [fact.value for fact in table.at(8)], [fact.value for fact in table.at(9)]
    (['Bristol'], ['Cardiff'])
    """

    def __init__(self, facts: Iterable[Fact] = (), *, max_facts: int = 50):
        self.max_facts = whole("max_facts", max_facts, 0)
        self._facts: list[Fact] = list(facts)

    def __len__(self) -> int:
        return sum(fact.valid_to is None for fact in self._facts)

    def subject_of(self, name: str) -> str:
        """Who is meant by a name: "sister" for "Hanna" once the user's sister was called that, else the name itself."""
        wanted = same(name)
        for fact in reversed(self._facts):
            if fact.attribute == "name" and fact.subject != "user" and same(fact.value) == wanted:
                return fact.subject
        return name

    def upsert(self, fact: Fact) -> bool:
        """Whether the table changed: a new value closes the old one, or stands beside it in a kind that has several.

        A value that is current already changes nothing.  A fact from before the current value goes into the history.
        """
        fact = replace(fact, subject=self.subject_of(fact.subject))
        rivals = [place for place, other in enumerate(self._facts) if other.subject == fact.subject
                  and other.attribute == fact.attribute and other.valid_to is None]
        if any(same(self._facts[place].value) == same(fact.value) for place in rivals):
            return False
        if not KINDS[fact.kind] and fact.valid_to is None:
            for place in rivals:
                old = self._facts[place]
                if old.valid_from > fact.valid_from:
                    fact = replace(fact, valid_to=old.valid_from, ended="replaced")
                elif not KINDS[old.kind]:
                    self._close(place, fact.valid_from, "replaced")
        self._facts.append(fact)
        while len(self) > self.max_facts:
            open_places = [place for place, other in enumerate(self._facts) if other.valid_to is None]
            last = max(open_places, key=lambda place: keeping_order(self._facts[place]))
            self._close(last, fact.valid_from, "crowded out")
        return True

    def _close(self, place: int, at: int, why: str) -> None:
        fact = self._facts[place]
        self._facts[place] = replace(fact, valid_to=max(at, fact.valid_from), ended=why)

    def retract(self, subject: str | None, attribute: str | None = None, value: str | None = None, *, at: int,
                keep: Iterable[str] = ()) -> int:
        """How many facts were closed at that message: those of the subject (None: any) and attribute (None: any).

        value: words that the value has to contain; without an attribute they may stand anywhere in the fact.
        keep: kinds that stay.  A value of no words closes nothing unless subject or attribute is named.
        """
        if subject is None and attribute is None and not value:
            return 0
        subject = None if subject is None else self.subject_of(subject)
        closed = 0
        for place, fact in enumerate(self._facts):
            if fact.valid_to is not None or fact.kind in keep or (subject is not None and fact.subject != subject) \
                    or (attribute is not None and fact.attribute != attribute):
                continue
            where = fact.value if attribute is not None else f"{fact.subject} {fact.attribute} {fact.value}"
            if not value or mentions(where, value):
                self._close(place, at, "retracted")
                closed += 1
        return closed

    def apply(self, change: Fact | Retraction) -> bool:
        """Whether the table changed by what an extractor found."""
        if isinstance(change, Fact):
            return self.upsert(change)
        return self.retract(change.subject, change.attribute, change.words, at=change.source, keep=change.keep) > 0

    def current(self) -> list[Fact]:
        """The facts that hold now, those that stay longest first."""
        return sorted((fact for fact in self._facts if fact.valid_to is None), key=keeping_order)

    def at(self, n: int) -> list[Fact]:
        """What was known when message n came, from the n messages before it, those that stay longest first.

        With valid_to as it stands today: a fact that was closed later shows by when.
        """
        return sorted((fact for fact in self._facts if fact.holds(n - 1)), key=keeping_order)

    def history(self, subject: str = "user", attribute: str | None = None) -> list[Fact]:
        """Every fact of a subject (and attribute), current or not, oldest first."""
        subject = self.subject_of(subject)
        return sorted((fact for fact in self._facts if fact.subject == subject and attribute in (None, fact.attribute)),
                      key=lambda fact: fact.valid_from)

    def lines(self) -> list[str]:
        """One line for each current fact, those that stay longest first."""
        return [line_of(fact) for fact in self.current()]

    def render(self, *, limit: int | None = None, count: Callable[[str], int] | None = None) -> str:
        """The block for the system message; "" for no facts.

        limit: tokens, counted by count(text); those that stay least go until the block fits, all if need be.
        Cost: one count for each line and one for the block, so a count that remembers pays for new lines alone.
        """
        lines = self.lines()
        if limit is not None and count is not None:
            left = limit - count(f"{OPEN}\n{CLOSE}")
            for number, line in enumerate(lines):
                left -= count(f"{line}\n")
                if left < 0:
                    lines = lines[:number]
                    break
        while lines:
            text = "\n".join([OPEN, *lines, CLOSE])
            if limit is None or count is None or count(text) <= limit:
                return text
            lines.pop()  # the parts were counted apart: together they may be a token more
        return ""

    def state(self) -> dict[str, Any]:
        """Everything, as JSON values."""
        return {"max_facts": self.max_facts, "facts": [asdict(fact) for fact in self._facts]}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> FactTable:
        """The table that gave this state.  Raises LogError for what is no such state."""
        try:
            return cls([Fact(**fact) for fact in state["facts"]], max_facts=state["max_facts"])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise LogError(f"this is no state of a FactTable ({error}): pass what state() gave") from error
