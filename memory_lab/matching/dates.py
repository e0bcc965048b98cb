"""Dates in folded text, in English, Chinese and Spanish forms; a year is compared only when both sides have one.

03/04 has two readings unless the language says which (Spanish: day first, Chinese: month first).
Not read: weekdays, "tomorrow", ranges, the years of an era.

Copy with: numerals.py, words.py, units.py, fold.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .numerals import HAN, HAN_CODE, read_han
from .words import VALUE, listed

_EN = listed("january february march april may june july august september october november december")
_ES = listed("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
MONTHS = {name: n for names in (_EN, _ES) for n, name in enumerate(names, 1)}
MONTHS |= {name[:3]: n for n, name in enumerate(_EN, 1)} | {"sept": 9, "setiembre": 9}
ORDINALS = {w: n for n, w in enumerate(listed(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"), 1)}
ORDINALS |= {f"twenty-{w}": 20 + ORDINALS[w] for w in list(ORDINALS)[:9]} | {"thirtieth": 30, "thirty-first": 31}
SPOKEN = {w: n for w, n in VALUE.items() if 0 < n <= 30} | {"primero": 1, "treinta y uno": 31}
_M = r"(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")(?![a-z])\.?"
_D = (r"(?P<day>\d{1,2}(?:st|nd|rd|th|º)?|" + "|".join(sorted(ORDINALS | SPOKEN, key=len, reverse=True))
      + r")(?![a-z0-9])")
_Y = r"(?:,? (?:del? )?(?P<year>\d{4})(?!\d|[-/.]\d))?"
_H = rf"[0-9{HAN}]"
FORMS = [re.compile(form) for form in (
    r"(?<![\d/.-])(?P<year>\d{4})(?P<s>[-/.])(?P<month>\d{1,2})(?P=s)(?P<day>\d{1,2})(?!\d)",
    rf"(?<!{_H})(?:(?P<year>{_H}{{4}})\s?年\s?)?(?P<month>{_H}{{1,3}})\s?月\s?(?P<day>{_H}{{1,3}})\s?[日号]",
    rf"(?<![a-z0-9]){_M} (?:the )?{_D}{_Y}",
    rf"(?<![a-z0-9.,]){_D} (?:of |de )?{_M}{_Y}",
    r"(?<![\d/.-])(?P<a>\d{1,2})(?P<s>[/.-])(?P<b>\d{1,2})(?:(?P=s)(?P<year>\d{4}))?(?![\d/]|[.-]\d)",
    rf"(?<!{_H})(?:(?P<year>{_H}{{4}})\s?年\s?)?(?P<month>{_H}{{1,3}})\s?月(?:份|(?!\s?{_H}))",
    r"(?<![a-z])(?:in |of |this |next |last |late |early |since |until |during |en |^)" + _M + _Y + r"(?! (?:the )?\d)",
)]

ANOTHER = re.compile(r"\s*(?:-|~|/|or|to|o|al?|或者?|还是|到|至)\s*(?:the |el )?[0-9零一二三四五六七八九十]")


@dataclass(frozen=True)
class Date:
    """A date at start to end of the folded text; readings: the possible (year, month, day), None where
    not said.  clear: only one reading, and no range or second day behind it."""

    start: int
    end: int
    readings: tuple[tuple[int | None, int, int | None], ...]
    clear: bool = True

    def meets(self, wanted: Date) -> bool:
        """Whether some reading says all that `wanted` says; the year counts only when both have one."""
        return any(_same(mine, theirs) for mine in self.readings for theirs in wanted.readings)


def _same(mine, theirs) -> bool:
    if mine[0] is not None and theirs[0] is not None and mine[0] != theirs[0]:
        return False
    return mine[1] == theirs[1] and (theirs[2] is None or mine[2] == theirs[2])


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if text in ORDINALS or text in SPOKEN:
        return ORDINALS.get(text) or SPOKEN[text]
    digits = re.match(r"\d+", text)
    if digits:
        return int(digits[0]) if text.isascii() or text.endswith("º") else 0
    code = text.translate(HAN_CODE)
    value = int(code) if code.isdigit() else read_han(text)
    return int(value or 0)


def _readings(found: re.Match, language: str):
    parts = found.groupdict()
    year = _number(parts["year"])
    if "a" in parts:
        a, b = int(parts["a"]), int(parts["b"])
        orders = {"es": [(b, a)], "zh": [(a, b)]}.get(language[:2], [(a, b), (b, a)])
        pairs = dict.fromkeys(orders)
    else:
        month = MONTHS.get(parts["month"]) or _number(parts["month"])
        pairs = [(month, _number(parts.get("day")))]
    return tuple((year, m, d) for m, d in pairs if 1 <= m <= 12 and (d is None or 1 <= d <= _LONGEST[m]))


_LONGEST = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def dates(text: str, language: str = "") -> list[Date]:
    """The dates of folded text, in order.  language: "es" and "zh" say how to read 03/04; else it has two readings.

    >>> [d.readings for d in dates("3 de mayo, 2026-05-03, 五月三号")]
    [((None, 5, 3),), ((2026, 5, 3),), ((None, 5, 3),)]
    """
    found: list[Date] = []
    taken = bytearray(len(text))
    for form in FORMS:
        for hit in form.finditer(text):
            start = hit.start("month") if form is FORMS[-1] else hit.start()
            readings = _readings(hit, language)
            if readings and not any(taken[start:hit.end()]):
                taken[start:hit.end()] = b"x" * (hit.end() - start)
                clear = len(readings) == 1 and not ANOTHER.match(text, hit.end())
                found.append(Date(start, hit.end(), readings, clear))
    return sorted(found, key=lambda date: date.start)
