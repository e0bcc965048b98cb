"""The facts as a part of other memories."""

from __future__ import annotations

import pytest
from summarisers import Summariser

from memory_lab.layered import LayeredMemory
from memory_lab.messages import assistant, user
from memory_lab.retrieval import VectorMemory

CARRIERS = {"layers": lambda **more: LayeredMemory(client=Summariser(), **more),
            "retrieval": lambda **more: VectorMemory(embed=None, **more)}


@pytest.mark.parametrize("make", CARRIERS.values(), ids=CARRIERS)
def test_all_facts_of_one_message_are_taken(make):
    memory = make(facts_limit=200)
    memory.add(user("My order number is 4821937. Please do not phone me. I am allergic to walnuts."))
    assert all(word in memory.facts for word in ("4821937", "phone", "walnuts"))
    assert memory.facts in memory.messages()[0]["content"]


@pytest.mark.parametrize("make", CARRIERS.values(), ids=CARRIERS)
def test_no_room_no_facts_and_only_the_users(make):
    memory = make(facts_limit=0)
    memory.add(user("My order number is 4821937."))
    assert memory.facts == "" and len(memory.table) == 0
    memory = make(facts_limit=200)
    memory.add(user("Hello."))
    memory.add(assistant("My order number is 4821937."))  # the same words, but not the user's
    assert memory.facts == ""
    memory.add(user("My order number is 99."))
    memory.clear()
    assert memory.facts == "" and len(memory.table) == 0
