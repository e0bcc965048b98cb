"""How much of the evidence a strategy brings into a budget, over all questions, with an honest interval.

Evidence recall of a question: the share of its evidence messages that stand whole in the context; no model judges.
The interval resamples dialogues, not questions: those of one dialogue share its words, so they are not independent.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import process_time

from ..errors import SettingError
from .strategies import Strategy
from .talks import Talk

RESAMPLES = 2_000
QUARTERS = ("oldest", "second", "third", "newest")


@dataclass(frozen=True)
class Score:
    """One strategy at one budget.

    recall: mean evidence recall of the questions.  interval: its 95 % bootstrap interval over dialogues (None for fewer
    than two).  complete: share of questions with all their evidence.  categories, quarters: recall by the question's
    category, and of the evidence messages by their age in the talk.  tokens: mean of the contexts, the question aside.
    questions: how many.  index_ms, question_ms: CPU time a dialogue and a question (ranking alone), not compared.
    """

    recall: float
    interval: tuple[float, float] | None
    complete: float
    categories: dict[str, float]
    quarters: dict[str, float]
    tokens: float
    questions: int
    index_ms: float = field(compare=False, default=0.0)
    question_ms: float = field(compare=False, default=0.0)

    def as_json(self) -> dict:
        """The same as JSON values, rounded to what is meaningful."""
        low, high = self.interval or (None, None)
        return {"evidence_recall": round(self.recall, 4), "low": low and round(low, 4), "high": high and round(high, 4),
                "complete": round(self.complete, 4), "tokens": round(self.tokens), "questions": self.questions,
                "categories": {name: round(value, 4) for name, value in self.categories.items()},
                "quarters": {name: round(value, 4) for name, value in self.quarters.items()},
                "index_ms": round(self.index_ms, 2), "question_ms": round(self.question_ms, 3)}


def measure(talks: Sequence[Talk], strategies: Mapping[str, Strategy], budgets: Sequence[int], *, seed: int = 0,
            progress: Callable[[int], object] | None = None) -> dict[str, dict[int, Score]]:
    """strategy -> budget -> Score.

    budgets: tokens of the context, overhead included, the question not.  progress: called with 1 for each question.
    Deterministic for a seed but for the times.  Cost: one index a talk and strategy, one ranking a question.
    """
    if not talks or not budgets or min(budgets) < 1:
        raise SettingError(f"{len(talks)} talks, budgets {list(budgets)}: give one of each, of 1 token or more")
    table = {}
    for name, strategy in strategies.items():
        tallies = {budget: [_Tally() for _ in talks] for budget in budgets}
        indexing = ranking = 0.0
        for number, talk in enumerate(talks):
            started = process_time()
            choose = strategy(talk, seed)
            indexing += process_time() - started
            for probe in talk.questions:
                started = process_time()
                pick = choose(probe)
                ranking += process_time() - started
                for budget in budgets:
                    tallies[budget][number].note(talk, probe, pick(max(0, budget - talk.base)))
                if progress:
                    progress(1)
        asked = sum(len(talk.questions) for talk in talks)
        times = 1000 * indexing / len(talks), 1000 * ranking / asked
        table[name] = {budget: _score(tally, seed, times) for budget, tally in tallies.items()}
    return table


class _Tally:
    """Sums over the questions of one dialogue."""

    def __init__(self):
        self.recall = self.complete = self.tokens = 0.0
        self.questions = 0
        self.categories: dict[str, list[float]] = {}
        self.quarters: dict[str, list[float]] = {}

    def note(self, talk: Talk, probe, chosen: set[int]) -> None:
        hits = [place in chosen for place in probe.evidence]
        recall = sum(hits) / len(hits)
        self.questions += 1
        self.recall += recall
        self.complete += all(hits)
        self.tokens += talk.base + sum(talk.tokens[place] for place in chosen)
        self.categories.setdefault(probe.category or "none", []).append(recall)
        for place, hit in zip(probe.evidence, hits, strict=True):
            self.quarters.setdefault(QUARTERS[4 * place // len(talk)], []).append(hit)


def _score(tallies: list[_Tally], seed: int, times: tuple[float, float]) -> Score:
    questions = sum(tally.questions for tally in tallies)
    groups = {}
    for kind in ("categories", "quarters"):
        joined: dict[str, list[float]] = {}
        for tally in tallies:
            for name, values in getattr(tally, kind).items():
                joined.setdefault(name, []).extend(values)
        order = QUARTERS if kind == "quarters" else sorted(joined)
        groups[kind] = {name: sum(joined[name]) / len(joined[name]) for name in order if name in joined}
    return Score(sum(tally.recall for tally in tallies) / questions, interval(
        [(tally.recall, tally.questions) for tally in tallies if tally.questions], seed),
        sum(tally.complete for tally in tallies) / questions, groups["categories"], groups["quarters"],
        sum(tally.tokens for tally in tallies) / questions, questions, *times)


def interval(sums: Sequence[tuple[float, int]], seed: int) -> tuple[float, float] | None:
    """The 95 % percentile interval of the pooled mean, dialogues drawn with replacement; None for fewer than two.

    sums: for each dialogue the sum over its questions, and their number.
    """
    if len(sums) < 2:
        return None
    rng, means = random.Random(seed), []
    for _ in range(RESAMPLES):
        drawn = rng.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in drawn) / sum(number for _, number in drawn))
    means.sort()
    return means[round(0.025 * (RESAMPLES - 1))], means[round(0.975 * (RESAMPLES - 1))]
