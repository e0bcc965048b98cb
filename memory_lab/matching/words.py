"""Number words of English and Spanish, read by one rule: a smaller word adds to the round number before it.

Copy with: numerals.py, units.py, fold.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction


def listed(words: str) -> list[str]:
    """The words of a line, in order."""
    return words.split()


_ENGLISH = listed("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
                  "sixteen seventeen eighteen nineteen")
_SPANISH = listed("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
                  "dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro "
                  "veinticinco veintiseis veintisiete veintiocho veintinueve")
VALUE = {word: value for words in (_ENGLISH, _SPANISH) for value, word in enumerate(words)}
VALUE |= {w: 10 * n for n, w in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"), 2)}
VALUE |= {w: 10 * n for n, w in enumerate(listed("treinta cuarenta cincuenta sesenta setenta ochenta noventa"), 3)}
VALUE |= {"cien": 100, "ciento": 100, "quinientos": 500, "quinientas": 500, "setecientos": 700, "setecientas": 700,
          "novecientos": 900, "novecientas": 900, "veintiun": 21}
VALUE |= {f"{stem}cient{end}s": 100 * VALUE[stem] for stem in listed("dos tres cuatro seis ocho") for end in "oa"}
TIMES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "mil": 1000, "millon": 10**6,
         "millones": 10**6, "dozen": 12, "docena": 12, "docenas": 12}
ARTICLES = {"a": 1, "an": 1, "un": 1, "una": 1, "half a": Fraction(1, 2), "media": Fraction(1, 2)}
_WORD = "|".join(sorted([*VALUE, *TIMES], key=len, reverse=True))
_TIMES = "|".join(TIMES)
VALUE["un"] = 1
_MORE = _WORD + "|un"  # treinta y un, but a lone un is an article
RUN = re.compile(rf"(?<![a-z0-9])(?:(?P<article>half a|an?|una?|media)\s+(?=(?:{_TIMES})(?![a-z])))?"
                 rf"(?:{_WORD})(?![a-z0-9])(?:(?:[\s-]|\s(?:and|y)\s)(?:{_MORE})(?![a-z0-9]))*")
TOKEN = re.compile(r"[a-z]+")
# "the one", "another one" point at a thing and count nothing
POINTING = re.compile(r"(?:\b(?:this|that|the|which|no|any|every|each|another)\s)$")


class _Number:
    """A number that grows word by word; take() refuses the word that begins another number."""

    def __init__(self, article: str | None = None):
        self.total, self.current, self.before, self.scale = 0, ARTICLES[article] if article else 0, article, 10**12

    @property
    def value(self) -> Decimal:
        whole = Fraction(self.total + self.current)
        return Decimal(whole.numerator) / Decimal(whole.denominator)

    def take(self, word: str, joined: str) -> bool:
        if self.before and joined == "and" and self.before not in ("hundred", "thousand", "million"):
            return False
        taken = self._scale(TIMES[word]) if word in TIMES else self._add(VALUE[word], joined)
        if taken:
            self.before = word
        return taken

    def _scale(self, scale: int) -> bool:
        if scale < 1000:
            if self.current >= 100 or (self.before in TIMES and self.current):
                return False
            self.current = (self.current or 1) * scale
        elif 0 < self.total < scale < 10**9:  # mil millones
            self.total, self.current, self.scale = (self.total + self.current) * scale, 0, scale
        elif scale < self.scale:
            self.total, self.current, self.scale = self.total + (self.current or 1) * scale, 0, scale
        else:
            return False
        return True

    def _add(self, value: int, joined: str) -> bool:
        if joined == "y" and not (self.current % 100 >= 20 and value < 10):
            return False
        if self.current:
            # twenty five goes on, ten five and five six do not
            if self.current % 10 ** len(str(value)) or self.current % 100 == 10 or not value:
                return False
        elif self.before and self.before not in TIMES:
            return False
        self.current += value
        return True


def read_words(text: str, spanish: bool) -> Iterator[tuple[int, int, Decimal, str]]:
    """(start, end, value, "") of each number written in words in the folded text."""
    for run in RUN.finditer(text):
        article = run["article"]
        number = _Number(article) if article else None
        first, last, joined = run.start(), run.start(), ""
        for token in TOKEN.finditer(text, run.start() + len(article or ""), run.end()):
            word = token[0]
            if word in ("and", "y"):
                joined = word
                continue
            if number is None or not number.take(word, joined):
                if number is not None:
                    yield first, last, number.value, ""
                number, first = None, token.start()
                if _counts(text, word, *token.span(), spanish):
                    number = _Number()
                    number.take(word, "")
            joined, last = "", token.end()
        if number is not None:
            yield first, last, number.value, ""


def _counts(text: str, word: str, start: int, end: int, spanish: bool) -> bool:
    """Whether a word that begins a number is one: "once" is English for one time, "ten" Spanish for hold."""
    if word in ("once", "ten"):
        return spanish == (word == "once")
    if word == "un":
        return False
    if word == "one":
        return not POINTING.search(text, max(0, start - 9), start) and not text.startswith(" of ", end)
    return True
