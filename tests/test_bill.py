"""A bill is made of the replay's own tokens, priced by the table, and nothing else."""

import json
from functools import partial

import pytest

from memory_lab import BufferMemory, SlidingWindowMemory, SummaryMemory, TokenCounter
from memory_lab.bill import Metered, bill, bill_table, cacheable
from memory_lab.client import connect
from memory_lab.conversations import load
from memory_lab.evaluate import replay
from memory_lab.prices import load_prices

TALK = load("order_number_50")
SUMMARY = partial(SummaryMemory, token_limit=500, summary_limit=150, trigger_tokens=300, trigger_messages=0)


def test_the_tokens_are_those_of_the_replay():
    found = bill(BufferMemory, TALK)
    measured = replay(BufferMemory(TALK.system), TALK, answer=False)
    replies = [message for message in TALK.messages if message["role"] == "assistant"]
    assert found.turns == len(measured.prompts) == len(replies)
    assert found.chat["prompt_tokens"] == measured.prompt_tokens
    assert found.chat["completion_tokens"] == sum(TokenCounter().text(message["content"]) for message in replies)
    assert found.own == {"prompt_tokens": 0, "completion_tokens": 0}


def test_a_memorys_own_calls_are_on_its_bill():
    found = bill(SUMMARY, TALK)
    assert found.replay.own_calls > 3
    assert sum(found.own.values()) == found.replay.own_tokens
    assert 0 < found.own["completion_tokens"] < found.own["prompt_tokens"]
    prices = load_prices()
    dear, cheap = found.per_thousand("gpt-4.1", prices), found.per_thousand("gpt-4.1", prices, own_model="gpt-4.1-mini")
    own = found.own["prompt_tokens"] * (2 - 0.4) + found.own["completion_tokens"] * (8 - 1.6)
    assert dear - cheap == pytest.approx(1000 * own / 1e6 / found.turns)


def test_only_a_long_beginning_is_cached():
    buffer, window = bill(BufferMemory, TALK), bill(partial(SlidingWindowMemory, max_turns=5), TALK)
    prices = load_prices()
    assert buffer.chat["prompt_tokens_details"]["cached_tokens"] == sum(map(cacheable, buffer.replay.cached)) > 0
    assert buffer.per_thousand("gpt-4.1", prices) < buffer.per_thousand("gpt-4.1", prices, cache=False)
    assert sum(window.replay.cached) > 0, "its prompts do begin alike"
    assert window.per_thousand("gpt-4.1", prices) == window.per_thousand("gpt-4.1", prices, cache=False)


def test_the_cache_counts_whole_steps():
    assert [cacheable(tokens) for tokens in (0, 1023, 1024, 1151, 1152)] == [0, 0, 1024, 1024, 1152]


def test_the_table_is_for_a_thousand_turns(tmp_path):
    mine = {"date": "2026-01-05", "currency": "EUR", "source": "",
            "models": {"m": {"input": 1e6, "cached_input": None, "output": 0}}}
    (tmp_path / "mine.json").write_text(json.dumps(mine))
    found = bill(BufferMemory, TALK)
    table = bill_table({"buffer": found}, ["m"], load_prices(tmp_path / "mine.json"))
    assert "EUR" in table.caption
    assert "2026-01-05" in table.caption
    a_turn = found.replay.prompt_tokens / found.turns
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert row["m"] == row["no cache"] == f"{1000 * a_turn:.2f}"
    assert (row["prompt"], row["own"], row["in context"]) == (f"{a_turn:,.0f}", "0", "9/9")


def test_a_metered_client_answers_as_the_client_does():
    client = connect("offline")
    metered = Metered(client)
    request = {"model": "offline", "messages": [{"role": "user", "content": "Hi"}]}
    one, two = client.chat.completions.create(**request), metered.chat.completions.create(**request)
    assert one.choices[0].message.content == two.choices[0].message.content
    assert metered.usage["prompt_tokens"] == one.usage.prompt_tokens
    metered.chat.completions.create(**request)
    assert metered.usage["completion_tokens"] == 2 * one.usage.completion_tokens
