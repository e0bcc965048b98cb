"""Replay: the values that are found in a text, and the table, JSON and figure of a result."""

import json
import subprocess
import sys

import pytest
from talks import COUNT, FIXTURES, ORDER, say

from memory_lab import logs
from memory_lab.errors import SettingError
from memory_lab.log_replay import Finder, Value, recommend, replay_log
from memory_lab.log_replay.figure import draw, words
from memory_lab.log_replay.report import as_json
from memory_lab.log_replay.text import as_text, printable
from memory_lab.log_replay.windows import NAMES, windows
from memory_lab.log_replay.write import atomically

# ---- values

@pytest.mark.parametrize(("text", "found"), [
    ("write to ana.b@example.com.", {("e-mail", "ana.b@example.com")}),
    ("编号为INV12345。", {("code", "inv12345")}), ("order #88231", {("code", "88231")}),
    ("order 88231", {("code", "88231")}), ("1,5 and 12,5", {("number", "12")}),
    ("call +1 555-123-4567 now", {("code", "15551234567")}), ("$1,200.50 paid", {("amount", "1200.5")}),
    ("每根$0.5，3.5%", {("amount", "0.5"), ("amount", "3.5%")}), ("20万美元", {("amount", "20万美元")}),
    ("生于1990年5月15日", {("date", "1990年5月15日")}), ("on 2024-05-15", {("date", "2024-05-15")}),
    ("on May 15, 2024", {("date", "may15,2024")}), ("el 3 de mayo", {("date", "3demayo")}),
    ("at 14:05", {("date", "14:05")}),
    ("a total of 1,200", {("number", "1200")}), ("读《红楼梦》", {("name", "红楼梦")}),
    ("see https://a.b/c?d=1.", {("link", "https://a.b/c?d=1")}),
    ("the 2nd of 3 things, 1. one", set()), ("no values here", set()), ("", set())])
def test_values_in_a_text(text, found):
    values = Finder([]).values(text)
    assert {(value.kind, value.key) for value in values} == found


def test_equal_things_are_equal_however_they_are_written():
    finder = Finder([])
    assert finder.values("$1,200") == finder.values("1200") == {Value("number", "1200")}
    assert finder.values("#88231") == finder.values("88231")
    assert finder.values("ＡＢＣ１２３") == finder.values("abc123")
    assert finder.values("1200") != finder.values("12000")


def test_a_name_has_a_capital_in_mid_sentence_and_nowhere_a_small_letter():
    log = [say("user", "I met Maria and Bo in Lyon. The Sea was calm, the sea is. 我找John说。"),
           say("user", "Maria left.")]
    finder = Finder(log)
    names = {value.key for text in (log[0]["content"], log[1]["content"]) for value in finder.values(text)}
    assert names == {"maria", "bo", "lyon", "john"}
    assert finder.written[Value("name", "maria")] == "Maria"


@pytest.mark.parametrize("piece", ["一", "-", "a-", "a", "1", "1,", "A'", "@a", "+1", "1.1", "(", "a/1"])
def test_reading_takes_time_in_proportion_to_the_text(piece):
    done = subprocess.run([sys.executable, "-c", "import sys; from memory_lab.log_replay import Finder\n"
                           f"text = 'B' + {piece!r} * 200_000\n"
                           "Finder([dict(role='user', content=text)]).values(text)"], timeout=30, check=False)
    assert done.returncode == 0  # a square of the length would take many minutes


# ---- words, tables, files

def test_what_a_log_says_cannot_steer_the_terminal():
    assert printable("a\x1b[31mb\nc\u202e") == "a [31mb c "


def test_table_and_json_say_the_same():
    replay = replay_log(ORDER, windows(token_limits=[60, 5000], max_turns=3, count=COUNT), count=COUNT, name="订单")
    advice = recommend([replay])
    text, data = as_text([replay], advice, "token_window(60)"), as_json([replay], advice)
    json.dumps(data)
    for row in data["strategies"]:
        [line] = [line for line in text.splitlines() if line.startswith(row["strategy"] + " ")]
        assert f" {row['prompt_tokens']:,} " in line
    assert "token_window(60) *" in text and "A-1023" in text
    assert "fixed_window, sliding_window, token_window(60)" in text
    calls = data["conversations"][0]["calls"]
    assert calls[-1] == {"message": 13, "turn": 6, "full": COUNT(ORDER[:12])}
    assert data["conversations"][0]["strategies"]["sliding_window(3 turns)"]["fell_out"][0] == {"turn": 1, "at_call": 4}


def test_of_several_conversations_the_longest_are_listed():
    replays = [replay_log(ORDER[:2 * turns + 1], {}, name=f"talk {turns}") for turns in range(1, 7)]
    listed = [line for line in as_text(replays, recommend(replays)).splitlines() if line.startswith("talk ")]
    assert [line.split("  ")[0] for line in listed] == ["talk 6", "talk 5", "talk 4", "talk 3", "talk 2"]
    full = [call.full for call in replays[-1].plan.calls]
    assert listed[0].split()[2:] == ["13", "6", "6", f"{sum(full):,}", f"{max(full):,}", "1"]


def test_windows_by_name():
    made = windows(NAMES, token_limits=[100], memory_limit=400, max_turns=2, max_messages=4)
    assert list(made) == ["buffer", "pop_oldest(4 messages)", "fixed_window(2 turns)", "sliding_window(2 turns)",
                          "token_window(100)", "summary(400)", "fact_table(400)", "layers(400)"]
    assert made["token_window(100)"]().token_limit == 100
    assert {make().token_limit for name, make in made.items() if "(400)" in name} == {400}
    assert list(windows(token_limits=[100], max_turns=2, max_messages=4)) == list(made)[:5]
    with pytest.raises(SettingError, match="unknown strategy bufer: use buffer, "):
        windows(["bufer"])
    with pytest.raises(SettingError, match="max_turns"):
        windows(["fixed_window"], max_turns=0)


def test_the_figure_is_a_png_with_words(tmp_path):
    replays = [replay_log(talk.messages, windows(token_limits=[40], count=COUNT), count=COUNT, name=talk.name)
               for talk in logs.load(FIXTURES / "openai.jsonl")]
    replays.append(replay_log(ORDER, windows(token_limits=[40], count=COUNT), count=COUNT))
    for some in (replays, replays[:1]):
        alt = draw(some, recommend(some), tmp_path / "figure.png")
        assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
        assert "token_window(40)" in alt and alt == words(some, recommend(some))


def half_written(path):
    with atomically(path) as part:
        part.write_text("half")
        raise OSError("stopped")


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(OSError, match="stopped"):
        half_written(path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    with atomically(path) as part:
        part.write_text("new")
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]
