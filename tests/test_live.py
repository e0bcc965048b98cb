"""Live figures: each step is in the page, and nothing that is said in a chat can break out of it."""

from __future__ import annotations

import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from live_pages import MAKE, data, filled, parsed, shown, unpacked

from memory_lab import BufferMemory, HierarchicalSummaryMemory, TokenWindowMemory, assistant, tradeoff, user
from memory_lab.compaction import Compaction
from memory_lab.conversations import Conversation, Probe
from memory_lab.live import BudgetFigure, CompactionFigure, PlaneFigure, RaceFigure, TreeFigure
from memory_lab.live.base import Control, LiveFigure, _runs
from memory_lab.live.style import CSS, SCRIPT

NASTY = "</script><script>alert(1)</script> & \"'><b> ]]> \u2028 <!-- \x0b \x00"


@pytest.fixture(scope="module")
def figures():
    return {name: make() for name, make in MAKE.items()}


@pytest.mark.parametrize("name", MAKE)
def test_the_page_is_well_formed_small_and_asks_for_nothing(figures, name):
    html = figures[name]._repr_html_()
    root = ElementTree.fromstring(html)
    assert root.get("role") == "group" and root.get("aria-label") == figures[name].title
    assert len(html.encode()) <= 60_000
    assert not [each for each in root.iter() if {"src", "href", "id"} & set(each.keys())]
    assert not re.search(r"https?:|url\(|@import|fetch|XMLHttp|import\(", html)


@pytest.mark.parametrize("name", MAKE)
def test_the_page_shows_the_first_step_and_holds_every_step(figures, name):
    figure = figures[name]
    if not figure.steps:
        assert name == "tree" and not list(parsed(figure).iter("script"))
        return
    assert shown(figure) == figure.says(figure.first)
    assert len(data(figure)["steps"]) == len(figure.steps) > 1
    for step in range(len(figure.steps)):
        assert unpacked(figure, step) == figure.says(step)
        assert len(figure.says(step)) == len(shown(figure))


@pytest.mark.parametrize("name", MAKE)
def test_each_control_has_a_label_and_each_change_is_read_out(figures, name):
    root = parsed(figures[name])
    controls = [each for each in root.iter() if each.tag in ("input", "select")]
    labelled = [each for label in root.iter("label") for each in label.iter() if each.tag in ("input", "select")]
    assert controls == labelled and all(label.text.strip() for label in root.iter("label"))
    assert len(controls) == len(figures[name].controls)
    assert len([each for each in root.iter() if each.get("aria-live") == "polite"]) == bool(figures[name].steps)


@pytest.mark.parametrize("name", MAKE)
def test_a_row_is_styled_by_the_word_that_it_shows(figures, name):
    for row in parsed(figures[name]).iter():
        if "data-state" in row.keys():  # noqa: SIM118 - an element is not a mapping
            assert row.get("data-state") == (row[0].text or "")


@pytest.mark.parametrize("name", MAKE)
def test_the_text_is_for_who_cannot_see_it_and_the_same_on_every_run(figures, name):
    text = repr(figures[name])
    assert text == repr(MAKE[name]()) and figures[name]._repr_html_() == MAKE[name]()._repr_html_()
    assert len(text.splitlines()) > 3 and figures[name].title in text
    assert not re.search(r"\b0x[0-9a-f]{6}", text + figures[name]._repr_html_())


def test_another_process_makes_the_same_bytes():
    code = ("import sys; from hashlib import md5; from memory_lab.live import BudgetFigure;"
            "from memory_lab import TokenWindowMemory; from memory_lab.conversations import load;"
            "figure = BudgetFigure(load('five_facts'), TokenWindowMemory);"
            "print(md5((repr(figure) + figure._repr_html_()).encode()).hexdigest(), 'matplotlib' in sys.modules)")
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                           env={"PYTHONHASHSEED": seed}).stdout for seed in "12"}
    assert len(runs) == 1 and runs.pop().endswith("False\n")


def test_script_and_style_stand_in_xml_too():
    assert not {"<", "&"} & set(SCRIPT + CSS) and "]]>" not in SCRIPT + CSS


@given(st.lists(st.integers(0, 3), max_size=30))
def test_runs_come_apart_again(values):
    runs = _runs(values)
    assert [value for value, times in zip(runs[::2], runs[1::2], strict=True) for _ in range(times)] == values


class Echo(LiveFigure):
    """A figure of the words that it is given."""

    def __init__(self, words):
        self.title, self.note = words[0], "a note"
        self.controls = [Control(words[0], words), Control(words[0], words, choose=True)]
        self.steps = [[one, other, one, other] for one in words for other in words]

    def _body(self, slots):
        return slots.status("ml-sr") + slots.bar() + slots.row("p", "words")


@settings(max_examples=40)
@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), min_size=1, max_size=3, unique=True))
def test_any_text_stands_as_text(words):
    figure, clean = Echo(words), lambda word: re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", word)
    for step in range(len(figure.steps)):
        assert unpacked(figure, step) == [clean(word) for word in figure.says(step)]
    root = parsed(figure)
    assert [each.tag for each in root] == ["style", "p", "div", "p", "span", "p", "p", "script", "script"]


def nasty():
    said = [user(f"{NASTY} My code is A-4471."), assistant(NASTY), *[user(f"{NASTY} {n}") for n in range(3)]]
    said = [message for one in said for message in ([one, assistant(NASTY)] if one["role"] == "user" else [one])]
    probe = Probe(NASTY, "free", accept=("A-4471",), evidence=(0,), id=NASTY)
    return Conversation(NASTY, NASTY, "en", NASTY, tuple(said), (probe,), "test")


def test_a_message_cannot_break_out():
    talk = nasty()
    folded = BufferMemory(talk.system)
    folded.compactions = [Compaction((0, 1), f"{NASTY}. Alpha.", f"{NASTY}. Beta.", 9, 9),
                          Compaction((0, 1), NASTY, NASTY, 9, 9, error=NASTY)]
    tall = HierarchicalSummaryMemory(talk.system, token_limit=600, level_limits=(120,), summary_limit=200,
                                     trigger_tokens=150, target_tokens=20, trigger_messages=0)
    made = [BudgetFigure(talk, {NASTY: TokenWindowMemory, "b": TokenWindowMemory}),
            RaceFigure(talk, {NASTY: BufferMemory}), CompactionFigure(folded),
            TreeFigure(filled(tall, talk.messages)),
            PlaneFigure(tradeoff({NASTY: BufferMemory}, [talk], answer=False), {NASTY: (9, 1, 1)}, title=NASTY)]
    for figure in made:
        html = figure._repr_html_()
        tags = [each.tag for each in parsed(figure).iter()]
        assert tags.count("script") == html.count("<script") == html.count("</script") == 2 * bool(figure.steps)
        assert "alert(1)" in html and "<b>" not in re.sub(r"<b data-slot[^>]*>", "", html)
