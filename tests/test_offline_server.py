import json

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.client import connect
from memory_lab.messages import assistant, tool, tool_call, user
from memory_lab.offline.server import respond
from memory_lab.tokens import TokenCounter

ASK = [user("My order number is 4471-K."), user("What was my order number?")]
CLIENT = connect("offline")


def create(messages=ASK, model="offline", **options):
    return CLIENT.chat.completions.create(model=model, messages=messages, **options)


def refused(messages=ASK, error=openai.BadRequestError, **options):
    with pytest.raises(error) as found:
        create(messages, **options)
    return found.value


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([], "empty"),
        ([{"role": "robot", "content": "x"}], "role"),
        ([{"role": "user", "content": None}], "content"),
        ([tool("x", tool_call_id="a")], "orphan_result"),
        ([user("x"), assistant(tool_calls=[tool_call("a", "f")]), user("y")], "missing_result"),
    ],
)
def test_an_invalid_message_list_is_a_400_that_names_the_rule(messages, rule):
    error = refused(messages)
    assert error.status_code == 400
    assert repr(rule) in str(error)


def test_over_the_window_is_context_length_exceeded():
    long = [user("word " * 4_100)]
    error = refused(long, model="offline-4k")
    assert (error.code, error.param) == ("context_length_exceeded", "messages")
    assert "4096 tokens" in str(error)
    assert create(long, model="offline-8k").usage.prompt_tokens == TokenCounter()(long)
    assert refused(model="offline-4k", max_tokens=4_090).code == "context_length_exceeded"


def test_an_unknown_model_is_a_404():
    assert refused(error=openai.NotFoundError, model="gpt-99").code == "model_not_found"
    assert [model.id for model in CLIENT.models.list()][:2] == ["offline", "offline-4k"]
    assert CLIENT.models.retrieve("offline-8k").id == "offline-8k"


@pytest.mark.parametrize("option", ["max_tokens", "max_completion_tokens"])
def test_the_output_limit_cuts_and_says_so(option):
    whole = create()
    assert whole.choices[0].finish_reason == "stop"
    cut = create(**{option: 5})
    assert cut.choices[0].finish_reason == "length"
    assert cut.usage.completion_tokens == TokenCounter().text(cut.choices[0].message.content) == 5
    assert whole.choices[0].message.content.startswith(cut.choices[0].message.content)


@pytest.mark.parametrize(
    "options",
    [
        {"max_tokens": 0},
        {"n": 2},
        {"temperature": 3},
        {"response_format": {"type": "xml"}},
        {"tool_choice": "required"},
        {"tools": []},
    ],
)
def test_options_that_make_no_sense_are_a_400(options):
    assert refused(**options).param == next(iter(options))


def test_usage_is_the_token_counters():
    usage = create().usage
    assert usage.prompt_tokens == TokenCounter()(ASK)
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_the_stream_ends_with_usage_when_asked():
    chunks = list(create(stream=True, stream_options={"include_usage": True}))
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == create().choices[0].message.content
    assert chunks[-1].usage == create().usage
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert not any(c.usage for c in create(stream=True))


def test_ids_are_the_requests_hash():
    assert create().id == create().id != create([user("Hello?")]).id
    assert create().created == 0


def test_embeddings_are_unit_vectors_of_the_dimensions_asked_for():
    for size in (256, 32):
        made = CLIENT.embeddings.create(model="offline-embedding", input=["I like tea"], dimensions=size)
        assert len(made.data[0].embedding) == size
        assert sum(x * x for x in made.data[0].embedding) == pytest.approx(1, abs=1e-5)
    assert made.usage.prompt_tokens == TokenCounter().text("I like tea")
    with pytest.raises(openai.BadRequestError):
        CLIENT.embeddings.create(model="offline-embedding", input=[""])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "tool_calls", "name", "id", "type", "x"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "messages",
                "max_tokens",
                "tools",
                "tool_choice",
                "response_format",
                "stop",
                "stream",
                "stream_options",
                "temperature",
                "n",
            ]
        ),
        JSON,
    )
)
def test_no_request_crashes_the_server(body):
    answer = respond("POST", "/v1/chat/completions", json.dumps(body | {"model": "offline"}).encode())
    assert answer.status in (200, 400)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/chat/completions", b"{", 400),
        ("POST", "/v1/chat/completions", b"[]", 400),
        ("GET", "/v1/chat/completions", b"", 405),
        ("GET", "/v1/nothing", b"", 404),
    ],
)
def test_bad_requests_have_the_apis_status(method, path, body, status):
    answer = respond(method, path, body)
    assert answer.status == status
    assert answer.body["error"]["message"]
