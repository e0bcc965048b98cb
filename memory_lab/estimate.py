"""Estimating tokens without a vocabulary: the published rules of thumb, one of ours, and how wrong each of them is.

Copy with: errors.py.  Needs: regex.  Chapter 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import regex

from .errors import SettingError

if TYPE_CHECKING:
    from .tokens import TokenCounter

_PIECES = regex.compile(
    r"(?P<han>\p{Han})|(?P<word>\p{Latin}[\p{Latin}\p{M}]*)|(?P<digits>\d{1,3})|(?P<space>\n+|\s(?=\d)|\s{2,})"
    r"|(?P<punctuation>\p{P}+)|(?P<other>[^\s\p{P}\p{Latin}\p{Han}\d]+)")
# Every third Spanish word ends like pedido or mañanas, or has an accent; in English not one in twelve.
_WORD, _NOT_ENGLISH = regex.compile(r"\p{Latin}{3,}"), regex.compile(r"(?i).+[ao]s?|.*[^\x00-\x7f].*")


def estimate_tokens(text: str) -> int:
    """About as many tokens as cl100k_base makes of the text, without its vocabulary.

    Each kind of piece has its price, fitted to cl100k_base on 9 sentences each of English, traditional and simplified
    Chinese and Spanish. On 36 other sentences the mean error is 4, 8, 10 and 11 % (tests/test_estimate.py).
    Price of a Chinese character: 1.15 if it is one of the 3,755 common ones that GB 2312 lists first, else 2.3, which
    is why traditional text costs more. A word is 1, or 1.5 where the words do not end as English ones do, and more if
    it is long. Digits go by threes, and a space before them counts. Other scripts and emoji: 2 bytes of UTF-8 a token.
    Does not know other encodings: o200k_base spends far less on Chinese. Not for a limit that must hold. Chapter 2.

    >>> estimate_tokens("Hello, world!"), estimate_tokens("我對甲殼類過敏")
    (4, 13)
    """
    words = _WORD.findall(text)
    english = sum(_NOT_ENGLISH.fullmatch(word) is not None for word in words) <= len(words) / 6
    return round(sum(_price(piece.lastgroup, piece[0], english) for piece in _PIECES.finditer(text)))


def _price(kind: str | None, piece: str, english: bool) -> float:
    if kind == "han":
        return 1.15 if piece in _common_han() else 2.3
    if kind == "word":
        return (1 if english else 1.5) + max(len(piece) - 10, 0) / 4
    if kind == "punctuation":
        return 0.75 + len(piece) // 8 if piece.isascii() else 0.7 * len(piece)
    return len(piece.encode()) / 2 if kind == "other" else 1


@lru_cache
def _common_han() -> frozenset[str]:
    """The characters of GB 2312, level 1: 3,755 that are common in simplified Chinese; a standard codec lists them."""
    rows, columns = range(0xB0, 0xD8), range(0xA1, 0xFF)
    return frozenset(bytes([row, column]).decode("gb2312", "ignore") for row in rows for column in columns) - {""}


def _chars_by_4(text: str) -> int:
    return math.ceil(len(text) / 4)


def _words(text: str) -> int:
    return math.ceil(1.3 * len(text.split()))


def _cjk_and_words(text: str) -> int:
    cjk = len(regex.findall(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]", text))
    return math.ceil(cjk / 2 + 1.3 * len(regex.findall(r"[A-Za-z]+", text)))


ESTIMATORS: dict[str, Callable[[str], int]] = {
    "characters / 4": _chars_by_4,  # OpenAI's help pages, for English, as the next one
    "words * 1.3": _words,
    "CJK 2 characters a token + English 1.3 tokens a word": _cjk_and_words,  # 003
    "estimate_tokens": estimate_tokens,
}


class EstimateError(NamedTuple):
    """Relative errors over some texts: 0.1 is a tenth of the true count. bias below 0: the estimator counts too few."""

    mean: float  # of the absolute errors
    bias: float  # of the signed errors
    worst: float  # the largest absolute error


def estimate_error(texts: Iterable[str], count: TokenCounter) -> dict[str, EstimateError]:
    """The error of each of ESTIMATORS over the texts, against the true count.

    texts: any number of strings; those without a token are left out.  count: the counter that is right.
    Raises SettingError if no text has a token. Cost: each text encoded once. Chapter 2.
    """
    true = [(text, tokens) for text in texts if (tokens := count.text(text))]
    if not true:
        raise SettingError("no text with a token in it: give at least one.")
    table = {}
    for name, estimate in ESTIMATORS.items():
        errors = [estimate(text) / tokens - 1 for text, tokens in true]
        sizes = [abs(error) for error in errors]
        table[name] = EstimateError(sum(sizes) / len(sizes), sum(errors) / len(errors), max(sizes))
    return table
