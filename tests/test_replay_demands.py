"""What later turns lean on: prohibitions, and what an answer could only have read; and what a replay's bill is."""

import pytest
from talks import COUNT, ORDER, chat, say

from memory_lab.log_replay import plan, replay_log
from memory_lab.log_replay.measure import PROMPT_TOKENS
from memory_lab.log_replay.money import bill, break_even, in_words
from memory_lab.log_replay.windows import windows
from memory_lab.messages import tool_call
from memory_lab.meter import Meter
from memory_lab.prices import Price, Prices
from memory_lab.summary import HEADINGS, PROMPT
from memory_lab.truncation import BufferMemory, SlidingWindowMemory

SMALL_TALK = [(f"Small talk of {word}.", "Yes, yes.") for word in ("the sea", "the sun", "the wind", "the rain")]
NUTS = chat(("I am allergic to nuts.", "Noted."), *SMALL_TALK, ("Which cake has no nuts?", "The carrot cake."))
PRICES = Prices("2026-01-01", "USD", "made up", {"m": Price(1.0, 0.25, 4.0), "free": Price(0.0, 0.0, 0.0)})


def window(talk, **settings):
    return replay_log(talk, {"w": lambda: SlidingWindowMemory(count=COUNT, **settings)}, count=COUNT).strategies["w"]


# ---- demands

def test_a_prohibition_that_is_touched_later_is_leant_on_and_lost_with_its_statement():
    made = plan(NUTS, COUNT)
    [lean] = made.leans
    assert (lean.value.kind, lean.said, lean.asked, lean.turns_back) == ("prohibition", 0, 10, 5)
    assert made.written(lean.value) == "I am allergic to nuts"
    assert [each.value for each in window(NUTS, max_turns=3).missed] == [lean.value]
    assert window(NUTS, max_turns=6).missed == []


def test_a_mention_alone_is_not_the_prohibition():
    talk = chat(("I am allergic to nuts.", "Noted."), ("And a word on nuts and bolts.", "Yes."), ("Nuts?", "No."))
    missed = window(talk, max_turns=2).missed
    assert [each.asked for each in missed] == [4]  # the turn before names nuts, and does not say why it matters


def test_a_fact_table_and_its_words_keep_the_prohibition():
    made = windows(["fact_table"], memory_limit=400, count=COUNT)
    talk = chat(("I am allergic to nuts.", "Noted."), *SMALL_TALK * 12, ("Which cake has no nuts?", "The carrot cake."))
    result = replay_log(talk, made, count=COUNT).strategies["fact_table(400)"]
    assert result.missed == [] and 0 in result.fell


def test_an_answer_leans_on_a_code_that_a_user_or_a_tool_said():
    call = say("assistant", None, tool_calls=[tool_call("c", "find")])
    talk = [say("user", "Where is it?"), call, say("tool", "parcel ZX-991", tool_call_id="c"),
            say("assistant", "Lyon."), *chat(*SMALL_TALK, ("And its number?", "It is ZX-991, from 2026."))]
    [lean] = plan(talk, COUNT).leans
    assert (lean.value.key, lean.said, lean.turns_back) == ("zx-991", 2, 5)
    assert [each.value.key for each in window(talk, max_turns=2).missed] == ["zx-991"]
    own = chat(("Hi", "Take ZX-991."), *SMALL_TALK, ("And?", "ZX-991 it is."))
    assert plan(own, COUNT).leans == []  # a model's own words are no proof that it needed them


def test_needs_of_a_lean_is_what_a_token_window_needs():
    for limit in range(40, COUNT(NUTS) + 1):
        run = replay_log(NUTS, windows(["token_window"], token_limits=[limit], count=COUNT), count=COUNT)
        [lean] = run.plan.leans
        assert bool(run.strategies[f"token_window({limit:,})"].missed) == (lean.needs > limit)


# ---- cache and folds

@pytest.mark.parametrize("talk", [ORDER, NUTS, [*ORDER[:5], say("system", "Hurry."), *ORDER[5:]]])
@pytest.mark.parametrize("make", [BufferMemory, lambda: SlidingWindowMemory(max_turns=2)])
def test_the_cached_tokens_are_those_of_the_meter(talk, make):
    run = replay_log(talk, {"real": make}, count=COUNT)
    meter, memory, fed = Meter(COUNT), make(), 0
    for call in run.plan.calls:
        for message in talk[fed:call.before]:
            memory.add(message)
        fed = call.before
        meter.prompt(memory.messages())
    assert sum(run.strategies["real"].cached) == pytest.approx(sum(meter.cached), abs=3 * len(meter.cached))
    if make is BufferMemory:
        assert run.strategies["buffer"].cached == run.strategies["real"].cached


def test_a_summary_is_billed_as_if_a_model_had_written_it():
    assert COUNT([
        say("system", PROMPT.format(headings="\n".join(f"{head}:" for head in HEADINGS), limit=500)),
        say("user", "Summary so far:\n(none)\n\nNew messages:\n")]) == PROMPT_TOKENS
    talk = chat(*((f"I want {n} red chairs and a table for Maria, please.", "Noted.") for n in range(100, 160)))
    run = replay_log(talk, windows(["summary"], memory_limit=400, count=COUNT), count=COUNT)
    result = run.strategies["summary(400)"]
    assert len(result.folds) > 2
    assert all(read > PROMPT_TOKENS and 0 < written <= 100 for _, read, written in result.folds)
    found = bill([run], "summary(400)")
    assert (found.calls, found.turns) == (len(result.folds), 60)
    assert found.tokens == pytest.approx((sum(result.tokens) + sum(r + w for _, r, w in result.folds)) * 1000 / 60)
    plain = found.money("m", PRICES, cache=False)
    assert plain == pytest.approx((found.prompt + found.read + 4 * found.written) / 1e6 * 1000 / 60)
    assert found.money("m", PRICES) == pytest.approx(plain - 0.75 * found.cached / 1e6 * 1000 / 60)
    even = break_even([run], "summary(400)", "m", PRICES, cache=False)
    assert (even.folded, even.paid) == (1, 1) and 5 < even.turns < 40
    assert "paid for itself in 1 of them" in even.words("summary")


def test_a_short_chat_never_pays_for_a_summary():
    run = replay_log(ORDER, windows(["summary"], memory_limit=400, count=COUNT), count=COUNT)
    assert "never folded" in break_even([run], "summary(400)", "m", PRICES).words("summary(400)")


def test_sums_of_money_can_be_read():
    assert [in_words(money, "USD") for money in (0.000123, 0.05, 1.005, 99.5)] == [
        "0.00012 USD", "0.050 USD", "1.00 USD", "99.50 USD"]


def test_what_every_message_speaks_of_is_not_what_a_prohibition_is_about():
    chairs = [(f"Send {n} chairs.", "Noted.") for n in range(100, 140)]
    talk = chat(("Never deliver chairs on Sundays.", "Noted."), *chairs, ("Is it there by Sunday?", "No."))
    assert [each.asked for each in plan(talk, COUNT).leans] == [82]
