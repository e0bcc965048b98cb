"""The memory of facts on the shipped conversations: what it keeps in a small prompt, and what it must never take up."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import memory_lab
from memory_lab.conversations import load
from memory_lab.evaluate import fork, tradeoff
from memory_lab.facts import Fact, FactTableMemory
from memory_lab.matching import find
from memory_lab.messages import assistant, text_of, user
from memory_lab.window import TokenWindowMemory

PACKAGE = Path(memory_lab.__file__).parent
PLANTED = ["kyoto_en", "kyoto_es", "kyoto_zh_hans", "kyoto_zh_hant", "order_number", "order_number_50", "updates",
           "updates_zh",
           "prohibitions", "prohibitions_es", "tools", "five_facts"]
LIMIT = 480  # tokens of the whole prompt; the conversations have up to 2,300


@pytest.fixture(scope="module")
def measured():
    talks = [load(name) for name in PLANTED]
    made = tradeoff({"window": partial(TokenWindowMemory, token_limit=LIMIT),
                     "facts": partial(FactTableMemory, token_limit=LIMIT, facts_limit=350)}, talks, answer=False)
    return {name: dict(zip(PLANTED, made[name], strict=True)) for name in ("window", "facts")}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_facts_are_kept_in_a_small_prompt(name, measured):
    assert measured["facts"][name].context_recall >= 0.9
    assert measured["facts"][name].peak <= LIMIT
    assert measured["facts"][name].own_calls == 0


def test_the_window_alone_loses_them(measured):
    lost = sum(measured["window"][name].context_recall < 0.5 for name in PLANTED if name != "five_facts")
    assert lost >= 6


def filled(name, upto=None):
    talk = load(name)
    memory = FactTableMemory(talk.system, token_limit=100_000, facts_limit=10_000)
    for message in talk.messages[:upto]:
        memory.add(message)
    return memory, talk


def test_what_a_page_or_a_tool_says_is_never_a_fact():
    memory, _ = filled("tools")
    block = memory.table.render()
    for planted in ("4929", "Viktor", "Misty", "Novak", "strawberries", "180", "Hamburg to Vienna on 15"):
        assert planted not in block
    assert {fact.value for fact in memory.table.history("user", "name")} == {"Elif"}


@pytest.mark.parametrize("name", ["updates", "updates_zh"])
def test_a_stale_value_is_in_the_history_and_not_in_the_prompt(name):
    memory, talk = filled(name)
    block = memory.table.render()
    checked = 0
    for probe in talk.probes:
        for stale in probe.forbid if probe.at is None else ():
            assert find(block, stale, type=probe.type) is None, (probe.question, stale)
            checked += any(stale in fact.quote for fact in memory.table._facts if fact.valid_to is not None)
    assert checked >= 5


@pytest.mark.parametrize("name", ["updates", "updates_zh"])
def test_the_table_knows_what_was_known_at_an_earlier_message(name):
    memory, talk = filled(name)
    for probe in talk.probes:
        if probe.at is not None:
            values = " | ".join(fact.value for fact in memory.table.at(probe.at))
            assert any(find(values, value, type=probe.type) for value in probe.accept), probe.question


def test_every_fact_is_a_span_of_a_users_message():
    for name in PLANTED:
        memory, talk = filled(name)
        for fact in memory.table._facts:
            source = talk.messages[fact.source]
            assert source["role"] == "user" and fact.value in fact.quote and fact.quote in text_of(source)


def test_a_fork_of_the_memory_has_a_table_of_its_own():
    memory = FactTableMemory()
    memory.add(user("I am allergic to nuts."))
    other = fork(memory)
    other.add(user("I am no longer allergic to nuts."))
    assert len(memory.table) == 1 and len(other.table) == 0


def test_an_extractor_of_ones_own_is_held_to_the_log():
    def extractor(message, index):
        if "boom" in message["content"]:
            raise RuntimeError("no")
        text = message["content"]
        return [Fact("user", "said", text, index, text, index),
                Fact("user", "said", "invented", index, "invented", index),
                Fact("user", "said", text, 99, text, 99), "nonsense"]

    memory = FactTableMemory(extractor=extractor)
    memory.add(user("hello"))
    memory.add(assistant("hi"))
    memory.add(user("boom"))
    assert [fact.value for fact in memory.table.current()] == ["hello"]
    assert len(memory.refused) == 3
    assert [(record.model_calls, record.error) for record in memory.compactions] == [(0, "RuntimeError: no")]


def test_rules_call_no_model():
    memory = FactTableMemory(client=object())
    memory.add(user("My name is Omar."))
    assert memory.compactions == [] and '- name: "Omar"' in memory.messages()[0]["content"]


def test_the_folder_can_be_copied(tmp_path):
    target = tmp_path / "my_service"
    shutil.copytree(PACKAGE / "facts", target / "facts", ignore=shutil.ignore_patterns("__pycache__"))
    (target / "__init__.py").touch()
    for name in ("errors", "messages", "tokens", "outline", "memory", "window", "compaction"):
        shutil.copy(PACKAGE / f"{name}.py", target)
    code = """
import sys
for name in ("openai", "matplotlib", "memory_lab", "opencc", "numpy"):
    sys.modules[name] = None  # importing it would raise
from my_service.facts import FactTableMemory
memory = FactTableMemory("Be brief.", token_limit=200)
memory.add({"role": "user", "content": "My order is 4471-K, and do not phone me."})
for turn in range(60):
    memory.add({"role": "user", "content": f"And question {turn}?"})
    memory.add({"role": "assistant", "content": "Noted."})
print("4471-K" in memory.messages()[0]["content"], "do not phone me" in memory.messages()[0]["content"])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.stdout.split() == ["True", "True"], run.stderr


def test_import_is_light():
    code = "import sys, memory_lab.facts; print(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"openai", "tiktoken", "numpy", "opencc", "httpx2", "matplotlib"} & set(run.stdout.split())
