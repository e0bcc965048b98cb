"""The stored comparison with other libraries: its tables say what its figures say; no other library is needed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from memory_lab import peers
from memory_lab.errors import LogError, SettingError


@pytest.fixture(scope="module")
def stored():
    return peers.load_peers()


def test_our_memories_break_no_law_and_each_peer_has_its_count(stored):
    for row in stored.result["rows"]:
        assert set(stored.broken(row["name"])) <= set(peers.LAWS)
        assert not (row["ours"] and row["laws"]["broken"])
        assert row["laws"]["tried"] >= stored.result["tried"]
    table = stored.table()
    counts = {row[0]: row[-1] for row in table.rows}
    for name, count in counts.items():
        assert count.split()[0] == str(len(stored.broken(name)))
    assert {row["package"] for row in stored.result["rows"]} == {
        "memory-lab", "langchain-core", "langchain", "langmem", "llama-index-core", "openai-agents", "semantic-kernel"}


def test_our_memories_keep_the_limit_and_send_what_the_api_takes(stored):
    for row in stored.result["rows"]:
        if row["ours"]:
            assert row["over"] == row["refused"] == 0 and row["peak"] <= stored.result["token_limit"]
        assert 0 <= row["in_context"] <= row["probes"] and row["prompt_tokens"] > 0


def test_tables_are_of_the_rows_that_are_asked_for(stored):
    names = ["trim_messages", "TokenWindowMemory"]
    assert [row[0] for row in stored.table(names).rows] == names
    assert [row[0] for row in stored.laws(names).rows] == names
    assert {row[0] for row in stored.smallest("trim_messages").rows} == {"trim_messages"}
    assert [row[0] for row in stored.better().rows] == [row["name"] for row in stored.result["rows"] if not row["ours"]]
    for row in stored.result["rows"]:
        if not row["ours"]:
            assert row["settings"] and row["better"]
    assert stored.versions["langchain-core"] in str(stored.table())
    with pytest.raises(SettingError, match="trim_messages"):
        stored.table(["magic"])


def test_a_law_is_marked_as_the_stored_case_says(stored):
    row = {"name": "x", "limited": False, "summarises": True, "ours": True, "laws": {"broken": [
        {"law": 4, "valid": True}, {"law": 5, "valid": False}]}}
    marks = dict(zip(peers.LAWS, peers.Peers(stored.result | {"rows": [row]}).laws().rows[0][1:], strict=False))
    assert (marks[2], marks[4], marks[5], marks[10]) == ("-", "broken", "by bad input", "")


def test_a_history_is_told_in_one_line(stored):
    case = {"law": 5, "valid": False, "limit": 60, "system": "Be brief.", "fault": "error", "history": [
        {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {}}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}, {"id": "b"}]},
        {"role": "tool", "content": "long tail " * 90, "tool_call_id": "a"}, {"role": "assistant", "content": None}]}
    row = stored.result["rows"][0] | {"laws": {"broken": [case]}}
    assert peers.Peers(stored.result | {"rows": [row]}).smallest().rows[0][2] == (
        'limit 60: system \'Be brief.\', user "hi" + image_url, assistant calls a calls b, tool (181 tokens) for a, '
        "assistant nothing, (the model's fault: error)")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"date": "today"}'])
def test_a_file_of_something_else_is_refused(tmp_path, text):
    path = tmp_path / "peers.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match="bench/peers"):
        peers.load_peers(path)
    with pytest.raises(LogError, match="run that"):
        peers.load_peers(tmp_path / "none.json")


def test_the_page_is_made_of_the_stored_figures(stored):
    page = peers.STORED.with_suffix(".md").read_text(encoding="utf-8")
    assert page == stored.page()
    assert json.loads(peers.STORED.read_text(encoding="utf-8"))["date"] in page


def test_no_other_library_is_imported():
    code = ("import sys; from memory_lab.peers import load_peers; str(load_peers().table()); "
            "sys.exit(any(name in sys.modules for name in ('langchain_core', 'openai', 'llama_index', 'hypothesis')))")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
