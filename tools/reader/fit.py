"""Fits the offline reader: memory_lab/offline/meaning.npz (a map of vectors) and decide.json (a rule over features).

    python tools/reader/fit.py            prints what cross-validation by context says of chats/, fits, writes both
    python tools/reader/fit.py --only     no cross-validation

What it learns from, and nothing else, stands in questions.py and examples.py. One softmax for each question, over the
statements of its context and "none of them", fits both at once (model.py). Half an hour on one core.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from examples import fixtures, holds, shipped, varied
from model import RANK, SIZE, Fitted, Row, fit, judge, together
from questions import Question, chats, pairs

OFFLINE = Path(__file__).parents[2] / "memory_lab" / "offline"
FOLDS = 3
SEEDS = (0, 1, 2, 3)  # fits that are averaged: what one of them owes to chance, the others do not share
PLAIN = 4.0  # how much a question of the fixtures and shipped conversations weighs
CUT, SECOND = 0.27, 0.4  # of certainty: below the first, no answer; down to the second of the best, it is quoted too
SHARES = (0.4, 0.5, 0.6, 0.7, 0.8)


class Texts:
    """Every text once: the rows hold places in one table of vectors."""

    def __init__(self) -> None:
        self.place: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.place.setdefault(text, len(self.place))

    def table(self) -> np.ndarray:
        from memory_lab.offline.language import fold
        from memory_lab.offline.meaning import _encoder

        texts = [fold(text) for text in self.place]
        found = np.vstack([_encoder().encode(texts[i : i + 64]) for i in range(0, len(texts), 64)])
        return (found / (np.linalg.norm(found, axis=1, keepdims=True) + 1e-9)).astype(np.float32)


def weight_of(question: Question) -> float:
    """Less for a made one; more for those few that ask in a statement's own words, as people mostly do."""
    plain = not question.group.startswith(("chats", "pairs"))
    return (0.5 if question.made else 1.0) * (PLAIN if plain else 1.0)


def row_of(question: Question, texts: Texts) -> Row | None:
    """The question's statements that can answer, by features and places in the table."""
    from memory_lab.offline import features
    from memory_lab.offline import find as finding
    from memory_lab.offline.evidence import gather
    from memory_lab.offline.meaning import spans

    asked = finding.weigh(question.text, gather(question.context))
    if asked is None:
        return None
    told = asked.told
    seen = features.survey(told, asked.groups, asked.want) if told else None
    weighed = [(features.features(hit, asked.groups, asked.want, seen), hit)
               for hit in told if features.worth_weighing(hit)]
    weighed = [(values, hit) for values, hit in weighed if not features.refused(hit, values, seen)]
    right = np.array([bool(question.accept) and holds(hit.evidence.text, question.accept) for _, hit in weighed])
    if not weighed or (question.accept and not right.any()):
        return None
    parts = [[texts(text) for text in spans(hit.evidence)] for _, hit in weighed]
    return Row(texts(question.text), np.array([list(map(float, values.values())) for values, _ in weighed], np.float32),
               np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(each) for each in parts]), right,
               bool(question.accept), weight_of(question), question, tuple(weighed[0][0]))


def measure(judged: list[tuple[Row, np.ndarray]]) -> str:
    """Of the answerable: the right one first, or among two; then given, where that share of the rest is left."""
    asked = [(row, odds) for row, odds in judged if row.answerable]
    never = np.sort([odds.max() for row, odds in judged if not row.answerable])
    first = np.array([row.right[odds.argmax()] for row, odds in asked])
    two = np.mean([row.right[np.argsort(-odds)[:2]].any() for row, odds in asked])
    best = np.array([odds.max() for _, odds in asked])
    given = "  ".join(f"{share}: {(first & (best > never[int(share * len(never))])).mean():.2f}" for share in SHARES)
    cut = np.log(CUT / (1 - CUT))
    return (f"n {len(asked)}, {len(never)}  first {first.mean():.3f}  two {two:.3f}  at {given}  "
            f"cut: {(first & (best >= cut)).mean():.2f}, left {(never < cut).mean():.2f}")


def cross_validated(rows: list[Row], table: np.ndarray) -> None:
    """Prints the measure for each language of chats/, by maps and rules that have not seen the context."""
    groups = {name: i for i, name in enumerate(dict.fromkeys(row.question.group for row in rows))}

    def fold_of(row: Row) -> int:
        return groups[row.question.group] % FOLDS

    judged: list[tuple[Row, np.ndarray]] = []
    for k in range(FOLDS):
        fitted = fit([row for row in rows if fold_of(row) != k], table)
        judged += [(row, judge(fitted, row, table)) for row in rows if fold_of(row) == k
                   and row.question.group.startswith("chats") and not row.question.made]
        print("fold", k, flush=True)
    for language in ("en", "zh-Hant", "zh-Hans", "es"):
        print(f"{language:8}", measure([each for each in judged if each[0].question.language == language]), flush=True)


def write(fitted: Fitted, names: tuple[str, ...]) -> None:
    """Both files."""
    vectors = {"scale": fitted.scale, "asks": fitted.asks, "says": fitted.says, "none": fitted.none}
    np.savez_compressed(OFFLINE / "meaning.npz", **{name: part.astype(np.float16) for name, part in vectors.items()})
    stored = {"made by": "tools/reader/fit.py",
              "weights": {name: round(float(weight), 3) for name, weight in zip(names, fitted.weights, strict=True)},
              "bias": round(fitted.bias, 3), "mean": round(float(fitted.context[0]), 3),
              "spread": round(float(fitted.context[1]), 3), "cut": CUT, "second": SECOND}
    (OFFLINE / "decide.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    if not (OFFLINE / "meaning.npz").exists():  # the features want a map, whatever it says
        zero = np.zeros((SIZE, RANK))
        write(Fitted(np.ones(SIZE), zero, zero, np.zeros(SIZE), np.zeros(0), 0.0, np.zeros(2)), ())
    questions = [*chats(), *pairs(), *fixtures(), *shipped()]
    texts = Texts()
    rows = [row for row in (row_of(each, texts) for each in varied(questions)) if row is not None]
    table = texts.table()
    print(len(questions), "questions,", len(rows), "rows,", len(table), "texts", flush=True)
    if "--only" not in sys.argv:
        cross_validated(rows, table)
    write(together([fit(rows, table, seed) for seed in SEEDS]), rows[0].names)


if __name__ == "__main__":
    sys.exit(main())
