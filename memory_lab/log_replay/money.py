"""What a replayed log costs in money, by strategy: per thousand turns, with a prompt cache and without one.

Prices are those of a dated table (prices.py).  A summary is priced as if the same model had written it.  The answers
cost the same whatever the memory, so they are no part of a bill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ..prices import PER, Prices, cost
from .measure import FULL, LogReplay, StrategyReplay

TURNS = 1000  # a bill is for that many


@dataclass(frozen=True)
class Bill:
    """Tokens of a strategy over all conversations.

    turns: those in which a call went out.  prompt: tokens of all prompts; cached: of those, what repeats the beginning
    of the prompt before.  read, written: tokens in and out of the memory's own calls; calls: how many of them.
    """

    turns: int
    prompt: int
    cached: int
    calls: int
    read: int
    written: int

    @property
    def tokens(self) -> float:
        """Tokens per thousand turns, the memory's own among them."""
        return (self.prompt + self.read + self.written) * TURNS / self.turns if self.turns else 0.0

    @property
    def share(self) -> float:
        """The part of the prompts that a prompt cache would have served, 0 to 1."""
        return self.cached / self.prompt if self.prompt else 0.0

    def money(self, model: str, prices: Prices, *, cache: bool = True) -> float:
        """Money per thousand turns, in prices.currency.  cache: whether a prompt cache serves all that it could."""
        total = cost(_usage(self.prompt, self.cached if cache else 0), model, prices) + \
            cost(_usage(self.read, 0, self.written), model, prices)
        return total * TURNS / self.turns if self.turns else 0.0


def bill(replays: Sequence[LogReplay], label: str) -> Bill:
    """The strategy's bill over all conversations that it was tried on."""
    parts = [(replay.plan, replay.strategies[label]) for replay in replays if label in replay.strategies]
    turns = sum(len({call.turn for call, sent in zip(made.calls, run.tokens, strict=True) if sent is not None})
                for made, run in parts)
    folds = [fold for _, run in parts for fold in run.folds]
    return Bill(turns, sum(run.prompt_tokens for _, run in parts), sum(sum(run.cached) for _, run in parts), len(folds),
                sum(read for _, read, _ in folds), sum(written for _, _, written in folds))


@dataclass(frozen=True)
class BreakEven:
    """When a memory that summarises has saved what its own calls cost.

    folded: conversations in which it wrote a summary at all.  paid: those in which it was cheaper than sending all, at
    the end.  turns: for those, the turn from which on it stayed cheaper, the median.
    """

    folded: int
    paid: int
    turns: float | None

    def words(self, label: str) -> str:
        """The same as a sentence."""
        if not self.folded:
            return f"{label} never folded: no conversation is long enough for a summary."
        if not self.paid:
            return f"{label} folded in {self.folded:,} conversations and paid for itself in none of them."
        return (f"{label} folded in {self.folded:,} conversations and paid for itself in {self.paid:,} of them, from "
                f"turn {self.turns:g} on (median).")


def break_even(replays: Sequence[LogReplay], label: str, model: str, prices: Prices, *,
               cache: bool = True) -> BreakEven:
    """The break-even of a strategy against sending everything."""
    folded, paid = 0, []
    for replay in replays:
        run, full = replay.strategies.get(label), replay.strategies[FULL]
        if run is None or not run.folds:
            continue
        folded += 1
        ours, theirs = (_running(each, model, prices, cache) for each in (run, full))
        cheaper = [one < other for one, other in zip(ours, theirs, strict=True)]
        if cheaper and cheaper[-1]:
            first = len(cheaper) - next((n for n, each in enumerate(reversed(cheaper)) if not each), len(cheaper))
            paid.append(replay.plan.calls[first].turn + 1)
    return BreakEven(folded, len(paid), median(paid) if paid else None)


def _running(run: StrategyReplay, model: str, prices: Prices, cache: bool) -> list[float]:
    """Money spent up to each call."""
    fresh, cached, written = (cost(usage, model, prices) / PER for usage in (
        _usage(PER, 0), _usage(PER, PER if cache else 0), _usage(0, 0, PER)))  # a token each: cost() is linear
    spent, total = [], 0.0
    folds = {number: 0.0 for number, _, _ in run.folds}
    for number, read, made in run.folds:
        folds[number] += read * fresh + made * written
    for number, (tokens, same) in enumerate(zip(run.tokens, run.cached, strict=True)):
        total += ((tokens or 0) - same) * fresh + same * cached + folds.get(number, 0.0)
        spent.append(total)
    return spent


def _usage(prompt: int, cached: int, written: int = 0) -> dict:
    return {"prompt_tokens": prompt, "completion_tokens": written, "prompt_tokens_details": {"cached_tokens": cached}}


def in_words(money: float, currency: str) -> str:
    """A sum that can be read: two digits that say something, and at least cents.

    >>> in_words(0.00347, "USD"), in_words(12.5, "USD"), in_words(1234.5, "EUR"), in_words(0, "USD")
    ('0.0035 USD', '12.50 USD', '1,235 EUR', '0 USD')
    """
    if not money:
        return f"0 {currency}"
    if money >= 1000:
        return f"{money + 1e-9:,.0f} {currency}"
    digits = 2
    while digits < 8 and money < 10.0 ** (1 - digits):
        digits += 1
    return f"{money:,.{digits}f} {currency}"
