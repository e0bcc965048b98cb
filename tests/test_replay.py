"""Replay: what is found in a text, where a log calls the model, what each window loses, and the limit that follows."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab import logs
from memory_lab.errors import SettingError
from memory_lab.memory import Outline
from memory_lab.messages import tool_call
from memory_lab.replay import Finder, KnownCounts, Value, kept_at, plan, recommend, replay_log
from memory_lab.replay.figure import draw, words
from memory_lab.replay.report import aligned, as_json, as_text, losses, printable, rows, width
from memory_lab.replay.windows import NAMES, windows
from memory_lab.replay.write import atomically
from memory_lab.tokens import TokenCounter
from memory_lab.truncation import BufferMemory, PopOldestMemory, SlidingWindowMemory
from memory_lab.window import TokenWindowMemory

FIXTURES = Path(__file__).parent / "fixtures" / "logs"
COUNT = KnownCounts()


def say(role, content, **more):
    return {"role": role, "content": content, **more}


def chat(*turns):
    """A log of (question, answer) pairs."""
    return [message for question, answer in turns for message in (say("user", question), say("assistant", answer))]


ORDER = [say("system", "Be kind."), *chat(
    ("My order is A-1023, for Maria.", "Noted."), *((f"Small talk {word}.", "Yes, yes.") for word in (
        "of the sea", "of the sun", "of the wind", "of the rain")), ("Where is A-1023 now?", "On its way."))]


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
    done = subprocess.run([sys.executable, "-c", "import sys; from memory_lab.replay import Finder\n"
                           f"text = 'B' + {piece!r} * 200_000\n"
                           "Finder([dict(role='user', content=text)]).values(text)"], timeout=30, check=False)
    assert done.returncode == 0  # a square of the length would take many minutes


# ---- the plan

def test_calls_are_where_an_answer_follows_something_said():
    log = [say("assistant", "Welcome!"), say("user", "a"), say("user", "b"), say("assistant", "c"),
           say("assistant", "d"), say("user", "e"),
           say("assistant", None, tool_calls=[tool_call("1", "f")]), say("tool", "9", tool_call_id="1"),
           say("system", "s"), say("assistant", "g"), say("user", "unanswered")]
    assert [call.before for call in plan(log, COUNT).calls] == [3, 6, 9, 11]


def test_a_log_without_a_user_has_no_call():
    assert plan([say("system", "s"), say("assistant", "Hello")], COUNT).calls == []
    assert recommend([replay_log([say("system", "s")], {})]) is None


def test_a_reference_names_its_newest_earlier_mention():
    [reference] = plan(ORDER, COUNT).references
    assert (reference.value.key, reference.said, reference.asked, reference.turns_back) == ("a-1023", 1, 11, 5)
    assert reference.needs == COUNT(ORDER[:12])  # the mention is in the first turn: everything is needed


def test_what_the_instructions_or_the_same_turn_say_is_no_reference():
    pinned = [say("system", "You serve shop 88231."), *chat(("Shop 88231?", "Yes."), ("Is it 88231?", "Yes."))]
    assert plan(pinned, COUNT).references == []
    assert plan(chat(("Order 88231, I repeat 88231", "ok")), COUNT).references == []


def test_what_no_memory_may_send_is_no_mention():
    orphan = [say("user", "hi"), say("tool", "88231", tool_call_id="x"), *chat(("And 88231?", "?"))]
    assert plan(orphan, COUNT).references == []


# ---- the replay

HISTORY = st.lists(st.sampled_from([
    say("user", "Order A-1023 please"), say("user", "And B-2044?"), say("user", "nothing"),
    say("assistant", "Fine, B-2044."), say("assistant", "ok"), say("system", "Hurry."), say("assistant", None),
    say("assistant", None, tool_calls=[tool_call("c", "find")]), say("tool", "found C-3055", tool_call_id="c"),
    say("user", "C-3055! " + "and so on " * 20)]), max_size=25)


@settings(max_examples=60, deadline=None)
@given(log=HISTORY)
def test_the_full_row_is_what_a_buffer_sends(log):
    result = replay_log(log, {"real": partial(BufferMemory, count=COUNT)}, count=COUNT).strategies
    assert result["buffer"].tokens == result["real"].tokens
    assert result["real"].lost == [] and result["real"].fell == {} and result["real"].gone == []


@settings(max_examples=80, deadline=None)
@given(log=HISTORY, token_limit=st.integers(20, 300))
def test_a_token_window_loses_exactly_the_references_that_need_more(log, token_limit):
    replay = replay_log(log, {"w": partial(TokenWindowMemory, token_limit=token_limit, count=COUNT)}, count=COUNT)
    lost = replay.strategies["w"].lost
    assert lost == [reference for reference in replay.plan.references if reference.needs > token_limit]
    if replay.plan.references:
        assert kept_at([replay], [token_limit]) == [pytest.approx(1 - len(lost) / len(replay.plan.references))]


@settings(max_examples=60, deadline=None)
@given(log=HISTORY)
def test_the_recommended_limit_keeps_what_it_says(log):
    replay = replay_log(log, {})
    advice = recommend([replay])
    if advice is None:
        assert not replay.plan.calls
        return
    tried = replay_log(log, {"w": partial(TokenWindowMemory, token_limit=advice.token_limit)}).strategies["w"]
    assert not tried.failures
    assert advice.references - len(tried.lost) == advice.kept
    assert advice.kept == advice.references or advice.references >= 20
    assert tried.peak <= advice.token_limit


@settings(max_examples=40, deadline=None)
@given(log=HISTORY, max_turns=st.integers(1, 4))
def test_fallen_turns_are_those_that_the_states_say(log, max_turns):
    memory = SlidingWindowMemory(max_turns=max_turns, count=COUNT)
    replay = replay_log(log, {"w": partial(SlidingWindowMemory, max_turns=max_turns, count=COUNT)}, count=COUNT)
    if not replay.plan.calls:
        return
    for message in log[:replay.plan.calls[-1].before]:
        memory.add(message)
    kept = {replay.plan.turn_of[index] for index, state in enumerate(memory.states) if state == "kept"} - {-1}
    assert set(replay.strategies["w"].fell) == set(range(replay.plan.calls[-1].turn + 1)) - kept


def test_the_order_number_falls_out_of_a_small_window():
    replay = replay_log(ORDER, {"three": partial(SlidingWindowMemory, max_turns=3)})
    result = replay.strategies["three"]
    assert [reference.value.key for reference in result.lost] == ["a-1023"]
    assert result.fell == {0: 3, 1: 4, 2: 5}
    assert [value.key for value in result.gone] == ["maria"]
    [entry] = losses([replay])
    assert (entry["value"], entry["said"], entry["asked"], entry["turns_back"]) == ("A-1023", 2, [12], 5)


def test_a_turn_that_comes_back_has_not_fallen():
    class Forgetful(BufferMemory):
        def messages(self):
            return super().messages()[-1:] if len(self.log) == 3 else super().messages()

    result = replay_log(chat(("a", "b"), ("c", "d"), ("e", "f")), {"f": Forgetful}).strategies["f"]
    assert result.fell == {}


def test_a_limit_that_cannot_hold_the_instructions_is_a_result():
    log = [say("system", "long words " * 50), *ORDER[1:]]
    result = replay_log(log, {"tiny": partial(TokenWindowMemory, token_limit=30)}).strategies["tiny"]
    assert result.tokens == [None] * 6 and len(result.failures) == 6
    assert "token_limit is 30" in result.failures[0][1]
    assert [reference.value.key for reference in result.lost] == ["a-1023"]
    table = rows([replay_log(log, {"tiny": partial(TokenWindowMemory, token_limit=30)})])
    assert (table[1]["failed"], table[1]["of_full"]) == (6, None)


def test_pop_oldest_sends_what_it_sends_and_loses_the_system_message():
    replay = replay_log(ORDER, {"pop": partial(PopOldestMemory, max_messages=4)})
    assert replay.strategies["pop"].tokens[-1] == TokenCounter()(ORDER[8:12])


def test_a_memory_needs_add_and_messages_alone():
    class Last:
        def __init__(self):
            self.kept = []

        def add(self, message, *, at=None):
            self.kept = [message]

        def messages(self):
            return [dict(message) for message in self.kept]

    assert replay_log(ORDER, {"last": Last}).strategies["last"].tokens[-1] == TokenCounter()(ORDER[11:12])


def test_cost_is_the_context_and_not_the_log():
    class Counted(SlidingWindowMemory):
        made = 0

        def messages(self):
            context = super().messages()
            Counted.made += len(context)
            return context

    count = KnownCounts()
    log = chat(*((f"question number {i}", f"answer {i}") for i in range(600)))
    replay_log(log, {"w": partial(Counted, max_turns=3, count=count)}, count=count)
    assert Counted.made <= 600 * 5            # three turns, the last without its answer
    assert count.encode_calls <= len(log) + 2  # each message once, plan and memory together


def test_progress_counts_the_messages():
    seen = []
    replay_log(ORDER, {"a": BufferMemory, "b": PopOldestMemory}, progress=seen.append)
    assert sum(seen) == 2 * 12


# ---- the recommendation's words

def test_the_reason_says_what_governs_the_limit():
    far = recommend([replay_log(ORDER, {})])
    assert "the one value" in far.reason and far.token_limit == 150 and far.kept == 1
    none = recommend([replay_log(chat(("hi", "ho"), ("and", "so")), {})])
    assert "no user message names a value" in none.reason and none.references == 0
    big = recommend([replay_log(chat(("Order 88231", "ok"), ("88231?", "ok"), ("word " * 500, "ok")), {})])
    assert "a smaller limit would cut them" in big.reason and big.token_limit >= 500


def test_a_few_far_references_do_not_set_the_limit():
    near = [pair for i in range(40) for pair in ((f"Take {20000 + i}.", "ok"), (f"Is {20000 + i} there?", "yes"))]
    log = chat(("Remember 77777.", "ok"), *near, ("And 77777?", "yes"))
    advice = recommend([replay_log(log, {})])
    assert (advice.references, advice.kept) == (41, 40)
    assert "a summary or a fact table" in advice.reason and advice.token_limit < advice.peak / 5


# ---- words, tables, files

def test_columns_line_up_with_wide_characters():
    table = aligned([("name", "n"), ("王小明", "1"), ("e\u0301a", "22")])
    assert table == "name     n\n----------\n王小明   1\ne\u0301a      22"
    assert (width("王a"), width("e\u0301"), width("\u200d"), width("カ")) == (3, 1, 0, 2)


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


def test_windows_by_name():
    made = windows(NAMES, token_limits=[100], max_turns=2, max_messages=4)
    assert list(made) == ["buffer", "pop_oldest(4 messages)", "fixed_window(2 turns)", "sliding_window(2 turns)",
                          "token_window(100)"]
    assert made["token_window(100)"]().token_limit == 100
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


def test_turns_are_those_of_the_package():
    outline = Outline()
    for message in ORDER:
        outline.add(message, COUNT.message(message))
    assert plan(ORDER, COUNT).turns == len(outline.turns) == 6
