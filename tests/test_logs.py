"""Readers of chat logs: each format's own trouble, every encoding, and real samples where they lie."""

import json
from pathlib import Path

import pytest
from talks import FIXTURES, MESSAGES, written

from memory_lab import logs
from memory_lab.errors import LogError
from memory_lab.messages import check_message

SAMPLES = Path(__file__).parents[2] / "shared" / "data" / "logs"
READ = {"chatgpt_export_sample00.json": (1, 2), "chatgpt_native_conversation.json": (1, 5),
        "claude_ai_export_sample00.json": (1, 3), "langchain_dumps_generated.json": (1, 6),
        "openai_cookbook_drone_toolcalls_first3_tools_removed.jsonl": (3, 9),
        "openai_cookbook_toy_chat_fine_tuning.jsonl": (5, 19), "openai_messages_multimodal_llamafactory.json": (6, 24),
        "sharegpt_fastchat_dummy.json": (20, 78), "sharegpt_toolcall_zh_llamafactory_first10.json": (10, 62),
        "traps_synthetic.jsonl": (8, 27), "vercel_anthropic_compaction.json": (1, 1),
        "vercel_anthropic_refusal.json": (1, 1), "vercel_openai_chat_text.json": (1, 1),
        "vercel_responses_parallel_toolcalls.json": (1, 1)}
REFUSED = {"litellm_spend_logs_payload_trimmed.json": "no messages in it. .*store_prompts_in_spend_logs"}


def roles(conversation):
    return [message["role"] for message in conversation.messages]


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


# ---- real samples

with_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"the sample logs are not here ({SAMPLES})")


@with_samples
@pytest.mark.parametrize("name", sorted(READ))
def test_real_samples_load(name):
    talks = logs.load(SAMPLES / name)
    assert (len(talks), sum(len(talk.messages) for talk in talks)) == READ[name]
    for talk in talks:
        assert talk.messages
        for index, message in enumerate(talk.messages):
            check_message(message, index)


@with_samples
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_real_samples_are_refused_with_a_reason(name):
    with pytest.raises(LogError, match=f"{name}: .*{REFUSED[name]}"):
        logs.load(SAMPLES / name)


@with_samples
def test_no_sample_is_untested():
    assert {path.name for path in SAMPLES.iterdir()} == set(READ) | set(REFUSED)
    talks = logs.load(SAMPLES)
    assert len(talks) == sum(talks for talks, _ in READ.values()) and len(talks.skipped) == len(REFUSED)
