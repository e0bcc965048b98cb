"""Heights for names in a column; that no name covers another is shown on pictures in test_figures.py."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory_lab.labels import spread


@given(st.lists(st.integers(-50, 150), min_size=1, max_size=12).map(sorted))
def test_spread_keeps_the_order_the_gap_and_the_bounds(wanted):
    heights = spread(wanted, 8, 0, 100)
    assert len(heights) == len(wanted)
    assert all(later - earlier >= 8 for earlier, later in pairwise(heights))
    assert heights[0] >= 0 and heights[-1] <= 100
    assert spread(heights, 8, 0, 100) == heights


@given(st.lists(st.integers(0, 100), max_size=12).map(sorted))
def test_heights_that_are_apart_stay_where_they_are(wanted):
    if all(later - earlier >= 8 for earlier, later in pairwise(wanted)):
        assert spread(wanted, 8, 0, 100) == wanted


def test_where_there_is_no_room_the_gap_is_kept_and_the_top_is_passed():
    assert spread([50] * 4, 10, 0, 20) == [0, 10, 20, 30]
