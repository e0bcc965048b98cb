"""The strategies of the tables, each with the setting that it is shown with.

Settings are meant for the shipped chats, whose longest prompt has about 1,500 tokens: 500 tokens is a third of that.
Source 000 is the sliding window of 2 turns, source 001 the list of 20 messages, source 004 the windows of 5 turns.
Chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .facts import FactTableMemory
from .hierarchy import HierarchicalSummaryMemory
from .layered import HybridMemory, LayeredMemory
from .memory import BaseMemory
from .summary import SummaryMemory
from .truncation import BufferMemory, FixedWindowMemory, PopOldestMemory, SlidingWindowMemory
from .window import TokenWindowMemory

# name -> what makes an empty memory from a system text; the first is what the others' tokens are compared with
STRATEGIES: dict[str, Callable[[str | None], BaseMemory]] = {
    "buffer": BufferMemory,
    "pop(0), 20 messages": partial(PopOldestMemory, max_messages=20),
    "fixed window, 5 turns": partial(FixedWindowMemory, max_turns=5),
    "sliding window, 5 turns": partial(SlidingWindowMemory, max_turns=5),
    "sliding window, 2 turns": partial(SlidingWindowMemory, max_turns=2),
    "token window, 500 tokens": partial(TokenWindowMemory, token_limit=500),
    "summary, 500 tokens": partial(SummaryMemory, token_limit=500, summary_limit=150, trigger_tokens=300,
                                   trigger_messages=0),
    "tree, 500 tokens": partial(HierarchicalSummaryMemory, token_limit=500, level_limits=(60, 100), trigger_tokens=300,
                                trigger_messages=0),
    "hybrid, 500 tokens": partial(HybridMemory, token_limit=500, summary_limit=150),
    "fact table, 500 tokens": partial(FactTableMemory, token_limit=500),
    "layers, 500 tokens": partial(LayeredMemory, token_limit=500, recent_messages=4, fold_messages=8, facts_limit=200,
                                  level_limits=(60, 100), summary_limit=150),
}
