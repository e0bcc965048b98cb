"""Measuring a memory: what its prompts cost, and what of the planted facts they still hold.

    replay(memory, conversation)            one memory through one scripted chat, everything accounted for
    tradeoff({name: make_memory}, [...])    the recall/token table that every chapter shows

Three recalls, from the strictest about the memory to the strictest about the whole bot: evidence_recall (the messages
that state the fact are in the context), context_recall (an accepted value is found in the context), answer_recall (the
model's answer is right).  None bounds another probe by probe: a value may stand in the context without its message (in
a summary, or by chance), and a model may guess.  What this file does not do: judge with a model (matching/ has rules),
draw (report.py, figures.py).  Chapter 4.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import Any

from .conversations import Conversation, Probe
from .errors import ModelOutputError, SettingError
from .memory import BaseMemory
from .messages import Message, assistant, text_of, user
from .meter import Meter
from .recall import Asked, Replay, mean
from .report import Tradeoff


def replay(memory: BaseMemory, conversation: Conversation, *, client: Any = None, model: str | None = None,
           inline: bool = False, answer: bool = True) -> Replay:
    """What a memory cost and kept: the talk is fed as a chat would, each prompt is counted, each probe is asked.

    memory: an empty one with conversation.system as its system text; it is filled.  client: who answers the probes
    (default: the offline model).  A probe is asked on a fork, so that probes do not disturb each other.  inline=True
    asks the answerable ones of the end in the chat, one after the other, and their prompts count (table 000 did so);
    those about what was never said are asked on forks before that.  answer=False asks no model.
    Raises SettingError for a memory that is not empty or has another system text, TokenLimitError where the memory
    cannot build a context, openai's own errors where the model cannot answer; a context over its window counts as an
    answer without words.  Deterministic but for seconds.
    Cost: one context per model call of the chat, one model call per probe.

    >>> from memory_lab import SlidingWindowMemory
    >>> from memory_lab.conversations import load
    >>> talk = load("order_number")
    >>> result = replay(SlidingWindowMemory(talk.system, max_turns=5), talk, answer=False)
    >>> result.peak, round(result.context_recall, 2)
    (219, 0.14)
    """
    _check(memory, conversation)
    if inline and not answer:
        raise SettingError("inline=True puts the answers into the chat, so it needs a model: leave out answer=False")
    if not answer:
        client = None
    elif client is None:
        client = _offline()
    meter, seconds, messages = Meter(memory.count), 0.0, conversation.messages
    ask = partial(ask_probe, conversation=conversation, client=client, model=model, count=meter.tokens)
    times = [time and datetime.fromisoformat(time) for time in conversation.times or [None] * len(messages)]
    probes = dict(enumerate(conversation.probes))
    late = [number for number, probe in probes.items() if probe.at is None or probe.at >= len(messages)]
    in_chat = [number for number in late if inline and probes[number].answerable]
    asked: dict[int, Asked] = {}
    for index, message in enumerate(messages):
        asked |= {number: ask(fork(memory), probe) for number, probe in probes.items() if probe.at == index}
        if message["role"] == "assistant":
            started = perf_counter()
            context = memory.messages()
            seconds += perf_counter() - started
            meter.prompt(context)  # before add(): PopOldestMemory hands out the very list that it goes on to change
        started = perf_counter()
        memory.add(message, at=times[index])
        seconds += perf_counter() - started
    asked |= {number: ask(fork(memory), probes[number]) for number in late if number not in in_chat}
    asked |= {number: ask(memory, probes[number], meter=meter) for number in in_chat}
    folds = memory.compactions
    return Replay(conversation.name, tuple(meter.prompts), tuple(meter.cached), tuple(asked[n] for n in probes),
                  sum(fold.model_calls for fold in folds), sum(fold.model_tokens for fold in folds), seconds)


def fork(memory: BaseMemory) -> BaseMemory:
    """An independent copy of a memory.  Cost: O(log).

    Shared are its client, its counter, and what no memory ever changes: logged messages, and turns that are over.
    """
    lasting = (memory._client, memory.count, *memory._log, *memory.outline.turns[:-1])
    shared = {id(each): each for each in lasting if each is not None}
    return copy.deepcopy(memory, shared)


def _check(memory: BaseMemory, conversation: Conversation) -> None:
    if memory.system != conversation.system:
        raise SettingError(f"the memory's system text is {_short(memory.system)}, that of {conversation.name} is "
                           f"{_short(conversation.system)}: make the memory with conversation.system")
    if memory.log:
        raise SettingError(f"the memory holds {len(memory.log)} messages already: replay fills an empty one, so make a "
                           "new one, or clear() it")


def _short(text: str | None) -> str:
    return repr(text) if text is None or len(text) <= 40 else repr(text[:39] + "…")


def _offline() -> Any:
    from .client import connect

    return connect("offline")


def ask_probe(memory: BaseMemory, probe: Probe, *, conversation: Conversation, client: Any = None,
              model: str | None = None, meter: Meter | None = None,
              count: Callable[[list[Message]], int] | None = None) -> Asked:
    """What comes of one probe, asked of this memory, which takes the question in: give a fork() to keep it as it was.

    client: who answers (None: nobody is asked).  meter: counts the prompt, and then the memory takes in the answer too.
    count: tokens of a context (default: the memory's own counter, which encodes it anew).
    """
    from .matching import find, match

    def found(text: str) -> bool:
        return any(find(text, value, type=probe.type, language=conversation.language) for value in probe.accept)

    memory.add(user(probe.question))
    context = memory.messages()
    tokens = (count or memory.count)(context)
    if meter is not None:
        meter.prompt(context)
    evidence = in_context = answer = verdict = None
    if probe.answerable:
        states, clips = memory.states, memory.view().clips if "clipped" in memory.states else {}
        evidence = mean(states[index] == "kept" or (states[index] == "clipped" and found(text_of(clips[index])))
                         for index in probe.evidence)
        in_context = found("\n".join(text_of(message) for message in context[:-1]))
    if client is not None:
        from .client import chat

        try:
            answer = chat(client, context, model=model)
        except Exception as error:
            # no words (a refusal, a tool call) are an answer too, and so is a context that is over the model's window:
            # it is judged, and the rest is asked
            if not isinstance(error, ModelOutputError) and getattr(error, "code", "") != "context_length_exceeded":
                raise
            answer = ""
        verdict = match(answer, accept=probe.accept, forbid=probe.forbid, type=probe.type, answerable=probe.answerable,
                        language=conversation.language).verdict
        if meter is not None:
            memory.add(assistant(answer))
    return Asked(probe, evidence, in_context, answer, verdict, tokens)


def tradeoff(strategies: Mapping[str, Callable[[str | None], BaseMemory]], conversations: Sequence[Conversation], *,
             client: Any = None, model: str | None = None, inline: bool = False, answer: bool = True,
             published: Mapping[str, str] | None = None) -> Tradeoff:
    """The recall/token table: each strategy through each conversation.

    strategies: name -> a function (or class, or partial) that makes an empty memory from a system text; the first is
    what the others' tokens are compared with.  published: name -> the published row's words, printed beside.
    Raises SettingError where there is nothing to compare; else as replay, with a note which pair it was.
    Cost: as replay, once for each pair.

    >>> from functools import partial
    >>> from memory_lab import BufferMemory, SlidingWindowMemory
    >>> from memory_lab.conversations import load
    >>> result = tradeoff({"buffer": BufferMemory, "window": partial(SlidingWindowMemory, max_turns=2)},
    ...                   [load("kyoto_en")], answer=False)
    >>> [result[name][0].context_recall for name in ("buffer", "window")]
    [1.0, 0.0]
    """
    if not strategies or not conversations:
        raise SettingError(f"{len(strategies)} strategies, {len(conversations)} conversations: give one of each")
    if answer and client is None:
        client = _offline()
    rows: dict[str, list[Replay]] = {name: [] for name in strategies}
    for name, make in strategies.items():
        for talk in conversations:
            try:
                rows[name].append(replay(make(talk.system), talk, client=client, model=model, inline=inline,
                                         answer=answer))
            except Exception as error:
                error.add_note(f"strategy {name!r}, conversation {talk.name!r}")
                raise
    return Tradeoff({name: tuple(row) for name, row in rows.items()}, published or {})
