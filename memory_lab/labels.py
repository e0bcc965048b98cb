"""Names beside lines and marks in a figure, so that no name covers another one.

Places are found with matplotlib's renderer: what it will draw is measured, not guessed.  Used by figures.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Label = tuple[float, float, str, dict[str, Any]]  # x and y of what is named, its name, its look
LINE = 1.25  # of the font's size: what a line of text needs
PLACES = ((9, 0, "left", "center"), (-9, 0, "right", "center"), (0, 8, "center", "bottom"), (0, -8, "center", "top"),
          (7, 6, "left", "bottom"), (7, -6, "left", "top"), (-7, 6, "right", "bottom"), (-7, -6, "right", "top"))


def name_ends(axes: Any, ends: Sequence[Label]) -> None:
    """Name lines at their ends, in a column at the right: a thin line leads from each end to its mark and name."""
    _column(axes, sorted(ends, key=lambda end: end[1]), leaders=True)


def name_points(axes: Any, points: Sequence[Label]) -> None:
    """Name each mark right beside it where all names have room; else in a column at the right, as a legend does."""
    drawn = axes.figure
    drawn.draw_without_rendering()  # lays out, so that places are those of the picture
    inside = axes.get_window_extent()
    pixels = [axes.transData.transform(point[:2]) for point in points]
    scale = drawn.dpi / 72
    taken = [_box(x - 5 * scale, y - 5 * scale, x + 5 * scale, y + 5 * scale) for x, y in pixels]
    apart = all(not one.overlaps(other) for place, one in enumerate(taken) for other in taken[place + 1:])
    labels = []
    for number, (x, y, name, _) in enumerate(points) if apart else ():
        for right, up, across, along in PLACES:
            label = axes.annotate(name, (x, y), (right, up), textcoords="offset points", ha=across, va=along)
            box = label.get_window_extent()
            others = [each for place, each in enumerate(taken) if place != number]
            if inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1 \
                    and not any(box.overlaps(each) for each in others):
                labels.append(label)
                taken.append(box)
                break
            label.remove()
        else:
            break
    if len(labels) < len(points):
        for label in labels:
            label.remove()
        order = sorted(points, key=lambda point: (point[1], -point[0]))
        _column(axes, order, leaders=False)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Heights near the wanted ones (sorted), at least a gap apart, from low on, and up to high as far as there is room.

    >>> spread([0, 1, 50], 10, 0, 100)
    [0, 10, 50]
    >>> spread([95, 99], 10, 0, 100)
    [90, 100]
    """
    heights = list(wanted)
    for place in range(len(heights)):
        least = low if place == 0 else heights[place - 1] + gap
        heights[place] = max(heights[place], least)
    for place in reversed(range(len(heights))):
        most = high if place == len(heights) - 1 else heights[place + 1] - gap
        heights[place] = min(heights[place], most)
    if heights and heights[0] < low:
        return [low + place * gap for place in range(len(heights))]
    return heights


def _column(axes: Any, labels: Sequence[Label], *, leaders: bool) -> None:
    from matplotlib.transforms import offset_copy

    drawn = axes.figure
    drawn.draw_without_rendering()
    x, (bottom, top) = axes.get_xlim()[1], axes.get_ylim()
    per_point = (top - bottom) / (axes.get_window_extent().height / drawn.dpi * 72)
    size = axes.yaxis.label.get_size()
    gap = size * LINE * per_point
    heights = spread([label[1] for label in labels], gap, bottom + gap / 2, top - gap / 2)
    shift = offset_copy(axes.transData, drawn, x=22 if leaders else 14, units="points")
    for (end, value, name, look), height in zip(labels, heights, strict=True):
        if leaders:
            axes.annotate("", (end, value), (x, height), textcoords=shift, annotation_clip=False,
                          arrowprops={"arrowstyle": "-", "linewidth": 0.8, "color": look["color"], "shrinkB": 0})
        axes.plot([x], [height], transform=shift, clip_on=False, markersize=6, **(look | {"linestyle": ""}))
        axes.annotate(name, (x, height), (8, 0), xycoords=shift, textcoords="offset points", va="center",
                      annotation_clip=False)


def _box(left: float, low: float, right: float, high: float) -> Any:
    from matplotlib.transforms import Bbox

    return Bbox([[left, low], [right, high]])
