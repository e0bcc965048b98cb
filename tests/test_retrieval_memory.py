"""Window, retrieved turns and facts under one limit."""

from __future__ import annotations

import json

import pytest

from memory_lab.conversations import load
from memory_lab.errors import SettingError
from memory_lab.evaluate import replay
from memory_lab.messages import assistant, user
from memory_lab.retrieval import VectorMemory


def fed(memory, turns=30):
    memory.add(user("My order number is 4821937. Please do not phone me."))
    memory.add(assistant("Noted."))
    for n in range(turns):
        memory.add(user(f"What is the weather like in town number {n}?"))
        memory.add(assistant("It rains there most of the week, with a little sun on Sunday."))
    return memory


def test_window_retrieved_and_facts_stand_under_one_limit():
    memory = fed(VectorMemory("Be brief.", token_limit=260, recent_tokens=90, facts_limit=90, embed=None))
    memory.add(user("What about town number 3 again?"))
    sent = memory.messages()
    assert memory.count(sent) <= 260
    assert "4821937" in sent[0]["content"] and sent[0]["content"].startswith("Be brief.")
    asked = [message["content"] for message in sent if message["role"] == "user"]
    assert any("number 3?" in text for text in asked[:-1])  # looked up
    assert any("number 29?" in text for text in asked)      # the window


def test_without_room_the_newest_turn_comes_first():
    memory = fed(VectorMemory(token_limit=60, facts_limit=60, embed=None), 2)
    memory.add(user("word " * 40))
    assert memory.messages()[-1]["content"] == "word " * 40
    assert memory.messages()[0]["role"] == "user"


def test_facts_keep_the_prohibition_that_no_question_names():
    chat = load("order_number_50")
    made = [VectorMemory(chat.system, token_limit=500, facts_limit=facts, embed=None) for facts in (0, 200)]
    lost = [{asked.probe.id for asked in replay(memory, chat, answer=False).asked if asked.in_context is False}
            for memory in made]
    assert lost[1] < lost[0]


def test_the_facts_come_back_with_the_state():
    memory = fed(VectorMemory(token_limit=200, facts_limit=80, embed=None))
    other = VectorMemory(token_limit=200, facts_limit=80, embed=None)
    for message in memory.log:
        other.append(message)
    other.restore(json.loads(json.dumps(memory.state())))
    assert other.messages() == memory.messages()


def test_a_negative_limit_is_named():
    with pytest.raises(SettingError, match="facts_limit"):
        VectorMemory(facts_limit=-1)
