"""Regular expressions from the files in patterns/, whose README tells their form."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path


@lru_cache
def patterns(name: str) -> tuple[tuple[str, str], ...]:
    """(key, expression) pairs of one file, in order; a key may come more than once."""
    found: list[list[str]] = []
    for line in (Path(__file__).parent / "patterns" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[-1][1] += line[2:]
        elif line and not line.startswith("#"):
            key, _, expression = line.partition(" = ")
            found.append([key, expression])
    parts = {key: expression for key, expression in found if key.isupper()}

    def whole(expression: str) -> str:
        while (filled := re.sub(r"<([A-Z]+)>", lambda match: parts.get(match[1], match[0]), expression)) != expression:
            expression = filled
        return expression

    return tuple((key, whole(expression)) for key, expression in found if not key.isupper())


def compiled(file: str, name: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """One expression of a file, compiled; upper and lower case are one unless flags is 0."""
    return re.compile(dict(patterns(file))[name], flags)
