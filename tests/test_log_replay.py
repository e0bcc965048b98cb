"""Replay: where a log calls the model, what each window loses, and the limit that follows."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from talks import COUNT, ORDER, chat, say

from memory_lab.log_replay import KnownCounts, kept_at, plan, recommend, replay_log
from memory_lab.log_replay.report import losses, rows
from memory_lab.memory import Outline
from memory_lab.messages import tool_call
from memory_lab.tokens import TokenCounter
from memory_lab.truncation import BufferMemory, PopOldestMemory, SlidingWindowMemory
from memory_lab.window import TokenWindowMemory

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


def test_a_turn_that_no_call_ever_saw_has_fallen_too():
    log = [say("user", "Order A-1023 please"), say("tool", "stray", tool_call_id="x"), say("user", "hi")]
    assert replay_log(log, {"w": partial(SlidingWindowMemory, max_turns=1)}).strategies["w"].fell == {0: 0}


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


def test_turns_are_those_of_the_package():
    outline = Outline()
    for message in ORDER:
        outline.add(message, COUNT.message(message))
    assert plan(ORDER, COUNT).turns == len(outline.turns) == 6
