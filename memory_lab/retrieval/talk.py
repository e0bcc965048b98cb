"""Which messages of a talk a question is about: BM25 with neighbours, and what the question itself says.

    speaker     a message of the person whom the question names counts double; "my" and "I" name the one who asks
    date        "in May 2023" finds what was said then: the day and the month are terms of each message
    feedback    the words that the ten best messages share are asked for as well, each for a little (RM3, Abdul-Jaleel
                et al. 2004): what a second step would find, without asking a model for it

No training, no model, nothing that is about one data set.  Chosen on five of LoCoMo's ten dialogues (chapter 9).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from ..messages import ROLES
from .index import Index
from .words import terms

GAP = timedelta(hours=1)  # a longer silence begins a new session
BEST, ADDED, SHARE = 10, 50, 0.3  # feedback: messages read, terms taken, weight of the strongest of them
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|yo|mi|mis|mío|mía|me)\b|我", re.IGNORECASE)
_DATED = re.compile(r"\d|[a-z]{3}|月", re.IGNORECASE)


class TalkIndex(Index):
    """Messages by their words, speakers and times.

    speaker: what is added to the score of a message of the person whom the question names, as a share of it.
    dates: the weight of a date in the question, in terms.  feedback: the weight of the strongest added term.
    The rest as Index.  With 0 for each it is plain BM25.
    Cost of scores(): two searches, the second for up to 50 terms more.

    >>> talk = TalkIndex()
    >>> for speaker, text in (("Ana", "Any news?"), ("Ben", "I bought a cello."), ("Ana", "I sold my car.")):
    ...     _ = talk.add(text, speaker=speaker)
    >>> talk.best("What did Ben buy?")
    [1, 0, 2]
    """

    def __init__(self, *, speaker: float = 1.0, dates: float = 1.0, feedback: float = SHARE, **settings: Any):
        super().__init__(**settings)
        self.speaker, self.dates, self.feedback = speaker, dates, feedback
        self.speakers: list[str] = []
        self.times: list[datetime | None] = []
        self._session, self._said_at = 0, None
        self._months: dict[tuple[int, int], list[int]] = {}
        self._speakers: set[str] = set()
        self._names: dict[str, set[str]] = {}  # term of a name -> the speakers who have it

    def add(self, text: str, *, speaker: str = "", at: datetime | None = None, session: int | None = None) -> int:
        """The number of the message.  speaker: who said it, a name or a role.

        at: when; a silence of over an hour begins a new session, unless `session` says which it is.
        """
        if at is not None:
            if self._said_at is not None and abs(at - self._said_at) > GAP:
                self._session += 1
            self._said_at = at
            self._months.setdefault((at.year, at.month), []).append(len(self))
        self.speakers.append(speaker)
        self.times.append(at)
        if speaker not in self._speakers:
            self._speakers.add(speaker)
            for term in terms("" if speaker in ROLES else speaker.replace("_", " "), "en")[0]:
                self._names.setdefault(term, set()).add(speaker)
        return super().add(text, session=self._session if session is None else session)

    def best(self, query: str, *, asker: str = "") -> list[int]:
        """All messages, the likeliest first; among equals the newest."""
        import numpy as np

        scores = self.scores_of(query, asker=asker)
        return (len(self) - 1 - np.argsort(-scores[::-1], kind="stable")).tolist()

    def scores_of(self, query: str, *, asker: str = "") -> Any:
        """An array: for each message how likely the question is about it; 0 for no sign of it.

        asker: the speaker whom "I" and "my" in the question mean.
        """
        import numpy as np

        if not len(self):
            return np.zeros(0)
        asked = dict.fromkeys(self.read(query)[0], 1.0)
        named = set().union(*(self._names.get(term, ()) for term in asked))
        if not named and asker and _FIRST_PERSON.search(query):
            named = {asker}
        asked = {term: weight for term, weight in asked.items() if term not in self._names}
        bonus = 1 + self.speaker * np.array([name in named for name in self.speakers])
        dated = self.dates * self._dated(query) if self.dates and self._months else 0.0
        found = (self.scores(asked) + dated) * bonus
        if not self.feedback or not found.any():
            return found
        for term, weight in self._shared(found):
            asked[term] = asked.get(term, 0.0) + self.feedback * weight
        return (self.scores(asked) + dated) * bonus

    def _shared(self, found: Any) -> list[tuple[str, float]]:
        """The terms that the best messages and their neighbours share, the strongest with weight 1."""
        import numpy as np

        order = np.argsort(-found, kind="stable")[:BEST]
        total: dict[str, float] = {}
        rarity: dict[str, float] = {}  # of the terms met: looked up once, since the messages found share many
        for place in order.tolist():
            if found[place] <= 0:
                break
            vector = self._vector(place, rarity)
            length = math.sqrt(sum(value * value for value in vector.values())) or 1.0
            share = found[place] / found[order[0]] / length
            for term, value in vector.items():
                total[term] = total.get(term, 0.0) + share * value
        top = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:ADDED]
        return [(term, value / top[0][1]) for term, value in top]

    def _vector(self, place: int, rarity: dict[str, float]) -> dict[str, float]:
        """The terms around a message with their weights, but for names and for what is said only once in the talk."""
        near: dict[str, float] = {}
        for other in self.around(place):
            weight = self.neighbours ** abs(other - place)
            for term, times in self.counts[other].items():
                near[term] = near.get(term, 0.0) + weight * times
        for term in near.keys() - rarity.keys():
            known = len(self._postings[term][0]) > 1 and term not in self._names
            rarity[term] = self.idf(term) if known else 0.0
        return {term: math.log1p(times) * rarity[term] for term, times in near.items() if rarity[term]}

    def _dated(self, query: str) -> Any:
        """For each message what its date is worth to the dates in the query."""
        import numpy as np

        worth = np.zeros(len(self))
        for year, month, day in _dates(query):
            then = [place for (y, m), places in self._months.items()
                    if m == month and year in (None, y) for place in places]
            for places in (then, [place for place in then if self.times[place].day == day]):
                if places:
                    worth[places] += self.rarity(len(places))
        return worth


def _dates(query: str) -> Iterator[tuple[int | None, int, int | None]]:
    """(year, month, day) of the dates in a question, None for what it does not say."""
    if not _DATED.search(query):
        return
    from ..matching.dates import dates
    from ..matching.fold import fold

    for date in dates(fold(query).text):
        yield from date.readings
