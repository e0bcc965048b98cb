"""Facts that a sentence states outright, as subject, attribute and value: values are spans of the sentence.

Patterns in three languages for what people say of themselves: names, numbers with a label, dates, money, places,
allergies, likes and dislikes, prohibitions. What it does not do: read between the lines, resolve "it", join sentences.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .analysis import analyse
from .evidence import said
from .language import base, fold, language_of
from .lexicon import LANGUAGES
from .patterns import patterns


class Statement(NamedTuple):
    """subject: "user", or whom it is of ("sister"); quote: the sentence; temporary: it holds this time only."""

    subject: str
    attribute: str
    value: str
    quote: str
    negated: bool = False
    temporary: bool = False
    retracts: bool = False


_RULES = {
    language: [(key[3:], re.compile(pattern)) for key, pattern in patterns("extract") if key.startswith(f"{language}.")]
    for language in LANGUAGES
}
_SINGLE = frozenset(["name", "home", "lodging", "job", "employer", "budget", "email", "diet"])


@lru_cache(maxsize=20_000)
def statements(text: str, language: str | None = None) -> tuple[Statement, ...]:
    """The facts that a text states, in order; each value is a span of it. A question states none but in its clauses."""
    found = []
    for item in said(text, "user", "", ""):
        key = base(language or language_of(item.text))
        folded = fold(item.text)
        aligned = item.text if len(item.text) == len(folded) else folded
        seen: set[tuple[int, int]] = set()
        for attribute, pattern in _RULES[key]:
            for match in pattern.finditer(folded):
                start, end = match.span("value")
                value = aligned[start:end].strip(" ：:")
                if not value or (any(start < b and a < end for a, b in seen) and attribute != "email"):
                    continue
                seen.add((start, end))
                groups = match.groupdict()
                label = attribute.format(
                    aligned[slice(*match.span("attribute"))].strip() if groups.get("attribute") else ""
                )
                subject = aligned[slice(*match.span("subject"))].strip() if groups.get("subject") else "user"
                found.append(
                    Statement(
                        subject,
                        label,
                        value,
                        item.text,
                        attribute in ("dislikes", "prohibition", "does not eat")
                        or (attribute == "allergy" and item.analysis.negated),
                        item.marks.once,
                        item.marks.retract or item.marks.forget,
                    )
                )
    return tuple(found)


def slots(sentence: str) -> list[tuple[str, str]]:
    """(subject, attribute) of what a sentence states that can have one value at a time."""
    return [
        (found.subject, found.attribute)
        for found in statements(sentence)
        if not found.temporary
        and (
            found.attribute in _SINGLE
            or found.attribute.startswith("favourite")
            or (
                not analyse(found.attribute).negated
                and found.attribute not in ("likes", "dislikes", "prohibition", "allergy", "does not eat")
            )
        )
    ]
