"""What belongs together in a growing log: instructions, turns of units, and the strays that never go out.

The rules are those of messages.turns, kept up to date message by message so that no memory has to parse its log again.

Copy with: the other base files.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from .messages import INSTRUCTIONS, Message


class State(str):
    """What became of a logged message: kept, clipped, summarised, dropped or pending.  reason: why, for dropped."""

    __slots__ = ("reason",)

    def __new__(cls, word: str, reason: str = ""):
        state = super().__new__(cls, word)
        state.reason = reason
        return state


KEPT, CLIPPED, SUMMARISED, PENDING = (State(word) for word in ("kept", "clipped", "summarised", "pending"))
OVER, ORPHAN, ABANDONED, OPENING, BLANK = (State("dropped", reason) for reason in (
    "over the limit", "orphan result", "abandoned call", "before the first user", "nothing to send"))


@dataclass(slots=True)
class Unit:
    """A call with its results, or any other single message.  indices: its places in the log, in order."""

    indices: list[int]
    tokens: int
    missing: Counter | None = None  # of a call: the ids that have no result yet


@dataclass(slots=True)
class Turn:
    """A run of user messages and the units behind it.  users: length of the run.

    tokens, indices: of the units that may be sent, all but calls without their results.
    """

    units: list[Unit] = field(default_factory=list)
    users: int = 0
    tokens: int = 0
    indices: list[int] = field(default_factory=list)

    def take(self, unit: Unit) -> None:
        """Count a unit in: it is complete."""
        self.tokens += unit.tokens
        self.indices += unit.indices

    def complete(self) -> list[Unit]:
        """The units that may be sent: all but calls without their results."""
        return [unit for unit in self.units if not unit.missing]


class Outline:
    """What belongs together in a growing log, by index: instructions, turns of units, and the strays that never go out.

    Cost: O(1) a message.
    """

    def __init__(self):
        self.instructions: list[int] = []
        self.turns: list[Turn] = []
        self.before: list[int] = []  # tokens of all turns before each; nothing joins a turn once the next has begun
        self.strays: dict[int, State] = {}
        self._unit: Unit | None = None  # the call that a tool result would answer
        self._speaker = ""
        self._length = 0

    def add(self, message: Message, tokens: int) -> None:
        """Place the next message, which costs that many tokens."""
        index, self._length = self._length, self._length + 1
        role, calls = message["role"], message.get("tool_calls")
        if role in INSTRUCTIONS:  # they are sent in front, so they part nothing here
            self.instructions.append(index)
            return
        if role == "user" and self._speaker != "user":
            self.before.append(self.tokens())
            self.turns.append(Turn())
        self._speaker = role
        if role == "tool":
            self._result(index, message["tool_call_id"], tokens)
            return
        self._unit = None
        if not self.turns:
            self.strays[index] = OPENING
        elif role == "assistant" and message.get("content") is None and not calls and "refusal" not in message:
            self.strays[index] = BLANK
        elif calls:
            self._unit = Unit([index], tokens, Counter(call["id"] for call in calls))
            self.turns[-1].units.append(self._unit)
        else:
            turn, unit = self.turns[-1], Unit([index], tokens)
            turn.units.append(unit)
            turn.take(unit)
            turn.users += role == "user"

    def _result(self, index: int, call_id: str, tokens: int) -> None:
        unit = self._unit
        if unit is None or not unit.missing[call_id]:
            self.strays[index] = ORPHAN if self.turns else OPENING
            return
        unit.indices.append(index)
        unit.tokens += tokens
        unit.missing -= Counter([call_id])  # a complete unit ends with an empty counter
        if not unit.missing:
            self.turns[-1].take(unit)

    def tokens(self) -> int:
        """The tokens of all turns."""
        return self.before[-1] + self.turns[-1].tokens if self.turns else 0

    def shrink(self, number: int, unit: Unit, saving: int) -> None:
        """Count a unit of turn `number` as that many tokens less.  Cost: O(turns since)."""
        unit.tokens -= saving
        self.turns[number].tokens -= saving
        for later in range(number + 1, len(self.turns)):
            self.before[later] -= saving

    def pending(self) -> Unit | None:
        """The call that still waits for results: the newest unit of all, with nothing else behind it."""
        return self._unit if self._unit is not None and self._unit.missing else None
