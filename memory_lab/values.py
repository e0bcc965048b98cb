"""The words of a chat that no paraphrase can replace: e-mails, codes, amounts, dates, names, numbers.

What this does not find: names in scripts without capitals (but for names in quotation marks), facts in plain words
("no nuts"), sums written out ("twenty").  In languages that write all nouns with a capital it finds too many names.
Chapters 6 and 12.

Copy with: errors.py, messages.py.  Needs: regex.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

import regex

from .messages import Message, text_of

KINDS = ("e-mail", "code", "amount", "date", "name", "number", "link")  # the most painful to lose first
_MONTH = (r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|January|February|March|April|June|July|August"
          r"|September|October|November|December|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre"
          r"|diciembre)\b")
_UNIT = (r"(?:%|USD|EUR|GBP|NT\$|TWD|CNY|RMB|JPY|dollars?|euros?|pesos?|yuan|[千万萬亿億]*(?:美元|欧元|歐元|日元|元|円)"
         r"|[万萬亿億]+|km|kg|cm|mm|ml|GB|MB|h|min|mg|g|m|l|W|V)(?![A-Za-z])")
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)*)"  # a comma parts thousands, or else two numbers
# Borders are looked for by hand: to \b a Chinese character is part of the word beside it.
_START, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
# Repeats that may fail at the end are bounded, so that a megabyte without a space costs no more than one with.
_VALUE = re.compile(rf"""(?xi)
    (?P<email>{_START}[a-z0-9_.+-]{{1,64}}@[a-z0-9-]{{1,64}}(?:\.[a-z0-9-]{{1,64}})+)
  | (?P<link>https?://[^\s<>"')\]]+)
  | (?P<date>{_START}(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}} | \d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}
      | \d{{4}}年(?:\d{{1,2}}月(?:\d{{1,2}}[日号號])?)? | \d{{1,2}}月\d{{1,2}}[日号號]
      | \d{{1,2}}:\d\d(?::\d\d)?(?:\s?[ap]m)?
      | {_MONTH}\.?\ \d{{1,2}}(?:st|nd|rd|th)?(?:,?\ \d{{4}})?
      | \d{{1,2}}(?:st|nd|rd|th)?\ (?:de\ |of\ )?{_MONTH}(?:,?\ (?:de\ )?\d{{4}})?){_END})
  | (?P<phone>\+\d[\d\ ()-]{{7,20}}\d | {_START}\(?\d{{3}}\)?[ -]\d{{3}}[ -]\d{{4}}{_END})
  | (?P<amount>[$€£¥₹]\s?{_NUMBER} | {_START}{_NUMBER}\s?{_UNIT})
  | (?P<code>{_START}(?=[a-z0-9_/-]{{0,64}}\d)(?=[a-z0-9_/-]{{0,64}}[a-z])[a-z0-9]+(?:[-_/][a-z0-9]+)*{_END})
  | (?P<number>\#?{_START}{_NUMBER}{_END})
""")
_ANY = re.compile(r"[\d@]|://")
_ORDINAL = re.compile(r"(?i)\d+(?:st|nd|rd|th|s|x|d|am|pm)")
_LETTER = r"[\p{Latin}\p{Greek}\p{Cyrillic}]"
_CAPITAL = regex.compile(rf"\p{{Lu}}(?:['’]?{_LETTER})+")
# A capital behind a small letter or a comma, or inside Chinese, is no sentence's beginning.
_MIDDLE = regex.compile(r"(?<=[\p{Ll},;] |[\p{Han}\p{Hiragana}\p{Katakana}])" + _CAPITAL.pattern)
_SMALL = regex.compile(rf"(?<!{_LETTER})\p{{Ll}}(?:['’]?{_LETTER})+")
_QUOTED = regex.compile(r"[「『《]([^「」『』《》\n]{2,20})[」』》]")


class Value(NamedTuple):
    """One thing said.  key: the same for the same thing; $1,200, 1200 and #1200 are equal, whatever their kinds."""

    kind: str
    key: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class Finder:
    """Finds values in messages; made for one log, because what counts as a name depends on all of it.

    A word is a name if it stands with a capital where no sentence begins, and nowhere in the log without one.
    Cost: two passes over the log's text; each later text is read once and kept.
    """

    def __init__(self, messages: Iterable[Message]):
        texts = [words_of(message) for message in messages]
        capital = {word for text in texts for word in _MIDDLE.findall(text)}
        small = {word for text in texts for word in _SMALL.findall(text)} if capital else set()
        self._names = {word for word in capital if word.lower() not in small and not word.startswith(("I'", "I’"))
                       and not (len(word) == 2 and word.isupper())}  # AI, TV, OK
        self._seen: dict[str, frozenset[Value]] = {}
        self.written: dict[Value, str] = {}

    def values(self, text: str) -> frozenset[Value]:
        """The values in a text."""
        found = self._seen.get(text)
        if found is None:
            found = self._seen[text] = frozenset(self._find(text))
        return found

    def _find(self, text: str) -> Iterable[Value]:
        plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
        spans = []
        for match in _VALUE.finditer(plain) if _ANY.search(plain) else ():
            value = _value(match.lastgroup, match.group())
            if value:
                spans.append(match.span())
                yield self._noted(value, match.group())
        for match in _CAPITAL.finditer(plain) if self._names else ():
            if match.group() in self._names and not any(start <= match.start() < end for start, end in spans):
                yield self._noted(Value("name", match.group().casefold()), match.group())
        for match in _QUOTED.finditer(plain):
            yield self._noted(Value("name", match[1].casefold()), match[1])

    def _noted(self, value: Value, written: str) -> Value:
        self.written.setdefault(value, written.strip())
        return value


def words_of(message: Message) -> str:
    """All text that a model reads of a message: content, refusal, the names and arguments of calls."""
    said = [text_of(message), message.get("refusal") or ""]
    for call in message.get("tool_calls") or ():
        does = call.get("function") or call.get("custom") or {}
        said += [does.get("name", ""), does.get("arguments", does.get("input", ""))]
    return "\n".join(part for part in said if part)


def _value(group: str, text: str) -> Value | None:
    """The value for a match, or None for what says too little: one digit, an ordinal, a line of a list."""
    key = text.casefold().strip()
    if group == "email":
        return Value("e-mail", key.rstrip("."))
    if group == "link":
        return Value("link", text.rstrip(".,;:!?"))
    if group == "date":
        return Value("date", key.replace(" ", "").replace("/", "-").replace(".", "-"))
    if group == "phone":
        return Value("code", "".join(char for char in key if char.isdigit()))
    digits = "".join(char for char in key if char.isdigit())
    if group == "amount":
        return Value("amount", _number(key.lstrip("$€£¥₹ ").replace(" ", "")))
    if group == "code":
        return None if len(key) < 3 or len(key) > 64 or _ORDINAL.fullmatch(key) else Value("code", key)
    if key.startswith("#") or (len(digits) >= 5 and digits == key):
        return Value("code", digits)
    return Value("number", _number(key)) if len(digits) > 1 else None


def _number(text: str) -> str:
    """The same text for 1,200.50 and 1200.5: commas that group thousands and trailing zeros go."""
    plain = re.sub(r",(?=\d{3}(?!\d))", "", text)
    return re.sub(r"(\.\d*?)0+(?!\d)", r"\1", plain).rstrip(".") if "." in plain else plain
