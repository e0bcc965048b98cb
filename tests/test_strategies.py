"""The dict of strategies: each makes a memory of its own from a system text, as its name says."""

from __future__ import annotations

import re

import pytest

from memory_lab import BaseMemory, user
from memory_lab.strategies import STRATEGIES


@pytest.mark.parametrize("name", STRATEGIES)
def test_each_makes_an_empty_memory_with_the_system_text(name):
    first, second = STRATEGIES[name]("Be kind."), STRATEGIES[name](None)
    assert isinstance(first, BaseMemory) and first.system == "Be kind." and second.system is None
    first.add(user("Hi"))
    assert len(first.log) == 1 and second.log == [] and STRATEGIES[name]("Be kind.").log == []


@pytest.mark.parametrize("name", [name for name in STRATEGIES if re.search(r"\d{2,}|[2-9]", name)])
def test_a_number_in_a_name_is_a_setting_of_the_memory(name):
    number, unit = re.search(r"(\d+) (\w+)$", name).groups()
    settings = {"messages": "max_messages", "turns": "max_turns", "tokens": "token_limit"}
    assert getattr(STRATEGIES[name](None), settings[unit]) == int(number)


def test_the_buffer_comes_first_for_the_others_are_compared_with_it():
    assert next(iter(STRATEGIES)) == "buffer"
