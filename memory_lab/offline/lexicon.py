"""Which concepts a word stands for: the lexicon's files, read once. Their form is in lexicon/README.md."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from .patterns import patterns

LANGUAGES = ("en", "zh", "es")
FILES = ("people", "food", "places", "money_work", "time_events", "taste_health", "more", "verbs", "things",
         "kinds", "kinds2", "relations", "relations2", "relations3")


class Lexicon(NamedTuple):
    """words: language -> first key -> [(keys, concept)], longest first; parents: concept -> {ancestor: nearness}."""

    words: dict[str, dict[str, list[tuple[tuple[str, ...], str]]]]
    parents: dict[str, dict[str, float]]
    classes: frozenset[str]


def stem(word: str, language: str) -> str:
    """The word's stem; Spanish loses its accents first, as people leave them out."""
    return _stem(word, language)


@lru_cache(maxsize=100_000)
def _stem(word: str, language: str) -> str:
    if language == "es":
        word = plain(word)
    if not word.isalpha():
        return word
    if language == "es":  # the stemmer makes one word of hijo and hija, of sal and sala
        bare = word.removesuffix("s") if len(word) > 4 and not word.endswith("is") else word
        if bare in _gendered():  # hijos are children, not sons
            return word
        if len(bare) <= 4:
            return bare
    elif language == "en":
        word = _irregular().get(word, word)
    return _stemmer(language).stemWord(word)


@lru_cache
def _irregular() -> dict[str, str]:
    """English forms that no stemmer brings together: bought, buy."""
    return dict(pair.split(":") for key, line in patterns("forms") if key == "irregular" for pair in line.split())


@lru_cache
def _gendered() -> frozenset[str]:
    """Spanish words that differ by their last letter, hijo and hija, which the stemmer would make one."""
    return frozenset(word for key, line in patterns("forms") if key == "gendered" for word in line.split())


@lru_cache
def _stemmer(language: str):
    import snowballstemmer

    return snowballstemmer.stemmer({"en": "english", "es": "spanish"}[language])


def plain(word: str) -> str:
    """The word without the accents of Spanish vowels (the ñ stays: año is not ano)."""
    return word.translate(_ACCENTS)


_ACCENTS = str.maketrans("áéíóúü", "aeiouu")


@lru_cache
def lexicon() -> Lexicon:
    """The lexicon; about a fifth of a second at first use, then free."""
    words: dict[str, dict[str, list]] = {language: {} for language in LANGUAGES}
    direct: dict[str, set[str]] = {}
    classes = set()
    folder = Path(__file__).parent / "lexicon"
    for name in FILES:
        for line in (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            if line.strip():
                _read(line, f"{name}.txt", words, direct, classes)
    for firsts in words.values():
        for entries in firsts.values():
            entries.sort(key=lambda entry: -len(entry[0]))
    return Lexicon(words, {concept: _ancestors(concept, direct) for concept in direct}, frozenset(classes))


def _read(line: str, file: str, words: dict, direct: dict, classes: set) -> None:
    head, *lists = (part.strip() for part in line.split("|"))
    concept, _, parents = head.lstrip("*+ ").partition(">")
    concept, above = concept.strip(), set(parents.split())
    if head.startswith("+ "):
        classes.add(concept)
        for language, text in zip(LANGUAGES, lists, strict=True):
            for item in text.split(", "):
                kind = f"{concept}/{item.split('/')[0].strip()}"
                direct.setdefault(kind, set()).update(above | {concept})
                for word in item.split("/"):
                    _enter(words[language], word.strip(), kind, language)
        return
    if not head.startswith("* "):
        direct.setdefault(concept, set()).update(above)
        for language, text in zip(LANGUAGES, lists, strict=False):
            for word in text.split(", "):
                _enter(words[language], word.strip(), concept, language)
        return
    columns = [text.split(", ") for text in lists]
    if len({len(column) for column in columns}) != 1:
        raise ValueError(f"{file}: the class {concept!r} has {[len(column) for column in columns]} items a language.")
    classes.add(concept)
    for items in zip(*columns, strict=True):
        kind = f"{concept}/{items[0].split('/')[0].strip()}"
        direct.setdefault(kind, set()).update(above | {concept})
        for language, item in zip(LANGUAGES, items, strict=True):
            for word in item.split("/"):
                _enter(words[language], word.strip(), kind, language)


def _enter(firsts: dict, word: str, concept: str, language: str) -> None:
    if language == "zh":
        keys = (word.lower(),)
    else:
        keys = tuple(stem(part, language) for part in word.lower().replace("'", "’").replace("-", " ").split())
    if keys and (keys, concept) not in firsts.setdefault(keys[0], []):
        firsts[keys[0]].append((keys, concept))


def _ancestors(concept: str, direct: dict[str, set[str]]) -> dict[str, float]:
    found: dict[str, float] = {}
    level, nearness = direct.get(concept, set()), 0.95
    while level and nearness > 0.6:
        for parent in sorted(level):
            found.setdefault(parent, nearness)
        level = {above for parent in level for above in direct.get(parent, ())} - set(found) - {concept}
        nearness -= 0.15
    return found


@lru_cache(maxsize=50_000)
def class_of(concept: str) -> str:
    """The class of which a concept is a kind ("colour" for "colour/red"); "" for a concept of its own."""
    head = concept.partition("/")[0]
    return head if "/" in concept and head in lexicon().classes else ""
