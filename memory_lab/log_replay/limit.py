"""A token limit for this traffic, and the reason in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from .measure import LogReplay

SHARE = 0.95  # of the references, and of the calls, that a limit must serve, where there are enough for a share
ENOUGH = 20


@dataclass(frozen=True)
class Recommendation:
    """token_limit: tokens of the whole prompt, overhead included, without the reply.  reason: why this one.

    references: how often later user messages name something from an earlier turn.  kept: how many of them this limit
    keeps.  floor: the limit that holds the newest turn whole at SHARE of the calls.  peak: the longest prompt if all
    is sent.
    """

    token_limit: int
    reason: str
    references: int
    kept: int
    floor: int
    peak: int


def recommend(replays: Sequence[LogReplay]) -> Recommendation | None:
    """The smallest token limit that keeps what later turns refer to and cuts no newest turn; None if no model call."""
    calls = [call for replay in replays for call in replay.plan.calls]
    if not calls:
        return None
    needs = sorted(reference.needs for call in calls for reference in call.references)
    newest, peak = sorted(call.newest for call in calls), max(call.full for call in calls)
    floor = _enough(newest)
    if not needs:
        limit = _rounded(_enough(sorted(call.pair for call in calls)))
        reason = ("no user message names a value of an earlier turn, so the log does not say how far back the model "
                  f"must see; this holds the newest turn and the one before it {_calls(len(calls))}")
    else:
        least = _enough(needs)
        limit = _rounded(max(least, floor))
        kept = sum(need <= limit for need in needs)
        what = f"{kept} of the {len(needs)} values" if kept < len(needs) else _all(len(needs))
        reason = f"the smallest limit (rounded up) that still holds {what} that a later user message names again"
        if floor > least:
            reason = (f"the newest turn and the instructions take up to {floor:,} tokens {_calls(len(calls))}, and a "
                      f"smaller limit would cut them; this also holds {what} that a later user message names again")
        if kept < len(needs):
            reason += (f"; for the other {len(needs) - kept} it would have to be up to {needs[-1]:,}, "
                       "which a summary or a fact table does cheaper")
    kept = sum(need <= limit for need in needs)
    cut = sum(tokens > limit for tokens in newest)
    if cut:
        reason += f"; at {cut} of {len(calls):,} calls the newest turn is larger (up to {newest[-1]:,}) and is cut"
    if limit >= peak:
        reason += f"; the longest prompt of this log has {peak:,} tokens, so nothing is cut at all"
    return Recommendation(limit, reason, len(needs), kept, floor, peak)


def kept_at(replays: Sequence[LogReplay], limits: Sequence[int]) -> list[float]:
    """The share of references that a token window of each limit keeps; 1.0 where there are none."""
    needs = [reference.needs for replay in replays for reference in replay.plan.references]
    return [sum(need <= limit for need in needs) / len(needs) if needs else 1.0 for limit in limits]


def _enough(ordered: Sequence[int]) -> int:
    """The value that SHARE of an ordered list does not exceed; the largest one where the list is short."""
    return ordered[-1] if len(ordered) < ENOUGH else ordered[ceil(SHARE * len(ordered)) - 1]


def _calls(number: int) -> str:
    return "at every call" if number < ENOUGH else f"at {SHARE:.0%} of the calls"


def _all(number: int) -> str:
    return "the one value" if number == 1 else f"all {number} values"


def _rounded(tokens: int) -> int:
    """Up to the next 50 below 1,000 tokens and to the next 100 above: a limit is not exact to the token."""
    step = 50 if tokens < 1000 else 100
    return ceil(tokens / step) * step
