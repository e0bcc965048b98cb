"""Which statement answers, and is it an answer or only the nearest one? A softmax over them all and "none of them".

It weighs the features of features.py and how near a statement comes by its meaning (meaning.py), by weights that
tools/reader/fit.py fitted.  Cost: as the features of a dozen statements or two.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from .corrections import Hit
from .features import Context, features, refused, survey, worth_weighing
from .groups import Group
from .meaning import Nearness
from .question import Question

SAID = 0.25  # so much over features.PLAIN, with the kind of value that is wanted: said in the question's own words
ALONE = 0.5  # score from which the only statement with that kind of value is taken
CLEAR, AHEAD = 0.9, 0.3  # score from which one is taken that has no value to show, so far ahead of all others
FLOOR = 0.4  # the least certainty of these, whatever their meaning
RIVAL = 0.2  # certainty from which another statement on the same matter may be the newer one
NEAREST = 12  # statements that are weighed: that many by their words, and as many by their meaning


@cache
def rule() -> dict[str, Any]:
    """What tools/reader/fit.py wrote (decide.json): "weights" by feature, "bias"; "mean" and "spread" of the nearness
    of all statements, which speak for "none of them"; "cut", the least certainty, and "second" (find.py)."""
    return json.loads((Path(__file__).parent / "decide.json").read_text(encoding="utf-8"))


def certainty(values: dict[str, float], near: Nearness, seen: Context, doubt: float) -> float:
    """How sure it is, from 0 to 1, that the statement with these features answers, rather than none.

    doubt: what the question alone says of that (meaning.py)."""
    fitted = rule()
    none = doubt + fitted["mean"] * seen.mean + fitted["spread"] * (seen.nearest.whole - seen.mean)
    odds = fitted["bias"] + near.whole - none + sum(fitted["weights"][name] * value for name, value in values.items())
    return 1.0 / (1.0 + exp(-odds))


def least(values: dict[str, float]) -> float:
    """The least certainty of a statement that says it in the question's own words, whatever their meaning; or 0."""
    said = values["met"] and values["plain"] >= SAID and not values["missing"]
    alone = values["only_kind"] and values["strong"] and values["score"] >= ALONE and not values["person"]
    clear = (values["score"] >= CLEAR and values["margin"] >= AHEAD and values["strong"] and values["generic"]
             and not (values["missing"] or values["other"] or values["person"] or values["negated"]))
    return FLOOR if said or alone or clear else 0.0


def candidates(told: Sequence[Hit]) -> list[Hit]:
    """The statements to weigh: the best by their words, and the best by their meaning; of equal texts the newest."""
    told = list({hit.evidence.text: hit for hit in told if worth_weighing(hit)}.values())
    words = sorted(told, key=lambda hit: (-hit.score, -hit.order))[:NEAREST]
    meaning = sorted(told, key=lambda hit: (-hit.near.whole, -hit.order))[:NEAREST]
    return list({hit.order: hit for hit in words + meaning}.values())


class Judged(NamedTuple):
    """A statement and how sure it is that it answers: certain, not under FLOOR where plain words say it; bare, by the
    fitted rule alone."""

    certain: float
    bare: float
    hit: Hit


def answering(told: Sequence[Hit], groups: Sequence[Group], want: Question, doubt: float) -> list[Judged]:
    """The statements worth weighing, the surest first; none if not even that one is sure enough.  doubt: as above."""
    if not told:
        return []
    seen = survey(told, groups, want)
    weighed = [(features(hit, groups, want, seen), hit) for hit in candidates(told)]
    bare = [(certainty(values, hit.near, seen, doubt), values, hit) for values, hit in weighed
            if not refused(hit, values, seen)]
    sure = [Judged(max(odds, least(values)), odds, hit) for odds, values, hit in bare]
    sure.sort(key=lambda each: (-each.certain, -each.bare, -each.hit.order))
    return sure if sure and sure[0].certain >= rule()["cut"] else []
