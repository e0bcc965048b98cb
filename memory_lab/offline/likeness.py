"""How alike words look that the lexicon does not bring together: by their beginning, or by a Chinese character."""

from __future__ import annotations

from collections.abc import Iterable, Set


def same_beginning(asked: Iterable[Set[str]], said: Set[str]) -> float:
    """0.7 where a word of each begins alike ("insured", "insurance"): five letters and most of the longer; else 0."""
    for key in (key for keys in asked for key in keys if len(key) >= 5):
        for other in said:
            if other[:5] == key[:5] and _common(key, other) >= max(5, 0.6 * len(key), 0.6 * len(other)):
                return 0.7
    return 0.0


def _common(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


# characters that stand in too many words to tell anything
_COMMON = frozenset(
    "我的是了在有个一不人们你他她它这那什么哪几多少和跟也都要会能去来到上下大小时间里吗呢些用把被给做家天年月日号点"
)


def same_characters(asked: Iterable[Set[str]], known: bool, said: Set[str]) -> float:
    """The share of a Chinese word's pairs of characters that are said; 0.45 where only a telling character is.

    known: the lexicon has the word, so that its pairs are not all there is to go by."""
    shared = max((len(keys & said) / len(keys) for keys in asked if len(keys) > 1), default=0.0)
    if shared >= 0.3 and not known:
        return shared
    return 0.45 if any(char in said and char not in _COMMON for keys in asked for key in keys for char in key) else 0.0
