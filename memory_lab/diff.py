"""What a compaction did to a text: the sentences that stayed, went and came, and the values that are nowhere any more.

Copy with: errors.py, messages.py, tokens.py, outline.py, compaction.py, values.py; and the folder matching/.
Needs: regex.  Chapter 6.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from .compaction import SENTENCE
from .values import KINDS, Finder

_LABEL = re.compile(r"(?i)^(?:[-*•]\s+|(?:user|assistant|tool|system)(?: \([^)]*\))?: |[^\W\d]\w+: (?=\S))")
_MARK = re.compile(r"\[level \d+\]|[^\W\d][\w ]{0,30}[:：]")  # a summary's own headings say nothing
_DIGIT = re.compile(r"(?<![\w.,:/-])\d(?![\w.,:/-]*[\w])(?!\.\s*\S)")  # "2 guests", but not the 2 of "2. Second"


class Vanished(NamedTuple):
    """A value that was there and is no more.  kind: one of values.KINDS.  written: as it stood."""

    kind: str
    written: str


@dataclass(frozen=True)
class Diff:
    """The difference between two texts.  kept, lost, added: sentences, in the order of their text.

    vanished: e-mails, codes, amounts, dates, names, numbers and links of the first that the second has in no form.
    """

    kept: tuple[str, ...]
    lost: tuple[str, ...]
    added: tuple[str, ...]
    vanished: tuple[Vanished, ...]

    def _rows(self) -> list[tuple[str, str, str]]:
        """(sign, word, text), what hurts first."""
        rows = [("!", "vanished", f"{kind} {written}") for kind, written in self.vanished]
        for sign, word, sentences in (("-", "lost", self.lost), ("+", "added", self.added), (" ", "kept", self.kept)):
            rows += [(sign, word, sentence) for sentence in sentences]
        return rows

    def _summary(self) -> str:
        return (f"sentences: {len(self.kept)} kept, {len(self.lost)} lost, {len(self.added)} added; "
                f"values vanished: {len(self.vanished)}")

    def __str__(self) -> str:
        return "\n".join([self._summary(), *(f"{sign} {text}" for sign, _, text in self._rows())])

    def _repr_html_(self) -> str:
        """A table that says each change in a word, and with <del> and <ins>; colour carries nothing."""
        tags = {"vanished": "strong", "lost": "del", "added": "ins", "kept": "span"}
        rows = "".join(f'<tr><th scope="row">{word}</th><td style="text-align: left"><{tags[word]}>{escape(text)}'
                       f"</{tags[word]}></td></tr>" for _, word, text in self._rows())
        return (f"<table><caption>{escape(self._summary())}</caption><thead><tr><th scope=\"col\">what</th>"
                f'<th scope="col">text</th></tr></thead><tbody>{rows}</tbody></table>')


def diff(before: str, after: str) -> Diff:
    """What of a text another one keeps: sentences word for word, and values in whatever form.

    Sentences are compared without case, width, white space, speaker ("user: "), bullet and heading.  A value counts as
    there if it is found in another form too (1,000 and 一千).  What it does not see: a fact in plain words that was
    changed ("not" dropped), but as a sentence lost and another added.  Cost: linear in the texts; no model call.

    >>> print(diff("user: My order is A-4471. I live in Lyon.", "- User: I live in Lyon."))
    sentences: 1 kept, 1 lost, 0 added; values vanished: 1
    ! code A-4471
    - My order is A-4471.
      I live in Lyon.
    """
    old, new = _sentences(before), _sentences(after)
    return Diff(tuple(text for key, text in old.items() if key in new),
                tuple(text for key, text in old.items() if key not in new),
                tuple(text for key, text in new.items() if key not in old), _vanished(before, after))


def _sentences(text: str) -> dict[str, str]:
    found = {}
    for line in text.splitlines():
        line = line.strip()
        while not _MARK.fullmatch(line) and (label := _LABEL.match(line)):
            line = line[label.end():].strip()
        for sentence in () if _MARK.fullmatch(line) else SENTENCE.findall(line):
            key = " ".join(unicodedata.normalize("NFKC", sentence).casefold().split()).rstrip(".!。！ ")
            if key:
                found.setdefault(key, sentence.strip())
    return found


def _vanished(before: str, after: str) -> tuple[Vanished, ...]:
    from .matching import find

    finder = Finder([{"role": "user", "content": text} for text in (before, after)])
    values, rest = finder.values(before), before
    for written in sorted((finder.written[value] for value in values), key=len, reverse=True):
        rest = rest.replace(written, " ")
    gone = sorted(values - finder.values(after), key=lambda value: (KINDS.index(value.kind), value.key))
    gone = [Vanished(value.kind, finder.written[value]) for value in gone]
    gone += [Vanished("number", digit) for digit in sorted(set(_DIGIT.findall(rest)) - set(_DIGIT.findall(after)))]
    types = {"number": "number", "amount": "number", "date": "date", "name": "name"}
    return tuple(each for each in gone if find(after, each.written, type=types.get(each.kind, "free")) is None)
