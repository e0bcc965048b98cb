import openai
import pytest

from memory_lab.client import chat, stream
from memory_lab.messages import tool, user
from memory_lab.testing import ScriptedModel, status_error

ASK = [user("Hi")]


def test_replies_come_in_order_and_calls_are_logged():
    with ScriptedModel(["one", lambda request: f"{len(request['messages'])} messages"]) as model:
        client = model.client
        assert chat(client, ASK, temperature=0) == "one"
        assert chat(client, ASK * 2) == "2 messages"
    assert [len(call["messages"]) for call in model.calls] == [1, 2]
    assert model.calls[0]["temperature"] == 0


def test_an_unexpected_call_is_an_error_at_the_call_and_at_the_end():
    model = ScriptedModel()
    with pytest.raises(AssertionError, match="unexpected call number 1"):
        chat(model.client, ASK)
    with pytest.raises(AssertionError, match="no reply queued"):
        model.done()


def test_a_reply_left_over_is_an_error():
    with pytest.raises(AssertionError, match="never asked for"), ScriptedModel(["one"]):
        pass


def test_an_error_in_the_block_is_not_hidden_by_the_replies_left():
    with pytest.raises(ZeroDivisionError), ScriptedModel(["one"]):
        raise ZeroDivisionError


def test_status_errors_become_openais_own():
    with ScriptedModel(
        [
            status_error(429, retry_after=2),
            status_error(500),
            status_error(400, "too long", code="context_length_exceeded"),
        ]
    ) as model:
        client = model.client
        with pytest.raises(openai.RateLimitError) as limited:
            chat(client, ASK)
        assert limited.value.response.headers["retry-after"] == "2"
        with pytest.raises(openai.InternalServerError):
            chat(client, ASK)
        with pytest.raises(openai.BadRequestError) as refused:
            chat(client, ASK)
        assert refused.value.code == "context_length_exceeded"


def test_an_exception_is_what_the_connection_raises():
    with ScriptedModel([ConnectionResetError("gone")]) as model, pytest.raises(openai.APIConnectionError):
        chat(model.client, ASK)


def test_requests_are_validated_as_by_the_offline_model():
    with ScriptedModel(["never said"]) as model, pytest.raises(openai.BadRequestError, match="orphan_result"):
        chat(model.client, [tool("x", tool_call_id="a")])
    assert model.calls


def test_streams_and_the_output_limit_hold_for_scripted_words_too():
    with ScriptedModel(["a b c d e f g h", "a b c d e f g h"]) as model:
        client = model.client
        assert "".join(stream(client, ASK)) == "a b c d e f g h"
        assert chat(client, ASK, max_tokens=3) == "a b c"
