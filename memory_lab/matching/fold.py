"""Text made comparable, with a way back: every position of the folded text knows where it was in the original.

Folded away: width and compatibility forms (NFKC), letter case, traditional against simplified characters (opencc, one
character at a time), accents but not the tilde of ñ, typographic quotes and dashes, invisible characters.

Copy with: errors.py, numerals.py, dates.py, find.py.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from memory_lab.errors import SettingError

# what NFKC leaves alone although people and models use the forms alike
SAME = {
    **dict.fromkeys("\u2018\u2019\u201b\u2032\u02bc`", "'"), **dict.fromkeys("\u201c\u201d\u201f\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"), "\u2014": " - ",
    "著": "着", "妳": "你", "〇": "零", "○": "零",
}
DROPPED_ACCENTS = frozenset("\u0300\u0301\u0302\u0308")


@dataclass(frozen=True)
class Folded:
    """text, and for each of its characters the original's starts[i] and ends[i]; span(a, b) leads back."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """(start, end) in the original text of the folded text's characters start to end, end excluded."""
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=1)
def _simplifier():
    try:
        from opencc import OpenCC
    except ImportError as error:
        raise SettingError("comparing Chinese text needs opencc: pip install opencc") from error
    return OpenCC("t2s")


@lru_cache(maxsize=65536)
def _piece(piece: str) -> str:
    """One character with its combining marks, folded; from none to a few characters."""
    if piece in SAME:
        return SAME[piece]
    out = []
    for char in unicodedata.normalize("NFKC", piece).casefold():
        char = SAME.get(char, char)
        kind = unicodedata.category(char[0])
        if kind in ("Cf", "Cc") and char not in "\n\t\r":
            continue
        if kind == "Nd":
            char = str(unicodedata.decimal(char))
        elif kind == "Ll" and char > "\x7f":
            parts = "".join(c for c in unicodedata.normalize("NFD", char) if c not in DROPPED_ACCENTS)
            char = unicodedata.normalize("NFC", parts)
        elif kind == "Mn" and char in DROPPED_ACCENTS:
            continue
        elif kind == "Zs":
            char = " "
        elif char > "\u2e7f" and kind == "Lo":
            char = _simplifier().convert(char)
            char = SAME.get(char, char)
        out.append(char)
    return "".join(out)


def _fold(text: str) -> Folded:
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and text[end] > "\u02ff" and unicodedata.combining(text[end]):
            end += 1
        piece = text[at:end]
        if piece.isascii():
            folded = piece.lower()
        else:
            folded = _piece(piece)
            # a Chinese comma ends a clause, unless the digits beside it are wide too: then it groups thousands
            if piece == "\uff0c" and not (_wide(text, at - 1) and _wide(text, at + 1)):
                folded = ", "
        if folded == " " and out and out[-1][-1:] == " ":  # the patterns of cues.py expect one blank between words
            folded = ""
        if folded:
            out.append(folded)
        starts += [at] * len(folded)
        ends += [end] * len(folded)
        at = end
    return Folded("".join(out), tuple(starts), tuple(ends))


def _wide(text: str, at: int) -> bool:
    return 0 <= at < len(text) and "\uff10" <= text[at] <= "\uff19"


@lru_cache(maxsize=64)
def _remembered(text: str) -> Folded:
    return _fold(text)


def fold(text: str) -> Folded:
    """text made comparable, with its index map.  Cost: one pass; the last 64 texts are kept.

    >>> fold("ＯＲＤ　４４７１，甲殼類").text
    'ord 4471, 甲壳类'
    """
    return _remembered(text)
