"""The recall/token plane: a mark a strategy, its row when it is pointed at, published results beside.  Chapter 4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from ..errors import SettingError
from ..report import Table, Tradeoff, percent
from .base import LiveFigure, Slots, escape

LEFT, RIGHT, TOP, BOTTOM = 52, 400, 40, 262  # of the plane, in a picture of 430 by 310
PLACES = [(dx * ring, dy * ring) for ring in (1, 1.6, 2.2, 2.8)
          for dx, dy in ((17, 0), (0, -17), (-17, 0), (0, 17), (13, -13), (-13, -13), (13, 13), (-13, 13))]
HERE = "▸"  # before the number of the row that the status line reads out
SHAPES = ("M-6,0a6,6 0 1,0 12,0a6,6 0 1,0 -12,0", "M-5.5,-5.5h11v11h-11z", "M0,-7l7,12h-14z", "M0,-7l7,7l-7,7l-7,-7z",
          "M0,7l7,-12h-14z", "M-6,-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z")


@dataclass(frozen=True)
class Point:
    """A mark.  share: of the tokens of the first of its kind, 1 for all.  held of asked: facts, or answers."""

    name: str
    tokens: int
    share: float
    held: int
    asked: int
    published: bool

    def words(self) -> str:
        """The row as a sentence."""
        what = "answers right, published" if self.published else "facts in the context, measured"
        return (f"{self.name}: {self.tokens:,} tokens ({percent(self.share, 1)}), {self.held} of {self.asked} {what}.")


class PlaneFigure(LiveFigure):
    """Share of facts in the context against share of tokens, a mark a strategy; pointing at one shows its row.

    published: name -> (tokens, right answers, questions), drawn hollow.  Tokens are those of all prompts and of the
    memory's own calls, as a share of the first strategy's; published ones of the first published row's, since another
    chat has another size.  Marks are reached with Tab; the table below has every row.
    Raises SettingError for a tradeoff without strategies or facts.
    """

    def __init__(self, result: Tradeoff, published: Mapping[str, tuple[int, int, int]] | None = None,
                 title: str = "Facts held, and what they cost"):
        measured = []
        for name in result.replays:
            asked = result.asked(name)
            measured.append((name, result.tokens(name), sum(bool(each.in_context) for each in asked), len(asked)))
        if not measured or not measured[0][1] or not measured[0][3]:
            raise SettingError("the tradeoff has no strategy, no prompt or no fact: there is nothing to draw")
        others = [(name, *row) for name, row in (published or {}).items()]
        self.points = [Point(name, tokens, tokens / rows[0][1], held, asked, rows is others)
                       for rows in (measured, others) for name, tokens, held, asked in rows]
        self._most = ceil(max(point.share for point in self.points) * 4) / 4
        self.title = title
        numbers = list(map(str, range(1, len(self.points) + 1)))
        self.steps = [[point.words(), *(f"{HERE} {mark}" if mark == numbers[place] else mark for mark in numbers)]
                      for place, point in enumerate(self.points)]
        self.note = ("Top left is best: all facts for few tokens. Filled marks are measured, hollow ones published: "
                     "another chat and another model, so compare order and share, not points."
                     if published else "Top left is best: all facts for few tokens.")

    def _place(self, point: Point) -> tuple[float, float]:
        return (round(LEFT + (RIGHT - LEFT) * point.share / self._most, 1),
                round(BOTTOM - (BOTTOM - TOP) * point.held / max(1, point.asked), 1))

    def _body(self, slots: Slots) -> str:
        return slots.status() + self._picture() + self._table(slots)

    def _picture(self) -> str:
        lines, places = [], [self._place(point) for point in self.points]
        for share in (0, 0.25, 0.5, 0.75, 1):
            y = BOTTOM - (BOTTOM - TOP) * share
            lines.append(f'<line class="ml-axis" x1="{LEFT - 4}" x2="{LEFT if share else RIGHT}" y1="{y}" y2="{y}"/>'
                         f'<text x="{LEFT - 8}" y="{y + 5}" text-anchor="end">{percent(share, 1)}</text>')
        for quarter in range(0, round(self._most * 4) + 1, 1 if self._most <= 1.25 else 2):
            x = round(LEFT + (RIGHT - LEFT) * quarter / 4 / self._most, 1)
            lines.append(f'<line class="ml-axis" x1="{x}" x2="{x}" y1="{BOTTOM}" y2="{BOTTOM + 5}"/>'
                         f'<text x="{x}" y="{BOTTOM + 20}" text-anchor="middle">{quarter * 25} %</text>')
        marks, labels = [], _labels(places)
        for place, (point, (x, y), (right, down)) in enumerate(zip(self.points, places, labels, strict=True)):
            kind = ' class="ml-published"' if point.published else ""
            marks.append(f'<g{kind} data-mark="{place}" tabindex="0" role="img" aria-label="{escape(point.words())}" '
                         f'transform="translate({x} {y})"><circle class="ml-ring" r="10"/>'
                         f'<path class="ml-shape" d="{SHAPES[place % len(SHAPES)]}"/>'
                         f'<text x="{right:.1f}" y="{down + 5:.1f}" text-anchor="middle">{place + 1}</text></g>')
        return (f'<svg viewBox="0 0 430 310" role="group" aria-label="{escape(self.title)}">{"".join(lines)}'
                f'<line class="ml-axis" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{BOTTOM}"/>'
                f'<text x="{LEFT - 44}" y="16">facts held</text>'
                f'<text x="{RIGHT}" y="302" text-anchor="end">tokens, share of the first</text>{"".join(marks)}</svg>')

    def _table(self, slots: Slots) -> str:
        rows = []
        for point in self.points:
            cells = "".join(f'<td class="ml-number">{escape(cell)}</td>' for cell in _cells(point))
            rows.append(slots.row("tr", f'<th scope="row">{escape(point.name)}</th>{cells}', cell="td"))
        columns = ("mark", "strategy", "tokens", "share", "facts")
        head = "".join(f'<th scope="col">{word}</th>' for word in columns)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"

    def __repr__(self) -> str:
        rows = [[point.name, *_cells(point), "published" if point.published else "measured"] for point in self.points]
        return str(Table(["strategy", "tokens", "share", "facts", "source"], rows, self.title))


def _cells(point: Point) -> list[str]:
    return [f"{point.tokens:,}", percent(point.share, 1), f"{point.held}/{point.asked}"]


def _labels(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """For each mark where its number stands: the nearest place that is free of marks and numbers, else the first."""
    taken, found = list(places), []
    for x, y in places:
        others = [spot for spot in taken if spot != (x, y)]
        free = [(right, down) for right, down in PLACES
                if LEFT - 6 <= x + right <= RIGHT + 20 and 12 <= y + down <= BOTTOM - 6
                and all(abs(x + right - ox) >= 15 or abs(y + down - oy) >= 13 for ox, oy in others)]
        right, down = free[0] if free else PLACES[0]
        taken.append((x + right, y + down))
        found.append((right, down))
    return found
