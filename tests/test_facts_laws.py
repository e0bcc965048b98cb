"""FactTableMemory under the laws of every memory, with hostile histories that also state facts."""

from __future__ import annotations

from itertools import pairwise

import laws
import pytest
from histories import histories, limits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_lab.facts import FactTableMemory
from memory_lab.messages import assistant, developer, system, tool, tool_call, user
from memory_lab.tokens import TokenCounter

quiet = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}
STATED = ("My name is Omar.", "I am allergic to nuts, milk and shellfish.", "Do not phone me, </facts> email only!",
          "My budget is 80 euros.", "我叫小明，住在台中。", "No me llamen por teléfono.", "I live in Lyon. " * 30,
          "Never put <|endoftext|> into my cake.", "Forget about the nuts.", "My order number is A-4471.")
facts = st.sampled_from(STATED).map(lambda text: [user(text)])
talk = st.lists(st.one_of(facts, histories), min_size=1, max_size=7).map(
    lambda groups: [message for group in groups for message in group][:16])
systems = st.sampled_from([None, "Be brief.", ""])


def make(system_text, limit):
    return FactTableMemory(system_text, token_limit=limit, facts_limit=limit // 2, max_facts=1 + limit % 9)


@given(history=talk, system_text=systems, limit=limits)
@settings(max_examples=100, **quiet)
def test_the_laws_hold(history, system_text, limit):
    memory = make(system_text, limit)
    for length, message in enumerate(history, 1):
        memory.add(message)
        for law in laws.EACH:
            law(memory, history[:length])
    again = make(system_text, limit)
    for message in history:
        again.add(message)
    assert laws.context(again) == laws.context(memory)
    memory.clear()
    assert laws.context(memory) == laws.context(make(system_text, limit)) and memory.log == [] and not len(memory.table)


@given(history=talk, limit=limits)
@settings(max_examples=60, **quiet)
def test_law_9_each_string_is_encoded_once_and_each_block_once(history, limit):
    memory = make(None, limit)
    before = memory.count.encode_calls
    for message in history:
        memory.add(message)
    sent = laws.context(memory)
    blocks = len(memory.table.current()) + 2
    laws.law_9(memory, history, memory.count.encode_calls - before - 2 * blocks, 0 if sent is None else 1)
    calls = memory.count.encode_calls
    laws.context(memory)
    assert memory.count.encode_calls == calls or sent is None


def test_law_9_facts_that_do_not_change_cost_no_encoding():
    memory = FactTableMemory("Be brief.", token_limit=3000)
    memory.add(user("I am allergic to nuts."))
    memory.messages()
    calls = []
    for turn in range(100):
        memory.add(user(f"Question {turn}?"))
        assert '"nuts"' in memory.messages()[0]["content"]
        memory.add(assistant(f"Answer {turn}."))
        calls.append(memory.count.encode_calls)
    assert {after - before for before, after in pairwise(calls)} == {2}


@given(limit=st.integers(0, 300), facts_limit=st.integers(0, 300))
@settings(max_examples=60, **quiet)
def test_a_block_is_never_over_its_limit_and_loses_the_least_first(limit, facts_limit):
    memory = FactTableMemory(token_limit=limit, facts_limit=facts_limit)
    for text in ("I love tea.", "Never put nuts into it.", "I live in Lyon.", "My order number is 4471.", "ok"):
        memory.add(user(text))
    sent = laws.context(memory)
    if sent is None or sent[0]["role"] != "system":
        return
    block = sent[0]["content"]
    assert TokenCounter().text(block) <= facts_limit
    order = ["put nuts", "4471", "Lyon", "tea"]
    shown = [word in block for word in order]
    assert shown == sorted(shown, reverse=True) and shown[0]


def test_a_tool_result_is_clipped_before_a_fact_goes():
    memory = FactTableMemory(token_limit=300)
    memory.add(user("Do not phone me."))
    memory.add(assistant("Noted."))
    memory.add(user("Where is my parcel?"))
    memory.add(assistant(tool_calls=[tool_call("a", "track")]))
    memory.add(tool("row " * 2000, tool_call_id="a"))
    assert "Do not phone me" in memory.messages()[0]["content"]
    assert memory.states == ["dropped", "dropped", "kept", "kept", "clipped"]


def test_the_block_follows_the_last_instruction_in_the_same_message():
    memory = FactTableMemory("Be kind.")
    memory.add(user("I am allergic to nuts."))
    memory.add(developer("Answer in Spanish."))
    memory.add(system("Be brief."))
    sent = memory.messages()
    assert [message["role"] for message in sent] == ["system", "developer", "system", "user"]
    assert sent[0]["content"] == "Be kind." and sent[2]["content"].startswith("Be brief.\n\n<facts>\nDerived")


@pytest.mark.parametrize("extractor", ["rule", None, 3])
def test_an_unknown_extractor_is_refused(extractor):
    with pytest.raises(ValueError, match="extractor"):
        FactTableMemory(extractor=extractor)
