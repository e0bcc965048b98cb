"""What one sentence is about: its content terms with their concepts, kinds of value, and how it is meant.

Everything is cached by the sentence's text, so a history of a thousand turns is analysed once, not once a call.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .language import base, fold, language_of
from .lexicon import lexicon, plain, stem
from .patterns import compiled
from .stopwords import LIGHT, NEGATED, NEGATORS, STOP
from .values import kinds

_TOKEN = re.compile(r"[^\W_]+(?:[’'.@_/+-]+[^\W_]+)*|[^\W_]\+\+", re.UNICODE)
_LATIN = re.compile(r"[^\W_\u3400-\u9fff]+(?:[’'.@_/+-]+[^\W_\u3400-\u9fff]+)*")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+(?:[’'.@_/+-]+[^\W_\u3400-\u9fff]+)*")


_HEDGE = compiled("marks", "hedge")


class Term(NamedTuple):
    """A content word. keys: its stems (or Chinese bigrams); concepts: what it may mean; weight: 1 for a plain word.

    inner: what the single words of an expression mean ("call" in "call me"): they count in a statement alone.
    """

    text: str
    keys: frozenset[str]
    concepts: frozenset[str]
    weight: float
    proper: bool = False
    inner: frozenset[str] = frozenset()


class Analysis(NamedTuple):
    """A sentence read once. concepts: concept or ancestor -> nearness (1 for the word's own)."""

    text: str
    folded: str
    language: str
    terms: tuple[Term, ...]
    keys: frozenset[str]
    concepts: dict[str, float]
    kinds: frozenset[str]
    negated: bool


@lru_cache(maxsize=100_000)
def analyse(text: str, language: str | None = None) -> Analysis:
    """The analysis of one sentence; a history's language is worked out for each sentence on its own."""
    language = language or language_of(text)
    folded = fold(text)
    key = base(language)
    terms, extra = (_chinese if key == "zh" else _western)(_HEDGE.sub(" ", folded), key)
    parents = lexicon().parents
    concepts: dict[str, float] = {}
    for term in terms:
        for concept in term.concepts | term.inner:
            concepts[concept] = 1.0
            for parent, nearness in parents.get(concept, {}).items():
                concepts[parent] = max(concepts.get(parent, 0.0), nearness)
    every = frozenset(extra).union(*(term.keys for term in terms)) if terms else frozenset(extra)
    return Analysis(text, folded, language, tuple(terms), every, concepts, kinds(folded), _negated(folded, key))


_AFFIRMED = compiled("marks", "affirmed")


def unaffirmed(folded: str) -> str:
    """The text without the words that hold a negator and negate nothing ("no problem", 特别)."""
    return _AFFIRMED.sub(" ", folded)


def _negated(folded: str, key: str) -> bool:
    folded = unaffirmed(folded)
    if key == "zh":
        return any(mark in folded for mark in "不没别勿")
    return any(plain(word) in NEGATORS[key] for word in re.findall(r"[\w’]+", folded.lower().replace("'", "’")))


def tokens(text: str, key: str) -> list[str]:
    """Lower-case words; a code, an address or a decimal stays one, other hyphens part words."""
    found = []
    for match in _TOKEN.finditer(text.replace("'", "’")):
        word = match.group().lower()
        if word.endswith("’s"):
            word = word[:-2]
        if "-" in word and not any(char.isdigit() for char in word):
            found.extend(part for part in word.split("-") if part)
        else:
            found.append(word)
    return found


def _western(text: str, key: str) -> tuple[list[Term], set[str]]:
    words = tokens(text, key)
    stems = [stem(word, key) for word in words]
    proper = {word.lower().replace("'", "’") for word in re.findall(r"(?<=[^.!?¿¡\s]\s)[A-ZÀ-Þ][\w'’À-ÿ-]*", text)}
    firsts, stop, light, negators = lexicon().words[key], STOP[key], LIGHT[key], NEGATORS[key]
    terms, extra, i = [], set(), 0
    while i < len(words):
        size, concepts, inner = _longest(firsts, stems, i)
        word = " ".join(words[i : i + max(size, 1)])
        bare = plain(word) if key == "es" else word
        if size <= 1 and bare in stop:
            if concepts and bare not in stop:
                extra.add(stems[i])
            i += 1
            continue
        negative = any(part in negators for part in (plain(w) for w in words[i : i + size])) if size > 1 else False
        if any(plain(before) in negators for before in words[max(0, i - 3) : i]) and not negative:
            concepts = {NEGATED.get(concept, concept) for concept in concepts}
        keys = {" ".join(stems[i : i + size])} if negative else set(stems[i : i + max(size, 1)])
        weight = 0.1 if bare in light and size <= 1 else 1.0 if concepts or any(c.isdigit() for c in word) else 0.8
        named = size <= 1 and word in proper and (not concepts or word.endswith("’"))
        inner = (
            frozenset()
            if negative
            else frozenset(inner).union(*(_single(firsts, part) for part in stems[i + 1 : i + size]))
        )
        terms.append(Term(word, frozenset(keys), frozenset(concepts), 1.4 if named else weight, named, inner))
        i += max(size, 1)
    return terms, extra | {s for w, s in zip(words, stems, strict=True) if w not in stop}


def _single(firsts: dict, word: str) -> set[str]:
    return {concept for keys, concept in firsts.get(word, ()) if len(keys) == 1}


def _longest(firsts: dict, stems: list[str], i: int) -> tuple[int, set[str], set[str]]:
    """The longest expression that starts here: its size, its concepts, and those of shorter ones."""
    size, concepts, inner = 0, set(), set()
    for keys, concept in firsts.get(stems[i], ()):
        if tuple(stems[i : i + len(keys)]) == keys:
            if len(keys) < size:
                inner.add(concept)
            else:
                size = len(keys)
                concepts.add(concept)
    return size, concepts, inner


def _chinese(text: str, key: str) -> tuple[list[Term], set[str]]:
    terms, extra = [], set()
    for run in _HAN_RUN.findall(text):
        if not "\u3400" <= run[0] <= "\u9fff":
            terms += _western(run, "en")[0]
            continue
        extra |= {run[i : i + 2] for i in range(len(run) - 1)} | set(run)
        loose, i = "", 0
        while i < len(run):
            word, concepts = _longest_chinese(run, i)
            if not concepts and not word:
                loose += run[i]
                i += 1
                continue
            if loose:
                terms.append(_loose(loose))
                loose = ""
            if concepts:
                if any(char in "不没别" for char in run[max(0, i - 3) : i]):
                    concepts = {NEGATED.get(concept, concept) for concept in concepts}
                weight = 0.1 if word in LIGHT["zh"] else 1.0
                terms.append(Term(word, frozenset({word}), frozenset(concepts), weight))
            i += len(word)
        if loose:
            terms.append(_loose(loose))
    return terms, extra


def _loose(run: str) -> Term:
    keys = {run[i : i + 2] for i in range(len(run) - 1)} or {run}
    return Term(run, frozenset(keys), frozenset(), 0.8 if len(run) > 1 else 0.35)


@lru_cache
def _chinese_words() -> tuple[dict[str, frozenset[str]], frozenset[str], int]:
    known: dict[str, set[str]] = {}
    for entries in lexicon().words["zh"].values():
        for keys, concept in entries:
            known.setdefault(keys[0], set()).add(concept)
    stop = frozenset(STOP["zh"])
    return {word: frozenset(concepts) for word, concepts in known.items()}, stop, max(map(len, [*known, *stop]))


def _longest_chinese(run: str, i: int) -> tuple[str, frozenset[str] | set[str]]:
    known, stop, longest = _chinese_words()
    for size in range(min(longest, len(run) - i), 0, -1):
        word = run[i : i + size]
        if word in known and word not in stop:
            return word, known[word]
        if word in stop or word in LIGHT["zh"]:
            return word, frozenset()
    return "", frozenset()
