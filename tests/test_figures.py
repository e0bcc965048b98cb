"""Figures: the same picture each time, no name over another, readable without colour, told in words."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.text import Text

from memory_lab import SettingError
from memory_lab.conversations import Probe
from memory_lab.figures import COLOURS, DASHES, MARKS, figure, look, recall_figure, tokens_figure
from memory_lab.recall import Asked, Replay
from memory_lab.report import Tradeoff

NAMES = ("buffer", "pop(0), 20 messages", "sliding window, 2 turns", "sliding window, 5 turns", "fixed window, 5 turns",
         "token window, 500 tokens", "summary, 500 tokens", "hierarchy", "fact table", "layered", "BM25", "mixed")


def result(points):
    """A tradeoff of (prompt tokens, facts held of 4), five model calls each."""
    made = {}
    for name, (tokens, held) in zip(NAMES, points, strict=False):
        probe = Probe("What?", "free", accept=("x",), evidence=(0,))
        asked = tuple(Asked(probe, float(place < held), place < held, None, None, 9) for place in range(4))
        prompts = tuple(tokens * share // 15 for share in (1, 2, 3, 4, 5))
        made[name] = (Replay("talk", prompts, (0,) * 5, asked, 0, 0, 0.1),)
    return Tradeoff(made)


FEW = result([(13000, 4), (9000, 2), (2000, 0)])
CROWDED = result([(15000, 4)] + [(1500 + 10 * place, place % 2) for place in range(11)])
SAME = result([(3000, 2)] * 12)
POINTS = st.lists(st.tuples(st.integers(150, 20000), st.integers(0, 4)), min_size=1, max_size=12)


def names_of(drawn):
    """(text, box) of each name in a drawn figure."""
    drawn.canvas.draw()
    return [(each.get_text(), each.get_window_extent()) for each in drawn.axes[0].texts if each.get_text()]


def check_names(drawn, tradeoff):
    labels = names_of(drawn)
    assert sorted(name for name, _ in labels) == sorted(tradeoff.replays)
    for place, (name, box) in enumerate(labels):
        assert box.x0 >= 0 and box.y0 >= 0, name
        assert box.x1 <= drawn.bbox.x1 and box.y1 <= drawn.bbox.y1, name
        for other, its in labels[place + 1:]:
            assert not box.overlaps(its), (name, other)


@pytest.mark.parametrize("draw", [tokens_figure, recall_figure])
@pytest.mark.parametrize("tradeoff", [FEW, CROWDED, SAME], ids=["few", "crowded", "same"])
def test_no_name_covers_another_or_leaves_the_picture(draw, tradeoff):
    check_names(draw(tradeoff), tradeoff)


@settings(max_examples=8, deadline=None)
@given(POINTS)
def test_names_have_room_wherever_the_points_lie(points):
    for draw in (tokens_figure, recall_figure):
        check_names(draw(result(points)), result(points))


def test_names_beside_marks_cover_no_mark():
    drawn = recall_figure(FEW)
    labels = names_of(drawn)
    inside = drawn.axes[0].get_window_extent()
    assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 for _, box in labels)  # beside the marks, not in a column
    marks = [drawn.axes[0].transData.transform(line.get_xydata()[0]) for line in drawn.axes[0].lines]
    assert not any(box.contains(*mark) for _, box in labels for mark in marks)


@pytest.mark.parametrize("draw", [tokens_figure, recall_figure])
def test_the_picture_is_the_same_bytes_whatever_the_readers_settings(draw):
    first = draw(CROWDED)._repr_png_()
    with matplotlib.rc_context({"font.size": 20, "lines.linewidth": 9, "figure.dpi": 50, "savefig.dpi": 30}):
        second = draw(CROWDED)._repr_png_()
    assert first == second and first.startswith(b"\x89PNG")
    assert matplotlib.rcParams["font.size"] == matplotlib.rcParamsDefault["font.size"]


def test_the_same_bytes_come_from_another_process_and_pyplot_is_not_there():
    code = ("import sys, hashlib, test_figures as t\n"
            "png = t.recall_figure(t.FEW)._repr_png_()\n"
            "print(hashlib.sha256(png).hexdigest(), 'matplotlib.pyplot' in sys.modules)")
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                           cwd=Path(__file__).parent).stdout for _ in range(2)}
    assert len(runs) == 1 and runs.pop().split()[1] == "False"


def test_twelve_strategies_differ_without_colour():
    looks = [look(place) for place in range(12)]
    assert len({str(each["linestyle"]) for each in looks}) == len({each["marker"] for each in looks}) == 12
    assert len(set(COLOURS)) == len(set(map(str, DASHES))) == len(set(MARKS)) == 12
    for draw in (tokens_figure, recall_figure):
        lines = draw(CROWDED).axes[0].lines
        assert len({line.get_marker() for line in lines}) == 12


def test_colours_can_be_read_as_text_on_white():
    for colour in COLOURS:
        parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        assert 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 4.5, colour


def test_the_words_say_the_numbers():
    assert tokens_figure(FEW).alt == (
        "buffer: last prompt 4,333 tokens, largest 4,333; "
        "pop(0), 20 messages: last prompt 3,000 tokens, largest 3,000; "
        "sliding window, 2 turns: last prompt 666 tokens, largest 666.")
    drawn = recall_figure(FEW)
    assert drawn.alt.startswith("buffer: 12,998 tokens, 100 % of the facts in the context; pop(0), 20 messages: 9,000 ")
    assert repr(drawn) == str(drawn) == f"<Figure: {drawn.alt}>"


def test_lines_and_marks_stand_where_the_numbers_are():
    axes = recall_figure(FEW).axes[0]
    assert [tuple(line.get_xydata()[0]) for line in axes.lines] == [(12998, 1), (9000, 0.5), (1998, 0)]
    axes = tokens_figure(FEW).axes[0]
    assert list(axes.lines[1].get_ydata()) == [600, 1200, 1800, 2400, 3000]
    assert axes.get_ylim()[0] == 0


def test_colours_can_be_read_when_the_dark_book_turns_them_over():
    page = 0.0056 + 0.05  # luminance of the theme's dark page, #121212
    for colour in COLOURS:
        old = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        over = [0.93 - 0.86 * value for value in old]  # CSS: invert(.93), then hue-rotate(180deg)
        light = 2 * sum(part * value for part, value in zip((0.213, 0.715, 0.072), over, strict=True))
        turned = [min(1, max(0, light - value)) for value in over]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in turned)
        assert (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) / page >= 4.5, colour


@pytest.mark.parametrize("draw", [tokens_figure, recall_figure])
def test_words_are_large_enough_on_a_phone(draw):
    drawn, phone = draw(CROWDED), 342  # CSS pixels: what a page of 360 leaves for a figure
    words = [text for text in drawn.findobj(Text) if text.get_text().strip()]
    smallest = min(text.get_fontsize() for text in words) / 72 / drawn.get_figwidth() * phone
    assert smallest >= 8.5, f"{smallest:.1f} px"


def test_the_white_plate_is_white_and_the_picture_has_ink():
    from PIL import Image

    pixels = numpy.asarray(Image.open(io.BytesIO(tokens_figure(FEW)._repr_png_())).convert("RGB"))
    assert tuple(pixels[0, 0]) == (255, 255, 255)
    assert (pixels.min(axis=2) < 100).mean() > 0.005


def test_a_figure_of_ones_own_has_the_style():
    drawn, axes = figure("Title", xlabel="turn", ylabel="tokens")
    assert axes.get_title(loc="left") == "Title" and axes.get_xlabel() == "turn"
    assert not axes.spines["top"].get_visible()
    axes.plot([1, 2], [3, 4])
    assert drawn._repr_png_() == drawn._repr_png_()


def test_nothing_to_draw_is_an_error():
    with pytest.raises(SettingError, match="no strategies"):
        recall_figure(Tradeoff({}))
    with pytest.raises(SettingError, match="conversation 3 of 1"):
        tokens_figure(FEW, 3)
    with pytest.raises(SettingError, match="no prompts"):
        tokens_figure(Tradeoff({"a": (Replay("talk", (), (), (), 0, 0, 0.1),)}))
