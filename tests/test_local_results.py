"""The stored results of the real model: complete, whole, and what the tables make of them."""

from __future__ import annotations

import importlib.util
import json
from functools import partial
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.errors import LogError, SettingError
from memory_lab.local import load_results, position
from memory_lab.local.intervals import difference, wilson
from memory_lab.local.measure import FIRST, ROWS, pieces
from memory_lab.local.results import STORED, Results
from memory_lab.local.stored import ENGLISH


@given(st.integers(0, 200), st.integers(0, 200))
@settings(max_examples=60)
def test_wilson_holds_the_share_and_narrows(a, b):
    right, total = min(a, b), max(a, b)
    low, high = wilson(right, total)
    assert 0 <= low <= high <= 1
    if total:
        assert low - 1e-9 <= right / total <= high + 1e-9
        again = wilson(10 * right, 10 * total)
        assert again[1] - again[0] < high - low


def test_wilson_as_published():
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=5e-4)  # Wilson (1927), as tabulated by Newcombe (1998)
    with pytest.raises(SettingError, match="3 of 2"):
        wilson(3, 2)


def test_a_difference_is_of_conversations_not_of_questions():
    alike = [(3, 4)] * 6
    assert difference(alike, alike) == (0, 0, 0)
    one = difference([(4, 4), (0, 4)], [(0, 4), (0, 4)])
    assert one[0] == 0.5 and one[1:] == (0, 1), "one conversation decides, so nothing is decided"
    assert difference([(1, 2), (2, 3)], [(0, 2), (1, 3)]) == difference([(1, 2), (2, 3)], [(0, 2), (1, 3)])
    with pytest.raises(SettingError, match="0 and 0"):
        difference([], [])
    with pytest.raises(SettingError, match="1 and 2"):
        difference([(1, 1)], [(1, 1)] * 2)


@pytest.mark.parametrize("place", position.PLACES)
def test_the_fact_stands_where_it_should_in_the_same_talk(place):
    talk = [message["content"] for message in position.context(3, place, 8)]
    at = talk.index(position.FACTS[3][0])
    assert at == {"start": 0, "middle": 8, "end": 16}[place]
    assert len(talk) == 18
    del talk[at:at + 2]
    other = [message["content"] for message in position.context(3, "end", 8)][:-2]
    assert talk == other
    assert "Salzburg" not in " ".join(talk)


def test_a_place_or_length_that_is_none_is_refused():
    with pytest.raises(SettingError, match="take one of start"):
        position.context(0, "top", 8)
    with pytest.raises(SettingError, match="turns"):
        position.context(0, "end", 1)


def test_a_file_that_is_no_result_is_named(tmp_path):
    for name, text in (("a.json", "{}"), ("b.json", "[")):
        (tmp_path / name).write_text(text)
        with pytest.raises(LogError, match=f"{name}: no results"):
            load_results(tmp_path / name)
    with pytest.raises(LogError, match=r"no\.json"):
        load_results(tmp_path / "no.json")


@pytest.fixture(scope="module")
def stored():
    return load_results()


def test_the_stored_results_are_complete(stored):
    keys = [key for key, _ in pieces()]
    assert len(keys) == len(set(keys)) and set(stored.local) <= set(keys), "nothing but what is measured today"
    later = {f"strategy|{row}|{name}" for row in ROWS.keys() - set(FIRST) for name in ENGLISH}
    assert set(keys) - later <= set(stored.local)
    assert {key for key in stored.local if not key.startswith("style|")} <= set(stored.offline)
    assert list(ENGLISH) == stored.names
    assert {"date", "model", "command", "versions", "threads"} <= stored.about.keys()


def test_offline_rows_are_what_is_measured_today(stored):
    from memory_lab.client import connect
    from memory_lab.local.measure import strategy

    offline = connect("offline")
    for row in ("sliding window, 2 turns", "summary, 500 tokens", "fact table, 500 tokens"):
        assert strategy(offline, row, "short_chat") == stored.offline[f"strategy|{row}|short_chat"]


def test_a_tables_rows_are_the_stored_answers(stored):
    table = stored.tradeoff("local", ["order_number"])
    piece = stored.local["strategy|buffer|order_number"]
    assert [each.answer for each in table["buffer"][0].asked] == [each["answer"] for each in piece["probes"]]
    assert list(table.replays) == stored.rows
    assert set(FIRST) <= set(stored.rows)


def test_each_published_ordering_has_n_and_an_interval_and_a_verdict(stored):
    table = stored.orders()
    assert len(table.rows) >= 6 and "9 chats" in table.caption
    for row in table.rows:
        assert all(cell.split(": ")[1] in ("confirmed", "refuted", "not decided") for cell in row[2:])


def test_guesses_count_for_no_memory():
    """An answer is right by chance; the value was not in the context."""
    def piece(there):
        return {"prompts": [1], "cached": [0], "own_calls": 0, "own_tokens": 0, "probes": [
            {"evidence": float(there), "in_context": there, "answer": "x", "verdict": "correct", "tokens": 1}
            if answerable else
            {"evidence": None, "in_context": None, "answer": "x", "verdict": "wrong", "tokens": 1}
            for answerable in (True, True, True, True, False, False)]}
    pieces_ = {f"strategy|{row}|{name}": piece(row == "buffer") for row in ROWS for name in ("short_chat", "kyoto_en")}
    about = {"model": "m", "date": "d"}
    made = Results(about, pieces_, pieces_)
    rows = {row[0]: row for row in made.beside().rows}
    assert rows["buffer"][4:6] == ["8/8 (68 % to 100 %)", "0"]
    assert rows["summary, 500 tokens"][5] == "8" and rows["summary, 500 tokens"][7] == "4/4"
    orders = {row[0]: row for row in made.orders().rows}
    assert orders["buffer > summary, 500 tokens"][3] == "+100 (+100 to +100): confirmed"
    assert orders["fact table, 500 tokens > summary, 500 tokens"][3] == "+0 (+0 to +0): not decided"
    assert len(made.lost().rows) == 8


def test_a_stopped_run_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location("bench_local", STORED.parents[1] / "local.py")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    out, done = tmp_path / "local.json", []

    def work(client, key):
        done.append((client, key))
        if len(done) == 3:
            raise KeyboardInterrupt
        return {"n": len(done)}

    monkeypatch.setattr("memory_lab.client.connect", lambda model: model)
    monkeypatch.setattr("memory_lab.local.measure.pieces", lambda: [
        (key, partial(work, key=key)) for key in ("position|a", "style|b", "position|c")])
    monkeypatch.setattr("memory_lab.local.load_results", lambda path: SimpleNamespace(markdown=lambda: "page"))
    monkeypatch.setattr("sys.argv", ["local.py", "--out", str(out)])
    with pytest.raises(KeyboardInterrupt):
        bench.main()
    kept = json.loads(out.read_text())
    assert (kept["local"], kept["offline"]) == ({"position|a": {"n": 1}}, {"position|a": {"n": 2}})
    assert bench.main() == 0
    assert done[3:] == [("local", "style|b"), ("local", "position|c"), ("offline", "position|c")]
    assert json.loads(out.read_text())["about"]["finished"]
    assert out.with_suffix(".md").read_text() == "page"
    monkeypatch.setattr("sys.argv", ["local.py", "--out", str(out), "--again", "--only", "style"])
    assert bench.main() == 0
    assert done[6:] == [("local", "style|b")]


def test_the_page_is_made_of_the_tables(stored):
    page = stored.markdown()
    assert stored.about["date"] in page and stored.about["command"] in page
    assert page.count("\n| ---") == 7
    assert f"xllamacpp {stored.about['versions']['xllamacpp']}" in page
