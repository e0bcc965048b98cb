"""Texts as vectors, by hashing their stems, Chinese character pairs and concepts. Lexical: no meaning was learnt.

Two texts are near when they share words, or words that the lexicon holds for the same; "bank" of a river and of money
are one. Hashing as in Weinberger et al. (2009), "Feature hashing for large scale multitask learning".
"""

from __future__ import annotations

import hashlib
import math
import re
from functools import lru_cache

from .analysis import analyse
from .language import sentences

DIMENSIONS = 256


@lru_cache(maxsize=20_000)
def _vector(text: str) -> tuple[float, ...]:
    vector = [0.0] * DIMENSIONS
    weights: dict[str, float] = {}
    for sentence in sentences(text):
        for term in analyse(sentence).terms:
            for key in term.keys:
                weights[key] = weights.get(key, 0.0) + term.weight / len(term.keys)
            for concept in term.concepts:
                name = f"concept:{concept}"
                weights[name] = weights.get(name, 0.0) + 0.5 * term.weight
    if not weights:  # a text of stop words or signs alone is near its like
        weights = dict.fromkeys(re.findall(r"\w+|\S", text.lower()) or [" "], 1.0)
    for key, weight in sorted(weights.items()):
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        place, sign = int.from_bytes(digest[:4], "little"), 1 if digest[4] & 1 else -1
        vector[place % DIMENSIONS] += sign * math.sqrt(weight)
    return tuple(vector)


def embed(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A unit vector of that many dimensions (at most 256: fewer are the first ones, made unit again)."""
    vector = _vector(text)[:dimensions]
    length = math.sqrt(sum(value * value for value in vector))
    if not length:  # all features fell outside the first dimensions
        return [1.0] + [0.0] * (dimensions - 1)
    return [value / length for value in vector]
