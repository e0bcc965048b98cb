"""One log through several memories: what each call would have cost, and what was no longer there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile

from ..errors import TokenLimitError
from ..logs.opaque import estimate, is_opaque
from ..memory import Memory
from ..messages import INSTRUCTIONS, Message, text_of
from ..tokens import TokenCounter
from ..values import Value, words_of
from .plan import Call, Plan, Reference, plan

FULL = "buffer"      # the row that everything else is compared with
PROMPT_TOKENS = 148  # of summary.PROMPT, which goes before what is to be summarised
FEW = 16             # characters; so short a common beginning is chance


@dataclass
class StrategyReplay:
    """What one memory did with one log.

    tokens: prompt tokens of each call, None where the memory raised TokenLimitError.  failures: (call, its words).
    fell: turn -> the call at which it was first missing from the context, for turns that are not there at the end.
    lost: references whose value was nowhere in the context, outside the asking turn, when it was named again.
    missed: the same of what the turns lean on besides (plan.Call.leans).
    cached: tokens of each prompt that repeat the beginning of the prompt before.
    folds: (call, tokens in, tokens out) of each summary that a model would have written before that call.
    gone: values that are nowhere in the last context, in a turn that fell out, and were not named again in vain.
    """

    name: str
    tokens: list[int | None] = field(default_factory=list)
    failures: list[tuple[int, str]] = field(default_factory=list)
    fell: dict[int, int] = field(default_factory=dict)
    lost: list[Reference] = field(default_factory=list)
    missed: list[Reference] = field(default_factory=list)
    cached: list[int] = field(default_factory=list)
    folds: list[tuple[int, int, int]] = field(default_factory=list)
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
    """A counter that encodes each message once, whichever memory asks; opaque parts count as logs.opaque guesses."""

    def __init__(self, encoding: str = "cl100k_base"):
        super().__init__(encoding)
        self._known: dict = {}

    def message(self, message: Message) -> int:
        key = message_key(message)
        tokens = self._known.get(key)
        if tokens is None:
            tokens = self._known[key] = super().message(message)
        return tokens

    def _part(self, part) -> int:
        return estimate(part) if is_opaque(part) else super()._part(part)


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
    Cost: O(context) a call and memory.  No model is called: memories that summarise do it by rules (windows.py), and
    what a model's summaries would cost is counted in .folds.
    """
    count = count or KnownCounts()
    made = made or plan(messages, count)
    results = {FULL: StrategyReplay(FULL, [call.full for call in made.calls], cached=_grown(made, count.base))}
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
            text, forbids = words_of(message), self.made.prohibitions
            # A memory's own words (a summary, facts) stand in the instructions, and need not be the user's.
            stated = forbids.touched(text) if message["role"] in INSTRUCTIONS else forbids.states(text) \
                if message["role"] == "user" else ()
            found = self._values[key] = self.made.finder.values(text).union(stated)
        return found

    def cached(self, context: Sequence[Message], keys: Sequence, previous: tuple[Sequence[Message], Sequence]) -> int:
        """Tokens of the beginning that the prompt shares with the one before; of instructions that differ, those of
        their first words, as where a summary behind them is new."""
        before, old = previous
        same = next((i for i, (one, other) in enumerate(zip(keys, old, strict=False)) if one != other),
                    min(len(keys), len(old)))
        tokens = sum(map(self._tokens.__getitem__, keys[:same]))
        if same < min(len(keys), len(old)) and {context[same]["role"], before[same]["role"]} <= INSTRUCTIONS:
            pairs = zip(text_of(context[same]), text_of(before[same]), strict=False)
            alike = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            tokens += self.count.text(alike) if len(alike) > FEW else 0
        return tokens

    def missing(self, context: Sequence[Message], keys: Sequence, call: Call,
                references: Sequence[Reference]) -> list[Reference]:
        """References whose value stands nowhere in the context before the user messages that ask."""
        end = len(context)
        while end and context[end - 1]["role"] != "user":
            end -= 1
        start = max(end - call.users, 0)
        while end > start and context[end - 1]["role"] == "user":
            end -= 1
        return [reference for reference in references
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


def _grown(made: Plan, base: int) -> list[int]:
    """Cached tokens if all is sent: the whole prompt before, but where new instructions came in front of it."""
    cached, previous = [], None
    for call in made.calls:
        if previous is None:
            cached.append(0)
        elif call.fresh:
            cached.append(previous.front - base)
        else:
            cached.append(previous.full - base)
        previous = call
    return cached


def _run(label: str, memory: Memory, made: Plan, times, count: TokenCounter, progress) -> StrategyReplay:
    result, reader = StrategyReplay(label), _Reader(made, count)
    fed, begun, inside, keys, folded = 0, 0, set(), [], 0
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
        previous = context, keys
        try:
            context = memory.messages()
        except TokenLimitError as error:
            context, keys = [], []
            result.tokens.append(None)
            result.cached.append(0)
            result.failures.append((number, str(error)))
        else:
            keys = list(map(message_key, context))
            result.tokens.append(reader.tokens(context, keys))
            result.cached.append(reader.cached(context, keys, previous))
        folds = getattr(memory, "compactions", [])
        result.folds += [(number, PROMPT_TOKENS + fold.tokens_before, fold.tokens_after) for fold in folds[folded:]
                         if fold.error is None]
        folded = len(folds)
        result.lost += reader.missing(context, keys, call, call.references)
        result.missed += reader.missing(context, keys, call, call.leans)
        now = reader.turns(context, keys) | {call.turn}
        for turn in (inside | set(range(begun, call.turn))) - now:
            result.fell[turn] = number
        if now - inside != {call.turn}:
            for turn in now:
                result.fell.pop(turn, None)
        inside, begun = now, call.turn
    there = {value for key, message in zip(keys, context, strict=True) for value in reader.values(key, message)}
    there |= {reference.value for reference in (*result.lost, *result.missed)}
    gone: dict[Value, None] = {}
    for index, turn in enumerate(made.turn_of):
        if turn in result.fell:
            gone |= dict.fromkeys(sorted(made.finder.values(words_of(made.messages[index])) - there))
    result.gone = list(gone)
    return result
