"""The diff of a compaction: sentences that stay, go and come; values that are nowhere any more."""

from __future__ import annotations

import doctest
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab import diff as module
from memory_lab.compaction import Compaction
from memory_lab.diff import Diff, Vanished, diff

BEFORE = """user: My order number is 88231. I am from Shanghai.
assistant: Noted!
user: Please do not phone me; write to ana@example.org. We are 2 guests, and the budget is 1,000 yen."""


def test_examples():
    assert doctest.testmod(module).failed == 0


def test_sentences_are_compared_without_speaker_bullet_heading_case_and_width():
    after = "[level 1]\nNumbers:\n- User: MY ORDER NUMBER IS ８８２３１.\nPreferences: I am   from Shanghai"
    found = diff(BEFORE, after)
    assert found.kept == ("My order number is 88231.", "I am from Shanghai.") and found.added == ()
    assert found.lost[0] == "Noted!" and "Numbers:" not in str(found)


def test_the_second_pass_distorts():
    found = diff(BEFORE, "The user is from the south. Order 88231. Phone the user. Budget: 1000 yen, ana@example.org.")
    assert found.vanished == (Vanished("name", "Shanghai"), Vanished("number", "2"))
    assert "Please do not phone me; write to ana@example.org." in found.lost and "Phone the user." in found.added


@pytest.mark.parametrize(("before", "after", "gone"), [
    ("The code is A-4471.", "code a 4471", []),
    ("The code is A-4471.", "code A-447", ["A-4471"]),
    ("It costs $1,200.", "1200 dollars", []),
    ("預算是1000日圓。", "預算一千日圓", []),
    ("預算是1000日圓。", "預算10000日圓", ["1000"]),
    ("We meet on 3 May 2026.", "2026-05-03", []),
    ("I saw Anna there.", "Anna was seen.", []),
    ("I saw Anna there.", "Banana", ["Anna"]),
    ("1. First\n2. Second", "nothing", []),
    ("A table for 4, please.", "A table", ["4"]),
    ("Mail ana@example.org or see https://example.org/x.", "", ["ana@example.org", "https://example.org/x."]),
])
def test_a_value_is_there_in_any_form_or_has_vanished(before, after, gone):
    assert [each.written for each in diff(before, after).vanished] == gone


@given(st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_every_sentence_has_one_fate_and_a_text_loses_nothing_to_itself(one, other):
    same, found = diff(one, one), diff(one, other)
    assert same.lost == same.added == same.vanished == ()
    assert set(found.kept) | set(found.lost) == set(same.kept) and not set(found.kept) & set(found.lost)
    assert len(diff(other, one).lost) == len(found.added)


def test_the_terminal_shows_signs_and_html_shows_words():
    found = Diff(("same",), ("<b>gone</b>",), ("come",), (Vanished("code", "A-1"),))
    assert str(found).splitlines()[1:] == ["! code A-1", "- <b>gone</b>", "+ come", "  same"]
    page = found._repr_html_()
    assert re.findall(r'<th scope="row">(\w+)</th>', page) == ["vanished", "lost", "added", "kept"]
    assert "&lt;b&gt;gone" in page and "<del>" in page and "<ins>" in page and "color" not in page


def test_a_record_gives_its_diff_and_a_refused_one_changed_nothing():
    record = Compaction((0, 1), BEFORE, "Order 88231.", 60, 5)
    assert Vanished("name", "Shanghai") in record.diff().vanished
    assert not Compaction((0, 1), BEFORE, BEFORE, 60, 60, error="the text is empty").diff().lost
