"""Selecting old turns by age, by relevance, or by both, before any index or vector: the simplest retrieval.

    decay             what a turn is still worth after some time
    overlap           how much of a question's words a text shares
    SelectiveMemory   mixed, decayed or relevant turns under one token limit, in the order of the log

What they do not do: find what was said in other words, or in the turn beside (retrieval/ does).  Source: 003.
Chapter 9.

Copy with: the base, window.py.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta
from math import fsum
from typing import Any

from .errors import SettingError, whole
from .memory import BaseMemory, View
from .messages import Message, text_of
from .outline import Turn
from .window import fit

METHODS = ("mixed", "decay", "relevance")
HOUR = timedelta(hours=1)
_WORDS = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def decay(age: timedelta, *, lifetime: timedelta = HOUR) -> float:
    """1 for now, falling evenly to 0 at the age of `lifetime`.

    >>> decay(timedelta(minutes=15)), decay(timedelta(hours=2))
    (0.75, 0.0)
    """
    return max(0.0, 1.0 - max(age, timedelta()) / lifetime)


def words(text: str) -> frozenset[str]:
    """The words of a text in lower case, and of Chinese and Japanese the pairs of characters.

    >>> sorted(words("甲殼類, OK!"))
    ['ok', '殼類', '甲殼']
    """
    found = set()
    for word in _WORDS.findall(text.lower()):
        found |= {word[i:i + 2] for i in range(len(word) - 1)} if _CJK.search(word) and len(word) > 1 else {word}
    return frozenset(found)


def overlap(question: frozenset[str], text: frozenset[str], tells: dict[str, float]) -> float:
    """The share of the question's words that a text has, 0 to 1, each weighted by what it tells.

    >>> overlap(words("my order"), words("an order of tea"), {"my": 0.5, "order": 1.5})
    0.75
    """
    # fsum: a set's order differs between processes, and with it the last digit of a plain sum
    total = fsum(tells.get(word, 0.0) for word in question)
    return fsum(tells.get(word, 0.0) for word in question & text) / total if total else 0.0


class SelectiveMemory(BaseMemory):
    """The newest turn and the older turns that are worth most to it, in the order of the log.

    token_limit: tokens of the whole context, overhead included.
    method: "mixed" takes the top_k most relevant turns that fit, then the oldest that still fit; "relevance" goes by
    the question's words alone, "decay" by age alone, and each takes no turn whose weight is 0.
    top_k: turns that relevance may take (mixed).  lifetime: the age at which a turn is worth nothing (decay), counted
    from the newest time in the log; without times all turns are of one age.
    Relevance: the share of the question's words, each weighted by how few turns have it.
    If all turns fit, "mixed" sends all.  Else law 4's filling stops at the newest turn; what follows is selected.
    Cost: O(turns x words of the question) a view; no model call.  Forgets what shares no word with the question.
    Source: 003.

    >>> from memory_lab.messages import assistant, user
    >>> memory = SelectiveMemory(token_limit=60, top_k=1)
    >>> for text in ("I am Ana.", "My order is A-4471.", "I like jazz.", "What was my order?"):
    ...     memory.add(user(text))
    ...     if "?" not in text: memory.add(assistant("I see."))
    >>> [message["content"] for message in memory.messages() if message["role"] == "user"]
    ['I am Ana.', 'My order is A-4471.', 'What was my order?']
    """

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, method: str = "mixed", top_k: int = 3,
                 lifetime: timedelta = HOUR, count=None, client: Any = None):
        self.token_limit, self.top_k = whole("token_limit", token_limit, 0), whole("top_k", top_k, 0)
        if method not in METHODS:
            raise SettingError(f"method is {method!r}; use one of {', '.join(METHODS)}")
        if not isinstance(lifetime, timedelta) or lifetime <= timedelta():
            raise SettingError(f"lifetime is {lifetime!r}; it must be a timedelta over 0")
        self.method, self.lifetime = method, lifetime
        super().__init__(system, count=count, client=client)

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        self._words: list[frozenset[str]] = []  # of each message

    def add(self, message: Message, *, at: datetime | None = None) -> None:
        """Append one message, and note its words."""
        super().add(message, at=at)
        self._words.append(words(text_of(message)))

    def _view(self) -> View:
        turns = self.outline.turns
        view = fit(self, self.token_limit)
        left = self.token_limit - self.front_tokens() - (turns[-1].tokens if turns else 0)
        if len(turns) < 2 or left < 0 or (self.method == "mixed" and len(view.kept) == sum(
                len(turn.indices) for turn in turns)):
            return view
        chosen = {len(turns) - 1}
        for number in self._order():
            if turns[number].tokens <= left and number not in chosen:
                chosen.add(number)
                left -= turns[number].tokens
        return View([index for number in sorted(chosen) for index in turns[number].indices])

    def _order(self) -> list[int]:
        """The numbers of the older turns, in the order in which they are taken."""
        weights = self.weights()
        best = sorted(range(len(weights)), key=lambda number: (-weights[number], -number))
        best = [number for number in best if weights[number] > 0]
        if self.method != "mixed":
            return best
        turns = self.outline.turns
        fitting = self.token_limit - self.front_tokens() - turns[-1].tokens
        relevant: list[int] = []
        for number in best:
            if len(relevant) < self.top_k and turns[number].tokens <= fitting:
                relevant.append(number)
                fitting -= turns[number].tokens
        return [*relevant, *range(len(weights))]

    def weights(self) -> list[float]:
        """What each turn but the newest is worth now, 0 to 1: by age for "decay", else by the newest question."""
        turns = self.outline.turns
        if self.method == "decay":
            times = [time for time in self.times if time is not None]
            return [decay(max(times) - self._said(turn), lifetime=self.lifetime) if times and self._said(turn) else 1.0
                    for turn in turns[:-1]]
        asked = self._words[turns[-1].units[turns[-1].users - 1].indices[0]] if turns else frozenset()
        said = [frozenset().union(*(self._words[index] for index in turn.indices)) for turn in turns[:-1]]
        having = Counter(word for each in said for word in each & asked)
        tells = {word: 1 / having[word] for word in asked if having[word]}
        return [overlap(asked, each, tells) for each in said]

    def _said(self, turn: Turn) -> datetime | None:
        """When the turn was last spoken in."""
        return max((self.times[index] for index in turn.indices if self.times[index] is not None), default=None)
