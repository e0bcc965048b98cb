"""The price table: its form is checked, and a bill is what the parts add up to."""

import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.client import connect
from memory_lab.conversations import names
from memory_lab.errors import SettingError
from memory_lab.messages import user
from memory_lab.prices import SHIPPED, cost, load_prices

GOOD = {"date": "2026-01-05", "currency": "EUR", "source": "mine",
        "models": {"m": {"input": 2, "cached_input": 0.5, "output": 8.0}}}


def table(tmp_path, **changes):
    """A file with the good table, changed."""
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(GOOD | changes), encoding="utf-8")
    return path


def row(**changes):
    return {"models": {"m": GOOD["models"]["m"] | changes}}


def test_the_shipped_table_says_when_and_whence():
    prices = load_prices()
    assert date.fromisoformat(prices.date) >= date(2026, 11, 30)
    assert prices.currency == "USD" and "https://" in prices.source
    for name, price in prices.models.items():
        assert 0 <= price.cached_input <= price.input, name
        if name not in ("offline", "local"):
            assert price.input > 0, name


def test_the_table_is_no_conversation():
    assert SHIPPED.stem not in names()


def test_a_table_of_ones_own(tmp_path):
    prices = load_prices(table(tmp_path))
    assert (prices.date, prices.currency, prices.source) == ("2026-01-05", "EUR", "mine")
    assert prices["m"] == (2, 0.5, 8.0)


def test_no_cached_price_means_the_full_one(tmp_path):
    prices = load_prices(table(tmp_path, **row(cached_input=None)))
    usage = {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 10}}
    assert cost(usage, "m", prices) == 20 / 1_000_000


@pytest.mark.parametrize(("changes", "words"), [
    ({"date": "last week"}, "YYYY-MM-DD"), ({"date": None}, "YYYY-MM-DD"), ({"currency": ""}, "currency"),
    ({"models": []}, "models"), ({"per_tokens": 1000}, "1000000"), (row(input="2"), "input is '2'"),
    (row(output=-1), "output is -1"), (row(input=float("nan")), "input is nan"), (row(input=True), "input is True"),
    (row(input=None, cached_input=0.1), "input is None"), (row(cached=1), "nothing else"),
    ({"models": {"m": {"input": 1, "output": 2}}}, "cached_input"), ({"models": {"m": 3}}, "'m'"),
])
def test_a_table_that_is_wrong_is_refused(tmp_path, changes, words):
    with pytest.raises(SettingError, match="mine.json.*" + words):
        load_prices(table(tmp_path, **changes))


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_a_file_that_is_no_table_is_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(SettingError, match=r"x\.json"):
        load_prices(tmp_path / "x.json")
    with pytest.raises(SettingError, match=r"none\.json"):
        load_prices(tmp_path / "none.json")


@settings(max_examples=40)
@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**7))
def test_a_bill_is_the_sum_of_its_parts(fresh, cached, said):
    prices = load_prices()
    price = prices["gpt-4.1"]
    usage = {"prompt_tokens": fresh + cached, "completion_tokens": said,
             "prompt_tokens_details": {"cached_tokens": cached}}
    parts = fresh * price.input + cached * price.cached_input + said * price.output
    assert cost(usage, "gpt-4.1", prices) == pytest.approx(parts / 1e6)


def test_the_clients_own_usage_is_taken():
    client = connect("offline")
    response = client.chat.completions.create(model="offline", messages=[user("Hi")])
    assert cost(response.usage, "gpt-4.1-mini", load_prices()) == pytest.approx(
        (response.usage.prompt_tokens * 0.4 + response.usage.completion_tokens * 1.6) / 1e6)
    assert cost(response.usage, response.model, load_prices()) == 0
    vectors = client.embeddings.create(model="offline-embedding", input=["Hi"])
    assert cost(vectors.usage, "text-embedding-3-small", load_prices()) == vectors.usage.prompt_tokens * 0.02 / 1e6


def test_names_of_snapshots_and_of_offline_windows():
    prices = load_prices()
    assert prices["gpt-4.1-2025-04-14"] == prices["gpt-4.1"] != prices["gpt-4.1-mini"]
    assert prices["gpt-4.1-mini-2025-04-14"] == prices["gpt-4.1-mini"]
    assert prices["offline-4k"].input == 0
    for unknown in ("gpt-4.1-maxi", "gpt-4", "offlinex", ""):
        with pytest.raises(SettingError, match="no price for model"):
            prices[unknown]


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -1}, {"prompt_tokens": 1.5}, {"prompt_tokens": "3"},
                                   {"prompt_tokens": 3, "completion_tokens": -1},
                                   {"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}])
def test_a_usage_that_is_none_is_refused(usage):
    with pytest.raises(SettingError, match="tokens"):
        cost(usage, "gpt-4.1", load_prices())
