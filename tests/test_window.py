"""trim and its cuts; the window as a whole is held by test_laws.py."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab import window as module
from memory_lab.errors import MessageError, SettingError, TokenLimitError
from memory_lab.messages import assistant, system, tool, tool_call, user
from memory_lab.tokens import TokenCounter
from memory_lab.window import TokenWindowMemory, clip_message, least_tokens, shares, trim

count = TokenCounter()


def test_examples():
    assert doctest.testmod(module).failed == 0


@given(st.lists(st.integers(0, 50), max_size=6), st.integers(0, 120))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_shares_give_all_there_is_and_never_more_than_asked(sizes, room):
    given_ = shares(sizes, room)
    assert sum(given_) == min(sum(sizes), room)
    assert all(got <= size for got, size in zip(given_, sizes, strict=True))
    ranked = sorted(zip(sizes, given_, strict=True))
    assert [got for _, got in ranked] == sorted(got for _, got in ranked)


TEXT = user("Start of the report. " + "filler " * 400 + "The total is 4,471 yen.")
PARTS = user([{"type": "text", "text": "short"}, {"type": "image_url", "image_url": {"url": "u", "detail": "low"}},
              {"type": "text", "text": "數字" * 300}, {"type": "text", "text": "word " * 300}])


LONG = [TEXT, PARTS, tool("x " * 500, tool_call_id="a"), assistant("y " * 500, name="bot")]


@pytest.mark.parametrize("message", LONG)
def test_a_clip_fits_and_says_so(message):
    tokens = count.message(message)
    least = least_tokens(message, tokens, count)
    for limit in range(least, tokens + 1, 37):
        cut = clip_message(message, limit, tokens, count)
        assert count.message(cut) <= limit
        assert "characters cut" in str(cut["content"])
    with pytest.raises(TokenLimitError) as caught:
        clip_message(message, least - 1, tokens, count)
    assert caught.value.needed == least
    assert clip_message(message, tokens, tokens, count) == message


def test_the_beginning_and_the_end_of_a_clip_survive():
    cut = clip_message(TEXT, 120, count.message(TEXT), count)["content"]
    assert cut.startswith("Start of the report.") and cut.endswith("The total is 4,471 yen.")


def test_the_error_says_what_how_many_tokens_and_what_to_do():
    memory = TokenWindowMemory("word " * 50, token_limit=64)
    memory.add(system("rule " * 30))
    memory.add(user("hi"))
    with pytest.raises(TokenLimitError) as caught:
        memory.messages()
    assert "token_limit is 64: " in str(caught.value) and "Shorten the instructions" in str(caught.value)
    assert caught.value.parts == (("the reply's start", 3), ("the system text", count.message(system("word " * 50))),
                                  ("the system message [0]", count.message(system("rule " * 30))))
    assert memory.log[-1] == user("hi")  # nothing is lost
    memory.clear()
    memory.add(user("hi"))
    assert memory.messages()[-1] == user("hi")


def test_trim_never_aliases_and_never_changes_its_input():
    talk = [system("s"), user([{"type": "text", "text": "x"}]), assistant(tool_calls=[tool_call("a", "f")]),
            tool("1", tool_call_id="a")]
    sent = trim(talk, token_limit=500)
    assert sent == talk
    sent[1]["content"][0]["text"] = sent[2]["tool_calls"][0]["id"] = "changed"
    assert talk[1]["content"][0]["text"] == "x" and talk[2]["tool_calls"][0]["id"] == "a"


def test_bad_input_is_named():
    with pytest.raises(SettingError, match="token_limit"):
        trim([user("x")], token_limit=-1)
    with pytest.raises(MessageError):
        trim([{"role": "user"}], token_limit=100)


def test_each_string_is_encoded_once():
    counter = TokenCounter()
    trim([user(f"message {n}") for n in range(100)], token_limit=200, count=counter)
    assert counter.encode_calls == 100
