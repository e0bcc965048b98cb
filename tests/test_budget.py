"""The published division of a context window, and its errors."""

import doctest

import pytest

from memory_lab import budget
from memory_lab.budget import WINDOWS, Budget
from memory_lab.errors import SettingError, TokenLimitError


def test_doctests():
    assert doctest.testmod(budget).failed == 0


def test_an_empty_window_is_allowed_and_one_token_more_is_not():
    assert Budget(1_000, response=600, system=400).window == 0
    with pytest.raises(TokenLimitError, match=r"response 600, system 401 take 1,001 tokens together, 1 more") as caught:
        Budget(1_000, response=600, system=401)
    assert (caught.value.needed, caught.value.token_limit) == (1_001, 1_000)
    assert ("system", 401) in caught.value.parts


def test_a_negative_part_is_an_error():
    with pytest.raises(SettingError, match="margin = -1"):
        Budget(1_000, response=10, margin=-1)


def test_parts_are_named_and_frozen():
    with pytest.raises(TypeError):
        Budget(8_192, 1_024)
    with pytest.raises(AttributeError):
        Budget(8_192, response=1_024).response = 0


def test_published_windows():
    published = Budget(8_192, response=1_024, system=800, tools=600, summary=500, margin=512)
    assert published.window in [window.token_limit for window in WINDOWS.values()]
    assert all(window.token_limit > 0 and window.source[:3].isdigit() for window in WINDOWS.values())
