"""Keywords and vectors as one score.  Chapter 9."""

from __future__ import annotations

from typing import Any

from ..errors import SettingError


def fuse(keywords: Any, cosines: Any | None, keyword_weight: float) -> Any:
    """Array of weight x keywords / their largest + (1 - weight) x cosines; the keywords alone where there are none.

    keywords: scores, 0 and more, such as BM25's.  cosines: -1 to 1; below 0 counts as 0.  The result is 0 to 1.
    Rank fusion was tried beside it: it finds as much and has no scale, so no least similarity could be set.

    >>> import numpy as np
    >>> fuse(np.array([0.0, 4.0, 2.0]), np.array([0.5, 0.0, -0.5]), 0.6).tolist()
    [0.2, 0.6, 0.3]
    """
    scaled = keywords / keywords.max() if len(keywords) and keywords.max() > 0 else keywords
    if cosines is None:
        return scaled
    return keyword_weight * scaled + (1 - keyword_weight) * cosines.clip(min=0)


def share(name: str, value: Any) -> float:
    """value, if it is a number from 0 to 1; else SettingError that names the setting."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise SettingError(f"{name} is {value!r}; it must be a number from 0 to 1")
    return float(value)
