"""The questions to fit the reader on: their form holds, and nothing that measures is among them."""

import json
import re
from pathlib import Path

import pytest

from memory_lab.offline.language import fold

ROOT = Path(__file__).parents[1]


@pytest.fixture
def learnt(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "reader"))
    from questions import chats, pairs

    return [*chats(), *pairs()]


def bare(text):
    return re.sub(r"\W", "", fold(text)).lower()


def test_each_question_has_one_statement_or_none(learnt):
    assert {each.language for each in learnt} == {"en", "zh-Hant", "zh-Hans", "es"}
    for each in learnt:
        said = [message["content"] for message in each.context if message["role"] == "user"]
        holding = [text for text in said if any(value.lower() in text.lower() for value in each.accept)]
        assert len(holding) == (1 if each.accept else 0), each.text


def test_no_question_that_measures_is_among_them(learnt):
    asked = {bare(each.text) for each in learnt}
    said = {bare(message["content"]) for each in learnt for message in each.context}
    assert len(asked) > 2000
    blocks = json.loads((ROOT / "tests/fixtures/paraphrases.json").read_text(encoding="utf-8"))
    items = [item for block in blocks for item in block["items"]]
    assert sum(bare(item["question"]) in asked for item in items) <= 3, 'but for a "What is my son\'s name?"'
    for item in items:
        assert not said & {bare(m["content"]) for m in item["context"] if len(bare(m["content"])) > 20}


def test_questions_are_varied_with_many_chats_around_and_without_what_answers_them(learnt):
    from examples import FEW, MANY, holds, varied

    some = [each for each in learnt if each.language == "en" and each.group.startswith("chats")][:2000]
    assert len({each.group for each in some}) > MANY > FEW
    made = [each for each in varied(some) if each.made]
    least = min(len(each.context) for each in some)
    long = [each for each in made if len(each.context) > MANY * least]
    assert {bool(each.accept) for each in long} == {True, False}, "answerable among many chats, and not"
    for each in made:
        assert any(holds(message["content"], each.accept) for message in each.context) == bool(each.accept)
