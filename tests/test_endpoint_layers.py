"""The parts behind any endpoint, without a network: the limit, the cache's file, the repairs, the lines at the end."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.client import connect
from memory_lab.endpoint import CallCache, DryRun, Quirks, Spending
from memory_lab.endpoint.account import account, estimate
from memory_lab.endpoint.layers import asked, layered
from memory_lab.endpoint.quirks import REPAIRS
from memory_lab.endpoint.replies import read_reply
from memory_lab.errors import SettingError, SpendingError, StoreError
from memory_lab.prices import load_prices

PRICES = load_prices()
URL = "https://api.example/v1"
HELLO = [{"role": "user", "content": "Hello, is my order 4471-K on its way?"}]


def post(url=URL, path="/chat/completions", key="sk-secret", **body):
    body = {"model": "gpt-4.1", "messages": HELLO, **body}
    return httpx2.Request("POST", url + path, json=body, headers={"authorization": f"Bearer {key}"})


def answer(content="Yes.", finish="stop", **fields):
    message = {"role": "assistant", "content": content, **fields.pop("message", {})}
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], **fields}


def giving(*answers):
    """A forward that gives these one after the other, the last for ever, and lists what it was sent."""
    left = list(answers)

    def forward(request):
        forward.sent.append(asked(request))
        given = left.pop(0) if len(left) > 1 else left[0]
        code, body = given if isinstance(given, tuple) else (200, given)
        return httpx2.Response(code, json=body, request=request)

    forward.sent = []
    return forward


def refused(message, code=400):
    return code, {"error": {"message": message, "type": "invalid_request_error", "code": None}}


# ---- spending


@settings(max_examples=25)
@given(st.floats(0, 0.2), st.lists(st.tuples(st.integers(1, 3000), st.integers(0, 60), st.floats(0, 1)), min_size=1,
                                   max_size=12))
def test_the_limit_is_never_passed_by_an_endpoint_that_keeps_to_its_caps(limit, calls):
    spending = Spending(PRICES, limit=limit)
    for cap, words, share in calls:
        request = post(max_tokens=cap, messages=[{"role": "user", "content": "word " * words}])

        def forward(request, cap=cap, words=words, share=share):
            return giving(answer(usage={"prompt_tokens": words + 8, "completion_tokens": int(cap * share)}))(request)

        try:
            spending(request, forward)
        except SpendingError:
            break
    assert spending.money <= limit
    assert spending.money <= spending.worst


def test_what_many_threads_ask_for_at_once_is_set_aside():
    spending = Spending(PRICES, limit=0.0101)
    one = 100 * PRICES["gpt-4.1"].output / 1e6

    def forward(request):
        return giving(answer(usage={"prompt_tokens": 1, "completion_tokens": 100}))(request)

    def ask(_):
        try:
            return spending(post(max_tokens=100), forward).status_code
        except SpendingError:
            return 0

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(ask, range(40)))
    assert 1 <= done.count(200) <= 0.0101 / one and spending.money <= 0.0101


def test_a_stop_holds_for_cheaper_calls_too_and_is_remembered():
    spending, forward = Spending(PRICES, limit=0.001), giving(answer())
    with pytest.raises(SpendingError, match="may cost"):
        spending(post(max_tokens=100_000), forward)
    with pytest.raises(SpendingError):
        spending(post(max_tokens=1), forward)
    assert not forward.sent and "0.001 USD would be passed" in str(spending.stopped)


def test_with_a_limit_a_reply_gets_a_cap_and_without_one_the_request_is_sent_as_it_is():
    for limit, sent in ((1, {"max_tokens": 77}), (None, {})):
        forward = giving(answer())
        Spending(PRICES, limit=limit, max_tokens=77)(post(), forward)
        assert forward.sent == [{"model": "gpt-4.1", "messages": HELLO, **sent}]


def test_an_endpoint_that_counts_more_tokens_than_we_do_is_believed():
    forward = giving(answer(usage={"prompt_tokens": 4000, "completion_tokens": 0}))
    spending = Spending(PRICES, limit=0.0095)
    spending(post(max_tokens=1), forward)
    with pytest.raises(SpendingError):
        spending(post(max_tokens=1), forward)


@pytest.mark.parametrize("usage", [{"prompt_tokens": 20, "prompt_tokens_details": {"cached_tokens": 15},
                                    "completion_tokens": 5}, {"prompt_tokens": -1}, "many", None, {}])
def test_usage_that_makes_no_sense_is_counted_here_instead(usage):
    spending = Spending(PRICES)
    spending(post(), giving(answer("Yes, it is.", usage=usage)))
    row = spending.rows["gpt-4.1"]
    if usage and isinstance(usage, dict) and usage["prompt_tokens"] == 20:
        assert (row.prompt_tokens, row.cached_tokens, row.completion_tokens, row.estimated) == (20, 15, 5, 0)
        assert row.money == pytest.approx((5 * 2 + 15 * 0.5 + 5 * 8) / 1e6)
    else:
        assert row.estimated == 1 and row.prompt_tokens > 10
        assert row.completion_tokens == spending.count.text("Yes, it is.")


def test_a_model_without_a_price_is_free_only_where_there_is_no_limit():
    spending = Spending(PRICES)
    spending(post(model="llama-9"), giving(answer()))
    assert spending.money == 0 and any("no price is known for llama-9" in line for line in account(spending))
    with pytest.raises(SettingError, match="llama-9"):
        Spending(PRICES, limit=1)(post(model="llama-9"), giving(answer()))


def test_a_call_that_was_never_sent_costs_nothing():
    def forward(request):
        raise httpx2.ConnectError("nobody there")

    spending = Spending(PRICES, limit=1)
    with pytest.raises(httpx2.ConnectError):
        spending(post(), forward)
    assert spending.money == 0 and not spending.rows and len(spending.unanswered) == 1
    spending(post(), giving(answer()))
    assert not spending.unanswered, "and it was answered later"


# ---- the cache


@pytest.fixture
def cache(tmp_path):
    made = CallCache(tmp_path / "calls.sqlite")
    yield made
    made.close()


def test_the_same_call_is_answered_from_the_file_by_a_later_process_too(cache):
    forward = giving(answer("one"), answer("two"))
    first = cache(post(), forward).json()
    assert cache(post(key="sk-other"), forward).json() == first
    cache.close()
    later = CallCache(cache.path)
    assert later(post(), forward).json() == first and len(forward.sent) == 1
    later.close()


@pytest.mark.parametrize("other", [{"model": "gpt-4.1-mini"}, {"url": "https://else.example/v1"}, {"temperature": 0},
                                   {"messages": [*HELLO, *HELLO]}, {"max_tokens": 5}])
def test_another_model_address_or_setting_is_another_call(cache, other):
    forward = giving(answer())
    cache(post(), forward)
    cache(post(**other), forward)
    assert len(forward.sent) == 2 and cache.hits == 0


@pytest.mark.parametrize(("given", "body"), [
    (refused("no"), {}), (refused("boom", 500), {}), ({"hello": 1}, {}), (answer(""), {}), (answer(None), {}),
    (answer("bad", "content_filter"), {}),
    (answer("{broken"), {"response_format": {"type": "json_object"}}),
    ({"object": "list", "data": []}, {"input": "x"})])
def test_what_failed_or_is_not_whole_is_asked_again(cache, given, body):
    forward = giving(given)
    for _ in range(2):
        cache(post(**body), forward)
    assert (cache.kept, cache.hits, len(forward.sent)) == (0, 0, 2)


def test_a_reply_that_our_cap_cut_is_asked_again_and_one_that_the_endpoint_cut_is_not(cache):
    for limit, kept in ((1, 0), (None, 1)):
        spending = Spending(PRICES, limit=limit, max_tokens=7)
        cache(post(), lambda request, layer=spending: layer(request, giving(answer("cut", "length"))))
        assert cache.kept == kept
        assert (spending.notes == {"a reply cut after 7 tokens, the most that one may cost": 1}) is bool(limit)


@pytest.mark.parametrize(("given", "body"), [
    (answer("cut", "length"), {"max_tokens": 2}), (answer(None, message={"refusal": "No."}), {}),
    (answer('{"changes": []}'), {"response_format": {"type": "json_object"}}),
    (answer(None, "tool_calls", message={"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}), {}),
    ({"object": "list", "data": [{"embedding": [1.0], "index": 0}]}, {"input": "x"})])
def test_what_is_whole_is_kept(cache, given, body):
    forward = giving(given)
    assert [cache(post(**body), forward).json() for _ in range(2)] == [given] * 2 and len(forward.sent) == 1


def test_the_file_is_its_owners_and_has_no_key_and_no_prompt(cache):
    cache(post(), giving(answer("Yes.")))
    cache.close()
    data = b"".join(path.read_bytes() for path in cache.path.parent.iterdir())
    assert cache.path.stat().st_mode & 0o777 == 0o600
    assert b"sk-secret" not in data and b"4471-K" not in data and b"Yes." in data


@pytest.mark.parametrize("kind", ["text", "database", "folder"])
def test_a_file_that_is_no_cache_is_refused_and_left_as_it_is(tmp_path, kind):
    path = tmp_path / "notes"
    if kind == "text":
        path.write_text("my notes, and more of them than a header has" * 9)
    elif kind == "folder":
        path.mkdir()
    else:
        with sqlite3.connect(path) as file:
            file.execute("CREATE TABLE notes (words TEXT)")
        file.close()
    before = path.read_bytes() if path.is_file() else None
    for read_only in (False, True):
        with pytest.raises(StoreError, match="give another file"):
            CallCache(path, read_only=read_only)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_an_answer_that_cannot_be_kept_is_handed_on_and_said(cache):
    cache._file.execute("PRAGMA query_only = ON")  # as a full disk does: reading goes on
    assert cache(post(), giving(answer("Yes."))).json()["choices"][0]["message"]["content"] == "Yes."
    assert any("cannot be written" in line for line in account(Spending(PRICES), cache))


def test_reading_alone_makes_no_file_and_still_counts_a_repeat_once(tmp_path):
    cache, forward = CallCache(tmp_path / "calls", read_only=True), giving(answer())
    assert [cache(post(), forward).status_code for _ in range(2)] == [200, 200]
    assert len(forward.sent) == cache.hits == 1 and not list(tmp_path.iterdir())


def test_an_address_of_ones_own_stands_for_a_port_that_changes(tmp_path):
    cache, forward = CallCache(tmp_path / "calls", address="local"), giving(answer())
    for port in (1, 2):
        cache(post(url=f"http://127.0.0.1:{port}/v1"), forward)
    assert len(forward.sent) == 1
    cache.close()


# ---- repairs

TWO = [{"role": "system", "content": "A"}, {"role": "developer", "content": "B"}, *HELLO, *HELLO]
FORM = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}


@pytest.mark.parametrize(("says", "body", "gone", "there"), [
    ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", {"max_tokens": 5}, '"max_tokens"',
     '"max_completion_tokens": 5'),
    ("'temperature' does not support 0 with this model", {"temperature": 0}, "temperature", "4471-K"),
    ("stream_options is not supported", {"stream_options": {}}, "stream_options", "4471-K"),
    ("response_format is not supported", {"response_format": FORM}, '"response_format"', "of this schema"),
    ("Only one system message is allowed", {"messages": TWO}, "developer", "A\\n\\nB"),
    ("System role not supported", {"messages": TWO}, "system", "A\\n\\nB\\n\\nHello"),
    ("Conversation roles must alternate", {"messages": [*HELLO, *HELLO]}, "nothing", "way?\\n\\nHello")])
def test_a_refused_form_is_put_another_way_and_remembered(says, body, gone, there):
    quirks, forward = Quirks(), giving(refused(says), answer())
    for _ in range(2):
        assert quirks(post(**body), forward).status_code == 200
    assert len(forward.sent) == 3 and len(quirks.made) == 1
    for sent in forward.sent[1:]:
        assert gone not in json.dumps(sent) and there in json.dumps(sent)


def test_two_quirks_of_one_endpoint_are_both_repaired():
    forward = giving(refused("temperature"), refused("use max_completion_tokens"), answer())
    quirks = Quirks()
    assert quirks(post(temperature=0, max_tokens=5), forward).status_code == 200 and len(quirks.made) == 2


@pytest.mark.parametrize("says", ["No such model.", "temperature", "alternate", ""])
def test_a_refusal_that_nothing_helps_is_handed_on(says):
    forward, quirks = giving(refused(says)), Quirks()
    response = quirks(post(temperature=0), forward)
    assert response.status_code == 400 and response.json()["error"]["message"] == says and not quirks.made
    assert len(forward.sent) <= 1 + len(REPAIRS)


# ---- the rest


def test_layers_are_passed_from_the_outside_in():
    seen = []

    def layer(name):
        def pass_on(request, forward):
            seen.append(name)
            return forward(request)
        return pass_on

    def handle(request):
        seen.append("server")
        return httpx2.Response(200, json=answer())

    with layered(httpx2.Client, [layer("outer"), layer("inner")])(transport=httpx2.MockTransport(handle)) as client:
        client.post(f"{URL}/chat/completions", json={"model": "m"})
    assert seen == ["outer", "inner", "server"]


def test_a_dry_run_answers_every_kind_of_call_and_calls_nothing():
    spending = Spending(PRICES)
    with connect("gpt-4.1-mini", layers=[spending, DryRun()], api_key="none") as client:
        client.chat.completions.create(model="gpt-4.1-mini", messages=HELLO, max_tokens=500)
        client.embeddings.create(model="text-embedding-3-small", input=["a", "b"])
    assert {name: row.calls for name, row in spending.rows.items()} == {"gpt-4.1-mini": 1, "text-embedding-3-small": 1}
    words = "\n".join(estimate(spending, 0.5))
    assert "nothing was sent" in words and "within the limit of 0.5 USD" in words
    assert spending.worst > 500 * 1.6 / 1e6 > spending.money > 0


@given(st.binary(max_size=60) | st.text(max_size=40).map(str.encode) | st.recursive(
    st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["choices", "message", "delta", "content", "usage", "data", "tool_calls", "prompt_tokens"]),
        inner, max_size=3), max_leaves=8).map(lambda value: json.dumps(value).encode()))
@settings(max_examples=40)
def test_whatever_an_endpoint_sends_is_read_without_a_fault(data):
    reply = read_reply(data)
    assert reply is None or isinstance(reply.said, str)
