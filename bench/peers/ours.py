"""Our own memories, behind the adapter that the peers have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_lab import Message
from memory_lab.facts import FactTableMemory
from memory_lab.layered import LayeredMemory
from memory_lab.summary import SummaryMemory
from memory_lab.window import TokenWindowMemory

from .adapter import Adapter, Entrant, own_text
from .model import Model


class Ours(Adapter):
    def __init__(self, memory: Any):
        self.memory = memory

    def put(self, native: Message) -> None:
        self.memory.add(native)

    def context(self) -> list[Message]:
        return self.memory.messages()


def _window(system: str | None, limit: int, _: Model) -> Ours:
    return Ours(TokenWindowMemory(system, token_limit=limit))


def _summary(system: str | None, limit: int, model: Model) -> Ours:
    return Ours(SummaryMemory(system, token_limit=limit, summary_limit=own_text(limit), trigger_tokens=limit * 6 // 10,
                              trigger_messages=0, client=model.client))


def _facts(system: str | None, limit: int, _: Model) -> Ours:
    return Ours(FactTableMemory(system, token_limit=limit))


def _layers(system: str | None, limit: int, model: Model) -> Ours:
    return Ours(LayeredMemory(system, token_limit=limit, recent_messages=4, fold_messages=8,
                              facts_limit=limit * 4 // 10, level_limits=(60, 100), summary_limit=own_text(limit),
                              client=model.client))


def _entrant(name: str, settings: str, make: Callable[..., Ours], **more: bool) -> Entrant:
    return Entrant(name, "memory-lab", settings, make, ours=True, **more)


ENTRANTS = (
    _entrant("TokenWindowMemory", "token_limit", _window),
    _entrant("SummaryMemory", "token_limit, summary at most 30 % of it, folds above 60 %", _summary, summarises=True),
    _entrant("FactTableMemory", "token_limit; facts by rules, no model", _facts),
    _entrant("LayeredMemory", "token_limit; facts at most 40 %, summaries at most 30 %", _layers, summarises=True),
)
