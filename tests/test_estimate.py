"""The estimators against the true count, in four languages; half of the sentences were never used for fitting."""

import doctest
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab import estimate
from memory_lab.errors import SettingError
from memory_lab.estimate import ESTIMATORS, estimate_error, estimate_tokens
from memory_lab.tokens import TokenCounter

SENTENCES = json.loads(Path(__file__).with_name("fixtures").joinpath("sentences.json").read_text("utf-8"))
LANGUAGES = ("en", "zh-Hant", "zh-Hans", "es")
RULES = ("characters / 4", "words * 1.3", "CJK 2 characters a token + English 1.3 tokens a word")


def test_doctests():
    assert doctest.testmod(estimate).failed == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_held_out_half_is_within_the_bar(language):
    held_out = SENTENCES[language][1::2]
    assert len(SENTENCES[language]) >= 15
    error = estimate_error(held_out, TokenCounter())["estimate_tokens"]
    assert error.mean <= 0.12
    assert abs(error.bias) <= 0.08


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_the_rules_of_thumb_count_less_than_half_of_chinese(language):
    errors = estimate_error(SENTENCES[language], TokenCounter())
    for rule in RULES:
        assert errors[rule].bias < -0.5
    assert errors["estimate_tokens"].mean < errors[RULES[2]].mean / 4


def test_the_published_rules_by_hand():
    assert ESTIMATORS["characters / 4"]("12345678") == 2
    assert ESTIMATORS["characters / 4"]("123456789") == 3
    assert ESTIMATORS["words * 1.3"](" ".join(["word"] * 10)) == 13
    assert ESTIMATORS[RULES[2]]("我對甲殼類過敏 and ten more English words one two three four five") == 4 + 13


def test_the_error_is_relative_and_signed():
    errors = estimate_error(["hello hello hello hello", ""], TokenCounter())["characters / 4"]
    assert TokenCounter().text("hello hello hello hello") == 4
    assert errors == (0.5, 0.5, 0.5)


def test_nothing_to_compare_is_an_error():
    with pytest.raises(SettingError, match="at least one"):
        estimate_error(["", ""], TokenCounter())


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_an_estimate(text):
    assert estimate_tokens(text) >= 0
    if any(character.isalnum() for character in text):
        assert estimate_tokens(text) > 0


def test_a_monster_word_is_not_one_token():
    assert estimate_tokens("a" * 1_000_000) > 100_000
