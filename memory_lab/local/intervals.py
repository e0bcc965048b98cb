"""How far a share, or the difference of two, may be from what was counted: Wilson's interval and a bootstrap.

Questions of one conversation are no independent trials (its facts are kept or lost together), so differences between
strategies are resampled by conversation, not by question.  Chapter 12.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import sqrt

from ..errors import SettingError
from ..report import percent

Z = 1.96  # of a 95 % interval


def wilson(right: int, total: int) -> tuple[float, float]:
    """The 95 % interval of the share right/total, each from 0 to 1; (0, 1) where nothing was counted.

    Source: Wilson (1927).  It stays inside 0 to 1, and says something also of 0 of 8.

    >>> [round(end, 2) for end in wilson(6, 8)]
    [0.41, 0.93]
    """
    if not 0 <= right <= total:
        raise SettingError(f"{right} of {total} is no share")
    if not total:
        return 0.0, 1.0
    share, square = right / total, Z * Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = Z * sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def difference(first: Sequence[tuple[int, int]], second: Sequence[tuple[int, int]], *, samples: int = 2000,
               seed: int = 0) -> tuple[float, float, float]:
    """(difference, low, high) of two shares over the same conversations: first minus second, 95 % by bootstrap.

    first, second: (right, total) for each conversation, in the same order.  Both are resampled together.
    Raises SettingError for lists of different length, or empty ones.  Cost: samples times conversations.

    >>> difference([(4, 4), (3, 4)], [(0, 4), (1, 4)])
    (0.75, 0.5, 1.0)
    """
    if not first or len(first) != len(second):
        raise SettingError(f"{len(first)} and {len(second)} conversations: give the same, at least one")
    rng, found, size = random.Random(seed), [], len(first)
    for _ in range(samples):
        chosen = [rng.randrange(size) for _ in range(size)]
        found.append(_share([first[index] for index in chosen]) - _share([second[index] for index in chosen]))
    found.sort()
    edge = int(0.025 * samples)
    return _share(first) - _share(second), found[edge], found[-1 - edge]


def _share(counted: Sequence[tuple[int, int]]) -> float:
    total = sum(each for _, each in counted)
    return sum(right for right, _ in counted) / total if total else 0.0


def shown(right: int, total: int, *, interval: bool) -> str:
    """A count as words for a table, with its 95 % interval behind it where that is asked for.

    >>> shown(6, 8, interval=True)
    '6/8 (41 % to 93 %)'
    """
    low, high = wilson(right, total)
    return f"{right}/{total}" + (f" ({percent(low, 1)} to {percent(high, 1)})" if interval else "")


def points(parts: tuple[float, float, float]) -> str:
    """A difference() as words, in percentage points."""
    middle, low, high = (round(100 * part) for part in parts)
    return f"{middle:+d} ({low:+d} to {high:+d})"


def verdict(parts: tuple[float, float, float]) -> str:
    """What a difference() says of "the first keeps more": confirmed, refuted, or not decided, as its interval lies."""
    return "confirmed" if parts[1] > 0 else "refuted" if parts[2] < 0 else "not decided"
