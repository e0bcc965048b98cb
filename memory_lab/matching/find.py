"""Where a value stands in a text: by number, date, identifier or words, with borders, whatever is claimed of it.

Copy with: fold.py, numerals.py (and its words.py, units.py), dates.py.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from memory_lab.errors import SettingError

from .dates import dates
from .fold import fold
from .numerals import HAN, Quantity, quantities

TYPES = ("number", "date", "name", "choice", "free")
LETTER = r"[0-9a-z\u00df-\u052f]"
GAP = r"[\s_·・-]"
SPANISH = re.compile(r"\b(?:el|la|los|las|de|del|es|eres|son|eran|que|tu|tus|su|no lo|no me|se|con|por|para|una?|yenes"
                     r"|mil|cien(?:to)?|ahora|antes|pero|sino|tienes|en|y|euros|años)\b")
ENGLISH = re.compile(r"\b(?:the|is|are|was|your?|of|and|it|to|in|for|with|that|not|an|yen|have|has|now|but)\b")


@dataclass(frozen=True)
class Occurrence:
    """A value at start to end of the folded text; rule: how it was recognised; clear: False for a date like 03/04."""

    start: int
    end: int
    value: str
    rule: str
    clear: bool = True


@lru_cache(maxsize=256)
def _guess(text: str) -> str:
    spanish, english = len(SPANISH.findall(text)), len(ENGLISH.findall(text))
    return "es" if spanish > english else ""


def spoken(text: str, language: str | None) -> str:
    """The language that decides between readings: the caller's; or "es" for folded text that looks Spanish; or ""."""
    return language.lower() if language else _guess(text)


def occurrences(text: str, value: str, type: str, language: str | None) -> list[Occurrence]:
    """Each place where folded text holds the value, in order."""
    tongue = spoken(text, language)
    kind, wanted = _kind(value, type, tongue or None)  # "1.500" is read as the text around it is
    if kind == "number":
        return [Occurrence(q.start, q.end, value, "number equal")
                for q in quantities(text, tongue == "es") if q.equals(wanted)]
    if kind == "date":
        return [Occurrence(d.start, d.end, value, "date equal", d.clear)
                for d in dates(text, tongue) if d.meets(wanted)]
    if kind == "identifier":
        return [Occurrence(*hit.span(), value, "identifier equal") for hit in wanted.finditer(text)]
    found = [Occurrence(start, end, value, "text equal") for start, end in _literal(text, wanted, type, tongue)]
    if not found and type != "name" and quantities(wanted, tongue == "es"):
        found = [Occurrence(start, end, value, "text equal") for start, end in _reworded(text, wanted, type, tongue)]
    return found


@lru_cache(maxsize=1024)
def _kind(value: str, type: str, language: str | None):
    """How a value is looked for: ("number", Quantity), ("date", Date), ("identifier", pattern) or ("text", text)."""
    if type not in TYPES:
        raise SettingError(f"type is {type!r}; it must be one of {', '.join(TYPES)}")
    text = fold(value).text.strip()
    tongue = spoken(text, language)
    padded = len(text) > 1 and text.isdigit() and text[0] == "0"  # 0042 is a code, not the number 42
    if type in ("date", "free"):
        for date in dates(text, tongue)[:1]:
            if type == "date" or (date.start, date.end) == (0, len(text)):
                return "date", date
    if type in ("number", "free", "choice") and not (padded and type != "number"):
        numbers = quantities(text, tongue == "es")
        if len(numbers) == 1 and _is(numbers[0], text, type):
            return "number", numbers[0]
    if re.fullmatch(r"#?[a-z0-9]+(?:[\s_./#-]+[a-z0-9]+)*", text) and re.search(r"\d", text):
        words = re.findall(r"[a-z]+", text)
        if padded or (len(words) < 3 and all(len(word) < 5 for word in words)):
            return "identifier", _identifier(text)
    return "text", text


def _is(number: Quantity, text: str, type: str) -> bool:
    """Is the value that number: all of it, or with words around it? Not 六點四十, where only 十 is one."""
    rest = text[: number.first] + text[number.last :]
    return not rest or (type == "number" and not re.search(rf"[0-9{HAN}]", rest))


def _identifier(text: str) -> re.Pattern:
    pieces = re.findall(r"[a-z]+|\d+", text)
    if sum(map(len, pieces)) >= 7 and not re.search("[a-z]", text):  # a telephone number may be grouped anyhow
        pieces = list("".join(pieces))
    body = r"[\s_./#-]?".join(pieces)
    return re.compile(rf"(?<![a-z0-9])(?<![a-z0-9][-_.]){body}(?![a-z0-9]|[-_.]\d|[-_][a-z](?![a-z]))")


_WEEKDAY = re.compile(r"((?:mon|tues|wednes|thurs|fri|satur|sun)day|sabado|domingo)s?$")


@lru_cache(maxsize=1024)
def _pattern(value: str, type: str) -> re.Pattern:
    parts = [part for part in re.split(f"{GAP}+", value) if part] or [value]
    body = _spaced(parts[0])
    for before, part in pairwise(parts):
        body += GAP + ("+" if before[-1].isascii() and part[0].isascii() else "*") + _spaced(part)
    left = f"(?<!{LETTER})" if re.match(LETTER, parts[0]) else ""
    right = f"(?!{LETTER})" if re.match(LETTER, parts[-1][-1]) else ""
    if parts[0][0] in HAN or parts[0][0].isdigit():
        left += rf"(?<![0-9{HAN}])(?<!\d[.,])"
    if parts[-1][-1] in HAN or parts[-1][-1].isdigit():
        right += rf"(?![0-9{HAN}])(?![.,]\d)"
    if type != "name":  # "on Fridays" names the day
        body = _WEEKDAY.sub(r"\1s?", body)
    if type == "name":
        left, right = left + "(?<![a-z]-)", right + "(?!-[a-z])"
    return re.compile(left + body + right)


def _spaced(part: str) -> str:
    """A part's pattern; between Chinese and Latin a space may stand or not."""
    return r"\s?".join(re.escape(piece) for piece in re.findall(r"[\x00-\x7f]+|[^\x00-\x7f]+", part))


def _literal(text: str, value: str, type: str, tongue: str) -> Iterator[tuple[int, int]]:
    if not value:
        return
    numbers = quantities(text, tongue == "es")
    begins = [q.start for q in numbers]
    for hit in _pattern(value, type).finditer(text):
        start, end = hit.span()
        cut = any(numbers[i].start < at < numbers[i].end
                  for at in (start, end) if (i := bisect_right(begins, at) - 1) >= 0)
        if end > start and not cut:
            yield start, end


@lru_cache(maxsize=128)
def _digits(text: str, spanish: bool) -> tuple[str, tuple[int, ...]]:
    """The text with its numbers as plain digits, and where each character came from (one position more: the end)."""
    out, origin, at = [], [], 0
    for q in quantities(text, spanish):
        number = f"{q.value:f}"
        out += [text[at:q.start], number]
        origin += [*range(at, q.start), q.start, *[q.end - 1] * (len(number) - 1)]
        at = q.end
    out.append(text[at:])
    origin += range(at, len(text) + 1)
    return "".join(out), tuple(origin)


def _reworded(text: str, value: str, type: str, tongue: str) -> Iterator[tuple[int, int]]:
    spanish = tongue == "es"
    plain, origin = _digits(text, spanish)
    for hit in _pattern(_digits(value, spanish)[0], type).finditer(plain):
        if hit.end() > hit.start():
            yield origin[hit.start()], origin[hit.end() - 1] + 1


def find(text: str, value: str, *, type: str = "free", language: str | None = None) -> tuple[int, int] | None:
    """(start, end) of the first place in the text that holds the value, or None.

    text: any length, folded once and remembered.  value: what is looked for.  type: number, date, name, choice or free.
    Says where the value stands, not what the text claims: "not blue" holds blue (see match for that).
    Raises SettingError for an unknown type.  Cost: linear in the text; no model call.  Chapter 4.

    >>> find("預算是一千日圓", "1000", type="number")
    (3, 5)
    >>> find("Banana", "Ana", type="name") is None
    True
    """
    folded = fold(text)
    found = occurrences(folded.text, value, type, language)
    return folded.span(found[0].start, found[0].end) if found else None
