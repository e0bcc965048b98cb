"""The replay as one figure, and the words for who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from .limit import Recommendation, kept_at
from .measure import FULL, LogReplay
from .report import rows

# Okabe and Ito's colours (2008), told apart with any colour vision; the line styles tell them apart without colour.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


def draw(replays: Sequence[LogReplay], recommendation: Recommendation | None, path: str | PathLike[str]) -> str:
    """The alternative text of a figure that is saved to path as PNG.

    Left: prompt tokens at each call of the longest conversation, a line per strategy.  Right: the share of later
    mentions that a token window of each limit still holds.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    longest = max(replays, key=lambda replay: len(replay.plan.calls))
    _prompts(left, longest, len(replays) > 1)
    _references(right, replays, recommendation)
    figure.savefig(path, format="png", dpi=150, metadata={"Software": None})
    return words(replays, recommendation)


def words(replays: Sequence[LogReplay], recommendation: Recommendation | None) -> str:
    """What the figure shows, in words."""
    table = rows(replays)
    said = "; ".join(f"{row['strategy']} {row['prompt_tokens']:,} tokens, peak {row['peak']:,}, "
                     f"{row['lost']} of {row['references']} later mentions lost" for row in table)
    text = f"Left: prompt tokens at each model call, a line per strategy. {said}."
    if recommendation and recommendation.references:
        text += (f" Right: share of later mentions that a token window holds, rising with its limit; "
                 f"at the recommended {recommendation.token_limit:,} tokens it is "
                 f"{recommendation.kept} of {recommendation.references}.")
    elif recommendation:
        text += " Right: no curve, because no later message names anything from an earlier turn."
    return text


def _prompts(axes: Any, replay: LogReplay, several: bool) -> None:
    calls = range(1, len(replay.plan.calls) + 1)
    full = replay.strategies[FULL].prompt_tokens or 1
    for number, (label, result) in enumerate(replay.strategies.items()):
        style = {"color": COLOURS[number % len(COLOURS)], "linestyle": STYLES[number % len(STYLES)]}
        tokens = [float("nan") if sent is None else sent for sent in result.tokens]
        mark = {"marker": "o", "markersize": 3} if len(calls) < 30 else {}
        axes.plot(calls, tokens, label=f"{label}: {result.prompt_tokens / full:.0%}", linewidth=1.6, **style, **mark)
    axes.set(xlabel="model call", ylabel="prompt tokens", ylim=(0, None),
             title="Longest conversation: prompt tokens at each call" if several else "Prompt tokens at each call")
    axes.legend(frameon=False, fontsize=8, title="share of the whole log's tokens", title_fontsize=8)
    _plain(axes)


def _references(axes: Any, replays: Sequence[LogReplay], recommendation: Recommendation | None) -> None:
    axes.set(xlabel="token_limit", ylabel="later mentions still in the context", ylim=(0, 1.05),
             title="What a token window holds")
    _plain(axes)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    if not recommendation or not recommendation.references:
        axes.text(0.5, 0.5, "no later message names a value\nof an earlier turn", ha="center", va="center",
                  transform=axes.transAxes)
        axes.set_xticks([])
        return
    top = max(recommendation.peak, recommendation.token_limit) * 1.05
    limits = [top * step / 400 for step in range(401)]
    axes.step(limits, kept_at(replays, limits), where="post", color=COLOURS[2], linewidth=1.8)
    axes.axvline(recommendation.token_limit, color=COLOURS[1], linestyle="--", linewidth=1.4)
    near_end = recommendation.token_limit > top * 0.6
    axes.annotate(f"recommended: {recommendation.token_limit:,}", (recommendation.token_limit, 0.08),
                  xytext=(-6 if near_end else 6, 0), textcoords="offset points", color=COLOURS[1],
                  ha="right" if near_end else "left", fontsize=9)
    axes.set_xlim(0, top)


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.xaxis.get_major_locator().set_params(integer=True)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda number, _: f"{number:,.0f}")
