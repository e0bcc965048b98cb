"""Old tool results become stubs; calls, pairs and the log stay as they are."""

from __future__ import annotations

import doctest

import pytest

from memory_lab import tool_results as module
from memory_lab.errors import SettingError
from memory_lab.messages import assistant, check_messages, tool, tool_call, user
from memory_lab.summary import SummaryMemory
from memory_lab.tool_results import STUB, ToolClearing, ToolClearingMemory
from memory_lab.truncation import BufferMemory


def looked_up(n, name="search", result=None):
    return [user(f"q{n}"), assistant(tool_calls=[tool_call(f"c{n}", name, f'{{"n": {n}}}')]),
            tool(result or f"Result {n}.\n" + "detail " * 100, tool_call_id=f"c{n}"), assistant(f"a{n}")]


def fed(memory, talk):
    for message in talk:
        memory.add(message)
    return memory


def test_examples():
    assert doctest.testmod(module).failed == 0


def test_the_newest_stay_whole_and_the_rest_says_what_it_was():
    log = [message for n in range(5) for message in looked_up(n)]
    memory = fed(ToolClearingMemory(token_limit=5000, keep_results=2, min_saving=0), log)
    results = [message["content"] for message in memory.messages() if message["role"] == "tool"]
    assert [bool(STUB.fullmatch(result)) for result in results] == [True, True, True, False, False]
    assert results[0] == '[result of search({"n": 0}) cleared: 710 characters, which began: Result 0.]'
    check_messages(memory.messages())
    assert memory.log == log
    assert [state for state in memory.states if state != "kept"] == ["clipped"] * 3


def test_nothing_is_cleared_until_it_saves_enough():
    memory = ToolClearingMemory(token_limit=5000, keep_results=1, min_saving=200)
    seen = []
    for n in range(6):
        fed(memory, looked_up(n))
        seen.append(len(memory.stubs))
    assert seen == [0, 0, 0, 3, 3, 3]  # about 70 tokens each: three at once, then three again
    fed(memory, looked_up(6))
    assert len(memory.stubs) == 6


def test_a_prompt_between_two_clearings_continues_the_one_before():
    memory = ToolClearingMemory(token_limit=50_000, keep_results=1, min_saving=200)
    changes, last = 0, []
    for n in range(30):
        for message in looked_up(n):
            memory.add(message)
            sent = memory.messages()
            changes += sent[:len(last)] != last
            last = sent
    assert changes == len(memory.stubs) / 3


def test_named_tools_are_never_cleared_and_short_results_are_left():
    log = [*looked_up(0, "policy"), *looked_up(1, result="ok"), *looked_up(2), *looked_up(3), *looked_up(4)]
    memory = fed(ToolClearingMemory(token_limit=5000, keep_results=1, min_saving=0, never=["policy"]), log)
    assert sorted(memory.stubs) == [10, 14]


def test_more_turns_fit():
    log = [message for n in range(40) for message in looked_up(n)]
    cleared = fed(ToolClearingMemory(token_limit=1000), log)
    plain = fed(ToolClearingMemory(token_limit=1000, keep_results=1000), log)
    users = [sum(message["role"] == "user" for message in memory.messages()) for memory in (cleared, plain)]
    assert users[0] > 1.5 * users[1]
    assert cleared.count(cleared.messages()) <= 1000


def test_parallel_results_of_the_newest_call_stay_whole():
    call = assistant(tool_calls=[tool_call(name, "f") for name in "abcd"])
    memory = fed(ToolClearingMemory(token_limit=5000, keep_results=1, min_saving=0),
                 [user("q"), call, *(tool("long " * 100, tool_call_id=name) for name in "abcd")])
    assert memory.stubs == {}
    fed(memory, looked_up(1))
    assert len(memory.stubs) == 4


@pytest.mark.parametrize("base", [BufferMemory, SummaryMemory])
def test_any_memory_can_carry_it(base):
    carrying = type("Carrying", (ToolClearing, base), {})
    memory = fed(carrying("s", keep_results=1, min_saving=0), [message for n in range(4) for message in looked_up(n)])
    assert len(memory.stubs) == 3
    assert memory.count(memory.messages()) == memory.front_tokens() + sum(turn.tokens for turn in memory.outline.turns)


def test_bad_settings_are_named():
    with pytest.raises(SettingError, match="never"):
        ToolClearingMemory(never="search")
    with pytest.raises(SettingError, match="keep_results"):
        ToolClearingMemory(keep_results=-1)
