"""One log through several memories: what each call would have cost, and what was no longer there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ..errors import TokenLimitError
from ..memory import Memory
from ..messages import Message
from ..tokens import TokenCounter
from ..values import Value, words_of
from .plan import Call, Plan, Reference, plan

FULL = "buffer"  # the row that everything else is compared with


@dataclass
class StrategyReplay:
    """What one memory did with one log.

    tokens: prompt tokens of each call, None where the memory raised TokenLimitError.  failures: (call, its words).
    fell: turn -> the call at which it was first missing from the context, for turns that are not there at the end.
    lost: references whose value was nowhere in the context, outside the asking turn, when it was named again.
    gone: values that are nowhere in the last context, in a turn that fell out, and were not named again in vain.
    """

    name: str
    tokens: list[int | None] = field(default_factory=list)
    failures: list[tuple[int, str]] = field(default_factory=list)
    fell: dict[int, int] = field(default_factory=dict)
    lost: list[Reference] = field(default_factory=list)
    gone: list[Value] = field(default_factory=list)

    @property
    def prompt_tokens(self) -> int:
        return sum(tokens or 0 for tokens in self.tokens)

    @property
    def peak(self) -> int:
        return max((tokens or 0 for tokens in self.tokens), default=0)


@dataclass
class LogReplay:
    """A log's plan and a StrategyReplay per memory."""

    name: str
    plan: Plan
    strategies: dict[str, StrategyReplay]


class KnownCounts(TokenCounter):
    """A counter that encodes each message once, whichever memory asks."""

    def __init__(self, encoding: str = "cl100k_base"):
        super().__init__(encoding)
        self._known: dict = {}

    def message(self, message: Message) -> int:
        key = message_key(message)
        tokens = self._known.get(key)
        if tokens is None:
            tokens = self._known[key] = super().message(message)
        return tokens


def message_key(message: Message):
    """Equal for equal messages, and cheap: Python keeps the hash of a string that memories pass on unchanged."""
    content = message.get("content")
    if len(message) == 2 and isinstance(content, str):
        return message["role"], content
    return repr(sorted(message.items(), key=lambda item: item[0]))


def replay_log(messages: Sequence[Message], memories: Mapping[str, Callable[[], Memory]], *,
               times: Sequence[datetime | None] | None = None, count: TokenCounter | None = None, name: str = "log",
               made: Plan | None = None, progress: Callable[[int], object] | None = None) -> LogReplay:
    """What each memory would have sent at each call of the log, and what was missing from it.

    memories: name -> a function that makes an empty memory; anything with add() and messages().  made: the log's plan,
    where one is there.  progress: called with the number of messages fed.  The row "buffer" is always there: the whole
    log, worked out without a memory.  Tokens are those of prompts alone, without tool definitions.  A TokenLimitError
    is a result, not an error.
    Cost: O(context) a call and memory.  No model is called, so a memory's own model calls are not counted.
    """
    count = count or KnownCounts()
    made = made or plan(messages, count)
    results = {FULL: StrategyReplay(FULL, [call.full for call in made.calls])}
    for label, make in memories.items():
        if label != FULL:
            results[label] = _run(label, make(), made, times, count, progress)
    return LogReplay(name, made, results)


class _Reader:
    """Reads contexts: tokens and values of each distinct message are found once, whichever context it stands in."""

    def __init__(self, made: Plan, count: TokenCounter):
        self.made, self.count = made, count
        self._tokens: dict = {}
        self._values: dict = {}
        self.places: dict = {}  # user message -> its indices in the log so far

    def tokens(self, context: Sequence[Message], keys: Sequence) -> int:
        known = self._tokens
        for key, message in zip(keys, context, strict=True):
            if key not in known:
                known[key] = self.count.message(message)
        return self.count.base + sum(map(known.__getitem__, keys))

    def values(self, key, message: Message) -> frozenset[Value]:
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = self.made.finder.values(words_of(message))
        return found

    def missing(self, context: Sequence[Message], keys: Sequence, call: Call) -> list[Reference]:
        """References whose value stands nowhere in the context before the user messages that ask."""
        end = len(context)
        while end and context[end - 1]["role"] != "user":
            end -= 1
        start = max(end - call.users, 0)
        while end > start and context[end - 1]["role"] == "user":
            end -= 1
        return [reference for reference in call.references
                if not any(reference.value in self.values(keys[i], context[i]) for i in range(end - 1, -1, -1))]

    def turns(self, context: Sequence[Message], keys: Sequence) -> set[int]:
        """The turns whose user messages stand in a context; of equal ones, the newest are meant."""
        used: dict = {}
        found = set()
        for i in range(len(context) - 1, -1, -1):
            if context[i]["role"] == "user":
                seen = used[keys[i]] = used.get(keys[i], 0) + 1
                indices = self.places.get(keys[i], ())
                if seen <= len(indices):
                    found.add(self.made.turn_of[indices[-seen]])
        return found


def _run(label: str, memory: Memory, made: Plan, times, count: TokenCounter, progress) -> StrategyReplay:
    result, reader = StrategyReplay(label), _Reader(made, count)
    fed, begun, inside, keys = 0, 0, set(), []
    context: list[Message] = []
    for number, call in enumerate(made.calls):
        for index in range(fed, call.before):
            message = made.messages[index]
            memory.add(message, at=times[index] if times else None)
            if message["role"] == "user":
                reader.places.setdefault(message_key(message), []).append(index)
        if progress:
            progress(call.before - fed)
        fed = call.before
        try:
            context = memory.messages()
        except TokenLimitError as error:
            context, keys = [], []
            result.tokens.append(None)
            result.failures.append((number, str(error)))
        else:
            keys = list(map(message_key, context))
            result.tokens.append(reader.tokens(context, keys))
        result.lost += reader.missing(context, keys, call)
        now = reader.turns(context, keys) | {call.turn}
        for turn in (inside | set(range(begun, call.turn))) - now:
            result.fell[turn] = number
        if now - inside != {call.turn}:
            for turn in now:
                result.fell.pop(turn, None)
        inside, begun = now, call.turn
    there = {value for key, message in zip(keys, context, strict=True) for value in reader.values(key, message)}
    there |= {reference.value for reference in result.lost}
    gone: dict[Value, None] = {}
    for index, turn in enumerate(made.turn_of):
        if turn in result.fell:
            gone |= dict.fromkeys(sorted(made.finder.values(words_of(made.messages[index])) - there))
    result.gone = list(gone)
    return result
