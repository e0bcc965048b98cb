"""Each live figure says, at each step, what Python computes for it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from live_pages import MAKE, PUBLISHED, RACERS, SUMMARY, filled, parsed, tree

from memory_lab import (
    BufferMemory,
    HierarchicalSummaryMemory,
    SettingError,
    TokenLimitError,
    TokenWindowMemory,
    replay,
    tradeoff,
    user,
)
from memory_lab.compaction import Compaction
from memory_lab.conversations import Conversation, load, names
from memory_lab.layered import REASONS, choose
from memory_lab.live import BudgetFigure, CompactionFigure, PlaneFigure, RaceFigure, TreeFigure
from memory_lab.live.base import short
from memory_lab.live.choice import ASKED, HERE, TAKEN, TREE, WAITS, kind
from memory_lab.live.facts import GONE, NOT_YET, OTHER, THERE, found, planted


@pytest.fixture(scope="module")
def figures():
    return {name: make() for name, make in MAKE.items()}


@pytest.mark.parametrize("name", ["order_number", "tools", "updates_zh"])
def test_budget_says_what_the_memory_does_at_each_limit(name):
    talk = load(name)
    figure = BudgetFigure(talk, TokenWindowMemory)
    for step, limit in enumerate(figure.limits):
        memory = filled(TokenWindowMemory(talk.system, token_limit=limit), talk.messages)
        words = figure.says(step)
        assert words[:2] == [f"{limit:,} tokens"] * 2
        assert words[3:] == [*found(memory, talk, planted(talk)), *reversed(memory.states)]
        states = list(memory.states)
        assert f"limit {limit:,}: {states.count('kept')} of {len(states)} messages kept" in words[2]
        assert f"{memory.count(memory.messages()):,} tokens used" in words[2]


def test_budget_has_each_limit_at_which_a_window_changes():
    talk = load("short_chat")

    def states(limit):
        memory = filled(TokenWindowMemory(talk.system, token_limit=limit), talk.messages)
        try:
            memory.messages()
        except TokenLimitError:
            return []
        return list(memory.states)
    changes = [limit for limit in range(1, 250) if states(limit) != states(limit - 1)]
    assert BudgetFigure(talk, TokenWindowMemory).limits == changes


def test_budget_of_a_limit_under_which_nothing_goes_out():
    figure = BudgetFigure(load("five_facts"), TokenWindowMemory, limits=[3, 100], first=100)
    assert figure.says(0)[2] == "token window, limit 3: nothing can be sent, for what must go out is larger."
    assert set(figure.says(0)[3:]) == {"gone", "dropped"} and figure.first == 1
    with pytest.raises(SettingError, match="larger limits"):
        BudgetFigure(load("five_facts"), TokenWindowMemory, limits=[3])


def test_budget_of_a_long_chat_lists_the_messages_that_state_facts():
    talk = load("long_300")
    figure = BudgetFigure(talk, TokenWindowMemory)
    assert len(figure._repr_html_().encode()) <= 60_000
    assert 10 < len(figure.limits) <= 2 * 40
    stated = {index for probe in planted(talk) for index in probe.evidence}
    assert len(figure.says(0)) == 3 + len(planted(talk)) + len(stated)


@pytest.mark.parametrize("name", [name for name in names() if name != "long_300"])
def test_each_shipped_chat_fits(name):
    html = BudgetFigure(load(name), TokenWindowMemory)._repr_html_()
    ElementTree.fromstring(html)
    assert len(html.encode()) <= 60_000


def test_two_controls_run_through_all_pairs(figures):
    figure = figures["budget of two"]
    for step, (name, limit, *_) in enumerate(figure.rows):
        assert figure.chosen(step) == [["window", "summary"].index(name), figure.limits.index(limit)]
        assert figure.says(step)[2].startswith(f"{name}, limit {limit:,}:")


@pytest.mark.parametrize("name", RACERS)
def test_race_counts_as_replay_does(figures, name):
    talk = load("kyoto_zh_hant")
    result, run = replay(RACERS[name](talk.system), talk, answer=False), figures["race"].runs[name]
    assert [tokens for tokens, _, _ in run] == list(result.prompts)
    assert run[-1][1] == result.prompt_tokens + result.own_tokens


def test_race_facts_light_up_and_go_dark(figures):
    runs = figures["race"].runs
    first = {name: [held[0] for _, _, held in run] for name, run in runs.items()}
    assert set(first["buffer"]) == {THERE}
    window = first["sliding window, 2 turns"]
    assert window == [THERE] * 2 + [GONE] * (len(window) - 2)
    assert first["summary"][-1] == OTHER
    assert [run[0][2] for run in runs.values()] == [[THERE] + [NOT_YET] * 3] * 3


def test_compaction_says_what_the_diff_says(figures):
    memory = filled(SUMMARY(None), load("order_number_50").messages)
    panels = [each for each in parsed(figures["compaction"]).iter("div") if each.get("data-panel")]
    assert len(panels) == len(memory.compactions)
    for place, (record, panel) in enumerate(zip(memory.compactions, panels, strict=True)):
        assert panel.get("data-panel") == str(place)
        rows = {}
        for row in list(panel.iter("tr"))[1:]:
            rows.setdefault(row[0].text, []).append(" ".join(row[1].itertext()))
        diff = record.diff()
        assert rows.get("vanished", []) == [f"{kind} {written}" for kind, written in diff.vanished]
        assert rows.get("kept", []) == [short(text, 160) for text in diff.kept]
        changed = len(rows.get("changed", []))
        assert len(rows.get("lost", [])) == len(diff.lost) - changed
        assert len(rows.get("added", [])) == len(diff.added) - changed
        assert f"{record.tokens_before:,} tokens became {record.tokens_after:,}" in figures["compaction"].says(place)[2]


def test_compaction_pairs_what_was_changed_and_says_what_was_refused():
    memory = BufferMemory()
    memory.compactions = [
        Compaction((0, 3), "user: I am from Shanghai. Hello.", "- User: I am from the south.", 9, 7, 1),
        Compaction((4, 5), "a", "a", 1, 1, error="APIStatusError: overloaded")]
    figure = CompactionFigure(memory)
    html = figure._repr_html_()
    assert "<td><del>I am from Shanghai.</del> <ins>I am from the south.</ins></td>" in html
    assert figure.says(0)[2] == ("Fold 1 of 2, messages 0 to 3: 9 tokens became 7, 1 model call. Sentences: 0 kept, "
                                 "1 changed, 1 lost, 0 added. Values vanished: name Shanghai.")
    assert figure.says(1)[2] == "Fold 2 of 2, messages 4 to 5: not taken (APIStatusError: overloaded)."


def test_tree_opens_down_to_each_message(figures):
    memory = tree()
    root = parsed(figures["tree"])

    def under(details):
        return [each for each in details if each.tag == "details"]

    def check(details, node):
        assert node.text in [each.text for each in details.iter("p")]
        assert len(under(details)) == len(node.children)
        for below, child in zip(under(details), node.children, strict=True):
            check(below, child)
        if not node.children:
            rows = [each.text for each in details.iter("li")]
            assert [int(row.partition(",")[0]) for row in rows] == list(node.covers)
    for details, node in zip(under(root), memory.roots, strict=False):
        check(details, node)
    raw = [index for index, state in enumerate(memory.states) if state == "kept"]
    assert [int(each.text.partition(",")[0]) for each in under(root)[-1].iter("li")] == raw


def test_plane_puts_each_mark_where_its_numbers_are(figures):
    result = tradeoff(RACERS, [load("kyoto_en")], answer=False)
    marks = list(parsed(figures["plane"]).iter("g"))
    assert len(marks) == len(RACERS) + len(PUBLISHED) == len(figures["plane"].steps)
    most = figures["plane"]._most
    for place, name in enumerate(RACERS):
        held = sum(asked.in_context for asked in result.asked(name))
        share = result.tokens(name) / result.tokens("buffer")
        x, y = map(float, re.findall(r"[\d.]+", marks[place].get("transform")))
        assert x == pytest.approx(52 + 348 * share / most, abs=0.1)
        assert y == pytest.approx(262 - 222 * held / 4, abs=0.1)
        assert marks[place].get("tabindex") == "0"
        assert f"{result.tokens(name):,} tokens" in marks[place].get("aria-label")
        assert figures["plane"].says(place)[0] == marks[place].get("aria-label")
    assert figures["plane"].says(4)[0] == "window (000): 2,382 tokens (18 %), 0 of 4 answers right, published."
    assert figures["plane"].says(4)[1:] == ["1", "2", "3", "4", "▸ 5"]


def test_choice_leads_to_what_choose_says(figures):
    figure = figures["choice"]
    assert {reason for row in TREE if len(row.reasons) == 1 for reason in row.reasons} == set(REASONS)
    assert {choice.reason for choice in figure.choices} == set(REASONS.values())
    for step, choice in enumerate(figure.choices):
        what, wait, size, turns = (control.options[place] for control, place in
                                   zip(figure.controls, figure.chosen(step), strict=True))
        asked = choose(turns=int(turns.split()[0]), must_remember=ASKED[what], latency=WAITS[wait],
                       tokens_per_turn=int(size))
        *_, status = figure.says(step)[:-len(TREE)]
        states = figure.says(step)[-len(TREE):]
        assert (choice.reason, status) == (asked.reason, f"{asked.name}: {asked.reason}")
        assert states.count(HERE) == 1
        leaf = states.index(HERE)
        assert REASONS[TREE[leaf].reasons[0]] == asked.reason
        assert kind(TREE[leaf].reasons[0]).removesuffix(", light") == asked.name
        way = [row.depth for row, state in zip(TREE[:leaf], states, strict=False) if state == TAKEN]
        assert way == list(range(TREE[leaf].depth)), "every question above the leaf is answered yes, and no other"
    assert "FactTableMemory</span> (52 % of the tokens)" in figure._repr_html_()


def test_nothing_to_show_says_what_to_do():
    with pytest.raises(SettingError, match="folded nothing"):
        CompactionFigure(BufferMemory())
    with pytest.raises(SettingError, match="no summary yet"):
        TreeFigure(HierarchicalSummaryMemory())
    with pytest.raises(SettingError, match="give one of each"):
        RaceFigure(load("five_facts"), {})
    alone = Conversation("x", "x", "en", None, (user("Hi"),), (), "test")
    with pytest.raises(SettingError, match="nothing to draw"):
        PlaneFigure(tradeoff({"buffer": BufferMemory}, [alone], answer=False))
