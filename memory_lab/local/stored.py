"""What bench/local.py stored: pieces by key, read back as replays, so that every table of the package can be made.

Chapter 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..conversations import load
from ..recall import Asked, Replay
from ..report import Tradeoff
from .measure import FIRST, ROWS, SEEN, STYLES, UNSEEN

ENGLISH = (*SEEN, *UNSEEN)


@dataclass(frozen=True)
class Stored:
    """about: model, date, command, versions.  local, offline: key of a piece (measure.pieces) -> its result."""

    about: dict[str, Any]
    local: dict[str, Any]
    offline: dict[str, Any]

    @cached_property
    def names(self) -> list[str]:
        """The English conversations that both models have been through with each of the strategies of measure.FIRST."""
        return [name for name in ENGLISH if all(self._has(row, name) for row in FIRST)]

    @cached_property
    def rows(self) -> list[str]:
        """The strategies that both models have been through all of `names` with."""
        return [row for row in ROWS if all(self._has(row, name) for name in self.names)]

    def _has(self, row: str, name: str) -> bool:
        return all(f"strategy|{row}|{name}" in each for each in (self.local, self.offline))

    def tradeoff(self, model: str = "local", names: Sequence[str] | None = None,
                 rows: Sequence[str] | None = None) -> Tradeoff:
        """The recall/token table of one model, "local" or "offline"; seconds are 0."""
        pieces, names = getattr(self, model), self.names if names is None else names
        return Tradeoff({row: tuple(_replay(name, pieces[f"strategy|{row}|{name}"]) for name in names)
                         for row in rows or self.rows})

    @property
    def title(self) -> str:
        """The model and the date."""
        return f"{self.about['model']}, {self.about['date']}"

    def styled(self, style: str, name: str) -> list[bool]:
        """Which answerable probes of a conversation were answered right, from all of it in that prompt style.

        Empty where that was not measured.
        """
        if not all(f"style|{each}|{name}" in self.local for each in STYLES):
            return []
        if style in STYLES:
            verdicts = self.local[f"style|{style}|{name}"]["verdicts"]
        else:  # what the model "local" is sent, from a memory that keeps everything
            verdicts = [each["verdict"] for each in self.local[f"strategy|buffer|{name}"]["probes"]]
        return [each == "correct" for probe, each in zip(load(name).probes, verdicts, strict=True) if probe.answerable]


def _replay(name: str, piece: dict[str, Any]) -> Replay:
    asked = tuple(Asked(probe, **each) for probe, each in zip(load(name).probes, piece["probes"], strict=True))
    return Replay(name, tuple(piece["prompts"]), tuple(piece["cached"]), asked, piece["own_calls"],
                  piece["own_tokens"], 0.0)
