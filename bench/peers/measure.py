"""One memory through the shipped conversations: what it costs, and what of the planted facts it still holds.

The same as memory_lab.evaluate does, but through add() and messages() alone, for a peer can be neither copied nor
looked into: each probe is asked of a memory that was fed anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Any

from openai import BadRequestError

from memory_lab import TokenCounter, message_problems, user
from memory_lab.client import chat
from memory_lab.conversations import Conversation, Probe
from memory_lab.errors import ModelOutputError
from memory_lab.matching import find, match
from memory_lab.messages import text_of
from memory_lab.meter import Meter

from .adapter import Adapter, Entrant
from .model import Model


def through(entrant: Entrant, talks: Sequence[Conversation], limit: int, model: Model) -> dict[str, Any]:
    """prompts, tokens and calls of all chats; probes whose value is in the context, and that were answered rightly.

    over: prompts over the limit.  refused: prompts that the API would refuse.
    """
    row = dict.fromkeys(("prompts", "prompt_tokens", "peak", "over", "refused", "own_calls", "own_tokens", "probes",
                         "in_context", "right"), 0)
    for talk in talks:
        model.reset()
        meter = Meter(TokenCounter())
        peer, contexts = fed(entrant, talk, len(talk.messages), limit, model)
        peer.close()
        row["own_calls"] += model.calls
        row["own_tokens"] += model.tokens
        for context in contexts:
            meter.prompt(context)
            row["refused"] += any(True for _ in message_problems(context))
        row["prompts"] += len(contexts)
        row["prompt_tokens"] += sum(meter.prompts)
        row["peak"] = max(row["peak"], *meter.prompts)
        row["over"] += sum(tokens > limit for tokens in meter.prompts)
        for probe in talk.probes:
            if probe.answerable:
                held, right = ask(entrant, talk, probe, limit, model)
                row["probes"] += 1
                row["in_context"] += held
                row["right"] += right
    return row


def fed(entrant: Entrant, talk: Conversation, end: int, limit: int, model: Model) -> tuple[Adapter, list[list[dict]]]:
    """(the memory after `end` messages, the context before each message of the assistant's)."""
    peer, contexts = entrant.make(talk.system, limit, model), []
    for message in talk.messages[:end]:
        if message["role"] == "assistant":
            contexts.append(peer.messages())
        peer.add(message)
    return peer, contexts


def ask(entrant: Entrant, talk: Conversation, probe: Probe, limit: int, model: Model) -> tuple[bool, bool]:
    """(an accepted value is in the context, the model's answer is right)."""
    peer, _ = fed(entrant, talk, len(talk.messages) if probe.at is None else probe.at, limit, model)
    peer.add(user(probe.question))
    context = peer.messages()
    peer.close()
    text = "\n".join(text_of(message) for message in context[:-1])
    held = any(find(text, value, type=probe.type, language=talk.language) for value in probe.accept)
    try:
        said = chat(model.client, context)
    except (BadRequestError, ModelOutputError):  # a list that the API refuses is answered by nobody
        return held, False
    verdict = match(said, accept=probe.accept, forbid=probe.forbid, type=probe.type, answerable=True,
                    language=talk.language).verdict
    return held, verdict == "correct"


def seconds(entrant: Entrant, talks: Sequence[Conversation], limit: int, model: Model) -> float:
    """CPU seconds of the chats without the probes, without what the model itself takes."""
    model.reset()
    started = process_time()
    for talk in talks:
        peer, _ = fed(entrant, talk, len(talk.messages), limit, model)
        peer.close()
    return process_time() - started - model.seconds
