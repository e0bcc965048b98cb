"""The memories that a replay tries, by name and setting.

No model is called here: summaries are written by rules (extractive.py), as long as a model's may be, so what they keep
is what rules keep.  Their price is counted as if a model had written them (measure.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ..errors import SettingError
from ..facts import CarriesFacts, FactTableMemory
from ..facts.rules import extract_rules
from ..layered import LayeredMemory
from ..memory import Memory
from ..messages import Message
from ..summary import SummaryMemory
from ..tokens import TokenCounter
from ..truncation import BufferMemory, FixedWindowMemory, PopOldestMemory, SlidingWindowMemory
from ..window import TokenWindowMemory

NAMES = ("buffer", "pop_oldest", "fixed_window", "sliding_window", "token_window", "summary", "fact_table", "layers")
DERIVED = ("summary", "fact_table", "layers")  # those that send words of their own, within a token limit


def windows(names: Iterable[str] = NAMES, *, token_limits: Iterable[int] = (), memory_limit: int | None = None,
            max_turns: int = 10, max_messages: int = 20, count: TokenCounter | None = None,
            read: Callable[[Message, int], Iterable] = extract_rules,
            check: bool = True) -> dict[str, Callable[[], Memory]]:
    """Row label -> a function that makes the empty memory, in the order of NAMES.

    token_limits: a token window for each.  memory_limit: the token limit of summary, fact_table and layers, which are
    left out without one.  A summary may have a quarter of it, the facts another; a fold is due at half of it.
    read: gives the facts of a message.  check=False: the settings were checked already.
    Raises SettingError for an unknown name, or for a setting that the memory itself refuses.

    >>> list(windows(["token_window", "sliding_window", "summary"], token_limits=[500], memory_limit=500, max_turns=3))
    ['sliding_window(3 turns)', 'token_window(500)', 'summary(500)']
    """
    wanted = set(names)
    unknown = wanted - set(NAMES)
    if unknown:
        raise SettingError(f"unknown strategy {', '.join(sorted(unknown))}: use {', '.join(NAMES)}.")
    rows = {"buffer": partial(BufferMemory, count=count),
            f"pop_oldest({max_messages} messages)": partial(PopOldestMemory, max_messages=max_messages, count=count),
            f"fixed_window({max_turns} turns)": partial(FixedWindowMemory, max_turns=max_turns, count=count),
            f"sliding_window({max_turns} turns)": partial(SlidingWindowMemory, max_turns=max_turns, count=count)}
    for limit in token_limits:
        rows[label("token_window", limit)] = partial(TokenWindowMemory, token_limit=limit, count=count)
    if memory_limit is not None:
        rows |= {label(name, memory_limit): make for name, make in _derived(memory_limit, count, read).items()}
    rows = {row: make for row, make in rows.items() if row.split("(")[0] in wanted}
    for make in rows.values() if check else ():
        make()  # refuses a bad setting now, not in the middle of a log
    return rows


class _Layers(LayeredMemory):
    """LayeredMemory whose rules are asked through `read`."""

    def __init__(self, system: str | None = None, *, read: Callable[[Message, int], Iterable], **settings: Any):
        self._read = read
        super().__init__(system, **settings)

    def _added(self, message: Message) -> None:
        super(CarriesFacts, self)._added(message)
        if sum([self.table.apply(change) for change in self._read(message, len(self._log) - 1)]):
            self._facts = None


def _derived(limit: int, count: TokenCounter | None,
             read: Callable[[Message, int], Iterable]) -> dict[str, Callable[[], Memory]]:
    part = max(1, limit // 4)
    fold = {"trigger_tokens": max(2, limit // 2), "trigger_messages": 0, "light": True, "count": count}
    return {
        "summary": partial(SummaryMemory, token_limit=limit, summary_limit=min(500, part), **fold),
        "fact_table": partial(FactTableMemory, token_limit=limit, facts_limit=min(400, part), extractor=read,
                              count=count),
        "layers": partial(_Layers, read=read, token_limit=limit, recent_messages=4, fold_messages=8,
                          summary_limit=part, facts_limit=min(400, part),
                          level_limits=(max(1, min(200, part // 3)), min(400, part)), **fold)}


def label(name: str, limit: int) -> str:
    """The row's name for a memory of that token limit."""
    return f"{name}({limit:,})"


def token_window_label(limit: int) -> str:
    """The row's name for a token window of that limit."""
    return label("token_window", limit)
