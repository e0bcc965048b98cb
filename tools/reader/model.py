"""The fit of a map and a rule together: a softmax for each question over its statements and "none of them".

    odds of a statement = weights . features + bias + nearness
    nearness            = the best over its spans of (scale q) . s + 15 (asks q) . (says s)
    odds of none        = none . q + context . (mean nearness, best - mean)

q, s: vectors of the question and of a span. Adam with an L2 penalty on what differs from the start; gradients by hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

SIZE, RANK, START = 512, 16, 5.0
IMAGE = 15.0  # as in memory_lab/offline/meaning.py
RATE, EPOCHS, BATCH, DROPPED = 0.003, 16, 128, 0.3
PENALTY, OF_WEIGHTS = 1e-3, 1e-4


class Row(NamedTuple):
    """A question. features: one row a statement; spans: places in the table, of: the statement of each; right: those
    that answer; counts: how much it weighs; names: of the features."""

    asked: int
    features: np.ndarray
    spans: np.ndarray
    of: np.ndarray
    right: np.ndarray
    answerable: bool
    counts: float
    question: Any
    names: tuple[str, ...]


class Fitted(NamedTuple):
    """What was learnt; weights and bias are for the features as they are."""

    scale: np.ndarray
    asks: np.ndarray
    says: np.ndarray
    none: np.ndarray
    weights: np.ndarray
    bias: float
    context: np.ndarray


def fit(rows: list[Row], table: np.ndarray, seed: int = 0) -> Fitted:
    """The best that EPOCHS passes find."""
    every = np.vstack([row.features for row in rows])
    middle, spread = every.mean(0), every.std(0) + 1e-6
    draw = np.random.RandomState(seed)
    start = {"scale": np.full(SIZE, START), "asks": draw.randn(SIZE, RANK) * 0.05,
             "says": draw.randn(SIZE, RANK) * 0.05, "none": np.zeros(SIZE),
             "weights": np.zeros(every.shape[1]), "bias": np.zeros(1), "context": np.zeros(2)}
    now = {name: part.astype(np.float32) for name, part in start.items()}
    first, second = ({name: np.zeros_like(part) for name, part in now.items()} for _ in range(2))
    steps, total = 0, EPOCHS * -(-len(rows) // BATCH)
    for _ in range(EPOCHS):
        order = draw.permutation(len(rows))
        for begin in range(0, len(order), BATCH):
            slopes = _slopes(now, [rows[i] for i in order[begin : begin + BATCH]], table, middle, spread, draw)
            rate, steps = RATE * (1 - steps / total), steps + 1
            for name, slope in slopes.items():
                first[name] += 0.1 * (slope - first[name])
                second[name] += 0.001 * (slope**2 - second[name])
                step = first[name] / (1 - 0.9**steps) / (np.sqrt(second[name] / (1 - 0.999**steps)) + 1e-8)
                now[name] -= (rate * step).astype(np.float32)
    weights = now["weights"] / spread
    return Fitted(now["scale"], now["asks"], now["says"], now["none"], weights,
                  float(now["bias"][0] - weights @ middle), now["context"])


def _slopes(now: dict[str, np.ndarray], rows: list[Row], table: np.ndarray, middle: np.ndarray, spread: np.ndarray,
            draw: np.random.RandomState) -> dict[str, np.ndarray]:
    sizes = np.array([len(row.right) for row in rows])
    starts, part = np.r_[0, np.cumsum(sizes)[:-1]], np.repeat(np.arange(len(rows)), sizes)
    of = np.concatenate([row.of + start for row, start in zip(rows, starts, strict=True)])
    said, asked = table[np.concatenate([row.spans for row in rows])], table[[row.asked for row in rows]]
    features = (np.vstack([row.features for row in rows]) - middle) / spread
    right, answers = np.concatenate([row.right for row in rows]), np.array([row.answerable for row in rows])
    counts = np.array([row.counts for row in rows])

    kept = (draw.rand(*asked.shape) >= DROPPED) / (1 - DROPPED)
    image, own = asked @ now["asks"], said @ now["says"]
    each = part[of]
    near = ((asked * kept * now["scale"])[each] * said).sum(1) + IMAGE * (image[each] * own).sum(1)
    begins = np.r_[0, np.flatnonzero(np.diff(of)) + 1]
    whole = np.maximum.reduceat(near, begins)
    chosen = _first(near == whole[of], of, len(part))
    said, own = said[chosen], own[chosen]  # one span a statement from here on

    mean = np.add.reduceat(whole, starts) / sizes
    best = np.maximum.reduceat(whole, starts)
    odds = features @ now["weights"] + now["bias"] + whole
    none = asked @ now["none"] + now["context"][0] * mean + now["context"][1] * (best - mean)
    top = np.maximum(np.maximum.reduceat(odds, starts), none)
    weight, without = np.exp(odds - top[part]), np.exp(none - top)
    total = np.add.reduceat(weight, starts) + without
    won = np.where(answers, np.add.reduceat(weight * right, starts), without) + 1e-12
    push = counts / counts.size
    slope = push[part] * (weight / total[part] - np.where(answers[part], weight * right / won[part], 0))
    of_none = push * (without / total - np.where(answers, 0, without / won))

    through = slope + (of_none * (now["context"][0] - now["context"][1]) / sizes)[part]
    through[_first(whole == best[part], part, len(rows))] += of_none * now["context"][1]
    return {
        "scale": ((asked * kept)[part] * said * through[:, None]).sum(0) + 0.04 * PENALTY * (now["scale"] - START),
        "asks": IMAGE * asked.T @ np.add.reduceat(own * through[:, None], starts, axis=0) + 2 * PENALTY * now["asks"],
        "says": IMAGE * said.T @ (image[part] * through[:, None]) + 2 * PENALTY * now["says"],
        "none": asked.T @ of_none + 0.04 * PENALTY * now["none"],
        "weights": features.T @ slope + 2 * OF_WEIGHTS * now["weights"],
        "bias": np.array([slope.sum()]),
        "context": np.array([of_none @ mean, of_none @ (best - mean)]),
    }


def _first(true: np.ndarray, part: np.ndarray, parts: int) -> np.ndarray:
    """The first place in each part that is true."""
    places = np.flatnonzero(true)[::-1]
    found = np.zeros(parts, int)
    found[part[places]] = places
    return found


def together(fits: list[Fitted]) -> Fitted:
    """One map and rule for the mean of these odds; of the spans it takes the best by the mean, and for all of them it
    weighs the mean nearness."""
    def mean(name: str) -> Any:
        return np.mean([getattr(each, name) for each in fits], axis=0)

    return Fitted(mean("scale"), np.hstack([each.asks for each in fits]),
                  np.hstack([each.says for each in fits]) / len(fits), mean("none"), mean("weights"),
                  float(mean("bias")), mean("context"))


def judge(fitted: Fitted, row: Row, table: np.ndarray) -> np.ndarray:
    """The log odds of each statement against none of them."""
    said, asked = table[row.spans], table[row.asked]
    near = said @ (fitted.scale * asked) + IMAGE * (said @ fitted.says) @ (asked @ fitted.asks)
    whole = np.maximum.reduceat(near, np.r_[0, np.flatnonzero(np.diff(row.of)) + 1])
    none = asked @ fitted.none + fitted.context @ [whole.mean(), whole.max() - whole.mean()]
    return row.features @ fitted.weights + fitted.bias + whole - none
