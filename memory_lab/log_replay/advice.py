"""Which strategy for this traffic, and why: the cheapest of those that keep what later turns lean on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..prices import Prices
from ..report import percent
from .hurt import BROKEN
from .limit import ENOUGH, SHARE, Recommendation
from .measure import FULL, LogReplay
from .money import bill, in_words
from .windows import token_window_label

NEAR = 0.1  # a strategy that saves less than this share of the bill is not worth its trouble


@dataclass(frozen=True)
class Advice:
    """strategy: the row's name.  reason: sentences.  thin: whether the log says too little to rely on it."""

    strategy: str
    reason: str
    thin: bool


def held(row: dict[str, Any]) -> tuple[int, int]:
    """(still in the context, all) of what later turns lean on, of a row of report.rows()."""
    asked = row["references"] + row["leans"]
    return asked - row["lost"] - row["missed"], asked


def advise(replays: Sequence[LogReplay], table: Sequence[dict[str, Any]], recommendation: Recommendation | None,
           model: str, prices: Prices) -> Advice | None:
    """The advice for a replayed log; None if the model was never called.

    table: report.rows() of the replays.  A strategy that fails at some call, or that exists to be broken, is not
    recommended.  Of those that keep SHARE of what is leant on the cheapest is taken, with a prompt cache; sending
    everything where nothing saves more than NEAR of that.  Where nothing is leant on, the window of the recommended
    limit is taken: the cheapest would be one that forgets all.
    """
    if recommendation is None:
        return None
    rows = {row["strategy"]: row for row in table if not row["failed"] and not row["strategy"].startswith(BROKEN)}
    full = next(row for row in table if row["strategy"] == FULL)
    bills = {label: bill(replays, label) for label in {FULL: full, **rows}}
    free = not bills[FULL].money(model, prices)  # a model without a price: the tokens are what counts
    money = {label: each.tokens if free else each.money(model, prices) for label, each in bills.items()}

    def costs(label: str) -> str:
        amount = f"{money[label]:,.0f} tokens" if free else in_words(money[label], prices.currency)
        return f"costs {amount} per thousand turns"

    there, asked = held(full)
    window = token_window_label(recommendation.token_limit)
    enough = {label for label, row in rows.items() if (held(row)[0] >= SHARE * asked if asked else label == window)}
    best = min((label for label in rows if label in enough), key=lambda label: money[label], default=FULL)
    if money[best] >= (1 - NEAR) * money[FULL]:
        best = FULL
    say = [f"It {costs(best)}; sending everything {costs(FULL)}." if best != FULL else
           f"Sending everything {costs(FULL)}, and nothing that keeps as much is more than {percent(NEAR, 1)} cheaper."]
    if asked:
        there = held(rows[best])[0] if best in rows else there
        say.append(f"It keeps {there:,} of the {asked:,} things ({percent(there, asked)}) that later turns lean on.")
    else:
        say.append("No later turn names anything that was said in an earlier one, so the log does not show what "
                   "forgetting would cost.")
    smaller = min(enough, key=lambda label: bills[label].tokens, default=FULL)
    if best == FULL and bills[smaller].tokens < (1 - NEAR) * bills[FULL].tokens:
        say.append(f"Fewer tokens are no saving here, for a window breaks the prompt cache: {smaller} needs "
                   f"{percent(bills[smaller].tokens, bills[FULL].tokens)} of the tokens, but only "
                   f"{percent(bills[smaller].share, 1)} of its prompts repeat the one before, against "
                   f"{percent(bills[FULL].share, 1)}.")
    cheaper = [label for label in rows if money[label] < money[best] and label not in enough]
    if cheaper and asked:
        label = max(cheaper, key=lambda label: (held(rows[label])[0], -money[label]))
        say.append(f"The best of the cheaper ones, {label}, keeps {percent(held(rows[label])[0], asked)} and "
                   f"{costs(label)}.")
    if thin := asked < ENOUGH:
        say.append(f"With {asked} such things this is a hint and no measurement: replay more of the traffic.")
    return Advice(best, " ".join(say), thin)
