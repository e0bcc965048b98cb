"""The turns at which forgetting hurts most: what they lean on, and which strategies had it no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..live.base import short
from ..messages import text_of
from .measure import LogReplay

# What it costs to have forgotten one, against a plain number: a broken promise is dearer than a wrong sum.
WEIGHTS = {"prohibition": 5, "e-mail": 4, "code": 4, "amount": 3, "date": 3, "name": 2, "number": 1, "link": 1}
KINDS = tuple(WEIGHTS)
BROKEN = "pop_oldest"  # kept to be broken: what it alone loses hurts nobody who reads this
MOST = 5
WORDS = 200            # characters of a question that are shown


@dataclass(frozen=True)
class Missing:
    """Something that a turn leans on.  said: number of the message that said it, from 1.  lost_by: rows' names."""

    written: str
    kind: str
    said_by: str
    said: int
    turns_back: int
    lost_by: tuple[str, ...]


@dataclass(frozen=True)
class Hurt:
    """A turn.  asked: number of its message, from 1.  words: the beginning of it; "" where it must not be shown."""

    conversation: str
    turn: int
    asked: int
    words: str
    score: int
    missing: tuple[Missing, ...]


def hurts(replays: Sequence[LogReplay], *, most: int = MOST, redact: bool = False) -> list[Hurt]:
    """The turns that hurt most, dearest first: each value counts by its kind, once for each strategy that lost it."""
    found = []
    for number, replay in enumerate(replays):
        turns: dict[int, dict] = {}
        for label, run in replay.strategies.items():
            if label.startswith(BROKEN):
                continue
            for reference in (*run.lost, *run.missed):
                turn = turns.setdefault(replay.plan.turn_of[reference.asked], {})
                turn.setdefault(reference.value, (reference, []))[1].append(label)
        for turn, values in turns.items():
            score = sum(WEIGHTS.get(value.kind, 1) * len(set(labels)) for value, (_, labels) in values.items())
            found.append((-score, number, turn, values))
    found.sort(key=lambda each: each[:3])
    return [_hurt(replays[number], turn, values, -score, redact) for score, number, turn, values in found[:most]]


def _hurt(replay: LogReplay, turn: int, values: dict, score: int, redact: bool) -> Hurt:
    made = replay.plan
    missing = [Missing(made.written(value), value.kind, made.messages[reference.said]["role"], reference.said + 1,
                       reference.turns_back, tuple(dict.fromkeys(labels)))
               for value, (reference, labels) in values.items()]
    missing.sort(key=lambda each: (-WEIGHTS.get(each.kind, 1), -len(each.lost_by), each.said))
    asked = made.turn_of.index(turn)
    words = "" if redact else short(text_of(made.messages[asked]), WORDS)
    return Hurt(replay.name, turn + 1, asked + 1, words, score, tuple(missing))
