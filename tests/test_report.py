"""Tables: the same words in a terminal, in Markdown and in HTML, whatever stands in a cell."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_lab import BufferMemory, SettingError, SlidingWindowMemory, Table, tradeoff
from memory_lab.conversations import Probe, load
from memory_lab.recall import Asked, Replay
from memory_lab.report import Tradeoff, percent, width

SAID = Probe("What?", "free", accept=("x",), evidence=(0,))
NEVER = Probe("Who?", "free", answerable=False)


def asked(evidence, in_context, verdict, probe=SAID):
    return Asked(probe, evidence, in_context, None, verdict, 10)


def measured(prompts, cached, probes=(), own=(0, 0)):
    return Replay("talk", tuple(prompts), tuple(cached), tuple(probes), *own, seconds=0.1)


FULL = measured([100, 300], [0, 100], [asked(1.0, True, "correct"), asked(1.0, True, "wrong"),
                                       asked(None, None, "correct", NEVER), asked(None, None, "wrong", NEVER)])
SMALL = measured([100, 85], [0, 20], [asked(0.5, True, "correct"), asked(0.0, False, "abstained"),
                                      asked(None, None, "correct", NEVER), asked(None, None, "correct", NEVER)])
BOTH = {"buffer": [FULL], "window": [SMALL]}


def test_the_table_says_what_was_measured():
    table = Tradeoff(BOTH).table("Two strategies")
    assert table.header == ["strategy", "prompt tokens", "share", "peak", "cached", "evidence", "in context", "right",
                            "invented"]
    assert table.rows == [["buffer", "400", "100 %", "300", "25 %", "100 %", "2/2", "1/2", "1/2"],
                          ["window", "185", "46 %", "100", "11 %", "25 %", "1/2", "1/2", "0/2"]]
    assert table.caption == "Two strategies"


def test_several_conversations_are_added_up():
    row = Tradeoff({"both": [FULL, SMALL]}).table().rows[0]
    assert row == ["both", "585", "100 %", "300", "21 %", "63 %", "3/4", "2/4", "1/4"]


def test_columns_that_would_be_empty_are_left_out_and_others_come_where_there_is_something():
    unasked = measured([5], [0], [asked(1.0, True, None)])
    assert "right" not in Tradeoff({"a": [unasked]}).table().header
    paid = measured([5], [0], [asked(1.0, True, None)], own=(3, 1200))
    table = Tradeoff({"a": [unasked], "b": [paid]}, {"b": "3/4, 45 %"}).table()
    assert table.header[2:5] == ["own calls", "own tokens", "share"] and table.header[-1] == "published"
    assert [row[2:5] for row in table.rows] == [["0", "0", "100 %"], ["3", "1,200", "24100 %"]]  # 1,205 against 5
    assert [row[-1] for row in table.rows] == ["", "3/4, 45 %"]


def test_a_published_row_stands_beside_a_measured_one_or_is_refused():
    with pytest.raises(SettingError, match="summary"):
        Tradeoff(BOTH, {"summary": "3/4"})


def test_some_conversations_can_be_taken_out_of_many():
    other = Replay("other", (7,), (0,), (), 0, 0, seconds=0.1)
    both = Tradeoff({"a": [FULL, other], "b": [SMALL, other]})
    assert both.only(["other", "talk"])["b"] == (other, SMALL)
    assert both.only(["other"], "Caption").table().rows == [["a", "7", "100 %", "7", "0 %", "-", "0/0"],
                                                            ["b", "7", "100 %", "7", "0 %", "-", "0/0"]]
    with pytest.raises(SettingError, match="third was not measured"):
        both.only(["talk", "third"])


def test_no_prompts_and_no_probes_give_dashes():
    assert Tradeoff({"a": [measured([], [])]}).table().rows == [["a", "0", "-", "0", "-", "-", "0/0"]]


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_percent_rounds_halves_up_exactly(part, whole):
    with localcontext(prec=50):
        exact = (Decimal(100 * part) / whole).quantize(Decimal(1), ROUND_HALF_UP)
    assert percent(part, whole) == f"{exact} %"


def test_percent_knows_thirds_and_halves_in_floats():
    assert percent(0.285 * 200, 200) == percent(57, 200) == "29 %"
    assert percent(sum([1 / 3] * 3), 2) == "50 %"
    assert percent(sum([0.1] * 3), 24) == "1 %"
    assert percent(0, 0) == "-"


@pytest.mark.parametrize(("text", "columns"), [("", 0), ("abc", 3), ("預算", 4), ("ｱ", 1), ("Ａ", 2), ("e\u0301", 1),
                                               ("👍\ufe0f", 2), ("a\u200bb", 2), ("café", 4), ("한글", 4)])
def test_width_is_what_a_terminal_takes(text, columns):
    assert width(text) == columns


@given(st.lists(st.lists(st.text("ab預 算\n\t|e\u0301", max_size=8), min_size=3, max_size=3), max_size=4))
def test_every_line_of_the_text_ends_at_the_same_column(rows):
    lines = str(Table(["name", "數", "z"], rows)).split("\n")
    assert len(lines) == 2 + len(rows)
    full = width(lines[1])
    assert all(width(line) <= full for line in lines)
    assert all(width(line) == full for line, row in zip(lines[2:], rows, strict=True) if row[2].strip())


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), min_size=2, max_size=2))
def test_markdown_has_one_line_a_row_and_one_border_more_than_cells(cells):
    lines = Table(["a", "b"], [cells]).markdown().split("\n")
    assert len(lines) == 3
    bare = lines[2].replace("\\\\", "").replace("\\|", "")
    assert bare.count("|") == 3


def test_markdown_shows_a_cell_as_it_is():
    table = Table(["a|b", "n"], [["x_1*`<b>", "\\|"]], "Up | down")
    assert table.markdown() == ("Up \\| down\n\n| a\\|b | n |\n| --- | ---: |\n| x\\_1\\*\\`\\<b\\> | \\\\\\| |")


class Cells(HTMLParser):
    """The elements of a table with their attributes, and the text of each."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.found.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.found[-1][2] += data


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=20))
def test_html_shows_any_text_as_text(text):
    cells = Cells(Table(["a", text], [[text, text]], text)._repr_html_())
    assert [each[2] for each in cells.found if each[0] in ("th", "td", "caption")] == [text, "a", text, text, text]


def test_html_is_accessible():
    found = Cells(Table(["a", "b"], [["x", "1"], ["y", "2"]], "What it is")._repr_html_()).found
    heads = [(attrs["scope"], text) for tag, attrs, text in found if tag == "th"]
    assert heads == [("col", "a"), ("col", "b"), ("row", "x"), ("row", "y")]
    assert [text for tag, _, text in found if tag == "caption"] == ["What it is"]
    assert found[1][0] == "caption"  # first in the table, as HTML wants it


def test_a_row_of_another_length_is_refused():
    with pytest.raises(SettingError, match="row 1 has 1 cells, the header 2"):
        Table(["a", "b"], [["x", "1"], ["y"]])


def test_the_caption_stands_above_the_text():
    assert str(Table(["a"], [["x"]], "What it is")) == "What it is\n\na\n-\nx"


def test_a_tradeoff_shows_itself_as_its_table_and_alike_on_each_run():
    strategies = {"buffer": BufferMemory, "none": lambda system: SlidingWindowMemory(system, max_turns=1)}
    first, second = (tradeoff(strategies, [load("short_chat")], answer=False) for _ in range(2))
    assert repr(first) == str(first.table()) == repr(second)
    assert first._repr_html_() == first.table()._repr_html_() == second._repr_html_()
    assert first.markdown() == first.table().markdown() == second.markdown()
