"""Measuring a memory: what its prompts cost, and what of the planted facts they still hold.

    replay(memory, conversation)            one memory through one scripted chat, everything accounted for
    tradeoff({name: make_memory}, [...])    the recall/token table that every chapter shows

Three recalls, from the strictest about the memory to the strictest about the whole bot: evidence_recall (the messages
that state the fact are in the context), context_recall (an accepted value is found in the context), answer_recall (the
model's answer is right).  What this file does not do: judge with a model (matching.py has rules), draw (report.py).
Chapter 4.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import takewhile
from typing import Any

from .conversations import Conversation, Probe
from .memory import BaseMemory
from .messages import Message, text_of, user
from .messages import assistant as reply
from .report import Tradeoff


@dataclass(frozen=True)
class Asked:
    """One probe and what came of it.

    evidence: share of its evidence messages in the context, 0 to 1.  in_context: an accepted value is found in the
    context.  (Both None for what was never said.)  answer: the model's words (None: no model was asked).
    verdict: correct, wrong, abstained, stale or ambiguous (None: no model was asked).  tokens: of this prompt.
    """

    probe: Probe
    evidence: float | None
    in_context: bool | None
    answer: str | None
    verdict: str | None
    tokens: int


@dataclass(frozen=True)
class Replay:
    """What one memory cost and kept over one conversation.

    prompts: tokens of each prompt that a chat would have sent, in order.  cached: tokens of each that repeat the
    beginning of the prompt before.  own_calls, own_tokens: model calls of the memory itself, and their tokens in and
    out.  seconds: of the memory's work, never part of a table.
    """

    conversation: str
    prompts: tuple[int, ...]
    cached: tuple[int, ...]
    asked: tuple[Asked, ...]
    own_calls: int
    own_tokens: int
    seconds: float = field(compare=False)

    @property
    def prompt_tokens(self) -> int:
        """Tokens of all prompts together."""
        return sum(self.prompts)

    @property
    def peak(self) -> int:
        """Tokens of the largest prompt."""
        return max(self.prompts, default=0)

    @property
    def cache_share(self) -> float:
        """The share of all prompt tokens that a prompt cache could serve, 0 to 1."""
        return sum(self.cached) / max(1, self.prompt_tokens)

    @cached_property
    def answerable(self) -> list[Asked]:
        """The probes about what was said."""
        return [asked for asked in self.asked if asked.probe.answerable]

    @property
    def right(self) -> int:
        """How many answerable probes were answered correctly."""
        return sum(asked.verdict == "correct" for asked in self.answerable)

    @property
    def invented(self) -> int:
        """How many questions about what was never said got an answer all the same."""
        return sum(not asked.probe.answerable and asked.verdict not in (None, "correct") for asked in self.asked)

    @property
    def evidence_recall(self) -> float:
        """Mean share of the evidence that is in the context."""
        return _mean(asked.evidence for asked in self.answerable)

    @property
    def context_recall(self) -> float:
        """Share of answerable probes whose accepted value is in the context."""
        return _mean(asked.in_context for asked in self.answerable)

    @property
    def answer_recall(self) -> float:
        """Share of answerable probes that were answered correctly."""
        return _mean(asked.verdict == "correct" for asked in self.answerable)


def replay(memory: BaseMemory, conversation: Conversation, *, client: Any = None, model: str | None = None,
           inline: bool = False, answer: bool = True) -> Replay:
    """What a memory cost and kept: the talk is fed as a chat would, each prompt is counted, each probe is asked.

    memory: an empty one with conversation.system as its system text; it is filled.  client: who answers the probes
    (default: the offline model).  A probe is asked on a fork, so that probes do not disturb each other; with
    inline=True those at the end are asked in the chat, and their prompts count.  answer=False asks no model.
    Raises TokenLimitError where the memory cannot build a context.  Deterministic but for seconds.
    Cost: one context per model call of the chat, one model call per probe.
    """
    if answer and client is None:
        from .client import connect

        client = connect("offline")
    meter, asked, seconds = _Meter(memory), [], 0.0
    early = [probe for probe in conversation.probes if probe.at is not None]
    times = conversation.times or (None,) * len(conversation.messages)
    for index, message in enumerate(conversation.messages):
        asked += [_ask(fork(memory), probe, conversation, client, model) for probe in early if probe.at == index]
        started = time.perf_counter()
        if message["role"] == "assistant":
            meter.prompt(memory.messages())
        memory.add(message, at=None if times[index] is None else datetime.fromisoformat(times[index]))
        seconds += time.perf_counter() - started
    for probe in conversation.probes:
        if probe.at is None or probe.at >= len(conversation.messages):
            asked.append(_ask(memory if inline else fork(memory), probe, conversation, client, model,
                              meter if inline else None))
    folds = getattr(memory, "compactions", ())
    return Replay(conversation.name, tuple(meter.prompts), tuple(meter.cached), tuple(asked),
                  sum(fold.model_calls for fold in folds), sum(fold.model_tokens for fold in folds), seconds)


def fork(memory: BaseMemory) -> BaseMemory:
    """An independent copy of a memory that shares its client and its counter.  Cost: O(log)."""
    shared = {id(each): each for each in (memory._client, memory.count) if each is not None}
    return copy.deepcopy(memory, shared)


def _ask(memory, probe, conversation, client, model, meter=None) -> Asked:
    from .matching import find, match

    memory.add(user(probe.question))
    context = memory.messages()
    tokens = memory.count(context)
    if meter is not None:
        meter.prompt(context)
    states = memory.states
    text = "\n".join(text_of(message) for message in context[:-1])
    evidence = in_context = verdict = answer = None
    if probe.answerable:
        evidence = _mean(states[index] == "kept" for index in probe.evidence)
        in_context = any(find(text, value, type=probe.type) is not None for value in probe.accept)
    if client is not None:
        from .client import chat

        answer = chat(client, context, model=model)
        verdict = match(answer, accept=probe.accept, forbid=probe.forbid, type=probe.type, answerable=probe.answerable,
                        language=conversation.language).verdict
        memory.add(reply(answer))
    return Asked(probe, evidence, in_context, answer, verdict, tokens)


class _Meter:
    """Prompt after prompt: its tokens, and how many of them repeat the beginning of the prompt before."""

    def __init__(self, memory: BaseMemory):
        self.count, self.prompts, self.cached = memory.count, [], []
        self._last: list[Message] = []
        self._known: dict[str, int] = {}

    def _tokens(self, message: Message) -> int:
        key = repr(message)
        if key not in self._known:
            self._known[key] = self.count.message(message)
        return self._known[key]

    def prompt(self, messages: list[Message]) -> None:
        same = 0
        for ours, theirs in zip(messages, self._last, strict=False):
            if ours != theirs:
                same += self._common(ours, theirs)
                break
            same += self._tokens(ours)
        self.prompts.append(self.count.base + sum(map(self._tokens, messages)))
        self.cached.append(same)
        self._last = copy.deepcopy(messages)

    def _common(self, ours: Message, theirs: Message) -> int:
        """Tokens of the words with which two messages of one role begin alike."""
        one, other = text_of(ours), text_of(theirs)
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        return self.count.text(one[:alike]) if ours["role"] == theirs["role"] else 0


def _mean(values: Iterable[float | None]) -> float:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


def tradeoff(strategies: Mapping[str, Callable[[str | None], BaseMemory]], conversations: Sequence[Conversation], *,
             client: Any = None, model: str | None = None, inline: bool = False, answer: bool = True,
             published: Mapping[str, str] | None = None) -> Tradeoff:
    """The recall/token table: each strategy through each conversation.

    strategies: name -> a function (or class, or partial) that makes an empty memory from a system text; the first is
    what the others' tokens are compared with.  published: name -> the published row's words, printed beside.
    Cost: as replay, once for each pair.

    >>> from functools import partial
    >>> from memory_lab import BufferMemory, SlidingWindowMemory
    >>> from memory_lab.conversations import load
    >>> result = tradeoff({"buffer": BufferMemory, "window": partial(SlidingWindowMemory, max_turns=2)},
    ...                   [load("kyoto_en")], answer=False)
    >>> [result[name][0].context_recall for name in ("buffer", "window")]
    [1.0, 0.0]
    """
    if answer and client is None:
        from .client import connect

        client = connect("offline")
    return Tradeoff({
        name: tuple(replay(make(conversation.system), conversation, client=client, model=model, inline=inline,
                           answer=answer) for conversation in conversations)
        for name, make in strategies.items()}, published or {})
