"""What a strategy sends for a question: the rows of the retrieval benchmark.

A strategy is a function of a talk and a seed that gives a chooser; a chooser is a function of a question that gives a
picker; a picker gives the messages for a budget.  What is dear is done once: the index for the talk, the ranking for
the question.  The question itself is in no budget.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any

from ..conversations import Probe
from ..errors import SettingError
from ..retrieval.fuse import fuse
from ..retrieval.talk import TalkIndex
from ..retrieval.vectors import Vectors
from .talks import Talk

Picker = Callable[[int], set[int]]     # tokens for messages -> places of messages in the log
Chooser = Callable[[Probe], Picker]
Strategy = Callable[[Talk, int], Chooser]
WINDOW_SHARE = 0.25
PLAIN = {"neighbours": 0, "speaker": 0, "dates": 0, "feedback": 0}


def fill(order: Iterable[int], tokens: Sequence[int], room: int, taken: Iterable[int] = ()) -> set[int]:
    """The messages that fit when taken whole in that order; one that does not fit is passed over.

    >>> fill([2, 0, 1], [5, 9, 4], 10) == {2, 0}
    True
    """
    chosen, least = set(taken), min(tokens, default=0)
    for place in order:
        if room < least:
            break
        if tokens[place] <= room and place not in chosen:
            chosen.add(place)
            room -= tokens[place]
    return chosen


def window(tokens: Sequence[int], room: int) -> set[int]:
    """The newest messages that fit; the first that does not ends it."""
    start = len(tokens)
    while start and tokens[start - 1] <= room:
        start -= 1
        room -= tokens[start]
    return set(range(start, len(tokens)))


def indexed(talk: Talk, **settings: float) -> TalkIndex:
    """The talk's messages in an index."""
    index = TalkIndex(**settings)
    for message, at in zip(talk.conversation.messages, talk.times, strict=True):
        index.add(message["content"], speaker=message["name"], at=at)
    return index


def _random(talk: Talk, seed: int) -> Chooser:
    def choose(probe: Probe) -> Picker:
        order = random.Random(f"{seed} {talk.name} {probe.id}").sample(range(len(talk)), len(talk))
        return lambda room: fill(order, talk.tokens, room)
    return choose


def _window(talk: Talk, seed: int) -> Chooser:
    return lambda probe: partial(window, talk.tokens)


def _bm25(talk: Talk, seed: int) -> Chooser:
    index = indexed(talk, **PLAIN)
    return lambda probe: partial(fill, index.best(probe.question), talk.tokens)


def _bm25_neighbours(talk: Talk, seed: int) -> Chooser:
    index = indexed(talk, **PLAIN)

    def choose(probe: Probe) -> Picker:
        order = [near for place in index.best(probe.question) for near in (place, place - 1, place + 1)
                 if 0 <= near < len(talk) and index.sessions[near] == index.sessions[place]]
        return lambda room: fill(order, talk.tokens, room)
    return choose


def _window_bm25(talk: Talk, seed: int) -> Chooser:
    index = indexed(talk, **PLAIN)

    def choose(probe: Probe) -> Picker:
        order = index.best(probe.question)

        def pick(room: int) -> set[int]:
            recent = window(talk.tokens, int(room * WINDOW_SHARE))
            return fill(order, talk.tokens, room - sum(talk.tokens[place] for place in recent), recent)
        return pick
    return choose


def _retrieval(talk: Talk, seed: int) -> Chooser:
    index = indexed(talk)
    return lambda probe: partial(fill, index.best(probe.question), talk.tokens)


def _fused(client: Callable[[], Any], talk: Talk, seed: int, keyword_weight: float = 0.8) -> Chooser:
    import numpy as np

    index, vectors = indexed(talk), Vectors(client)
    vectors.extend([message["content"] for message in talk.conversation.messages])
    asked = dict(zip((probe.id for probe in talk.questions),
                     vectors.embed([probe.question for probe in talk.questions]), strict=True))

    def choose(probe: Probe) -> Picker:
        scores = fuse(index.scores_of(probe.question), vectors.similarities(asked[probe.id], len(talk)), keyword_weight)
        return partial(fill, np.argsort(-scores, kind="stable").tolist(), talk.tokens)
    return choose


@lru_cache
def _offline() -> Any:
    from ..client import connect

    return connect("offline")


@lru_cache
def _minilm() -> Any:
    from ..retrieval.sentence import MiniLM

    return MiniLM()


@lru_cache
def _multilingual() -> Any:
    from ..retrieval.sentence import Multilingual

    return Multilingual()


def with_vectors_of(client: Any) -> Strategy:
    """As hybrid, with vectors of the client's embedding model."""
    return partial(_fused, lambda: client)


def _full(talk: Talk, seed: int) -> Chooser:
    return lambda probe: lambda room: set(range(len(talk)))


def _oracle(talk: Talk, seed: int) -> Chooser:
    return lambda probe: partial(fill, probe.evidence, talk.tokens)


STRATEGIES: dict[str, tuple[str, Strategy]] = {
    "random": ("messages by lot", _random),
    "window": ("the newest messages", _window),
    "bm25": ("plain BM25", _bm25),
    "bm25_neighbours": ("plain BM25, each hit with the message before and behind it", _bm25_neighbours),
    "window_bm25": ("a quarter window, the rest plain BM25", _window_bm25),
    "retrieval": ("BM25 with neighbours, speaker, date and feedback (TalkIndex)", _retrieval),
    "hybrid": ("retrieval, and vectors of the offline embedder for 20 % of the score", partial(_fused, _offline)),
    "full": ("the whole talk, whatever the budget", _full),
    "oracle": ("the evidence alone", _oracle),
}

EXTRAS: dict[str, tuple[str, Strategy]] = {  # slow, or in need of packages: measured when they are named
    "minilm": ("as hybrid, with all-MiniLM-L6-v2", partial(_fused, _minilm)),
    "multilingual": ("as hybrid, with a multilingual encoder", partial(_fused, _multilingual)),
}


def named(names: Sequence[str] | None) -> dict[str, Strategy]:
    """The strategies of those names, in that order (None: all but the extras).  Raises SettingError for an unknown."""
    wanted, known = [name.replace("-", "_") for name in names or STRATEGIES], STRATEGIES | EXTRAS
    if unknown := [name for name in wanted if name not in known]:
        raise SettingError(f"no strategy {unknown[0]!r}; there are {', '.join(known)}")
    return {name: known[name][1] for name in wanted}
