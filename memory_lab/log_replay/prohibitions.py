"""What a user forbade, or cannot take, and the later words that touch it: "no nuts" matters when a cake is ordered.

The statements are those that facts/ finds by rules, so what no rule sees is not here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil

from ..facts import Fact, Retraction
from ..facts.rules import extract_rules
from ..messages import Message
from ..values import Value, words_of

KIND = "prohibition"
OFTEN, FEW = 0.05, 5  # a word in so many user messages, and in more than a few, is common
_FORBIDS = ("prohibition", "allergy")
# Words of a statement that forbids; without one of them no rule is asked, which is most of the time it takes.
_CUE = re.compile(r"(?i)\b(?:not|n't|never|no|cannot|avoid|without|stop|allerg\w*|vegan|vegetarian|forbid\w*|nunca|sin"
                  r"|alerg\w*|jamás|prohib\w*)\b|n['’]t\b|[不別别勿莫忌]|過敏|过敏|禁")
_WORD = re.compile(r"[A-Za-zÀ-ÿ]{3,}")
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
_SMALL = """the and any for with that this not never please don can cannot does your you are was from into out
all ever again about them they when what which will would should could must have has had been being there here just only
also than then too very use using make sure los las una uno por para con que del sus nunca favor"""
_EMPTY = frozenset(_SMALL.split())


class KnownFacts:
    """extract_rules that reads each message of a log once, whoever asks: the rules are the dearest part of a replay."""

    def __init__(self) -> None:
        self._known: dict[int, list[Fact | Retraction]] = {}

    def __call__(self, message: Message, index: int) -> list[Fact | Retraction]:
        if index not in self._known:
            self._known[index] = extract_rules(message, index)
        return self._known[index]


class Prohibitions:
    """The prohibitions of one log.

    A later text touches one if it has two of the words that it is about (in Chinese: of its pairs of characters), or
    half of fewer.  Words that many user messages of the log have say what nothing is about.
    Cost: the rules over the user messages that have a word of forbidding; one set of words for each text.
    """

    def __init__(self, messages: Sequence[Message], read: KnownFacts):
        self._stated: dict[str, list[Value]] = {}     # the text of a user message -> what it forbids
        self.written: dict[Value, str] = {}
        self._words: dict[Value, frozenset[str]] = {}
        self._often: frozenset[str] | None = None
        for index, message in enumerate(messages):
            text = words_of(message) if message["role"] == "user" else ""
            if not text or text in self._stated or not _CUE.search(text):
                continue
            for fact in read(message, index):
                words = frozenset(_content(getattr(fact, "value", "")))
                words -= self._common(messages)
                if getattr(fact, "kind", "") in _FORBIDS and words and hasattr(fact, "quote"):
                    value = Value(KIND, f"{KIND}: {' '.join(sorted(words))}")
                    self._stated.setdefault(text, []).append(value)
                    self.written.setdefault(value, fact.quote.strip())
                    self._words[value] = words

    def _common(self, messages: Sequence[Message]) -> frozenset[str]:
        """Words of more than OFTEN of the user messages; looked up once, and only if something is forbidden."""
        if self._often is None:
            texts = [set(_content(words_of(message))) for message in messages if message["role"] == "user"]
            counts = Counter(word for words in texts for word in words)
            self._often = frozenset(word for word, n in counts.items() if n > max(FEW, OFTEN * len(texts)))
        return self._often

    def states(self, text: str) -> list[Value]:
        """What a user message of exactly that text forbids."""
        return self._stated.get(text, [])

    def touched(self, text: str) -> set[Value]:
        """The prohibitions that a text touches; those that it states are among them."""
        if not self._words:
            return set()
        words = set(_content(text))
        return {value for value, about in self._words.items() if len(about & words) >= min(2, ceil(len(about) / 2))}


def _content(text: str) -> Iterable[str]:
    """Words that say what a text is about, without the s of a plural; pairs of Chinese characters."""
    for word in _WORD.findall(text):
        word = word.casefold()
        if word not in _EMPTY:
            yield word.removesuffix("es") if word.endswith(("shes", "ches", "xes", "ses")) else word.removesuffix("s")
    for run in _HAN.findall(text):
        yield from (run[i:i + 2] for i in range(len(run) - 1))
