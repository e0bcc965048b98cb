"""What a model does with the chapters' tables, one piece of work at a time, so that a stopped run goes on.

A piece is named by a key; its result is plain JSON.  bench/local.py runs the pieces and stores them; results.py reads
them.  Pieces: a strategy on a conversation, a fact at a place, a prompt style on a conversation.  Chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..conversations import Probe, load
from ..evaluate import replay
from ..facts import FactTableMemory
from ..messages import Message, system, user
from ..strategies import STRATEGIES
from . import position
from .style import ANSWER_TOKENS, answer_messages

# the model speaks English; the first five were seen while its prompts were written, the others were not
SEEN = ("short_chat", "kyoto_en", "five_facts", "medium_chat", "order_number")
UNSEEN = ("order_number_50", "prohibitions", "updates", "tools")
OTHER_LANGUAGES = ("kyoto_zh_hant", "kyoto_es")
BY_MODEL = "facts by model, 500 tokens"
ROWS: dict[str, Callable[..., Any]] = {
    **STRATEGIES, BY_MODEL: partial(FactTableMemory, token_limit=500, extractor="model")}
FIRST = ("buffer", "sliding window, 5 turns", "sliding window, 2 turns", "token window, 500 tokens",
         "summary, 500 tokens", "fact table, 500 tokens", BY_MODEL)
SHORT = ("buffer", "sliding window, 2 turns", "summary, 500 tokens", "fact table, 500 tokens")
STYLES = ("chat", "notes of all")  # beside the notes of the user that "local" is sent: those are the buffer's row
STYLED = ("short_chat", "kyoto_en", "five_facts", "medium_chat", "prohibitions", "updates")


def pieces() -> Iterator[tuple[str, Callable[[Any], dict[str, Any]]]]:
    """(key, work) for each piece, the most wanted first; work takes a client and gives JSON values."""
    english = (*SEEN, *UNSEEN)
    for name in english:
        for row in FIRST:
            yield f"strategy|{row}|{name}", partial(strategy, row=row, name=name)
    for turns in position.TURNS:
        for fact in range(len(position.FACTS)):
            for place in position.PLACES:
                yield f"position|{turns}|{place}|{fact}", partial(position.ask, fact=fact, place=place, turns=turns)
    for name in STYLED:
        for style in STYLES:
            yield f"style|{style}|{name}", partial(styled_answers, style=style, name=name)
    for name in OTHER_LANGUAGES:
        for row in SHORT:
            yield f"strategy|{row}|{name}", partial(strategy, row=row, name=name)
    for name in english:
        for row in (row for row in ROWS if row not in FIRST):
            yield f"strategy|{row}|{name}", partial(strategy, row=row, name=name)


def strategy(client: Any, row: str, name: str) -> dict[str, Any]:
    """One strategy on one conversation: its answers, its own summaries and its own facts from this client."""
    talk = load(name)
    memory = ROWS[row](talk.system, client=client)
    done = replay(memory, talk, client=client)
    folds = [fold for fold in memory.compactions if not fold.error]
    return {"prompts": list(done.prompts), "cached": list(done.cached), "own_calls": done.own_calls,
            "own_tokens": done.own_tokens, "derived": folds[-1].after if folds else "",
            "facts": memory.table.lines() if hasattr(memory, "table") else [],
            "refused": len(getattr(memory, "refused", ())),
            "failed": [fold.error for fold in memory.compactions if fold.error],
            "probes": [{"evidence": each.evidence, "in_context": each.in_context, "answer": each.answer,
                        "verdict": each.verdict, "tokens": each.tokens} for each in done.asked]}


def styled_answers(client: Any, style: str, name: str) -> dict[str, Any]:
    """The answers to one conversation's probes from all of it, in one of STYLES.  client: of the model "local-raw"."""
    from ..matching import match

    talk = load(name)
    verdicts, answers = [], []
    for probe in talk.probes:
        context = [*([system(talk.system)] if talk.system else []), *talk.messages[:probe.at], user(probe.question)]
        answers.append(_answer(client, context, style))
        verdicts.append(_verdict(match, answers[-1], probe, talk.language))
    return {"answers": answers, "verdicts": verdicts}


def _answer(client: Any, context: list[Message], style: str) -> str:
    messages = context if style == "chat" else answer_messages(context, assistant=style == "notes of all")
    reply = client.chat.completions.create(model="local-raw", messages=messages, temperature=0, seed=0, stop=["\n"],
                                           max_tokens=ANSWER_TOKENS)
    return reply.choices[0].message.content or ""


def _verdict(match: Callable[..., Any], answer: str, probe: Probe, language: str) -> str:
    return match(answer, accept=probe.accept, forbid=probe.forbid, type=probe.type, answerable=probe.answerable,
                 language=language).verdict


