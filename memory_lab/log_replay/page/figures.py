"""The live figures of a report: what each strategy costs, what a limit keeps, and one conversation call by call."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import log

from ...live.base import Control, LiveFigure, Slots, escape, number
from ...prices import Prices
from ...report import Table, percent
from ..measure import FULL, LogReplay
from ..money import bill, break_even, in_words

LIMITS = 24  # steps of the limit's slider
CALLS = 120  # of the longest conversation; a longer one is shown at so many of its calls


class CostFigure(LiveFigure):
    """Money per thousand turns of each strategy, for every model of the price table, with a prompt cache and without.

    model: the one shown first.  A status line says when a summary has paid for itself.
    """

    def __init__(self, replays: Sequence[LogReplay], labels: Sequence[str], prices: Prices, model: str):
        self.labels = labels
        models = [name for name, price in prices.models.items() if price.output]
        models = models if model in models else [model, *models]
        self.controls = [Control("Model", models, choose=True),
                         Control("Prompt cache", ["serves all that repeats", "serves nothing"], choose=True)]
        bills = {label: bill(replays, label) for label in labels}
        folding = [label for label in labels if bills[label].calls]
        self.steps, self.rows = [], []
        for name in models:
            for cache in (True, False):
                money = {label: bills[label].money(name, prices, cache=cache) for label in labels}
                most, least = max(money.values()), min(money, key=money.__getitem__)
                paid = " ".join(break_even(replays, label, name, prices, cache=cache).words(label)
                                for label in folding)
                said = f"{name}: {least} is the cheapest, {in_words(money[least], prices.currency)} per thousand turns."
                self.steps.append([said, paid] + [word for label in labels for word in (
                    f"{100 * money[label] / most if most else 0:.0f}%",
                    f"{in_words(money[label], prices.currency)}, {percent(money[label], money[FULL])} of sending all")])
                self.rows.append([name, "yes" if cache else "no", *(in_words(money[label], prices.currency)
                                                                    for label in labels)])
        self.first = 2 * models.index(model)
        self.title = "What a thousand turns cost"
        self.note = (f"List prices of {prices.date}. The memory's own summaries are in it, written by the same model; "
                     "the answers are not, since they cost the same under every strategy. A provider's cache serves "
                     "less than all that repeats: short prompts and pauses of minutes are not cached.")

    def _body(self, slots: Slots) -> str:
        status, cards = slots.status("ml-paid"), []
        for label in self.labels:
            cards.append(f'<li class="ml-card"><span class="ml-who">{escape(label)}</span>{slots.bar()}'
                         f'{slots.text("ml-tokens")}</li>')
        return f"{status}<ul>{''.join(cards)}</ul>"

    def __repr__(self) -> str:
        return str(Table(["model", "cache", *self.labels], self.rows, self.title))


class LimitFigure(LiveFigure):
    """What a token window of each limit would cost and still hold, worked out from the sizes of the turns.

    first: the limit shown before anybody moves the slider, one of the steps.  Raises nothing; a log without a call has
    no figure.
    """

    def __init__(self, replays: Sequence[LogReplay], first: int):
        calls = [(replay.plan, call) for replay in replays for call in replay.plan.calls]
        peak, least = max(call.full for _, call in calls), min(call.newest for _, call in calls)
        self.limits = _steps(max(50, least), max(peak, first, 100), first)
        full = sum(call.full for _, call in calls)
        turns = len({(id(made), call.turn) for made, call in calls})
        needs = sorted(each.needs for made, _ in {id(made): (made, 0) for made, _ in calls}.values()
                       for each in (*made.references, *made.leans))
        self.rows = []
        for limit in self.limits:
            sent = [window_tokens(made.before, call, limit) for made, call in calls]
            cut = sum(call.newest > limit for _, call in calls)
            held = bisect_left(needs, limit + 1)
            self.rows.append((limit, sum(sent), held, cut))
        self.controls = [Control("Token limit", [number(limit, "token") for limit in self.limits])]
        self.steps = [[
            f"Limit {limit:,}: {held:,} of {len(needs):,} things that later turns lean on are still there, for "
            f"{percent(tokens, full)} of the tokens.",
            f"{100 * held / len(needs) if needs else 100:.0f}%",
            f"{held:,} of {len(needs):,} ({percent(held, len(needs))})",
            f"{100 * tokens / full:.0f}%", f"{tokens * 1000 / turns:,.0f} prompt tokens per thousand turns",
            f"{100 * cut / len(calls):.0f}%",
            f"{cut:,} of {len(calls):,} calls, whose newest turn alone is larger"]
            for limit, tokens, held, cut in self.rows]
        self.first = self.limits.index(first)
        self.title = "What a token window of each limit keeps"
        self.note = ("Worked out from the sizes of the turns, for every limit alike; the rows of the table above were "
                     "measured. Where nothing is leant on, all of it is kept.")

    def _body(self, slots: Slots) -> str:
        return slots.status() + "".join(
            f'<div class="ml-card"><span class="ml-who">{words}</span>{slots.bar()}{slots.text()}</div>'
            for words in ("Still there", "Tokens", "Cut"))

    def __repr__(self) -> str:
        return str(Table(["limit", "tokens", "still there", "calls cut"],
                         [[f"{value:,}" for value in row] for row in self.rows], self.title))


class CallsFigure(LiveFigure):
    """One conversation call by call: the prompt of each strategy, and how much it has lost so far."""

    def __init__(self, replay: LogReplay, labels: Sequence[str]):
        calls = replay.plan.calls
        self.labels = [label for label in labels if label in replay.strategies]
        runs = [replay.strategies[label] for label in self.labels]
        step = -(-len(calls) // CALLS)
        places = sorted({*range(step - 1, len(calls), step), len(calls) - 1})
        self._most = max((tokens or 0 for run in runs for tokens in run.tokens), default=0) or 1
        self.controls = [Control("Model call", [f"{place + 1} of {len(calls)}" for place in places])]
        self.title = f"{replay.name}, call by call"
        lost = [[sum(each.asked < calls[place].before for each in (*run.lost, *run.missed)) for place in places]
                for run in runs]
        self.steps = []
        for at, place in enumerate(places):
            words = [f"Call {place + 1} of {len(calls)}, turn {calls[place].turn + 1} of {replay.plan.turns}: "
                     f"{number(calls[place].before, 'message')} so far."]
            for run, gone in zip(runs, lost, strict=True):
                sent = run.tokens[place]
                words += ["0%" if sent is None else f"{100 * sent / self._most:.0f}%",
                          "cannot send: too large" if sent is None else
                          f"{number(sent, 'token')}, {sum(filter(None, run.tokens[:place + 1])):,} so far, "
                          f"{number(gone[at], 'thing')} missed so far"]
            self.steps.append(words)
        self.first = len(places) // 2
        self.note = f"Full bar: {number(self._most, 'token')}."

    def _body(self, slots: Slots) -> str:
        status = slots.status()
        cards = [f'<li class="ml-card"><span class="ml-who">{escape(label)}</span>{slots.bar()}'
                 f'{slots.text("ml-tokens")}</li>' for label in self.labels]
        return f"{status}<ul>{''.join(cards)}</ul>"


def window_tokens(before: Sequence[int], call, limit: int) -> int:
    """Tokens that a token window of that limit sends at a call: the newest whole turns; a larger newest turn is cut."""
    if call.full <= limit:
        return call.full
    if call.newest >= limit:
        return limit
    start = bisect_left(before, before[call.turn] - (limit - call.newest), 0, call.turn + 1)
    return call.newest + before[call.turn] - before[start]


def _steps(low: int, high: int, first: int) -> list[int]:
    """Limits from low to high in equal ratios, rounded as one would write them, `first` among them."""
    found = {first}
    for step in range(LIMITS):
        limit = low * (high / low) ** (step / (LIMITS - 1))
        unit = 10 ** max(0, int(log(limit, 10)) - 1)
        found.add(max(unit, -(-int(limit + 0.999999) // unit) * unit))
    return sorted(found)
