"""What a log asks of any memory: when the model was called, what all of it costs, what later turns refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..memory import Outline
from ..messages import Message
from ..tokens import TokenCounter
from ..values import Finder, Value, words_of
from .prohibitions import KnownFacts, Prohibitions

HARD = ("e-mail", "code", "amount", "date")  # what no model writes by chance: an answer with it has read it


@dataclass(frozen=True)
class Reference:
    """A turn names a value that was said in an earlier turn.

    said, asked: indices of the newest earlier message that has it, and of the message that names it again.
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
    user messages begin the newest turn.  references: values that its user messages name again.  leans: what else of
    earlier turns it leans on: a prohibition that a user message touches; e-mails, codes, amounts and dates that users
    or tools said, where the answer names them.  fresh: whether instructions came in since the call before.  front:
    tokens of the instructions.
    """

    before: int
    turn: int
    users: int
    full: int
    newest: int
    pair: int
    references: tuple[Reference, ...] = ()
    leans: list[Reference] = field(default_factory=list)
    fresh: bool = False
    front: int = 0


@dataclass
class Plan:
    """A log made ready for replays.

    turn_of: the turn of each message, -1 for instructions and an opening.  before: tokens of all turns before each.
    replies: tokens of the answers, which cost the same whatever the memory.
    """

    messages: Sequence[Message]
    calls: list[Call] = field(default_factory=list)
    turn_of: list[int] = field(default_factory=list)
    turns: int = 0
    finder: Finder | None = None
    prohibitions: Prohibitions | None = None
    before: list[int] = field(default_factory=list)
    replies: int = 0
    shown: dict[Value, str] | None = None
    facts: KnownFacts | None = None

    @property
    def references(self) -> list[Reference]:
        return [reference for call in self.calls for reference in call.references]

    @property
    def leans(self) -> list[Reference]:
        return [reference for call in self.calls for reference in call.leans]

    def written(self, value: Value) -> str:
        """The value as it was written when it was first said; as many.py shows it, where that was worked out."""
        if self.shown is not None:
            return self.shown.get(value, value.kind)
        return self.finder.written.get(value) or self.prohibitions.written.get(value) or value.key


def plan(messages: Sequence[Message], count: TokenCounter) -> Plan:
    """The calls and references of a log.

    The model was called before each assistant message that follows another role's, once a user has spoken; a log that
    ends with a user message or a tool result has one more call, whose answer was not logged.
    Cost: each message counted and searched once.
    """
    outline = Outline()
    read = KnownFacts()
    result = Plan(messages, finder=Finder(messages), prohibitions=Prohibitions(messages, read), before=outline.before,
                  facts=read)
    latest: dict[Value, int] = {}          # where each value was last said, in what can be sent
    waiting: dict[Value, int] = {}         # said in the current turn: earlier turns come first
    given: dict[Value, int] = {}           # the same as latest, of what users and tools said
    giving: dict[Value, int] = {}
    stated: dict[Value, int] = {}          # where each prohibition was last stated, in earlier turns
    stating: dict[Value, int] = {}
    pinned: set[Value] = set()             # said in instructions, which every window keeps
    fresh = False
    front = count.base
    users: list[int] = []                  # the user messages of the newest turn that no call has seen yet
    previous = ""
    for index, message in enumerate(messages):
        role = message["role"]
        if role == "assistant" and previous not in ("assistant", "") and outline.turns:
            _call(result, outline, index, front, users, latest, pinned, stated, fresh)
            fresh = False
        tokens = count.message(message)
        turns = len(outline.turns)
        outline.add(message, tokens)
        if len(outline.turns) > turns:
            latest |= waiting
            given |= giving
            stated |= stating
            waiting, giving, stating, users = {}, {}, {}, []
        instruction = role in ("system", "developer")
        front += tokens if instruction else 0
        result.turn_of.append(-1 if instruction or not outline.turns else len(outline.turns) - 1)
        text = words_of(message)
        values = result.finder.values(text)
        if instruction:
            pinned |= values
            fresh = True
        elif outline.turns and index not in outline.strays:
            if role == "assistant":
                result.replies += tokens
                _answer(result, outline, index, values - waiting.keys() - pinned, given)
            else:
                giving |= dict.fromkeys(values, index)
            waiting |= dict.fromkeys(values, index)
            users += [index] if role == "user" else []
            stating |= dict.fromkeys(result.prohibitions.states(text) if role == "user" else (), index)
        previous = role if not instruction or not previous else previous
    if previous in ("user", "tool") and outline.turns:
        _call(result, outline, len(messages), front, users, latest, pinned, stated, fresh)
    result.turns = len(outline.turns)
    return result


def _call(result: Plan, outline: Outline, index: int, front: int, users: list[int], latest: dict[Value, int],
          pinned: set[Value], stated: dict[Value, int], fresh: bool) -> None:
    turn, before = len(outline.turns) - 1, outline.before
    own = outline.turns[-1].tokens
    references, leans = [], []
    for asked in users:
        text = words_of(result.messages[asked])
        for value in sorted(result.finder.values(text)):
            said = latest.get(value)
            if said is not None and value not in pinned and all(value != known.value for known in references):
                references.append(_reference(result, value, said, asked, turn, front, before, own))
        for value in sorted(result.prohibitions.touched(text) & stated.keys()):
            if all(value != known.value for known in leans):
                leans.append(_reference(result, value, stated[value], asked, turn, front, before, own))
    users.clear()
    last = outline.turns[-2].tokens if turn else 0
    result.calls.append(Call(index, turn, outline.turns[-1].users, front + before[-1] + own, front + own,
                             front + own + last, tuple(references), leans, fresh, front))


def _answer(result: Plan, outline: Outline, index: int, values: set[Value], given: dict[Value, int]) -> None:
    """Adds to the newest call what its answer names that only earlier turns could have told."""
    call = result.calls[-1] if result.calls else None
    if call is None or call.turn != len(outline.turns) - 1:
        return
    known = {reference.value for reference in (*call.references, *call.leans)}
    for value in sorted(values - known):
        if value.kind in HARD and value in given:
            call.leans.append(_reference(result, value, given[value], index, call.turn, call.newest, outline.before, 0))


def _reference(result: Plan, value: Value, said: int, asked: int, turn: int, front: int, before: list[int],
               own: int) -> Reference:
    start = result.turn_of[said]
    return Reference(value, said, asked, turn - start, front + before[-1] - before[start] + own)
