"""The memories that a replay tries, by name and setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from ..errors import SettingError
from ..memory import Memory
from ..tokens import TokenCounter
from ..truncation import BufferMemory, FixedWindowMemory, PopOldestMemory, SlidingWindowMemory
from ..window import TokenWindowMemory

NAMES = ("buffer", "pop_oldest", "fixed_window", "sliding_window", "token_window")


def windows(names: Iterable[str] = NAMES, *, token_limits: Iterable[int] = (), max_turns: int = 10,
            max_messages: int = 20, count: TokenCounter | None = None) -> dict[str, Callable[[], Memory]]:
    """Row label -> a function that makes the empty memory, in the order of NAMES; a token window per limit.

    Raises SettingError for an unknown name, or for a setting that the memory itself refuses.  The functions can be
    sent to another process where count is None.

    >>> list(windows(["token_window", "sliding_window"], token_limits=[500, 2000], max_turns=3))
    ['sliding_window(3 turns)', 'token_window(500)', 'token_window(2,000)']
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
        rows[token_window_label(limit)] = partial(TokenWindowMemory, token_limit=limit, count=count)
    rows = {label: make for label, make in rows.items() if label.split("(")[0] in wanted}
    for make in rows.values():
        make()  # refuses a bad setting now, not in the middle of a log
    return rows


def token_window_label(limit: int) -> str:
    """The row's name for a token window of that limit."""
    return f"token_window({limit:,})"
