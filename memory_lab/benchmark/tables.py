"""The benchmark as tables: recall by budget, by category and by age of the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..report import Table
from .measure import Score


def tables(result: Mapping[str, Mapping[int, Score]], labels: Mapping[int, str] | None = None) -> list[Table]:
    """Three tables.  labels: budget -> the word for it ("2k").

    The second and third are for the second smallest budget, as a small one says more than a large one.
    """
    budgets = list(next(iter(result.values())))
    word = {budget: (labels or {}).get(budget, f"{budget:,}") for budget in budgets}
    chosen = sorted(budgets)[min(1, len(budgets) - 1)]
    return [
        Table(["evidence recall", *(word[budget] for budget in budgets), "tokens", "index ms", "question ms"],
              [[name, *map(_recall, scores.values()), f"{scores[chosen].tokens:,.0f}",
                f"{scores[chosen].index_ms:.1f}", f"{scores[chosen].question_ms:.2f}"]
               for name, scores in result.items()],
              f"{_questions(result)}; in brackets 95 % intervals over dialogues; tokens at {word[chosen]}"),
        _by("categories", result, chosen, f"by category of the question, at {word[chosen]}"),
        _by("quarters", result, chosen, f"by age of the evidence in the dialogue, at {word[chosen]}"),
    ]


def _recall(score: Score) -> str:
    if score.interval is None:
        return f"{score.recall:.3f}"
    return f"{score.recall:.3f} [{score.interval[0]:.3f}, {score.interval[1]:.3f}]"


def _questions(result: Mapping[str, Mapping[int, Score]]) -> str:
    return f"{next(iter(next(iter(result.values())).values())).questions:,} questions"


def _by(kind: str, result: Mapping[str, Mapping[int, Score]], budget: int, caption: str) -> Table:
    names: Sequence[str] = list(getattr(next(iter(result.values()))[budget], kind))
    rows = [[name, *(f"{getattr(scores[budget], kind)[column]:.3f}" for column in names)]
            for name, scores in result.items()]
    return Table(["evidence recall", *names], rows, caption)
