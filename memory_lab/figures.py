"""The two standard figures in one style: tokens a prompt over the chat, and recall against tokens.

Lines differ by dash and mark as well as by colour, and carry their names, so they survive black and white and a phone.
Each function returns a matplotlib Figure that a notebook shows as a PNG; figure.alt is the finding in words, for who
cannot see it, and is what the figure prints.  Chapter 4.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from typing import Any

from .report import Tradeoff, percent

# Okabe and Ito's colours, which the colour-blind can tell apart; dark enough for a white plate in dark mode too.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#A8447C", "#56619E", "#8A6D00", "#7A3E9D")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 2, 1, 2)), (0, (1, 1)))
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE = {
    "font.size": 11, "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 12,
    "axes.titlelocation": "left", "figure.facecolor": "white", "axes.facecolor": "white", "savefig.dpi": 160,
    "figure.dpi": 160, "font.family": "DejaVu Sans", "svg.hashsalt": "memory_lab", "lines.linewidth": 1.8,
}


def figure(title: str, width: float = 6.4, height: float = 3.8, **labels: Any) -> tuple[Any, Any]:
    """(figure, axes) in the book's style.  width, height: inches.  labels: what axes.set() takes."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        drawn = _figure_class()(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(drawn)
        axes = drawn.subplots()
        axes.set_title(title, loc="left")
        axes.set(**labels)
    return drawn, axes


@cache
def _figure_class() -> type:
    from matplotlib.figure import Figure

    class BookFigure(Figure):
        """A Figure that shows itself without pyplot, the same bytes on every run."""

        alt = ""

        def _repr_png_(self) -> bytes:
            out = io.BytesIO()
            self.savefig(out, format="png", metadata={"Software": None})
            return out.getvalue()

        def __repr__(self) -> str:
            return f"<Figure: {self.alt}>"

        __str__ = __repr__

    return BookFigure


def tokens_figure(result: Tradeoff, conversation: int = 0, title: str = "Tokens of each prompt") -> Any:
    """Tokens of each prompt over one conversation, a line a strategy, each named at its end.

    conversation: its index among those of the tradeoff.  .alt names each strategy's last and largest prompt.
    """
    drawn, axes = figure(title, xlabel="model call", ylabel="tokens")
    ends = []
    for place, (name, replays) in enumerate(result.replays.items()):
        prompts = replays[conversation].prompts
        axes.plot(range(1, len(prompts) + 1), prompts, color=COLOURS[place % 8], linestyle=DASHES[place % 8])
        ends.append((prompts[-1], name, COLOURS[place % 8]))
    axes.set_ylim(bottom=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    _name_ends(axes, ends, len(prompts))
    drawn.alt = "; ".join(f"{name}: last prompt {replays[conversation].prompts[-1]:,} tokens, "
                          f"largest {replays[conversation].peak:,}" for name, replays in result.replays.items()) + "."
    return drawn


def recall_figure(result: Tradeoff, title: str = "Recall against tokens") -> Any:
    """Share of probes whose value is in the context against prompt tokens, a mark a strategy, each named beside it.

    .alt says each strategy's two numbers.
    """
    drawn, axes = figure(title, xlabel="prompt tokens, all calls", ylabel="share of facts in the context",
                         ylim=(-0.08, 1.12))
    points = []
    for place, (name, replays) in enumerate(result.replays.items()):
        answerable = [asked for replay in replays for asked in replay.answerable]
        tokens = sum(replay.prompt_tokens for replay in replays)
        recall = sum(asked.in_context for asked in answerable) / max(1, len(answerable))
        axes.plot([tokens], [recall], MARKS[place % 8], color=COLOURS[place % 8], markersize=9)
        points.append((tokens, recall, name, place % 8))
    axes.set_xlim(0, max(point[0] for point in points) * 1.4)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    _name_points(axes, points)
    drawn.alt = "; ".join(f"{name}: {tokens:,} tokens, {percent(recall, 1)} of the facts in the context"
                          for tokens, recall, name, _ in points) + "."
    return drawn


def _spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights near the wanted ones (sorted), at least a gap apart, so that labels do not collide.

    >>> _spread([0, 1, 50], 10)
    [-4.5, 5.5, 50.0]
    """
    groups: list[list[float]] = []  # [sum of wanted, number, first index's offset] of labels that touch
    for height in wanted:
        groups.append([height, 1])
        while len(groups) > 1 and _top(groups[-2], gap) + gap > _bottom(groups[-1], gap):
            total, number = groups.pop()
            groups[-1] = [groups[-1][0] + total, groups[-1][1] + number]
    return [_bottom(group, gap) + place * gap for group in groups for place in range(group[1])]


def _bottom(group: Sequence[float], gap: float) -> float:
    return group[0] / group[1] - (group[1] - 1) * gap / 2


def _top(group: Sequence[float], gap: float) -> float:
    return group[0] / group[1] + (group[1] - 1) * gap / 2


def _name_ends(axes: Any, ends: list[tuple[float, str, str]], last: int) -> None:
    ends = sorted(ends)
    gap = axes.get_ylim()[1] / 15
    for (height, name, colour), label in zip(ends, _spread([end[0] for end in ends], gap), strict=True):
        axes.annotate(name, (last, height), (last * 1.03, label), color=colour, va="center", annotation_clip=False)


def _name_points(axes: Any, points: list[tuple[float, float, str, int]]) -> None:
    """Names to the right of their marks; where marks crowd, the names stand in a column, each behind a small mark."""
    wide = axes.get_xlim()[1]
    groups: list[list[tuple[float, float, str, int]]] = []
    for point in sorted(points):
        near = [group for group in groups
                if any(point[0] - other[0] < wide / 4 and abs(point[1] - other[1]) < 0.1 for other in group)]
        joined = [point, *(each for group in near for each in group)]
        groups = [*(group for group in groups if group not in near), joined]
    for group in groups:
        group.sort(key=lambda point: point[1])
        right, alone = max(point[0] for point in group) + wide * 0.025, len(group) == 1
        heights = _spread([point[1] for point in group], 0.085)
        for (_, _, name, style), height in zip(group, heights, strict=True):
            if not alone:
                axes.plot([right + wide * 0.02], [height], MARKS[style], color=COLOURS[style], markersize=5)
            axes.annotate(name, (right + wide * (0 if alone else 0.04), height), color=COLOURS[style], va="center")
