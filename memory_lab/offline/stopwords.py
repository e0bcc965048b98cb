"""Words that say nothing of what a question is about: never a content word (STOP), or hardly one (LIGHT)."""

from __future__ import annotations

from .patterns import patterns


def _words(kind: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for key, line in patterns("stopwords"):
        name, _, language = key.partition(".")
        if name == kind:
            found.setdefault(language, set()).update(line.split())
    return {language: frozenset(words) for language, words in found.items()}


STOP, LIGHT, NEGATORS = _words("stop"), _words("light"), _words("negators")
# A negator turns the first concept into the second when the word follows within a few words.
NEGATED = {"like": "dislike", "eat": "cannot_eat", "diet": "cannot_eat", "food": "cannot_eat", "drink": "avoid"}
