"""Constructors, turns and the one validator."""

from __future__ import annotations

import doctest

import pytest
from histories import histories
from hypothesis import given, settings

from memory_lab import messages as module
from memory_lab.errors import MessageError
from memory_lab.messages import (
    RULES,
    assistant,
    check_message,
    check_messages,
    copy_message,
    developer,
    system,
    text_of,
    tool,
    tool_call,
    turns,
    user,
    with_derived,
)
from memory_lab.rules import message_problems

CALL = assistant(tool_calls=[tool_call("a", "f"), tool_call("b", "f")])
def surrogate(text):
    return {"role": "user", "content": text}


BAD = [  # (the list, the rule that it breaks, at which index, whether only stricter servers mind)
    ([], "empty", None, False),
    ([None], "shape", 0, False),
    ([user("x"), {"role": "user", "content": "x", "name": None}], "shape", 1, False),
    ([{"role": "user", "content": b"x"}], "shape", 0, False),
    ([{"role": "user", "content": "x", 3: "y"}], "shape", 0, False),
    ([{"role": "user", "content": [{"type": "text", "text": "x", "weight": float("nan")}]}], "shape", 0, False),
    ([{"content": "x"}], "role", 0, False),
    ([{"role": "function", "content": "x"}], "role", 0, False),
    ([{"role": "user"}], "content", 0, False),
    ([{"role": "user", "content": None}], "content", 0, False),
    ([{"role": "user", "content": []}], "content", 0, False),
    ([{"role": "user", "content": 7}], "content", 0, False),
    ([{"role": "user", "content": ["x"]}], "content", 0, False),
    ([{"role": "user", "content": [{"type": "text"}]}], "content", 0, False),
    ([user("x"), {"role": "assistant", "content": None}], "content", 1, False),
    ([{"role": "user", "content": "x", "name": "a b"}], "name", 0, False),
    ([{"role": "user", "content": "x", "name": ""}], "name", 0, False),
    ([{"role": "tool", "content": "x"}], "tool_call_id", 0, False),
    ([{"role": "user", "content": "x", "tool_calls": CALL["tool_calls"]}], "tool_calls", 0, False),
    ([{"role": "assistant", "content": "x", "tool_calls": []}], "tool_calls", 0, False),
    ([{"role": "assistant", "tool_calls": [{"id": "a"}]}], "tool_calls", 0, False),
    ([{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]}],
     "tool_calls", 0, False),
    ([user("x"), surrogate("\ud83d alone")], "surrogate", 1, False),
    ([user("x"), tool("y", tool_call_id="a")], "orphan_result", 1, False),
    ([user("x"), CALL, tool("1", tool_call_id="a"), tool("2", tool_call_id="a")], "orphan_result", 3, False),
    ([user("x"), CALL, tool("1", tool_call_id="a"), user("y")], "missing_result", 1, False),
    ([user("x"), CALL, tool("1", tool_call_id="a"), system("s"), tool("2", tool_call_id="b")],
     "missing_result", 1, False),
    ([user("x"), CALL, tool("1", tool_call_id="a")], "missing_result", 1, False),
    ([system("a"), developer("b"), user("x")], "one_system", 1, True),
    ([user("x"), system("a")], "system_first", 1, True),
    ([assistant("hi"), user("x")], "user_first", 0, True),
    ([user("x"), user("y")], "alternation", 1, True),
    ([user("x"), assistant("y"), assistant("z")], "alternation", 2, True),
]


@pytest.mark.parametrize(("talk", "rule", "index", "strict"), BAD)
def test_the_validator_names_the_rule_and_the_index(talk, rule, index, strict):
    if strict:
        check_messages(talk)  # the OpenAI API takes it
    with pytest.raises(MessageError) as caught:
        check_messages(talk, strict=strict)
    error = caught.value
    assert (error.rule, error.index, error.server) == (rule, index, "strict" if strict else "openai")
    assert rule in str(error) and (index is None or f"messages[{index}]" in str(error))


def test_each_rule_has_an_example():
    assert {rule for _, rule, _, _ in BAD} == set(RULES)


GOOD = [
    [user("x")], [system("s")], [system("s"), user("x"), assistant(""), user("")],
    [user("x"), CALL, tool("2", tool_call_id="b"), tool("1", tool_call_id="a"), assistant("done")],
    [user([{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "https://x"}}])],
    [user("x"), {"role": "assistant", "content": None, "refusal": "No."}],
]


@pytest.mark.parametrize("talk", GOOD)
def test_what_the_api_takes_passes(talk):
    check_messages(talk)
    check_messages(talk, strict=True)


def test_all_problems_are_listed():
    found = list(message_problems([assistant("hi"), tool("y", tool_call_id="a"), user("x"), system("s")], strict=True))
    assert [(error.rule, error.index) for error in found] == [
        ("user_first", 0), ("orphan_result", 1), ("system_first", 3)]


def test_a_pydantic_message_is_refused_with_the_remedy():
    class Reply:
        def model_dump(self): ...

    with pytest.raises(MessageError, match="model_dump"):
        check_message(Reply())


@given(histories)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_turns_lose_nothing(history):
    instructions, talk = turns(history)
    rest = [message for message in history if not any(message is each for each in instructions)]
    assert [id(message) for turn in talk for message in turn] == [id(message) for message in rest]
    assert all(turn[0]["role"] == "user" for turn in talk[1:])
    for turn in talk[1:]:
        roles = "".join(message["role"][0] for message in turn).lstrip("u")
        assert "u" not in roles  # behind the run of user messages no other user message


@given(histories)
@settings(max_examples=50, deadline=None, derandomize=True)
def test_a_copy_is_equal_and_shares_nothing(history):
    def containers(value):
        if isinstance(value, (dict, list)):
            yield id(value)
            for item in value.values() if isinstance(value, dict) else value:
                yield from containers(item)

    copied = copy_message(history)
    assert copied == history
    assert not set(containers(copied)) & set(containers(history))


def test_text_of():
    assert text_of(user("x")) == "x"
    assert text_of({"role": "assistant", "content": None}) == ""
    assert text_of(user([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}},
                         {"type": "text", "text": "b"}])) == "a\nb"


def test_derived_text_follows_the_last_instruction():
    front = [system("a"), system("b")]
    assert with_derived(front, "notes") == [system("a"), system("b\n\nnotes")]
    assert with_derived([system([{"type": "text", "text": "b"}])], "notes")[0]["content"][1]["text"] == "notes"
    assert with_derived([], "notes") == [system("notes")]
    assert front == [system("a"), system("b")]


def test_examples():
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL).failed == 0
