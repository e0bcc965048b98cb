"""Readers of chat logs: each format's own trouble, every way a file can be bad, and real samples where they lie."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_lab import logs
from memory_lab.errors import LogError
from memory_lab.memory import BaseMemory
from memory_lab.messages import check_message
from memory_lab.truncation import BufferMemory

FIXTURES = Path(__file__).parent / "fixtures" / "logs"
SAMPLES = Path(__file__).parents[2] / "shared" / "data" / "logs"
READ = {"chatgpt_export_sample00.json": (1, 2), "chatgpt_native_conversation.json": (1, 5),
        "openai_cookbook_drone_toolcalls_first3_tools_removed.jsonl": (3, 9),
        "openai_cookbook_toy_chat_fine_tuning.jsonl": (5, 19), "openai_messages_multimodal_llamafactory.json": (6, 24),
        "sharegpt_fastchat_dummy.json": None, "sharegpt_toolcall_zh_llamafactory_first10.json": (10, 62),
        "traps_synthetic.jsonl": (8, 27)}
REFUSED = {"claude_ai_export_sample00.json": "Claude.ai", "langchain_dumps_generated.json": "LangChain",
           "litellm_spend_logs_payload_trimmed.json": "LiteLLM", "vercel_anthropic_compaction.json": "Anthropic",
           "vercel_anthropic_refusal.json": "Anthropic", "vercel_openai_chat_text.json": "one answer",
           "vercel_responses_parallel_toolcalls.json": "Responses"}


def written(folder, content, name="log.json"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else
                     (content if isinstance(content, str) else json.dumps(content)).encode())
    return path


def roles(conversation):
    return [message["role"] for message in conversation.messages]


def refusal(folder, content, name="log.json"):
    path = written(folder, content, name)
    with pytest.raises(LogError) as caught:
        logs.load(path)
    assert str(caught.value).startswith(str(path))  # which file, first of all
    return str(caught.value)[len(str(path)):]


# ---- formats

def test_chatgpt_follows_the_current_branch():
    [talk] = logs.load(FIXTURES / "chatgpt.json")
    assert (talk.name, talk.format) == ("Shellfish and an order", "ChatGPT export")
    assert roles(talk) == ["system", "user", "assistant", "tool", "assistant", "user", "assistant"]
    instructions, menu, call, result, _, order, last = talk.messages
    assert instructions["content"] == "Allergic to shellfish.\nBe brief."
    assert [part["type"] for part in menu["content"]] == ["text", "image_url"]
    assert call["tool_calls"][0]["function"] == {"name": "browser_search", "arguments": '{"q": "menu"}'}
    assert result == {"role": "tool", "tool_call_id": "call-1", "content": "prawns, soup\nMenu\nno nuts"}
    assert order["content"] == "Order soup."
    assert last["content"] == "Ordered as A-1023.\n[smell]"
    assert not any("superseded" in str(message) for message in talk.messages)


def test_chatgpt_says_what_it_left_out_and_did_not_understand():
    [talk] = logs.load(FIXTURES / "chatgpt.json")
    assert dict(talk.unknown) == {"content type hologram": 1, "part smell": 1}
    assert "message on a superseded branch left out: 2" in talk.notes
    assert "thoughts left out (reasoning is not sent back)" in talk.notes
    assert "attachment whose text is not in the export: menu.pdf" in talk.notes
    assert "further result of the same tool call, joined to the first" in talk.notes
    assert [time is not None for time in talk.times] == [False, True] + [False] * 5
    assert talk.times[1].isoformat() == "2023-11-14T22:13:21.250000+00:00"


def test_chatgpt_without_a_current_node_takes_the_last_leaf(tmp_path):
    data = json.loads((FIXTURES / "chatgpt.json").read_text())
    data[0]["current_node"] = "gone"
    [talk] = logs.load(written(tmp_path, data))
    assert talk.messages[-1]["content"].startswith("Ordered")
    assert "no current_node in the tree: its last leaf taken" in talk.notes


def test_chatgpt_tree_with_a_circle_is_refused(tmp_path):
    data = json.loads((FIXTURES / "chatgpt.json").read_text())
    data[0]["mapping"]["root"]["parent"] = "a2"
    assert "item 1: the node 'a2' is its own ancestor" in refusal(tmp_path, data)


def test_sharegpt_pairs_calls_and_results_by_order():
    tools, openai_form, none = logs.load(FIXTURES / "sharegpt.json")
    assert roles(tools) == ["system", "user", "assistant", "tool", "tool", "assistant", "user",
                            "assistant", "tool", "assistant", "assistant"]
    calls = tools.messages[2]["tool_calls"]
    assert [call["function"] for call in calls] == [{"name": "weather", "arguments": '{"city": "京都"}'},
                                                    {"name": "time", "arguments": "{}"}]
    assert [message["tool_call_id"] for message in tools.messages[3:5]] == [call["id"] for call in calls]
    assert tools.messages[8]["tool_call_id"] == tools.messages[7]["tool_calls"][0]["id"]
    assert "tool result without a call: an empty call was put before it" in tools.notes
    assert dict(tools.unknown) == {"function_call that is not {name, arguments}": 1}
    assert roles(openai_form) == ["user", "assistant"]
    assert none.messages == [] and "no messages in it" in none.notes


def test_openai_messages_are_mended_with_notes():
    mended, _ = logs.load(FIXTURES / "openai.jsonl")
    assert mended.name == "mended"
    assert mended.messages[0] == {"role": "user", "content": ""}
    calls = mended.messages[1]["tool_calls"]
    assert [call["function"]["arguments"] for call in calls] == ['{"n": 1}', '{"m": 2}']
    assert [call["id"] for call in calls] == ["c", "c_1"]
    assert [message["tool_call_id"] for message in mended.messages[2:4]] == ["c", "c_1"]
    assert mended.messages[3]["content"] == '{"m": 2}'
    assert mended.messages[4]["content"][0] == {"type": "text", "text": "Done"}
    assert mended.unknown == {"part video": 1}
    for note in ("role 'User' read as 'user'", "null content read as empty",
                 "id used twice in one message made two ids",
                 "tool arguments encoded twice, decoded once", "tool arguments written as an object made JSON text",
                 "fields beside the messages not used: model"):
        assert note in mended.notes
    assert mended.times[0].hour == 10


def test_old_functions_surrogates_refusals_and_strays():
    _, odd = logs.load(FIXTURES / "openai.jsonl")
    assert odd.messages[0] == {"role": "user", "name": "Ana_María", "content": "half \ufffd pair"}
    assert "lone surrogate replaced by U+FFFD in message 1" in odd.notes
    assert odd.messages[2]["tool_call_id"] == odd.messages[1]["tool_calls"][0]["id"]
    assert "tool result that no call explains kept as it is (memories leave it out)" in odd.notes
    assert odd.unknown == {"field reasoning_content of an assistant message": 1}
    assert odd.messages[5] == {"role": "assistant", "content": None, "refusal": "No."}


MESSAGES = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


@pytest.mark.parametrize("data", [
    MESSAGES, {"messages": MESSAGES}, [{"messages": MESSAGES}], [MESSAGES], json.dumps(json.dumps(MESSAGES)),
    "\n".join(map(json.dumps, MESSAGES)), "\n".join([json.dumps({"messages": MESSAGES})] * 2),
    [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}],
    {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]},
    [{"role": "human", "content": "Hi"}, {"role": "ai", "content": "Hello"}]])
def test_one_conversation_in_every_shape(tmp_path, data):
    assert logs.load(written(tmp_path, data, "any.name"))[0].messages == MESSAGES


@pytest.mark.parametrize(("encoding", "note"), [
    ("utf-8-sig", "byte order mark"), ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16"), ("utf-16-be", "UTF-16")])
def test_encodings_are_read_and_noted(tmp_path, encoding, note):
    [talk] = logs.load(written(tmp_path, json.dumps(MESSAGES, ensure_ascii=False).encode(encoding)))
    assert talk.messages == MESSAGES
    assert note in talk.notes[0]


def test_line_separators_inside_a_string_do_not_part_lines(tmp_path):
    line = json.dumps({"messages": [{"role": "user", "content": "a\u2028b\x85c"}]}, ensure_ascii=False)
    first, _ = logs.load(written(tmp_path, line + "\n" + line))
    assert first.messages[0]["content"] == "a\u2028b\x85c"


# ---- bad files

@pytest.mark.parametrize(("content", "words"), [
    (b"", "the file is empty"), (b" \n\t", "the file is empty"), (b"\xef\xbb\xbf", "the file is empty"),
    (b"<!DOCTYPE html><html>", "HTML"), (b"PK\x03\x04rest", "compressed archive"), (b"\x1f\x8b\x08", "compressed"),
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


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(LogError, match="no such file"):
        logs.load(tmp_path / "none.json")
    with pytest.raises(LogError, match="a folder"):
        logs.load(tmp_path)


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
        assert isinstance(memory, BaseMemory) and len(memory.messages()) <= len(talk.messages)


# ---- real samples

with_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"the sample logs are not here ({SAMPLES})")


@with_samples
@pytest.mark.parametrize("name", sorted(READ))
def test_real_samples_load(name):
    talks = logs.load(SAMPLES / name)
    if READ[name]:
        assert (len(talks), sum(len(talk.messages) for talk in talks)) == READ[name]
    for talk in talks:
        assert talk.messages
        for index, message in enumerate(talk.messages):
            check_message(message, index)


@with_samples
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_real_samples_of_other_formats_are_refused_by_name(name):
    with pytest.raises(LogError, match=f"{name}: this looks like .*{REFUSED[name]}"):
        logs.load(SAMPLES / name)


@with_samples
def test_no_sample_is_untested():
    assert {path.name for path in SAMPLES.iterdir()} == set(READ) | set(REFUSED)
