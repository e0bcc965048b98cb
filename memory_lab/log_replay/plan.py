"""What a log asks of any memory: when the model was called, what all of it costs, what later turns refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..memory import Outline
from ..messages import Message
from ..tokens import TokenCounter
from ..values import Finder, Value, words_of


@dataclass(frozen=True)
class Reference:
    """A user message names a value that was said in an earlier turn.

    said, asked: indices of the newest earlier message that has it, and of the user message that names it again.
    needs: tokens of the smallest token window that still holds the earlier one at that call.
    """

    value: Value
    said: int
    asked: int
    turns_back: int
    needs: int


@dataclass(frozen=True)
class Call:
    """A point where the model was called.  before: how many messages were logged by then.  full: tokens of them all.

    newest: tokens of the instructions and the newest turn.  pair: the same with the turn before it.  users: how many
    user messages begin the newest turn.
    """

    before: int
    turn: int
    users: int
    full: int
    newest: int
    pair: int
    references: tuple[Reference, ...] = ()


@dataclass
class Plan:
    """A log made ready for replays.  turn_of: the turn of each message, -1 for instructions and an opening."""

    messages: Sequence[Message]
    calls: list[Call] = field(default_factory=list)
    turn_of: list[int] = field(default_factory=list)
    turns: int = 0
    finder: Finder | None = None

    @property
    def references(self) -> list[Reference]:
        return [reference for call in self.calls for reference in call.references]


def plan(messages: Sequence[Message], count: TokenCounter) -> Plan:
    """The calls and references of a log.

    The model was called before each assistant message that follows another role's, once a user has spoken; a log that
    ends with a user message or a tool result has one more call, whose answer was not logged.
    Cost: each message counted and searched once.
    """
    outline, result = Outline(), Plan(messages, finder=Finder(messages))
    latest: dict[Value, int] = {}          # where each value was last said, in what can be sent
    waiting: dict[Value, int] = {}         # said in the current turn: earlier turns come first
    pinned: set[Value] = set()             # said in instructions, which every window keeps
    before = [0]                           # before[t]: tokens of all turns before t
    front = count.base
    users: list[int] = []                  # the user messages of the newest turn that no call has seen yet
    previous = ""
    for index, message in enumerate(messages):
        role = message["role"]
        if role == "assistant" and previous not in ("assistant", "") and outline.turns:
            _call(result, outline, index, front, before, users, latest, pinned)
        tokens = count.message(message)
        turns = len(outline.turns)
        outline.add(message, tokens)
        if len(outline.turns) > turns:
            if turns:
                before.append(before[-1] + outline.turns[-2].tokens)
            latest |= waiting
            waiting, users = {}, []
        instruction = role in ("system", "developer")
        front += tokens if instruction else 0
        result.turn_of.append(-1 if instruction or not outline.turns else len(outline.turns) - 1)
        values = result.finder.values(words_of(message))
        if instruction:
            pinned |= values
        elif outline.turns and index not in outline.strays:
            waiting |= dict.fromkeys(values, index)
            users += [index] if role == "user" else []
        previous = role if not instruction or not previous else previous
    if previous in ("user", "tool") and outline.turns:
        _call(result, outline, len(messages), front, before, users, latest, pinned)
    result.turns = len(outline.turns)
    return result


def _call(result: Plan, outline: Outline, index: int, front: int, before: list[int], users: list[int],
          latest: dict[Value, int], pinned: set[Value]) -> None:
    turn = len(outline.turns) - 1
    own = outline.turns[-1].tokens
    references = []
    for asked in users:
        for value in sorted(result.finder.values(words_of(result.messages[asked]))):
            said = latest.get(value)
            if said is None or value in pinned or any(value == known.value for known in references):
                continue
            start = result.turn_of[said]
            references.append(Reference(value, said, asked, turn - start, front + before[-1] - before[start] + own))
    users.clear()
    last = outline.turns[-2].tokens if turn else 0
    result.calls.append(Call(index, turn, outline.turns[-1].users, front + before[-1] + own, front + own,
                             front + own + last, tuple(references)))
