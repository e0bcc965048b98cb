"""summarize, and what SummaryMemory adds to folding: the running text, segments, light and better, states."""

from __future__ import annotations

import doctest
import json

import pytest
import summarisers
from folded import KINDS, feed, holds, make, reborn, sentence, stored, taken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from summarisers import Summariser

from memory_lab import summary as module
from memory_lab.conversations import load
from memory_lab.errors import ModelOutputError, SettingError
from memory_lab.folding import UNDOS
from memory_lab.messages import assistant, user
from memory_lab.summary import Summary, SummaryMemory, summarize
from memory_lab.tokens import TokenCounter
from memory_lab.truncation import BufferMemory

count = TokenCounter()
quiet = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}
every = pytest.mark.parametrize("name", KINDS)
TALK = [user(sentence(number)) for number in range(20)]


def test_examples():
    assert doctest.testmod(module).failed == 0


# --- summarize

def test_the_prompt_asks_for_what_must_not_be_lost_at_temperature_0():
    seen = {}
    client = Summariser()
    create = client.chat.completions.create

    def spy(**request):
        seen.update(request)
        return create(**request)

    client.chat.completions.create = spy
    said = summarize(client, TALK, previous="Numbers: 7", summary_limit=60)
    assert isinstance(said, Summary) and said == "Numbers: summary 1." and said.calls == 1 and said.tokens > 200
    assert (seen["temperature"], seen["max_tokens"], seen["model"]) == (0, 60, "fake")
    asked = seen["messages"][0]["content"]
    assert all(f"{heading}:" in asked for heading in module.HEADINGS) and "at most 60 tokens" in asked
    assert seen["messages"][1]["content"].startswith("Summary so far:\nNumbers: 7\n\nNew messages:\nuser: Note 0")


def test_too_long_is_asked_for_again_and_then_cut_at_a_sentence():
    client = Summariser(summarisers.endless)
    said = summarize(client, TALK, summary_limit=50)
    assert len(client.asked) == said.calls == 2 and "at most 25 tokens" in client.asked[1][-1]["content"]
    assert count.text(said) <= 50 and said.endswith("everything.")
    client = Summariser(lambda messages, call: "Budget: 900. The order is A-44", finish="length")
    assert summarize(client, TALK, summary_limit=50) == "Budget: 900."  # half a number is none


@pytest.mark.parametrize("say", [summarisers.nothing, summarisers.blank, summarisers.echo, summarisers.parrot])
def test_no_text_and_its_own_input_are_no_summary(say):
    with pytest.raises(ModelOutputError):
        summarize(Summariser(say), TALK, previous="Numbers: 7")


def test_a_summary_that_stays_as_it_was_is_one():
    said = summarize(Summariser(lambda messages, call: "Numbers: 7"), TALK, previous="Numbers: 7")
    assert said == "Numbers: 7"


def test_the_last_good_call_is_continued_chunk_by_chunk():
    client = Summariser()
    summarize(client, TALK, previous="Numbers: 7", input_limit=60)
    starts = [asked[1]["content"].partition("\n\nNew messages:")[0] for asked in client.asked]
    assert starts[:3] == [f"Summary so far:\n{text}" for text in
                          ("Numbers: 7", "Numbers: summary 1.", "Numbers: summary 2.")]
    assert max(map(count.text, client.read)) <= 60 and "\n".join(client.read).count("my marker is") == 20


def test_what_was_spent_is_known_though_it_failed():
    client = Summariser(lambda messages, call: RuntimeError("429") if call == 3 else f"Numbers: {call}.")
    memory = make("summary", client, input_limit=40)
    for message in TALK:
        memory.append(message)
        memory.append(assistant("Noted."))
    memory.add(user("And now?"))
    record = memory.compactions[0]
    assert record.error == "RuntimeError: 429" and record.model_calls == 3 and record.model_tokens > 300


def test_a_client_that_names_no_model_is_told():
    with pytest.raises(SettingError, match="which model"):
        summarize(object(), TALK)


# --- states

@every
@given(turns=st.integers(0, 40), more=st.integers(1, 25), undo=st.booleans())
@settings(max_examples=15, **quiet)
def test_a_state_brings_back_the_messages_the_states_and_the_future(name, turns, more, undo):
    memory = feed(make(name, Summariser(lambda messages, call: f"Numbers: {len(messages[1]['content'])}.")), turns)
    if undo:
        memory.undo()
    again = reborn(name, memory)
    for each in range(more):
        assert again.messages() == memory.messages() and again.states == memory.states
        assert stored(again) == stored(memory)
        for one in (memory, again):
            feed(one, 1, start=turns + each)
    assert again.undo() == memory.undo() and again.messages() == memory.messages()


@every
def test_a_state_is_a_copy_and_is_refused_where_it_does_not_fit(name):
    memory = feed(make(name), 30)
    state = memory.state()
    before = memory.messages()
    state["content"].clear()
    state["progress"][2].clear()
    assert memory.messages() == before
    with pytest.raises(SettingError, match="append"):
        make(name).restore(stored(memory))
    with pytest.raises(SettingError, match="state of a Other"):
        memory.restore(stored(memory) | {"strategy": "Other"})


@every
@pytest.mark.parametrize("limit", [0, 8, 40])
def test_a_text_over_a_smaller_limit_is_never_sent_after_restore(name, limit):
    long = Summariser(lambda messages, call: f"Numbers: {call}. " + "It was said that tea is liked. " * 2)
    memory = feed(make(name, long), 60)
    again = reborn(name, memory, summary_limit=limit)
    assert count.text(again.summary) <= limit
    holds(again, again.log)
    again._client = Summariser(summarisers.short)
    for number in range(60, 90):
        feed(again, 1, start=number)
        assert count.text(again.summary) <= limit
        holds(again, again.log)


@every
def test_law_11_boundaries_move_back_by_undo_alone_and_that_holds(name):
    memory, firsts = make(name), []
    for number in range(60):
        feed(memory, 1, start=number)
        firsts.append(memory._progress.first)
    assert firsts == sorted(firsts) and firsts[-1] > 20
    content, folds = memory.content, len(taken(memory))
    assert memory.undo() and memory.content != content
    holds(memory, memory.log)
    memory.add(user("ok"))
    assert len(memory.compactions) == len([r for r in memory.compactions if r.error in (None, "undone")])
    assert len(taken(memory)) <= folds  # one short message is not the trigger
    assert sum(memory.undo() for _ in range(50)) <= UNDOS
    feed(memory, 40, start=61)
    holds(memory, memory.log)
    assert memory._progress.first > firsts[-1]


# --- light and better

def test_light_at_once_and_better_when_there_is_time():
    client = Summariser(lambda messages, call: f"Preferences: all of them like tea ({call}).")
    memory = feed(make("summary_light", client), 30)
    assert not client.asked and all(record.light for record in memory.compactions) and "marker" in memory.summary
    light, covered = memory.summary, list(memory._progress.covered)
    fold = memory.better()
    assert fold.again and list(fold.covers) == covered
    fold.run(client)
    assert memory.apply(fold) and memory.summary != light and "(1)" in memory.summary
    assert memory._progress.covered == covered and memory.better() is None
    read = "\n".join(client.read)
    assert all(read.count(f"M{index // 2:04d}") == 1 for index in covered if index % 2 == 0)
    holds(memory, memory.log)
    feed(memory, 15, start=30)
    again = memory.better()
    assert again.previous == "Preferences: all of them like tea (1)." and again.covers[0] == max(covered) + 1
    assert memory.undo() and json.dumps(memory.state())


def test_better_is_refused_when_another_fold_came_between_and_a_failure_changes_nothing():
    memory = feed(make("summary_light"), 30)
    fold = memory.better()
    fold.run(memory.client)
    folds = len(memory.compactions)
    feed(memory, 15, start=30)
    assert len(memory.compactions) > folds and not memory.apply(fold) and "stale" in memory.compactions[-1].error
    before = memory.state()
    fold = memory.better()
    fold.run(Summariser(summarisers.raises))
    assert not memory.apply(fold)
    assert {**memory.state(), "compactions": 0} == {**before, "compactions": 0}
    assert make("summary").better() is None and feed(make("summary"), 30).better() is None


def test_better_takes_light_segments_one_by_one():
    client = Summariser()
    memory = feed(make("summary_segments", client, light=True), 12)
    texts = len(memory.content["texts"])
    assert texts > 3 and not client.asked
    for _ in range(texts):
        fold = memory.better()
        fold.run(client)
        assert memory.apply(fold)
    assert memory.better() is None and len(memory.content["texts"]) == texts
    assert [text for text, _ in memory.content["texts"]] == [f"Numbers: summary {n}." for n in range(1, texts + 1)]
    holds(memory, memory.log)


# --- segments

def test_the_published_form_every_5_turns_the_newest_3_shown():
    client = Summariser()
    memory = SummaryMemory(every_turns=5, shown=3, client=client)
    feed(memory, 26)
    assert [record.covers for record in memory.compactions] == [tuple(range(10 * n, 10 * n + 10)) for n in range(5)]
    assert memory.summary.splitlines() == ["Numbers: summary 3.", "Numbers: summary 4.", "Numbers: summary 5."]
    assert memory.states[:20] == ["dropped"] * 20 and memory.states[20:50] == ["summarised"] * 30
    assert all(asked[1]["content"].startswith("Summary so far:\n(none)") for asked in client.asked)


# --- with the offline model

@pytest.mark.parametrize("limit", [500, 900, 3000])
def test_the_order_number_survives_50_turns(limit):
    from memory_lab.evaluate import replay

    conversation = load("order_number_50")
    memory = SummaryMemory(conversation.system, token_limit=limit, trigger_tokens=limit // 2)
    result = replay(memory, conversation, answer=False)
    number = conversation.probes[0].accept[0]
    assert number in memory.summary and memory.states[conversation.probes[0].evidence[0]] == "summarised"
    assert result.asked[0].in_context and result.own_calls == len(memory.compactions) > 0
    assert not any(record.error for record in memory.compactions)
    assert result.prompt_tokens < replay(BufferMemory(conversation.system), conversation, answer=False).prompt_tokens
