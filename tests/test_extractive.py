"""The summary by rules."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.compaction import transcript
from memory_lab.extractive import light_summary
from memory_lab.messages import assistant, user
from memory_lab.tokens import TokenCounter

count = TokenCounter()
TALK = transcript([user("Hello there. What a fine day."), assistant("Indeed! Shall I tell you about 12 museums?"),
                   user("My order number is A-4471. Do not phone me."), user("Where can one eat?"),
                   assistant("There is much."), user("我對甲殼類過敏。今天很好。")])


def test_what_matters_stays_and_small_talk_goes():
    kept = light_summary(TALK, limit=40, count=count).splitlines()
    assert kept == ["user: My order number is A-4471.", "user: Do not phone me.", "user: 我對甲殼類過敏。"]


def test_a_summary_of_a_summary_keeps_what_it_had():
    once = light_summary(TALK, limit=40, count=count)
    more = once + "\nuser: Well, well.\nassistant: It is raining 12 drops."
    assert light_summary(more, limit=40, count=count) == once


def test_of_equals_the_newest():
    talk = "\n".join(f"user: My code is K{number}." for number in range(20))
    kept = light_summary(talk, limit=30, count=count).splitlines()
    assert kept[-1] == "user: My code is K19." and kept == talk.splitlines()[-len(kept):]


LINES = st.sampled_from(["user: My code is 7.", "assistant: ok?", "我不要。", "", "x " * 50, "tool: 9"])


@given(st.lists(LINES, max_size=20), st.integers(0, 80))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_it_keeps_its_limit_and_the_words_as_they_were_said(lines, limit):
    text = "\n".join(lines)
    kept = light_summary(text, limit=limit, count=count)
    assert count.text(kept) <= limit
    assert all(line in text for line in kept.splitlines())
    assert kept == light_summary(text, limit=limit, count=count)
