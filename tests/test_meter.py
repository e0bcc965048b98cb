"""The bill of a chat's prompts, against sums made by hand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab import TokenCounter, assistant, system, user
from memory_lab.meter import Meter

COUNT = TokenCounter()
PROMPTS = st.lists(st.lists(st.builds(user, st.text("ab 我", min_size=1, max_size=6)), max_size=4), max_size=5)


def bill(*prompts):
    meter = Meter(COUNT)
    for prompt in prompts:
        meter.prompt(prompt)
    return meter


def test_a_chat_of_three_prompts_by_hand():
    talk = [system("Be kind."), user("Hi"), assistant("Hello"), user("Bye")]
    meter = bill(talk[:2], talk, [system("Be kind."), talk[3]])
    assert meter.prompts == [COUNT(talk[:2]), COUNT(talk), COUNT([talk[0], talk[3]])]
    assert meter.cached == [0, COUNT(talk[:2]) - COUNT.base, COUNT.message(talk[0])]


def test_nothing_behind_the_first_difference_is_cached():
    same = user("What a long and equal message this is, word for word.")
    assert bill([user("a"), same], [user("b"), same]).cached == [0, 0]
    assert bill([user("a"), same], [assistant("a"), same]).cached == [0, 0]  # the role comes first


def test_the_words_that_two_system_messages_begin_with_are_cached():
    rules = "Be kind, and answer in one sentence."
    meter = bill([system(rules + " Known: nothing."), user("Hi")], [system(rules + " Known: his name."), user("Hi")])
    assert meter.cached == [0, COUNT.text(rules + " Known: ")]


def test_a_list_that_its_owner_goes_on_to_change_was_billed_as_it_was():
    talk = [user("Hi")]
    meter = bill(talk)
    talk[0]["content"] = "Something else"
    meter.prompt(talk)
    assert meter.cached == [0, 0]


@settings(max_examples=60)
@given(PROMPTS)
def test_prompts_are_what_the_counter_says_and_cached_is_a_part_of_both(prompts):
    meter = bill(*prompts)
    assert meter.prompts == [COUNT(prompt) for prompt in prompts]
    for number, cached in enumerate(meter.cached):
        before = meter.prompts[number - 1] if number else COUNT.base
        assert 0 <= cached <= meter.prompts[number] - COUNT.base
        assert cached <= before - COUNT.base + 2  # a cut inside a message may cost a token or two more than the whole


@given(PROMPTS.filter(lambda prompts: prompts and prompts[0]))
def test_a_prompt_that_is_sent_again_is_cached_whole(prompts):
    meter = bill(prompts[0], prompts[0])
    assert meter.cached[1] == meter.prompts[0] - COUNT.base
