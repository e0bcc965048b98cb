"""Language of a text, its sentences, and Chinese folded to one script: what every other file here starts from."""

from __future__ import annotations

import re
from functools import lru_cache

from .lexicon import lexicon, plain, stem
from .stopwords import STOP

CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=20_000)
def language_of(text: str) -> str:
    """ "zh-Hant", "zh-Hans", "zh" (Chinese that both scripts write alike), "es" or "en" (also when nothing tells)."""
    cjk = len(CJK.findall(text))
    words = [plain(word) for word in _WORD.findall(text.lower())]
    if cjk and cjk * 2 >= sum(1 for word in words if not CJK.search(word)):
        return script_of(text)
    spanish = sum(word in STOP["es"] for word in words) + 2 * len(re.findall(r"[¿¡ñ]", text))
    english = sum(word in STOP["en"] for word in words)
    if spanish == english:
        known = lexicon().words
        spanish, english = (sum(stem(word, key) in known[key] for word in words) for key in ("es", "en"))
        spanish += bool(re.search(r"[áéíóú]", text))
    return "es" if spanish > english else "en"


@lru_cache(maxsize=20_000)
def script_of(text: str) -> str:
    """The Chinese script: the one whose conversion leaves the text as it is."""
    if fold(text) != text:
        return "zh-Hant"
    return "zh-Hans" if _converter("s2t").convert(text) != text else "zh"


def base(language: str) -> str:
    """ "zh-Hant" -> "zh": the key of the lexicon and of the word lists."""
    return language[:2]


@lru_cache(maxsize=100_000)
def fold(text: str) -> str:
    """The text in simplified characters; nothing else changes."""
    return _converter("t2s").convert(text) if CJK.search(text) else text


@lru_cache
def _converter(name: str):
    import opencc

    return opencc.OpenCC(name)


_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|dra|sr|sra|srta|st|no|nr|núm|num|vs|etc|e\.g|i\.e|p\.ej|approx|av|avda|jr|prof)"
    r"|\b[ap]\.m|(?:^|\s)[a-z])\.$",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？!?；;])[」』”’）)]*\s*(?=\S)|\n+|(?<=。」)")


@lru_cache(maxsize=20_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, stripped, in order; a line break ends one, an abbreviation's full stop does not."""
    found, start = [], 0
    for match in _END.finditer(text):
        piece = text[start : match.start()]
        after = text[match.end() : match.end() + 1]
        if "\n" not in match.group() and (
            (
                _ABBREVIATION.search(piece)
                and (after.isupper() or after.isdigit() or after.islower())
                and not re.search(r"\b[ap]\.m\.$", piece + "")
            )
            or (after.islower() and piece.endswith("."))
        ):
            continue
        found.append(text[start : match.end()])
        start = match.end()
    found.append(text[start:])
    return tuple(piece.strip() for piece in found if piece.strip())


_JOINT = re.compile(
    r"[,，;；—–:：]\s*|\s+(?:and|but|so|because|although|y|pero|porque|así que|aunque)\s+", re.IGNORECASE
)


def clauses(sentence: str) -> list[str]:
    """The sentence cut at commas and conjunctions."""
    return [piece.strip() for piece in _JOINT.split(sentence) if piece and piece.strip()]
