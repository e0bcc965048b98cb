"""What a text is searched by: stems of its words, pairs of Chinese characters; no stop words.

English and Spanish words are stemmed by Snowball, which knows endings but no irregular forms, so a list maps the common
ones of English ("bought" is "buy").  Chinese is folded to simplified characters and cut at its function words; what is
left is searched by pairs of neighbouring characters, as is Japanese and Korean.  No dictionary of meanings: "car" does
not find "vehicle".  Chapter 9.

Needs: snowballstemmer, opencc (for Chinese).
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:'[^\W_{_CJK}]+)?")
_HAN = re.compile(f"[{_CJK}]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_SPANISH = re.compile("[¿¡ñ]")
_ACCENTS = str.maketrans("áéíóúü", "aeiouu")  # people leave them out


def _lines(name: str) -> list[str]:
    path = resources.files("memory_lab").joinpath("data", "retrieval", name)
    return path.read_text(encoding="utf-8").splitlines()


@lru_cache(maxsize=1)
def stopwords() -> dict[str, frozenset[str]]:
    """Language -> its stop words, as they are compared: Spanish without accents."""
    found: dict[str, set[str]] = {}
    for line in _lines("stopwords.txt"):
        language, _, words = line.partition(":")
        words = words.translate(_ACCENTS) if language == "es" else words
        found.setdefault(language, set()).update(words.split())
    return {language: frozenset(words) for language, words in found.items()}


@lru_cache(maxsize=1)
def _spanish() -> frozenset[str]:
    """Spanish stop words as people write them, with and without accents."""
    return stopwords()["es"] | {word for line in _lines("stopwords.txt") if line[:3] == "es:" for word in line.split()}


@lru_cache(maxsize=1)
def _irregular() -> dict[str, str]:
    return dict(pair.split(":") for line in _lines("irregular.txt") for pair in line.split())


@lru_cache(maxsize=4)
def _stemmer(language: str):
    import snowballstemmer

    return snowballstemmer.stemmer({"en": "english", "es": "spanish"}[language])


@lru_cache(maxsize=100_000)
def _term(word: str, language: str) -> str:
    """The stem of a word, "" for a stop word."""
    word = word.translate(_ACCENTS) if language == "es" else word.removesuffix("'s")
    if word in stopwords()[language]:
        return ""
    if language == "en":
        word = _irregular().get(word, word)
    return _stemmer(language).stemWord(word)


@lru_cache(maxsize=1)
def _pattern_zh() -> re.Pattern[str]:
    return re.compile("|".join(sorted(stopwords()["zh"], key=len, reverse=True)))


@lru_cache(maxsize=1)
def _simplifier():
    import opencc

    return opencc.OpenCC("t2s")


def _plain(text: str) -> str:
    """Lower case, one apostrophe, simplified characters, numbers without thousands' commas."""
    text = _THOUSANDS.sub("", text.lower().replace("’", "'"))
    return _simplifier().convert(text) if _HAN.search(text) else text


def language_of(text: str) -> str:
    """ "es" or "en" by stop words and signs; "" where nothing tells, as in a name or a number.

    >>> language_of("¿Cuál es mi número?"), language_of("What is my number?"), language_of("Graz 4471")
    ('es', 'en', '')
    """
    return _language(_TOKEN.findall(_plain(text)), text)


def _language(tokens: list[str], text: str) -> str:
    english = len(stopwords()["en"].intersection(tokens))
    spanish = len(_spanish().intersection(tokens)) + 2 * len(_SPANISH.findall(text))
    return "" if spanish == english else "es" if spanish > english else "en"


def terms(text: str, language: str | None = None, otherwise: str = "en") -> tuple[list[str], str]:
    """(the terms of a text, in order, with repetitions; the language of its words in Latin script).

    language: "en" or "es"; None finds out, and takes `otherwise` where nothing tells.
    Cost: linear; each different word is stemmed once a process.

    >>> terms("She bought two dogs for 1,000 yen")
    (['buy', 'two', 'dog', '1000', 'yen'], 'en')
    >>> terms("我對甲殼類過敏")[0], terms("¿Dónde están los hoteles?")
    (['对甲', '甲壳', '壳类', '类过', '过敏'], (['hotel'], 'es'))
    """
    tokens = _TOKEN.findall(_plain(text))
    language = language or _language(tokens, text) or otherwise
    found: list[str] = []
    for token in tokens:
        if _HAN.match(token):
            for run in _pattern_zh().split(token):
                found += [run[i:i + 2] for i in range(len(run) - 1)] or [run] * bool(run)
        elif term := _term(token, language):
            found.append(term)
    return found, language
