"""Numbers in folded text: digits with separators, Chinese numerals, English and Spanish number words, and their units.

No number is read out of an idiom (一心一意), out of an identifier (A-4471), a time (10:30) or a telephone number.

Copy with: errors.py, fold.py, dates.py, find.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from .units import AFTER, BEFORE, unit_of
from .words import read_words

HAN = "零一二两三四五六七八九十百千万亿"
HAN_CODE = str.maketrans(HAN, "01223456789sbqwy")
SCALE = {"百": 100, "千": 1000, "万": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8, "k": 1000, "mil": 1000,
         "hundred": 100, "thousand": 1000, "million": 10**6, "millon": 10**6, "millones": 10**6, "billion": 10**9}
# what may follow a lone Chinese digit for it to count things; anything else may be a word or an idiom (一起, 三明治)
MEASURES = "个只名位人天日月年号元块次条本张间晚岁杯份项家站楼层台支双顿餐页米公小周美欧円"
NOT_BEFORE = "周期拜之统唯同单专初"
BEFORE_CODE = re.compile(r"(?:[a-z][-_.]?|\d:)$")
PADDED = re.compile(r"-?0\d")
ORDINAL = re.compile(r"(?:st|nd|rd|th)(?![a-z])")
CODE = re.compile(r"\d+(?:[-/.]\d+){2,}|\d+:\d+(?::\d+)?")
ARABIC = re.compile(
    r"(?<!\d)(?P<number>\d{1,3}(?: \d{3})+(?! ?\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*)"
    r"(?:\s?(?P<scale>百万|千万|百|千|万|亿|(?:hundred|thousand|million|billion|mil|millon|millones|k)(?![a-z])))?")
MIXED = re.compile(r"(?<![\d.,])(?:\d+(?:\.\d+)?[百千万亿]){2,}\d{0,4}(?!\d)|(?<![\d.,])\d+[百千万]\d(?!\d)")
HAN_RUN = re.compile(rf"(?P<percent>百分之)?(?P<run>[{HAN}]+)(?:点(?P<point>[零一二三四五六七八九]+))?")
_S = r"(?:[1-9]q)?(?:0?[1-9]b)?(?:0?[1-9]?s)?(?:0?[1-9])?"
HAN_FORM = re.compile(rf"(?:(?P<y>{_S})y)?0?(?:(?P<w>{_S})w)?0?(?P<r>{_S})")


@dataclass(frozen=True)
class Quantity:
    """A number at start to end of the folded text; unit: its class or ""; first to last: with unit; padded: 0042."""

    start: int
    end: int
    value: Decimal
    unit: str = ""
    first: int = 0
    last: int = 0
    padded: bool = False

    def equals(self, other: Quantity) -> bool:
        """Whether the values are equal and the units, where both have one, agree; 0042 equals no 42."""
        agreed = not self.unit or not other.unit or self.unit == other.unit
        return self.value == other.value and self.padded == other.padded and agreed


def _arabic(text: str, spanish: bool) -> Decimal | None:
    """The value of digits with separators; None if the grouping makes no number."""
    if re.fullmatch(r"\d{1,3}(?:[ ]\d{3})+(?:[.,]\d+)?", text):
        return Decimal(text.replace(" ", "").replace(",", "."))
    if re.fullmatch(r"\d+", text):
        return Decimal(text)
    if spanish and re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", text):
        return Decimal(text.replace(".", "").replace(",", "."))
    if spanish and re.fullmatch(r"\d+,\d+", text):
        return Decimal(text.replace(",", "."))
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,4}(?:,\d{4})+", text):
        return Decimal(text.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}|[1-9]\d{0,2}\.000", text):
        return Decimal(text.replace(".", ""))
    if re.fullmatch(r"\d+\.\d+", text):
        return Decimal(text)
    return None


def read_han(run: str) -> Decimal | None:
    """The value of a run of Chinese numerals; None if the whole run is not one well-formed number."""
    code = run.translate(HAN_CODE)
    if code.isdigit():
        if len(code) == 2 and int(code[1]) == int(code[0]) + 1 and code[0] != "0":
            return None  # 三四个 is "three or four"
        return Decimal(code)
    short = re.fullmatch(r"(.*[bqw])([1-9])", code)
    tail = 0
    if short and code[-2] in "bqw":  # 一万二 is 12,000
        code, tail = short[1], int(short[2]) * {"b": 10, "q": 100, "w": 1000}[short[1][-1]]
    form = HAN_FORM.fullmatch(code)
    if not form:
        return None
    total = 0
    for name, scale in (("y", 10**8), ("w", 10**4), ("r", 1)):
        part = form[name]
        if part == "":
            if name != "r":
                return None
        elif part:
            total += _section(part) * scale
    return Decimal(total + tail) if total else None


def _mixed(text: str) -> Decimal:
    """The value of digits between Chinese units: 1万2千, 3万5 (which is 35,000)."""
    total, scale = Decimal(0), 1
    for digits, unit in re.findall(r"([\d.]+)([百千万亿]?)", text):
        total += Decimal(digits) * (SCALE[unit] if unit else scale // 10 if len(digits) == 1 else 1)
        scale = SCALE.get(unit, scale)
    return total


def _section(code: str) -> int:
    total = 0
    for digit, scale in re.findall(r"0?([1-9]?)([qbs]?)", code):
        if digit or scale:
            total += int(digit or 1) * {"q": 1000, "b": 100, "s": 10, "": 1}[scale]
    return total


def _lone(text: str, start: int, end: int) -> bool:
    """Whether a single Chinese digit at start counts something."""
    after = text[end:end + 1]
    if text[start - 1:start] in NOT_BEFORE and start:
        return False
    if text.startswith("一点", start):
        return text.startswith(("一点钟", "一点半"), start)
    return not after or after in MEASURES or not "\u4e00" <= after <= "\u9fff"


def _raw(text: str, spanish: bool) -> Iterator[tuple[int, int, Decimal, str]]:
    for found in MIXED.finditer(text):
        if not _in_code(text, *found.span(), "万"):
            yield *found.span(), _mixed(found[0]), ""
    codes = [m.span() for m in CODE.finditer(text) if not re.fullmatch(r"\d{1,3}(?:\.\d{3})+", m[0])]
    code = 0
    for found in ARABIC.finditer(text):
        start, end = found.span()
        while code < len(codes) and codes[code][1] <= start:
            code += 1
        if (code < len(codes) and codes[code][0] <= start) or _in_code(text, start, end, found["scale"]):
            continue
        number = found["number"]
        value = _arabic(number, spanish)
        if value is None:
            if re.fullmatch(r"\d\d?(?:,\d\d?)+", number):  # 3,4: a list
                for part in re.finditer(r"\d+", number):
                    yield start + part.start(), start + part.end(), Decimal(part[0]), ""
            continue
        if text[start - 1:start] == "-" and (start == 1 or text[start - 2] in " (:,"):
            start, value = start - 1, value.copy_negate()  # plain minus would round a long number
        percent = "%" if text[max(0, start - 3):start] == "百分之" else ""
        yield start, end, value * SCALE[found["scale"]] if found["scale"] else value, percent
    for found in HAN_RUN.finditer(text):
        start, end = found.span("run")
        before = text[found.start() - 1:found.start()]
        value = read_han(found["run"])
        if value is None or before.isdigit() or (end < len(text) and text[end].isdigit()):
            continue
        if end - start == 1 and not found["percent"] and not _lone(text, start, end):
            continue
        if found["point"]:
            value, end = Decimal(f"{value}.{found['point'].translate(HAN_CODE)}"), found.end()
        yield start, end, value, "%" if found["percent"] else ""
    yield from read_words(text, spanish)


def _in_code(text: str, start: int, end: int, scale: str | None) -> bool:
    """Whether digits belong to an identifier: letters joined to them that are neither a unit nor a currency."""
    left = BEFORE_CODE.search(text, max(0, start - 2), start)
    if left and not BEFORE.search(text, max(0, start - 6), start):
        return True
    after = text[end:end + 1]
    if scale or not (after.isascii() and after.isalpha()):
        return False
    return not AFTER.match(text, end) and not ORDINAL.match(text, end)


@lru_cache(maxsize=256)
def quantities(text: str, spanish: bool = False) -> tuple[Quantity, ...]:
    """The numbers of folded text, in order, each with its unit.  Cost: a few passes; the last 256 texts are kept.

    >>> [str(q.value) for q in quantities("1,000 or 一千五百 or a dozen")]
    ['1000', '1500', '12']
    """
    found = []
    for start, end, value, unit in sorted(_raw(text, spanish), key=lambda raw: (raw[0], -raw[1])):
        if found and start < found[-1].end:
            continue
        name, first, last = unit_of(text, start, end)
        found.append(Quantity(start, end, value, unit or name, first, last, bool(PADDED.match(text, start))))
    return tuple(found)
