"""The windows that count messages or turns, on the talk of chapter 1."""

from __future__ import annotations

import pytest

from memory_lab.errors import SettingError
from memory_lab.messages import assistant, system, tool, tool_call, user
from memory_lab.truncation import BufferMemory, FixedWindowMemory, PopOldestMemory, SlidingWindowMemory


def talk(turns):
    return [message for n in range(1, turns + 1) for message in (user(f"q{n}"), assistant(f"a{n}"))]


def fed(memory, messages):
    for message in messages:
        memory.add(message)
    return memory


def words(memory):
    return " ".join(message["content"] for message in memory.messages())


def test_the_buffer_sends_everything_but_strays():
    memory = fed(BufferMemory("s"), [assistant("Welcome!"), *talk(2), tool("late", tool_call_id="x"), user("q3")])
    assert words(memory) == "s q1 a1 q2 a2 q3"
    assert [(state, state.reason) for state in memory.states if state != "kept"] == [
        ("dropped", "before the first user"), ("dropped", "orphan result")]


def test_the_sliding_window_counts_turns_not_messages():
    steps = [assistant(tool_calls=[tool_call("a", "f")]), tool("1", tool_call_id="a"), assistant("done")]
    memory = fed(SlidingWindowMemory("s", max_turns=2), [*talk(3), user("go"), *steps])
    assert [message["role"] for message in memory.messages()] == [
        "system", "user", "assistant", "user", "assistant", "tool", "assistant"]


def test_the_fixed_window_clears_when_the_next_user_message_comes():
    memory = FixedWindowMemory("s", max_turns=2)
    seen = []
    for message in talk(5):
        memory.add(message)
        seen.append(words(memory))
    assert seen[:5] == ["s q1", "s q1 a1", "s q1 a1 q2", "s q1 a1 q2 a2", "s q3"]
    assert seen[-1] == "s q5 a5"


def test_pop_oldest_pops_the_system_message():
    memory = fed(PopOldestMemory("s", max_messages=4), talk(3))
    assert words(memory) == "q2 a2 q3 a3"
    assert memory.states == ["dropped", "dropped", "kept", "kept", "kept", "kept"]
    assert len(memory.log) == 6


def test_two_user_messages_in_a_row_are_one_turn():
    memory = fed(SlidingWindowMemory(max_turns=1), [user("a"), assistant("b"), user("c"), user("d")])
    assert words(memory) == "c d"


@pytest.mark.parametrize("make", [SlidingWindowMemory, FixedWindowMemory])
@pytest.mark.parametrize("bad", [0, -1, 2.0, "3", None, True])
def test_a_limit_that_makes_no_sense_is_named(make, bad):
    with pytest.raises(SettingError, match="max_turns"):
        make(max_turns=bad)


def test_late_instructions_are_sent_in_front():
    memory = fed(SlidingWindowMemory("s", max_turns=1), [*talk(2), system("Answer in Spanish."), user("q3")])
    assert words(memory) == "s Answer in Spanish. q3"
