"""How often folding calls the summariser, and that it reads each message once; over every summarising memory."""

from __future__ import annotations

import pytest
import summarisers
from folded import KINDS, MODELLED, PACE, feed, holds, make, taken
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from summarisers import Summariser

from memory_lab.messages import assistant, user

quiet = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}
every = pytest.mark.parametrize("name", KINDS)
modelled = pytest.mark.parametrize("name", MODELLED)


@every
def test_1000_turns_of_one_word_messages_do_not_thrash(name):
    memory = make(name)
    for number in range(1000):
        memory.add(user(f"ok{number % 7}"))
        memory.add(assistant("ok"))
    holds(memory, memory.log)
    assert bound(memory, name) >= len(memory.compactions)
    assert len(memory.compactions) < 1000 / 5 or name in PACE
    assert not any(record.error for record in memory.compactions)


def bound(memory, name):
    """The most folds that the text so far may have cost: one per (trigger - target) tokens of it, and one."""
    room = memory._room()
    step = min(memory.trigger_tokens, room) - min(memory.target_tokens, room // 2)
    folds = memory._logged / step + 1 + (PACE[name](memory) if name in PACE else 0)
    return folds * (1 + 1 / (memory.fan_in - 1)) + 1 if hasattr(memory, "fan_in") else folds


@every
@given(sizes=st.lists(st.integers(1, 60), min_size=10, max_size=60), say=st.sampled_from(summarisers.EACH))
@settings(max_examples=25, **quiet)
def test_at_most_one_fold_for_so_many_tokens_of_new_text(name, sizes, say):
    memory = make(name, Summariser(say))
    for size in sizes:
        memory.add(user("word " * size))
        memory.add(assistant("Noted."))
    assert len(memory.compactions) <= bound(memory, name)
    holds(memory, memory.log)


@modelled
@given(sizes=st.lists(st.integers(0, 25), min_size=30, max_size=60), input_limit=st.sampled_from([40, 70, 6000]))
@settings(max_examples=20, **quiet)
def test_the_summariser_reads_each_message_exactly_once(name, sizes, input_limit):
    client = Summariser()
    memory = make(name, client, input_limit=input_limit)
    for number, size in enumerate(sizes):
        memory.add(user(f"The marker is M{number:04d}. " + "I like tea. " * size))
        memory.add(assistant(f"A{number:04d}."))
    read, log = "\n".join(client.read), memory.log
    covered = {index for record in taken(memory) for index in record.covers}
    assert len(covered) > 20
    for index, message in enumerate(log):
        marker = message["content"][:-1] if index % 2 else f"M{index // 2:04d}"
        assert read.count(marker) == (index in covered), index
    if input_limit < 100:
        assert max(memory.count.text(chunk) for chunk in client.read) <= input_limit


@modelled
def test_the_summariser_reads_each_message_once_even_when_every_other_call_fails(name):
    client = Summariser(summarisers.flaky)
    memory = feed(make(name, client), 60)
    read = "\n".join(asked[1]["content"].partition("New messages:\n")[2] for asked in client.asked[1::2])
    assert len(taken(memory)) > 5
    for record in taken(memory):
        assert all(read.count(f"M{index // 2:04d}") == 1 for index in record.covers if index % 2 == 0)
