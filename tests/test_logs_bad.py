"""Chat logs that are damaged: each way says what and where, and any JSON at all is read or refused."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from talks import FIXTURES, MESSAGES, written

from memory_lab import logs
from memory_lab.errors import LogError
from memory_lab.messages import check_message
from memory_lab.truncation import BufferMemory


def refusal(folder, content, name="log.json"):
    path = written(folder, content, name)
    with pytest.raises(LogError) as caught:
        logs.load(path)
    assert str(caught.value).startswith(str(path))  # which file, first of all
    return str(caught.value)[len(str(path)):]


@pytest.mark.parametrize(("content", "words"), [
    (b"", "the file is empty"), (b" \n\t", "the file is empty"), (b"\xef\xbb\xbf", "the file is empty"),
    (b"<!DOCTYPE html><html>", "HTML"), (b"PK\x03\x04rest", "compressed archive"), (b"\x1f\x8b\x08", "damaged gzip"),
    (b'[{"role": "user", "content": "\xff"}]', "byte 30 is not UTF-8"),
    ('{"a": 1,\n "b": ]}', "line 2, column 7: not JSON here"),
    ('[{"role": "user", "content": "Hi"}, {"role"', "cut off"), ('[{"role": "user", "content": "H', "cut off"),
    ("hello there", "line 1, column 1: not JSON"), ("[" * 100_000, "nested too deeply"),
    ("[]", "an empty list"), ("42", "a number"), ("null", "null"), ('"words"', "a string"), ("{}", "an object"),
    ([1, 2], "a list whose first item is a number"), ({"a": 1}, "fields a"),
    ([{"messages": MESSAGES}, {"a": 1}], "item 2: expected a conversation"),
    ([{"messages": MESSAGES}, 3], "item 2: expected a conversation"),
    ({"messages": [MESSAGES[0], "Hello"]}, "message 2: expected a message, an object with a role and a content, found"),
    ({"messages": [MESSAGES[0], {"role": "narrator", "content": "x"}]}, "message 2: the role 'narrator'"),
    ({"messages": [{"content": "x"}]}, "message 1: no role"),
    ({"messages": [{"role": "assistant", "tool_calls": ["f"]}]}, "tool_calls[0] is a string"),
    ([{"from": "narrator", "value": "x"}], "the speaker is 'narrator'"),
    ([{"conversations": [{"from": "human", "value": "x"}]}, {"x": 1}], "item 2: expected an object with a list 'conv"),
    ({"mapping": {"a": {"message": {"author": {"role": "ghost"}}, "parent": None}}, "current_node": "a"}, "'ghost'"),
    ({"mapping": {"a": {"message": 3, "parent": None}}, "current_node": "a"}, "node 'a' is a number")])
def test_bad_files_say_what_and_where(tmp_path, content, words):
    assert words in refusal(tmp_path, content)


def test_a_bad_line_is_named(tmp_path):
    good = json.dumps({"messages": MESSAGES})
    words = refusal(tmp_path, f"{good}\n\n{good[:-9]}\n{good}\n")
    assert words.startswith(", line 3, column ")
    assert "2 other lines are readable" in words
    words = refusal(tmp_path, '{"role": "user", "content": ""}\n{"role": "bee"}\n')
    assert words.startswith(", line 2: the role 'bee'")


def test_missing_file(tmp_path):
    with pytest.raises(LogError, match="no such file"):
        logs.load(tmp_path / "none.json")


def test_chatgpt_tree_with_a_circle_is_refused(tmp_path):
    data = json.loads((FIXTURES / "chatgpt.json").read_text())
    data[0]["mapping"]["root"]["parent"] = "a2"
    assert "item 1: the node 'a2' is its own ancestor" in refusal(tmp_path, data)


# ---- any JSON at all

JSON = st.recursive(st.none() | st.booleans() | st.integers(-9, 10**12) | st.floats() | st.text(max_size=6)
                    | st.sampled_from(["user", "assistant", "tool", "system", "a", "human", "gpt", "all", "text"]),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([
                        "role", "content", "messages", "tool_calls", "id", "function", "name", "arguments", "mapping",
                        "current_node", "a", "message", "author", "parent", "parts", "content_type", "type", "text",
                        "conversations", "from", "value", "tool_call_id", "recipient", "metadata", "title"]), inner,
                        max_size=4), max_leaves=12)


@st.composite
def damaged(draw):
    """A good log in which some values are replaced by any JSON."""
    name = draw(st.sampled_from(["chatgpt.json", "sharegpt.json"]))
    data = json.loads((FIXTURES / name).read_text())
    for _ in range(draw(st.integers(1, 3))):
        place = data
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if not isinstance(place[key], dict | list) or draw(st.integers(0, 4)) == 0:
                place[key] = draw(JSON)
                break
            place = place[key]
    return data


def test_deep_nesting_inside_a_message_is_refused_or_read(tmp_path):
    deep = "[" * 900 + "]" * 900
    for text in (f"[{deep}]", f'[{{"role": "user", "content": {deep}}}]',
                 f'[{{"role": "user", "content": "", "x": {deep}}}]'):
        path = written(tmp_path, text)
        try:
            logs.load(path)
        except LogError as error:
            assert str(path) in str(error)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=JSON | damaged() | st.lists(
    st.dictionaries(st.sampled_from(["role", "content", "tool_calls", "name"]), JSON)))
def test_any_json_is_read_into_valid_messages_or_refused(tmp_path_factory, data):
    path = written(tmp_path_factory.mktemp("any"), data)
    try:
        conversations = logs.load(path)
    except LogError as error:
        assert str(error).startswith(str(path))
        return
    for talk in conversations:
        assert talk.times is None or len(talk.times) == len(talk.messages)
        memory = BufferMemory()
        for index, message in enumerate(talk.messages):
            check_message(message, index)
            memory.add(message, at=talk.times and talk.times[index])
        assert len(memory.log) == len(talk.messages) >= len(memory.messages())
