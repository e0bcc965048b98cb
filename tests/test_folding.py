"""Folding, over every summarising memory: what is read, how often, and what a bad summariser can do to it."""

from __future__ import annotations

import json

import laws
import pytest
import summarisers
from folded import KINDS, MODELLED, agent_steps, feed, holds, make, sentence, taken
from histories import histories, limits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from summarisers import Summariser

from memory_lab.errors import SettingError, TokenLimitError
from memory_lab.folding import FoldingMemory
from memory_lab.messages import assistant, system, tool, tool_call, user
from memory_lab.window import TokenWindowMemory

quiet = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}
every = pytest.mark.parametrize("name", KINDS)
modelled = pytest.mark.parametrize("name", MODELLED)
FAULTY = (summarisers.raises, summarisers.nothing, summarisers.blank, summarisers.echo, summarisers.parrot)


def trimmed(memory):
    """What a plain window of the same limit sends."""
    window = TokenWindowMemory(memory.system, token_limit=memory.token_limit)
    for message in memory.log:
        window.add(message)
    return window.messages()


def unfolded(name):
    """A memory whose fold is due and not done."""
    memory = make(name)
    for number in range(9):
        memory.append(user(sentence(number)))
        memory.append(assistant("Noted."))
    return memory


@modelled
@pytest.mark.parametrize("say", summarisers.EACH, ids=lambda say: say.__name__)
def test_any_summariser(name, say):
    client = Summariser(say)
    memory = feed(make(name, client), 40)
    holds(memory, memory.log)
    failed = [record for record in memory.compactions if record.error]
    assert sum(record.model_calls for record in memory.compactions) == len(client.asked)
    if say in FAULTY:
        assert failed == memory.compactions and not memory.summary and memory.messages() == trimmed(memory)
        assert 3 <= len(failed) <= 20  # tried again, but not at every message
        assert all(record.after == record.before for record in failed)
    else:
        assert memory.summary and len(taken(memory)) > 3


@modelled
def test_law_10_a_fold_that_failed_is_made_up_for_at_the_next_trigger(name):
    client = Summariser(summarisers.raises)
    memory = feed(make(name, client), 20)
    assert not memory.summary and "dropped" in memory.states
    client.say = summarisers.short
    feed(memory, 12, start=20)
    holds(memory, memory.log)
    assert memory.summary and taken(memory)[0].covers[0] == 0  # what fell out meanwhile is read after all


@every
def test_two_compactions_that_finish_in_reverse(name):
    memory = unfolded(name)
    first, second = memory.plan(), memory.plan()
    assert first.covers == second.covers and not memory.compactions  # planning changes nothing
    for fold in (second, first):
        fold.run(memory.client)
    assert memory.apply(second) and not memory.apply(first)
    assert [record.error and record.error[:5] for record in memory.compactions] == [None, "stale"]
    assert memory.summary.count(second.text) == 1
    assert not memory.apply(second)  # nor the same one twice
    holds(memory, memory.log)


@every
def test_a_fold_is_refused_after_undo_clear_and_unrun(name):
    memory = unfolded(name)
    fold = memory.plan()
    with pytest.raises(SettingError, match="not run"):
        memory.apply(fold)
    fold.run(memory.client)
    memory.clear()
    assert not memory.apply(fold) and not memory.summary
    assert "stale" in memory.compactions[0].error


@every
def test_the_fold_is_a_copy_and_its_log_stays_out_of_reach(name):
    memory = unfolded(name)
    memory.plan().messages[0]["content"] = "spoilt"
    assert memory.log[0] == user(sentence(0))


@every
def test_parallel_tool_calls_are_never_cut_and_a_pending_call_waits(name):
    memory = make(name)
    log = []
    for number in range(8):
        log += [user(sentence(number)), *agent_steps(number), *agent_steps(100 + number, 3), assistant("Done.")]
    log += [user("And now?"), assistant(tool_calls=[tool_call("p", "look_up"), tool_call("q", "look_up")]),
            tool("half", tool_call_id="p")]
    for length, message in enumerate(log, 1):
        memory.add(message)
        holds(memory, log[:length])
    assert memory.states[-2:] == ["pending", "pending"]
    covered = {index for record in taken(memory) for index in record.covers}
    for start, message in enumerate(log[:-2]):
        unit = {start + place for place in range(1 + len(message.get("tool_calls", ())))}
        assert not message.get("tool_calls") or unit <= covered or not unit & covered


@every
@pytest.mark.parametrize("place", [0, 5])
def test_one_message_that_is_larger_than_everything(name, place):
    memory = make(name)
    feed(memory, place)
    memory.add(user("The first code is K-1111. " + "filler words here. " * 2000 + "The last code is K-9999."))
    holds(memory, memory.log)
    assert memory.states[-1] == "clipped" and memory.messages()[-1]["content"].startswith("The first code is K-1111.")
    read = "\n".join(memory.client.read) or memory.compactions[-1].before
    assert memory.compactions and "K-9999" in read  # what the clip leaves out is read by the fold
    memory.add(assistant("Noted."))
    feed(memory, 5, start=place)
    holds(memory, memory.log)


@every
def test_what_is_clipped_between_two_whole_messages_is_folded_too(name):
    memory = make(name)
    for message in [user("Look it up."), assistant(tool_calls=[tool_call("a", "f"), tool_call("b", "f")]),
                    tool("The code is K-1. " + "filler words here. " * 300 + "The code is K-2.", tool_call_id="a"),
                    tool("short", tool_call_id="b")]:
        memory.add(message)
    assert memory.states == ["kept", "kept", "clipped", "kept"]
    assert "K-2" in memory.compactions[-1].before or "K-2" in "".join(memory.client.read)
    holds(memory, memory.log)


@every
def test_an_agent_whose_one_turn_is_larger_than_the_window(name):
    memory = make(name)
    log = [user("Find the cheapest one.")]
    memory.add(log[0])
    for number in range(20):
        for message in agent_steps(number):
            log.append(message)
            memory.add(message)
        holds(memory, log)
    assert "summarised" in memory.states and memory.states[0] == "kept" and memory.states[-1] == "kept"


@every
def test_a_system_message_over_the_limit(name):
    memory = make(name, system_text="You are a very careful assistant. " * 100)
    feed(memory, 20)
    with pytest.raises(TokenLimitError, match="system"):
        memory.messages()
    assert not memory.client.asked and len(memory.log) == 40  # no fold could help


@every
@pytest.mark.parametrize("zero", [
    {"token_limit": 0}, {"summary_limit": 0}, {"trigger_messages": 0}, {"target_tokens": 0}, {"summary_limit": 3},
    {"token_limit": 0, "summary_limit": 0, "trigger_messages": 0, "target_tokens": 0, "trigger_tokens": 1}])
def test_limits_of_zero(name, zero):
    memory = feed(make(name, **zero), 20)
    assert laws.context(memory) is not None or memory.token_limit == 0
    holds(memory, memory.log)
    if memory.summary_limit < 4:
        assert not memory.summary and len(memory.client.asked) <= 2 * 20 * 30 // 35 + 2


@every
@given(history=histories, limit=limits, extra=st.integers(0, 2))
@settings(max_examples=60, **quiet)
def test_covers_are_disjoint_and_complete_whatever_is_said(name, history, limit, extra):
    memory = make(name, Summariser(summarisers.EACH[limit % len(summarisers.EACH)]), token_limit=limit,
                  summary_limit=limit // 4)
    log = []
    for message in history * (1 + extra):
        log.append(message)
        memory.add(message)
        holds(memory, log)
    json.dumps(memory.state())


@every
def test_one_system_message_goes_out(name):
    bare = feed(make(name, system_text=None), 20)
    assert [message["role"] for message in bare.messages()].count("system") == 1
    assert bare.summary in bare.messages()[0]["content"]
    told = feed(make(name), 20)
    assert [message["role"] for message in told.messages()].count("system") == 1
    assert told.messages()[0]["content"].startswith("Be brief.\n\n[Summary")
    told.add(system("Answer in Spanish."))
    front = told.messages()[:2]
    assert front[0] == system("Be brief.") and front[1]["content"].startswith("Answer in Spanish.\n\n[Summary")


def test_the_trigger_must_be_above_the_target():
    with pytest.raises(SettingError, match="due again at once"):
        make("summary", trigger_tokens=100, target_tokens=100)
    assert FoldingMemory.heading == ""
