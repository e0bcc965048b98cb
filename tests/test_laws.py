"""Every memory under the laws, with hostile histories.  `make test` tries some, `make test-long` 5,000 a memory."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import laws
import pytest
from histories import histories, limits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from summarisers import EACH as SUMMARISERS
from summarisers import Summariser

from memory_lab import errors
from memory_lab.facts import FactTableMemory
from memory_lab.hierarchy import HierarchicalSummaryMemory
from memory_lab.layered import HybridMemory, LayeredMemory
from memory_lab.messages import INSTRUCTIONS, assistant, check_messages, system, tool, tool_call, user
from memory_lab.retrieval import PUBLISHED, VectorMemory
from memory_lab.selection import METHODS, SelectiveMemory
from memory_lab.summary import SummaryMemory
from memory_lab.tokens import TokenCounter
from memory_lab.tool_results import ToolClearing, ToolClearingMemory
from memory_lab.truncation import BufferMemory, FixedWindowMemory, PopOldestMemory, SlidingWindowMemory
from memory_lab.window import TokenWindowMemory, trim

MEMORIES = {  # name -> a memory for a system text and a limit
    "buffer": lambda system, limit: BufferMemory(system),
    "fixed_window": lambda system, limit: FixedWindowMemory(system, max_turns=1 + limit % 4),
    "sliding_window": lambda system, limit: SlidingWindowMemory(system, max_turns=1 + limit % 4),
    "token_window": lambda system, limit: TokenWindowMemory(system, token_limit=limit),
    "summary": lambda system, limit: SummaryMemory(
        system, token_limit=limit, summary_limit=limit // 4, trigger_tokens=100 + limit // 2,
        trigger_messages=limit % 7,
        client=Summariser(SUMMARISERS[limit % len(SUMMARISERS)])),
    "summary_light": lambda system, limit: SummaryMemory(
        system, token_limit=limit, summary_limit=limit // 4, trigger_tokens=100, trigger_messages=2, light=True),
    "summary_segments": lambda system, limit: SummaryMemory(
        system, token_limit=limit, summary_limit=limit // 2, every_turns=2, shown=3, client=Summariser()),
    "hierarchical": lambda system, limit: HierarchicalSummaryMemory(
        system, token_limit=limit, summary_limit=limit // 3, trigger_tokens=100, trigger_messages=limit % 5,
        fan_in=2 + limit % 3, level_limits=(20, 40), levels=1 + limit % 3,
        client=Summariser(SUMMARISERS[limit % len(SUMMARISERS)])),
}
MEMORIES |= {
    "tool_clearing": lambda system, limit: ToolClearingMemory(
        system, token_limit=limit, keep_results=limit % 3, min_saving=limit % 50, never=("keep",)),
    "clearing_and_summary": lambda system, limit: type("Both", (ToolClearing, SummaryMemory), {})(
        system, token_limit=limit, summary_limit=limit // 4, trigger_tokens=100, keep_results=1, min_saving=20,
        client=Summariser()),
}
MEMORIES |= {
    "fact_table": lambda system, limit: FactTableMemory(system, token_limit=limit, facts_limit=limit // 3),
    "layered": lambda system, limit: LayeredMemory(
        system, token_limit=limit, recent_messages=limit % 5, fold_messages=1 + limit % 4, facts_limit=limit // 4,
        summary_limit=limit // 4, client=Summariser(SUMMARISERS[limit % len(SUMMARISERS)])),
    "hybrid": lambda system, limit: HybridMemory(
        system, token_limit=limit, window_turns=1 + limit % 3, summary_limit=limit // 4, client=Summariser()),
}
MEMORIES |= {
    "selective": lambda system, limit: SelectiveMemory(
        system, token_limit=limit, method=METHODS[limit % 3], top_k=limit % 5),
    "vector": lambda system, limit: VectorMemory(system, token_limit=limit),
    "vector_facts": lambda system, limit: VectorMemory(system, token_limit=limit, facts_limit=limit // 3, embed=None),
    "vector_published": lambda system, limit: VectorMemory(system, token_limit=limit, recent_tokens=0, **PUBLISHED),
    "vector_messages": lambda system, limit: VectorMemory(
        system, token_limit=limit, recent_tokens=limit // 2, whole_turns=False, embed=None, top_k=limit % 4),
}
FOLDING = [name for name in MEMORIES if name.startswith(("summary", "hierarch", "layer", "hybrid"))]
systems = st.sampled_from([None, "Be brief.", ""])
quiet = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}


def hold_all(make, history, system_text, limit):
    """Feed the history, and ask each law after each message."""
    memory = make(system_text, limit)
    for length, message in enumerate(history, 1):
        memory.add(message)
        for law in laws.EACH:
            law(memory, history[:length])
    return memory


@pytest.mark.parametrize("name", MEMORIES)
@given(history=histories, system_text=systems, limit=limits)
@settings(max_examples=40, **quiet)
def test_the_laws_hold(name, history, system_text, limit):
    memory = hold_all(MEMORIES[name], history, system_text, limit)
    again = MEMORIES[name](system_text, limit)
    for message in history:
        again.add(message)
    assert laws.context(again) == laws.context(memory)  # law 8, and: looking at every step changed nothing
    memory.clear()
    assert laws.context(memory) == laws.context(MEMORIES[name](system_text, limit))
    assert memory.log == []


@pytest.mark.long
@pytest.mark.parametrize("name", MEMORIES)
@given(history=histories, system_text=systems, limit=limits)
@settings(max_examples=5000, **quiet)
def test_the_laws_hold_over_5000_histories(name, history, system_text, limit):
    hold_all(MEMORIES[name], history, system_text, limit)


@pytest.mark.parametrize("name", MEMORIES)
@given(history=histories, limit=limits)
@settings(max_examples=40, **quiet)
def test_law_9_each_string_is_encoded_once(name, history, limit):
    memory = MEMORIES[name](None, limit)
    before = memory.count.encode_calls
    for message in history:
        memory.add(message)
    laws.law_9(memory, history, memory.count.encode_calls - before, 0 if laws.context(memory) is None else 1)


@pytest.mark.parametrize("name", MEMORIES)
def test_law_9_a_turn_costs_no_encoding_of_what_is_old(name):
    memory = MEMORIES[name]("Be brief.", 3000)
    calls = []
    for turn in range(200):
        memory.add(user(f"Question {turn}?"))
        memory.messages()
        memory.add(assistant(f"Answer {turn}."))
        calls.append(memory.count.encode_calls)
    if not memory.compactions:
        assert {after - before for before, after in pairwise(calls)} == {2}
    folded = sum(record.before.count("\n") + 9 for record in memory.compactions)
    assert calls[-1] <= 2 * 200 + 2 + folded  # a fold encodes the texts that it reads and writes, by the sentence


@pytest.mark.parametrize("name", MEMORIES)
def test_law_8_what_cannot_be_sent_is_refused_and_not_logged(name):
    memory = MEMORIES[name](None, 100)
    memory.add(user("hi"))
    for bad in (user_with("\ud800"), {"role": "user", "content": None}, {"role": "robot", "content": "x"}, "text", None,
                {"role": "tool", "content": "x"}, {"role": "user", "content": "x", "name": None},
                {"role": "assistant", "content": "x", "tool_calls": []}, {"role": "user", "content": [float("nan")]}):
        with pytest.raises(errors.MessageError):
            memory.add(bad)
    assert memory.log == [user("hi")]


def user_with(text):
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def test_law_8_same_output_in_another_process():
    code = ("import sys; sys.path.insert(0, 'tests'); from test_laws import *; from histories import TEXTS\n"
            "for make in MEMORIES.values():\n"
            "    m = make('s', 150)\n"
            "    for t in TEXTS[:14]: m.add(user(t)); m.add(assistant(t))\n"
            "    print(laws.context(m), m.states)")
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=".",
                           env={"PYTHONHASHSEED": seed, "PATH": ""}).stdout for seed in ("1", "2")}
    assert len(runs) == 1 and len(runs.pop()) > 1000


# --- law 4 against an oracle: a window written for clearness, quadratic, that knows nothing of memory.py --------------

def window_oracle(log, limit, count):
    """The messages of whole newest turns that fit, or None where the newest turn is itself too big."""
    fate = laws.fates(log)
    front = [message for message in log if message["role"] in INSTRUCTIONS]
    turns, speaker = [], None
    for message, what in zip(log, fate, strict=True):
        if what in ("instruction", "before the first user"):
            continue
        if message["role"] == "user" and speaker != "user":
            turns.append([])
        speaker = message["role"]
        if what == "send":
            turns[-1].append(message)
    for start in range(len(turns) + 1):
        chosen = front + [message for turn in turns[start:] for message in turn]
        fits = [count(front + [m for turn in turns[k:] for m in turn]) <= limit for k in range(start, len(turns))]
        if (start < len(turns) or not turns) and count(chosen) <= limit and all(fits):
            return chosen
    return None


@given(history=histories, limit=limits)
@settings(max_examples=200, **quiet)
def test_trim_is_the_oracle_and_the_memory(history, limit):
    count = TokenCounter()
    memory = TokenWindowMemory(token_limit=limit)
    for message in history:
        memory.add(message)
    wanted = window_oracle(history, limit, count)
    try:
        got = trim(history, token_limit=limit)
    except errors.TokenLimitError:
        assert wanted is None
        assert laws.context(memory) is None
        return
    assert got == memory.messages()
    if wanted is not None:
        assert got == wanted


def test_a_turn_that_is_too_big_keeps_its_question_and_its_newest_units():
    steps = [message for step in range(6) for message in (
        assistant(tool_calls=[tool_call(f"c{step}", "search")]), tool(f"result {step} " * 20, tool_call_id=f"c{step}"))]
    log = [system("Be brief."), user("old"), assistant("old"), user("Find it."), *steps]
    count = TokenCounter()
    for limit in range(40, count([log[0], *log[3:]]), 7):
        try:
            sent = trim(log, token_limit=limit)
        except errors.TokenLimitError:
            assert limit < 60
            continue
        check_messages(sent)
        assert sent[1] == user("Find it.") and sent[-2] == log[-2]
        assert count(sent) <= limit
        whole = [message for message in sent[2:] if message in log]
        assert whole[-1] == log[-1] or len(sent) == 4  # only alone with the question may the newest result be cut
        assert sent[2:] == log[-len(sent[2:]):] or len(sent) == 4


def test_results_are_cut_before_the_users_words():
    log = [user("word " * 100), assistant(tool_calls=[tool_call("a", "f"), tool_call("b", "f")]),
           tool("short", tool_call_id="a"), tool("long " * 1000, tool_call_id="b")]
    memory = TokenWindowMemory(token_limit=200)
    for message in log:
        memory.add(message)
    assert memory.states == ["kept", "kept", "kept", "clipped"]
    memory = TokenWindowMemory(token_limit=90)
    for message in log:
        memory.add(message)
    assert memory.states == ["clipped", "kept", "kept", "clipped"]
    assert memory.count(memory.messages()) <= 90


# --- the exhibit: messages.pop(0) ------------------------------------------------------------------------------------

def popped(*log, max_messages=2, system_text=None):
    memory = PopOldestMemory(system_text, max_messages=max_messages)
    for message in log:
        memory.add(message)
    return memory, list(log)


EXHIBIT = {
    laws.law_1: popped(user("My order is 4471.")),
    laws.law_3: popped(user("1"), assistant("2"), system_text="Never promise a refund."),
    laws.law_4: popped(user("My order is 4471."), assistant("Noted."), user("and"), assistant("Yes?"), max_messages=3),
    laws.law_5: popped(user("Where is it?"), assistant(tool_calls=[tool_call("a", "track")]),
                       tool("Kyoto", tool_call_id="a"), user("Thanks"), max_messages=2),
    laws.law_7: popped(user("x"), assistant("y"), system("Answer in Spanish."), user("z"), assistant("w")),
}


@pytest.mark.parametrize("law", EXHIBIT, ids=lambda law: law.__name__)
@pytest.mark.xfail(strict=True, raises=(AssertionError, errors.MessageError))
def test_pop_oldest_breaks(law):
    law(*EXHIBIT[law])
