"""What all memories share: the log, its times, the joined text, the outline."""

from __future__ import annotations

import copy
from datetime import UTC, datetime

import pytest

from memory_lab import memory as module
from memory_lab.errors import MessageError, SettingError
from memory_lab.memory import BaseMemory, Memory, View
from memory_lab.messages import assistant, developer, system, tool, tool_call, user
from memory_lab.outline import Outline, State
from memory_lab.truncation import BufferMemory, FixedWindowMemory, PopOldestMemory, SlidingWindowMemory
from memory_lab.window import TokenWindowMemory

ALL = [BufferMemory, FixedWindowMemory, PopOldestMemory, SlidingWindowMemory, TokenWindowMemory]


@pytest.mark.parametrize("make", ALL)
def test_construction_is_uniform(make):
    memory = make("Be brief.", count=None, client=None)
    assert isinstance(memory, Memory)
    memory.add(user("hi"), at=datetime(2026, 5, 3))
    assert [message["content"] for message in memory.messages()] == ["Be brief.", "hi"]
    assert memory.times == [datetime(2026, 5, 3)]
    with pytest.raises(SettingError, match="system"):
        make([user("hi")])


def test_times_are_of_one_kind():
    memory = BufferMemory()
    memory.add(user("a"), at=datetime(2026, 5, 3, tzinfo=UTC))
    memory.add(assistant("b"))
    with pytest.raises(MessageError, match="time zone"):
        memory.add(user("c"), at=datetime(2026, 5, 4))
    assert len(memory.log) == 2


class Noted(BaseMemory):
    """A strategy in one method: everything, with a note of its own."""

    def _view(self):
        turns = self.outline.turns
        return View([i for turn in turns for unit in turn.complete() for i in unit.indices], derived="[note] x [end]")


@pytest.mark.parametrize("log", [[user("hi")], [user("hi"), developer("d"), system("e")]])
@pytest.mark.parametrize("text", [None, "s"])
def test_derived_text_is_counted_once_and_exactly(log, text):
    memory = Noted(text)
    for message in log:
        memory.add(message)
    expected = memory.count(memory.messages()[:len([m for m in log if m["role"] != "user"]) + (text is not None) or 1])
    before = memory.count.encode_calls
    assert memory.front_tokens("[note] x [end]") == expected
    once = memory.count.encode_calls
    memory.front_tokens("[note] x [end]")
    assert once - before <= 1 and memory.count.encode_calls == once


def test_a_fork_is_a_deep_copy():
    memory = SlidingWindowMemory("s", max_turns=2)
    memory.add(user("a"))
    fork = copy.deepcopy(memory)
    fork.add(user("b"))
    assert len(memory.log) == 1 and len(fork.log) == 2


def test_a_state_is_a_word_with_a_reason():
    state = State("dropped", "orphan result")
    assert state == "dropped" and state.reason == "orphan result" and f"{state}" == "dropped"


def test_an_instruction_between_call_and_result_parts_nothing():
    outline = Outline()
    for message in [user("x"), assistant(tool_calls=[tool_call("a", "f")]), system("s"), tool("1", tool_call_id="a")]:
        outline.add(message, 1)
    assert outline.turns[0].tokens == 3 and outline.instructions == [2] and not outline.strays


def test_a_call_is_pending_until_something_follows():
    memory = BufferMemory()
    for message in [user("x"), assistant(tool_calls=[tool_call("a", "f"), tool_call("a", "f")]),
                    tool("1", tool_call_id="a")]:
        memory.add(message)
    assert memory.states == ["kept", "pending", "pending"]
    other = copy.deepcopy(memory)
    memory.add(tool("2", tool_call_id="a"))
    assert memory.states == ["kept"] * 4
    other.add(user("never mind"))
    assert memory.states[1:3] == ["kept", "kept"]
    assert [state.reason for state in other.states] == ["", "abandoned call", "abandoned call", ""]


def test_the_header_says_what_to_copy():
    assert "Copy with:" in module.__doc__
