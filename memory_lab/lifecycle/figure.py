"""What became of each item, drawn: the store before and after, near what is about the same.  Chapter 10."""

from __future__ import annotations

from typing import Any

from ..figures import COLOURS, MARKS, figure, style
from ..retrieval.items import Items
from .importance import SUMMARY
from .maintain import Report, vectors_of


def fates_figure(items: Items, report: Report) -> Any:
    """A Figure of two panels, before and after, a mark an item; .alt says how many of each there are.

    Places are the two directions in which the vectors differ most, so that items in like words lie together.
    items: the store after the maintenance.  Cost: embeds the texts once more, and one singular value decomposition.
    """
    import numpy as np

    after = items.list()
    rows = np.array([*vectors_of(items, report.before), *vectors_of(items, after)])
    middle = rows - rows[:len(report.before)].mean(axis=0)
    axes = np.linalg.svd(middle[:len(report.before)], full_matrices=False)[2][:2]
    axes *= np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])[:, None]  # a decomposition leaves the signs open
    places = middle @ axes.T
    repeats = {id for item in report.added if item.type != SUMMARY for id in report.merged[item.id]}
    fates = [("expired", set(report.expired)), ("folded", set(report.removed) - set(report.expired) - repeats),
             ("repeated", repeats), ("kept", set(report.kept))]
    drawn, left = figure("Before", height=7)
    drawn.clear()
    left, right = drawn.subplots(2, 1, sharex=True, sharey=True)
    words = []
    with style():
        for place, (name, ids) in enumerate(fates):
            chosen = [n for n, item in enumerate(report.before) if item.id in ids]
            words.append(f"{len(chosen)} {name}")
            left.plot(*places[chosen].T, MARKS[place], color=COLOURS[(5, 1, 4, 2)[place]], markersize=4 + (place > 1),
                      alpha=0.75, markeredgewidth=0, label=words[-1])
        for place, (name, summary) in enumerate((("items", False), ("summaries", True))):
            chosen = [len(report.before) + n for n, item in enumerate(after) if (item.type == SUMMARY) == summary]
            words.append(f"{len(chosen)} {name}")
            right.plot(*places[chosen].T, MARKS[(3, 1)[place]], color=COLOURS[(2, 1)[place]], alpha=0.8,
                       markersize=5 + 2 * summary, markeredgewidth=0, label=words[-1])
        for axes_, title, number in ((left, "Before", len(report.before)), (right, "After", len(after))):
            axes_.set(title=f"{title}: {number:,} items", xticks=[], yticks=[])
            axes_.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=2, fontsize=10)
    drawn.alt = f"Before: {', '.join(words[:4])}; after: {', '.join(words[4:])}."
    return drawn
