"""The memories that the explorer offers, and the settings that it can move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from ..memory import BaseMemory
from ..retrieval import VectorMemory
from ..strategies import STRATEGIES

Maker = Callable[..., BaseMemory]
_SHOWN = {"layers": "layers, 500 tokens", "fact table": "fact table, 500 tokens", "summary": "summary, 500 tokens",
          "tree": "tree, 500 tokens", "hybrid": "hybrid, 500 tokens", "token window": "token window, 500 tokens",
          "sliding window": "sliding window, 5 turns", "fixed window": "fixed window, 5 turns",
          "pop(0)": "pop(0), 20 messages", "buffer": "buffer"}

# name -> what makes an empty memory from a system text, with the settings of the tables to begin with
MEMORIES: Mapping[str, Maker] = {name: STRATEGIES[shown] for name, shown in _SHOWN.items()} | {
    "retrieval": partial(VectorMemory, token_limit=500, recent_tokens=125, facts_limit=0)}


class Setting(NamedTuple):
    """label: its words, with the unit.  low, high, step: of its slider."""

    label: str
    low: int
    high: int
    step: int


SETTINGS = {
    "token_limit": Setting("Token limit (tokens)", 20, 2000, 10),
    "summary_limit": Setting("Summary limit (tokens)", 20, 500, 10),
    "facts_limit": Setting("Facts limit (tokens)", 0, 500, 10),
    "recent_tokens": Setting("Newest turns (tokens)", 0, 1000, 5),
    "trigger_tokens": Setting("Fold from (tokens)", 20, 2000, 10),
    "trigger_messages": Setting("Fold from (messages)", 0, 60, 1),
    "recent_messages": Setting("Raw messages at least", 0, 60, 1),
    "fold_messages": Setting("Messages of a fold", 1, 60, 1),
    "max_messages": Setting("Messages at most", 1, 120, 1),
    "max_turns": Setting("Turns at most", 1, 40, 1),
    "window_turns": Setting("Turns of the window", 1, 40, 1),
    "max_facts": Setting("Facts at most", 0, 100, 1),
    "top_k": Setting("Messages looked up", 0, 40, 1),
}


def movable(make: Maker) -> dict[str, int]:
    """The settings of a maker that have a slider, with their values: the whole numbers that a partial was given.

    >>> movable(MEMORIES["token window"])
    {'token_limit': 500}
    """
    given = getattr(make, "keywords", {})
    return {name: given[name] for name in SETTINGS if type(given.get(name)) is int}
