"""The memories that select and look up, under the laws: what test_laws.py does, for these two families."""

from __future__ import annotations

import laws
import pytest
from histories import histories, limits
from hypothesis import given, settings
from test_laws import hold_all, quiet, systems

from memory_lab.retrieval import PUBLISHED, VectorMemory
from memory_lab.selection import METHODS, SelectiveMemory

MEMORIES = {
    "selective": lambda system, limit: SelectiveMemory(
        system, token_limit=limit, method=METHODS[limit % 3], top_k=limit % 5),
    "vector": lambda system, limit: VectorMemory(system, token_limit=limit),
    "vector_messages": lambda system, limit: VectorMemory(
        system, token_limit=limit, recent_tokens=limit // 2, whole_turns=False, embed=None, top_k=limit % 4),
    "vector_published": lambda system, limit: VectorMemory(system, token_limit=limit, recent_tokens=0, **PUBLISHED),
}


@pytest.mark.parametrize("name", MEMORIES)
@given(history=histories, system_text=systems, limit=limits)
@settings(max_examples=60, **quiet)
def test_the_laws_hold(name, history, system_text, limit):
    memory = hold_all(MEMORIES[name], history, system_text, limit)
    again = MEMORIES[name](system_text, limit)
    for message in history:
        again.add(message)
    assert laws.context(again) == laws.context(memory)
    memory.clear()
    assert laws.context(memory) == laws.context(MEMORIES[name](system_text, limit))
    assert memory.log == []


@pytest.mark.parametrize("name", MEMORIES)
@given(history=histories, limit=limits)
@settings(max_examples=30, **quiet)
def test_law_9_each_string_is_encoded_once(name, history, limit):
    memory = MEMORIES[name](None, limit)
    before = memory.count.encode_calls
    for message in history:
        memory.add(message)
    laws.law_9(memory, history, memory.count.encode_calls - before, 0 if laws.context(memory) is None else 1)


@pytest.mark.long
@pytest.mark.parametrize("name", MEMORIES)
@given(history=histories, system_text=systems, limit=limits)
@settings(max_examples=5000, **quiet)
def test_the_laws_hold_over_5000_histories(name, history, system_text, limit):
    hold_all(MEMORIES[name], history, system_text, limit)
