"""The two standard figures in one style: tokens a prompt over the chat, and recall against tokens.

Lines and marks differ by shape as well as by colour and carry their names, so they survive black and white and a phone.
Each function returns a matplotlib Figure that a notebook shows as a PNG; figure.alt is the finding in words, for who
cannot see it, and is what the figure prints.  Names that are not in DejaVu Sans (Chinese) are not drawn.  Chapter 4.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from .errors import SettingError
from .labels import name_ends, name_points
from .report import Tradeoff, percent

# After Okabe and Ito, whom the colour-blind can tell apart; dark enough to be read as text on white (4.5 to 1).
COLOURS = ("#000000", "#0072B2", "#B84A00", "#00785A", "#A8447C", "#56619E", "#7D6200", "#7A3E9D", "#9A3324",
           "#3F6B2B", "#00707A", "#5F5F5F")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 2, 1, 2)), (0, (1, 1)),
          (0, (10, 2, 2, 2)), (0, (4, 4)), (0, (6, 1, 2, 1)), (0, (2, 3)))
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
STYLE = {
    "font.size": 11, "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 12,
    "axes.titlelocation": "left", "figure.facecolor": "white", "axes.facecolor": "white", "savefig.dpi": 160,
    "figure.dpi": 160, "font.family": "DejaVu Sans", "lines.linewidth": 1.8, "legend.frameon": False,
}


@contextmanager
def style() -> Iterator[None]:
    """The book's style, whatever the reader's own settings are; they come back afterwards."""
    import matplotlib.style

    with matplotlib.style.context(["default", STYLE]):
        yield


def look(place: int) -> dict[str, Any]:
    """Colour, dash and mark of the strategy at that place, as keywords of axes.plot; the 13th is like the first.

    >>> look(1)
    {'color': '#0072B2', 'linestyle': '--', 'marker': 's'}
    """
    return {"color": COLOURS[place % 12], "linestyle": DASHES[place % 12], "marker": MARKS[place % 12]}


def figure(title: str, width: float = 5.6, height: float = 3.4, **labels: Any) -> tuple[Any, Any]:
    """(figure, axes) in the book's style.  width, height: inches.  labels: what axes.set() takes."""
    with style():
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
            with style():
                self.savefig(out, format="png", metadata={"Software": None})
            return out.getvalue()

        def __repr__(self) -> str:
            return f"<Figure: {self.alt}>"

        __str__ = __repr__

    return BookFigure


def tokens_figure(result: Tradeoff, conversation: int = 0, title: str = "Tokens of each prompt") -> Any:
    """Tokens of each prompt over one conversation, a line a strategy, each named at its end.

    conversation: its index among those of the tradeoff.  .alt names each strategy's last and largest prompt.
    Raises SettingError if the tradeoff has no such conversation, or the conversation no model call.
    """
    shown = {}
    for name, replays in result.replays.items():
        if not 0 <= conversation < len(replays) or not replays[conversation].prompts:
            raise SettingError(f"strategy {name!r} has no prompts for conversation {conversation} of {len(replays)}")
        shown[name] = replays[conversation].prompts
    drawn, axes = figure(title, height=_height(shown), xlabel="model call", ylabel="tokens")
    longest = max(map(len, shown.values()))
    with style():
        for place, prompts in enumerate(shown.values()):
            axes.plot(range(1, len(prompts) + 1), prompts, **look(place), markersize=4.5,
                      markevery=(place % 5, max(1, longest // 5)))  # not all at one call: lines that meet stay apart
        axes.set_ylim(bottom=0)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.yaxis.set_major_formatter(_thousands)
        name_ends(axes, [(len(prompts), prompts[-1], name, look(place))
                         for place, (name, prompts) in enumerate(shown.items())])
    drawn.alt = "; ".join(f"{name}: last prompt {prompts[-1]:,} tokens, largest {max(prompts):,}"
                          for name, prompts in shown.items()) + "."
    return drawn


def recall_figure(result: Tradeoff, title: str = "Recall against tokens") -> Any:
    """Share of probes whose value is in the context against tokens, a mark a strategy, each named beside it.

    Tokens are those of all prompts and of the memory's own calls.  .alt says each strategy's two numbers.
    Raises SettingError for a tradeoff without strategies.
    """
    if not result.replays:
        raise SettingError("the tradeoff has no strategies: there is nothing to draw")
    own = any(replay.own_tokens for row in result.replays.values() for replay in row)
    drawn, axes = figure(title, height=_height(result.replays),
                         xlabel="tokens, prompts and own calls" if own else "prompt tokens, all calls",
                         ylabel="share of facts in the context", ylim=(-0.08, 1.12))
    points, words = [], []
    with style():
        for place, name in enumerate(result.replays):
            asked, tokens = result.asked(name), result.tokens(name)
            held = sum(each.in_context for each in asked)
            points.append((tokens, held / max(1, len(asked)), name, look(place) | {"linestyle": ""}))
            axes.plot(*points[-1][:2], **points[-1][3], markersize=9, markeredgecolor="white")
            words.append(f"{name}: {tokens:,} tokens, {percent(held, len(asked))} of the facts in the context")
        axes.set_xlim(0, max(1, *(point[0] for point in points)) * 1.08)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
        axes.xaxis.set_major_formatter(_thousands)
        name_points(axes, points)
    drawn.alt = "; ".join(words) + "."
    return drawn


def _height(names: Sequence[str]) -> float:
    return max(3.4, 1.2 + 0.22 * len(names))  # inches: a line of text each


def _thousands(value: float, _: int) -> str:
    return f"{value:,.0f}"
