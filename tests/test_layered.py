"""Layers, the hybrid, and which strategy to choose; the laws are in test_laws.py."""

from __future__ import annotations

import json
from functools import partial

import pytest
from summarisers import Summariser, raises

from memory_lab.conversations import load
from memory_lab.errors import SettingError
from memory_lab.evaluate import replay
from memory_lab.layered import MUST_REMEMBER, REASONS, HybridMemory, LayeredMemory, choose
from memory_lab.messages import assistant, user


def feed(memory, turns, words="some words about nothing in particular"):
    for n in range(turns):
        memory.add(user(f"Question {n}: {words}?"))
        memory.add(assistant(f"Answer {n}: {words}."))
    return memory


def test_the_hybrid_is_a_window_until_the_chat_is_long():
    memory = feed(HybridMemory(window_turns=10, client=Summariser()), 10)
    assert (memory.mode, len(memory.compactions), len(memory.messages())) == ("window", 0, 20)
    feed(memory, 1)
    assert memory.mode == "summary"
    assert len(memory.compactions) == 1
    feed(memory, 5)
    assert len(memory.compactions) == 1  # the next fold is half a window away
    feed(memory, 1)
    assert len(memory.compactions) == 2
    memory.clear()
    assert memory.mode == "window"


def test_the_hybrid_is_a_window_again_after_undo():
    memory = feed(HybridMemory(window_turns=4, client=Summariser()), 5)
    assert memory.mode == "summary"
    assert memory.undo()
    assert (memory.mode, len(memory.messages())) == ("window", 10)


def test_the_layers_stand_in_their_order():
    memory = LayeredMemory("Be brief.", client=Summariser())
    memory.add(user("My order number is 4821937. Please do not phone me."))
    memory.add(assistant("Noted."))
    feed(memory, 30)
    sent = memory.messages()
    first = sent[0]["content"]
    assert first.startswith("Be brief.")
    assert 0 < first.index("4821937") < first.index("summary 1")
    assert len(sent) - 1 >= 20  # the last 20 messages are raw
    assert [message["role"] for message in sent].count("system") == 1


def test_the_layers_cost_at_most_fifteen_percent_more_calls():
    chat = load("order_number_50")
    result = replay(LayeredMemory(chat.system, client=Summariser()), chat, answer=False)
    assert result.own_calls <= 0.15 * 50
    codes = [asked for asked in result.asked if asked.probe.category == "code"]
    assert codes and all(asked.in_context for asked in codes)


def test_facts_come_before_summaries_where_room_is_short():
    memory = LayeredMemory(token_limit=160, recent_messages=2, fold_messages=2,
                           client=Summariser(lambda messages, call: "a long summary of everything " * 12))
    memory.add(user("My order number is 4821937."))
    memory.add(assistant("Noted."))
    feed(memory, 6, "short")
    assert "4821937" in memory.messages()[0]["content"]
    assert memory.count(memory.messages()) <= 160


def test_a_summariser_that_fails_costs_no_fact():
    memory = LayeredMemory(client=Summariser(raises))
    memory.add(user("My order number is 4821937."))
    feed(memory, 40)
    assert "4821937" in memory.messages()[0]["content"]
    assert all(record.error for record in memory.compactions)


def test_state_comes_back():
    make = partial(LayeredMemory, "s", client=Summariser())
    memory = make()
    memory.add(user("My order number is 4821937."))
    feed(memory, 30)
    other = make(client=Summariser(raises))
    for message in memory.log:
        other.add(message)
    other.restore(json.loads(json.dumps(memory.state())))
    assert other.messages() == memory.messages()
    assert other.states == memory.states


@pytest.mark.parametrize("must_remember", MUST_REMEMBER)
@pytest.mark.parametrize("latency", ["low", "any"])
@pytest.mark.parametrize("turns", [3, 50, 5000])
def test_every_choice_can_be_made_and_has_its_reason(must_remember, latency, turns):
    choice = choose(turns=turns, must_remember=must_remember, latency=latency)
    memory = choice.make("Be brief.")
    memory.add(user("hi"))
    assert type(memory).__name__ == choice.name
    assert choice.reason in REASONS.values()
    if turns == 3:
        assert choice.name == "BufferMemory"
    if latency == "low" and turns > 3:
        assert choice.name in ("SlidingWindowMemory", "FactTableMemory", "SummaryMemory", "LayeredMemory")
        assert getattr(memory, "light", True)


def test_every_reason_can_be_the_answer():
    found = {choose(turns=turns, must_remember=must, latency=latency, tokens_per_turn=tokens).reason
             for turns in (2, 60) for must in MUST_REMEMBER for latency in ("low", "any") for tokens in (80, 900)}
    assert found == set(REASONS.values())


@pytest.mark.parametrize("bad", [{"must_remember": "all"}, {"latency": "high"}, {"turns": 0}, {"token_limit": 0}])
def test_bad_input_is_named(bad):
    with pytest.raises(SettingError, match=next(iter(bad))):
        choose(**{"turns": 50, **bad})
