"""Claude.ai, Anthropic, Responses, LangChain, LiteLLM, plain lists: units stay whole, what is unknown is kept."""

import json

import pytest
from talks import FIXTURES, MESSAGES, written

from memory_lab import logs
from memory_lab.errors import LogError
from memory_lab.log_replay import KnownCounts
from memory_lab.rules import message_problems


def roles(talk):
    return [message["role"] for message in talk.messages]


def orphans(talk):
    """What would tear a call from its result."""
    return [str(error) for error in message_problems(talk.messages)]


def test_claude_ai_follows_the_branch_and_pairs_what_one_message_holds():
    talk, old = logs.load(FIXTURES / "claude_ai.json")
    assert (talk.name, talk.format) == ("A trip for Ana", "Claude.ai export")
    assert roles(talk) == ["user", "assistant", "assistant", "tool", "assistant", "user"] and not orphans(talk)
    assert talk.messages[0]["content"] == "[plan.txt]\nTrain AB-512 leaves at 09:40.\nRead this."
    assert talk.messages[2]["tool_calls"][0] == {"id": "toolu_1", "type": "function", "function": {
        "name": "trains", "arguments": '{"number": "AB-512"}'}}
    assert talk.messages[4]["content"] == [{"type": "hologram", "shape": "train"},
                                           {"type": "text", "text": "It is on time."}]
    assert "message on a superseded branch left out" in talk.notes and "superseded" not in str(talk.messages)
    assert "attachment whose text is not in the export: map.png" in talk.notes
    assert dict(talk.unknown) == {"part hologram": 1} and talk.opaque["part hologram"] > 0
    assert talk.times[0].isoformat() == "2025-03-01T10:00:00+00:00"
    assert [message["content"] for message in old.messages] == ["An old export.", "Yes."] and old.name == "t2"


def test_anthropic_results_come_first_and_thinking_stays_with_its_calls():
    [talk] = logs.load(FIXTURES / "anthropic.json")
    assert talk.format == "Anthropic messages"
    assert roles(talk) == ["system", "user", "assistant", "tool", "tool", "user", "assistant", "user", "assistant"]
    assert not orphans(talk)
    assert talk.messages[1]["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBO"
    call = talk.messages[2]
    assert [part["type"] for part in call["content"]] == ["thinking", "text"]
    assert [each["function"]["arguments"] for each in call["tool_calls"]] == ['{"city": "Lyon"}', '{"city": "Bern"}']
    assert [message["content"] for message in talk.messages[3:5]] == ["31", "25"]
    assert talk.messages[6]["content"][0]["text"] == "The user asked for the weather."
    assert talk.messages[8] == {"role": "assistant", "content": None, "refusal": "Not that."}
    assert dict(talk.unknown) == {"part thinking": 1}


def test_responses_items_of_one_answer_are_one_message():
    [talk] = logs.load(FIXTURES / "responses.json")
    assert talk.format == "OpenAI Responses items"
    assert roles(talk) == ["developer", "user", "assistant", "tool", "tool", "assistant", "user", "assistant"]
    assert not orphans(talk)
    call = talk.messages[2]
    assert [part["type"] for part in call["content"]] == ["reasoning"]
    assert [each["id"] for each in call["tool_calls"]] == ["call_1", "call_2"]
    assert [message["tool_call_id"] for message in talk.messages[3:5]] == ["call_1", "call_2"]
    assert talk.messages[4]["content"] == [{"type": "text", "text": "09:40"}]
    assert [part["type"] for part in talk.messages[5]["content"]] == ["web_search_call", "text"]
    assert [part["type"] for part in talk.messages[7]["content"]] == ["brand_new_item", "refusal"]
    assert dict(talk.unknown) == {"part reasoning": 1, "part web_search_call": 1, "part brand_new_item": 1}
    assert 140 < talk.opaque["part reasoning"] < 170  # 804 letters hold 603 bytes
    counted = KnownCounts().message({"role": "assistant", "content": call["content"]}) - 4
    assert counted == talk.opaque["part reasoning"]  # the replay counts what the reader says


def test_langchain_in_three_forms():
    built, data, plain = logs.load(FIXTURES / "langchain.json")
    assert {talk.format for talk in (built, data, plain)} == {"LangChain dump"}
    assert roles(built) == ["system", "user", "assistant", "tool", "assistant"] and not orphans(built)
    assert built.messages[1]["name"] == "Ana"
    assert built.messages[2]["tool_calls"][0]["function"] == {"name": "find", "arguments": '{"order": "A-1023"}'}
    assert built.messages[2]["content"] == [{"type": "text", "text": "I look."}]  # not the call a second time
    assert built.messages[4]["content"][0]["type"] == "reasoning"
    assert roles(data) == ["user", "assistant", "tool", "assistant"] and not orphans(data)
    assert [message["content"] for message in plain.messages] == ["Hello", "Good day"]


def test_litellm_rows_are_each_chat_once():
    first, second = logs.load(FIXTURES / "litellm.json")
    assert first.format == "LiteLLM rows"
    assert [message["content"] for message in first.messages] == [
        "Order A-1023?", "In Lyon.", "And B-2044?", "In Bern.", "Thanks"]
    assert [message["content"] for message in second.messages] == ["Another chat.", "Yes."]
    assert first.notes[-2:] == ["rows without their messages left out: 1", "rows that a later row repeats, joined: 2"]


def test_litellm_without_prompts_is_refused_with_the_setting(tmp_path):
    rows = json.loads((FIXTURES / "litellm.json").read_text())[4:]
    with pytest.raises(LogError, match=r"no messages in it.*store_prompts_in_spend_logs"):
        logs.load(written(tmp_path, rows[0]))
    with pytest.raises(LogError, match="2 rows without their messages"):
        logs.load(written(tmp_path, rows * 2))


ITEMS = [{"role": "user", "content": "Hi"}, {"type": "message", "role": "assistant", "content": [
    {"type": "output_text", "text": "Hello"}]}]
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "Hello"}}]}


@pytest.mark.parametrize("data", [
    [["Hi", "Hello"]], [[["Hi", "Hello"]]], {"history": [["Hi", "Hello"]]}, [{"question": "Hi", "answer": "Hello"}],
    [{"speaker": "User", "text": "Hi"}, {"speaker": "Assistant", "text": "Hello"}],
    {"instruction": "Hi", "output": "Hello"},
    {"request": {"messages": MESSAGES[:1]}, "response": ANSWER}, {"custom_id": "1", "body": {"messages": MESSAGES[:1]},
                                                                  "response": {"status_code": 200, "body": ANSWER}},
    {"input": "Hi", "output": ITEMS[1:], "object": "response"}, ITEMS, {"input": ITEMS, "model": "m"},
    {"messages": json.dumps(MESSAGES)}, {"history": MESSAGES}, {"messages": [MESSAGES]},
    {"inputs": {"messages": [[{"type": "human", "data": {"content": "Hi"}}]]},
     "outputs": {"generations": [[{"text": "Hello", "message": {"type": "ai", "data": {"content": "Hello"}}}]]}},
    "\n".join(json.dumps({"type": message["role"], "sessionId": "s", "message": message}) for message in MESSAGES),
    "\n".join(json.dumps({"type": "response_item", "payload": item}) for item in ITEMS)])
def test_one_talk_in_many_more_shapes(tmp_path, data):
    [talk] = logs.load(written(tmp_path, data))
    assert [(message["role"], message["content"] if isinstance(message["content"], str) else
             message["content"][0]["text"]) for message in talk.messages] == [("user", "Hi"), ("assistant", "Hello")]


GEMINI = [{"role": "user", "parts": [{"text": "Where?"}]},
          {"role": "model", "parts": [{"functionCall": {"name": "find", "args": {"n": 1}}}]},
          {"role": "user", "parts": [{"functionResponse": {"name": "find", "response": {"at": "Lyon"}}}]},
          {"role": "model", "parts": [{"text": "In Lyon."}]}]
BEDROCK = [{"role": "user", "content": [{"text": "Where?"}]},
           {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "find", "input": {"n": 1}}}]},
           {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"text": '{"at": "Lyon"}'}]}}]},
           {"role": "assistant", "content": [{"text": "In Lyon."}]}]
VERCEL = [{"role": "user", "content": "Where?"},
          {"role": "assistant", "content": [
              {"type": "tool-call", "toolCallId": "t", "toolName": "find", "input": {"n": 1}}]},
          {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t", "output": {"at": "Lyon"}}]},
          {"role": "assistant", "content": [{"type": "text", "text": "In Lyon."}]}]
SCREEN = [{"role": "user", "parts": [{"type": "text", "text": "Where?"}]}, {"role": "assistant", "parts": [
    {"type": "tool-find", "toolCallId": "t", "input": {"n": 1}, "output": {"at": "Lyon"}, "state": "done"}]},
    {"role": "assistant", "parts": [{"type": "text", "text": "In Lyon."}]}]


@pytest.mark.parametrize("data", [{"contents": GEMINI}, BEDROCK, {"messages": VERCEL}, SCREEN])
def test_near_relations_keep_calls_with_results(tmp_path, data):
    [talk] = logs.load(written(tmp_path, data))
    assert roles(talk) == ["user", "assistant", "tool", "assistant"] and not orphans(talk)
    assert talk.messages[1]["tool_calls"][0]["function"] == {"name": "find", "arguments": '{"n": 1}'}
    assert talk.messages[2]["content"] == '{"at": "Lyon"}'
    said = talk.messages[3]["content"]
    assert (said if isinstance(said, str) else said[0]["text"]) == "In Lyon." and not talk.unknown


@pytest.mark.parametrize("data", [
    [{"role": "USER", "message": "Hi"}, {"role": "CHATBOT", "message": "Hello"}],
    {"messages": [{"isCreatedByUser": True, "sender": "Ana", "text": "Hi"},
                  {"isCreatedByUser": False, "sender": "GPT", "text": "Hello"}]},
    {"messages": [{"speaker": "user", "text": "Hi"}, {"speaker": "bot", "text": "Hello"}]},
    {"object": "list", "data": [
        {"role": role, "created_at": time, "content": [{"type": "text", "text": {"value": words, "annotations": []}}]}
        for role, time, words in (("assistant", 9, "Hello"), ("user", 8, "Hi"))]},
    {"my_own_key": MESSAGES}])
def test_far_relations_are_read_too(tmp_path, data):
    [talk] = logs.load(written(tmp_path, data))
    assert [(message["role"], message["content"] if isinstance(message["content"], str) else
             message["content"][0]["text"]) for message in talk.messages] == [("user", "Hi"), ("assistant", "Hello")]


def test_an_item_of_no_known_form_waits_for_the_answer_and_tears_no_unit(tmp_path):
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    [talk] = logs.load(written(tmp_path, [MESSAGES[0], {"type": "trace", "n": 1}, call, {"type": "trace", "n": 2},
                                          {"role": "tool", "tool_call_id": "c", "content": "9"}, {"type": "end"}]))
    assert roles(talk) == ["user", "assistant", "tool", "assistant"] and not orphans(talk)
    assert [part["n"] for part in talk.messages[1]["content"]] == [1]
    assert dict(talk.unknown) == {"part trace": 2, "part end": 1}


def test_lines_that_are_no_messages_are_counted(tmp_path):
    lines = [{"type": "user", "message": MESSAGES[0]}, {"type": "snapshot", "files": []}, {"message": MESSAGES[1]}]
    [talk] = logs.load(written(tmp_path, "\n".join(map(json.dumps, lines))))
    assert talk.messages == MESSAGES and dict(talk.unknown) == {"line of type snapshot, left out": 1}
