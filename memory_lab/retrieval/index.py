"""BM25 for a growing talk: a message is read together with its neighbours.

Why not a library: rank-bm25 and bm25s count whole words in documents that stay as they are.  Here a word of the message
before counts as half a word of this one, and each turn of a chat adds a message, for which both would index anew.
The formula is Lucene's (Robertson and Zaragoza 2009, k1 and b at their usual values); neighbours are weighted before
the saturation, as the fields of BM25F are: so the answer in one message and the question's words in the one before add
up, while one word said five times does not.  talk.py adds what is known of a question: whom it names, which date.

Needs: numpy.  Chapter 9.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from copy import copy
from typing import Any

from ..errors import SettingError, whole
from .words import terms

K1, B = 1.2, 0.75


class Index:
    """Messages by their words.

    neighbours: what a word of the next message counts for this one, 0 to 1; of the one behind it the square of that,
    and so on over `reach` messages each way, never beyond the session.  0 is plain BM25.
    Cost: add() O(words + reach); scores() O(different words of the query x messages).
    """

    def __init__(self, *, neighbours: float = 0.5, reach: int = 4, k1: float = K1, b: float = B):
        if not 0 <= neighbours < 1:
            raise SettingError(f"neighbours is {neighbours!r}; it must be at least 0 and under 1")
        self.neighbours, self.reach = neighbours, whole("reach", reach, 0) if neighbours else 0
        self.k1, self.b = k1, b
        self.counts: list[Counter[str]] = []                # of each message: term -> times
        self.sessions: list[int] = []                       # of each message
        self._length: list[float] = []                      # terms of each message and, weighted, of its neighbours
        self._own: list[int] = []                           # terms of each message alone
        self._postings: dict[str, tuple[list[int], list[int]]] = {}  # term -> (messages, times)
        self._languages: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self.counts)

    def __deepcopy__(self, memo: dict) -> Index:
        """A copy that can grow by itself: what was read once never changes, so only the lists are new."""
        twin = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (list, set, Counter)):
                setattr(twin, name, copy(value))
            elif isinstance(value, dict):
                setattr(twin, name, {key: copy(item) for key, item in value.items()})
        twin._postings = {term: (places[:], times[:]) for term, (places, times) in self._postings.items()}
        memo[id(self)] = twin
        return twin

    def read(self, text: str) -> tuple[list[str], str]:
        """The terms of a text and its language: that of most texts so far where its own words do not tell."""
        return terms(text, otherwise="es" if self._languages["es"] > self._languages["en"] else "en")

    def add(self, text: str, *, session: int = 0) -> int:
        """The number of the message, counted from 0.  session: neighbours are looked for within one alone."""
        place = len(self.counts)
        found, language = self.read(text)
        self._languages[language] += 1
        counts = Counter(found)
        own = len(found)
        self.counts.append(counts)
        self.sessions.append(session)
        self._own.append(own)
        self._length.append(float(own))
        for before in self.around(place)[:-1]:
            weight = self.neighbours ** (place - before)
            self._length[before] += weight * own
            self._length[place] += weight * self._own[before]
        for term, times in counts.items():
            places, tallies = self._postings.setdefault(term, ([], []))
            places.append(place)
            tallies.append(times)
        return place

    def around(self, place: int) -> range:
        """The messages that are read together with this one, itself among them."""
        first, last, session = place, place, self.sessions[place]
        while first > 0 and place - first < self.reach and self.sessions[first - 1] == session:
            first -= 1
        while last + 1 < len(self) and last - place < self.reach and self.sessions[last + 1] == session:
            last += 1
        return range(first, last + 1)

    def idf(self, term: str) -> float:
        """How much a term tells: the rarer, the more; 0 for one that was never said."""
        said = len(self._postings.get(term, ((),))[0])
        return self.rarity(said) if said else 0.0

    def rarity(self, said: int) -> float:
        """The idf of what stands in that many messages."""
        return math.log(1 + (len(self) - said + 0.5) / (said + 0.5))

    def scores(self, weights: Mapping[str, float]) -> Any:
        """An array: for each message its BM25 score; 0 where no term is near.  weights: term -> weight in the query."""
        import numpy as np

        known = [term for term in weights if term in self._postings]
        if not known:
            return np.zeros(len(self))
        times = np.zeros((len(known), len(self)))
        for row, term in enumerate(known):
            places, tallies = self._postings[term]
            times[row, places] = tallies
        near = self._spread(times)
        length = np.array(self._length)
        norm = self.k1 * (1 - self.b + self.b * length / max(length.mean(), 1e-9))
        weight = np.array([weights[term] * self.idf(term) for term in known]) * (self.k1 + 1)
        return weight @ (near / (near + norm))

    def _spread(self, times: Any) -> Any:
        """Rows of numbers by message, each with the weighted numbers of its neighbours added."""
        import numpy as np

        near, sessions = times.copy(), np.array(self.sessions)
        for step in range(1, min(self.reach, len(self) - 1) + 1):
            weight = self.neighbours ** step * (sessions[step:] == sessions[:-step])
            near[:, step:] += weight * times[:, :-step]
            near[:, :-step] += weight * times[:, step:]
        return near
