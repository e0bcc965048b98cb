"""A replay is a chat: what it counts is what a hand-written loop would have sent, and nothing it does touches a memory
that it did not have to touch."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial

import pytest
from histories import histories
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import ORDER, TOOLS, Noting, talk

from memory_lab import (
    BufferMemory,
    FixedWindowMemory,
    PopOldestMemory,
    Probe,
    SettingError,
    SlidingWindowMemory,
    TokenLimitError,
    TokenWindowMemory,
    assistant,
    replay,
    tradeoff,
    user,
)
from memory_lab.conversations import load
from memory_lab.evaluate import fork
from memory_lab.tokens import TokenCounter

COUNT = TokenCounter()
STRATEGIES = {
    "buffer": BufferMemory,
    "pop": partial(PopOldestMemory, max_messages=6),
    "fixed": partial(FixedWindowMemory, max_turns=2),
    "sliding": partial(SlidingWindowMemory, max_turns=2),
    "tokens": partial(TokenWindowMemory, token_limit=60),
}


def by_hand(make, conversation):
    memory, prompts = make(conversation.system), []
    for message in conversation.messages:
        if message["role"] == "assistant":
            prompts.append(memory.count(memory.messages()))
        memory.add(message)
    return tuple(prompts)


@pytest.mark.parametrize("make", STRATEGIES.values(), ids=STRATEGIES)
@pytest.mark.parametrize("conversation", [ORDER, TOOLS, load("order_number"), load("kyoto_zh_hant")],
                         ids=["order", "tools", "order_number", "kyoto"])
def test_the_prompts_are_those_of_a_loop_written_by_hand(make, conversation):
    make = partial(TokenWindowMemory, token_limit=200) if make is STRATEGIES["tokens"] else make
    result = replay(make(conversation.system), conversation, answer=False)
    assert result.prompts == by_hand(make, conversation)
    assert result.prompt_tokens == sum(result.prompts) and result.peak == max(result.prompts)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text("ab 我7", min_size=1, max_size=12)),
                min_size=1, max_size=10), st.sampled_from(sorted(STRATEGIES)))
def test_any_talk_is_replayed_as_by_hand_and_alike_each_time(pairs, name):
    messages = [{"role": role, "content": text} for role, text in pairs]
    said = next((text for role, text in pairs if role == "user" and text.strip()), None)
    probes = [] if said is None else [Probe("What?", "free", accept=(said,), evidence=(0,))]
    conversation, make = talk(*messages, probes=probes, system_text="Be kind."), STRATEGIES[name]
    first, second = (replay(make("Be kind."), conversation, answer=False) for _ in range(2))
    assert first == second
    assert first.prompts == by_hand(make, conversation)
    assert len(first.cached) == len(first.prompts)
    assert all(0 <= cached <= tokens - COUNT.base for cached, tokens in zip(first.cached, first.prompts, strict=True))


def test_with_answers_a_replay_is_the_same_twice_but_for_the_time():
    conversation = load("kyoto_en")
    first, second = (replay(SlidingWindowMemory(conversation.system, max_turns=9), conversation) for _ in range(2))
    assert first == second
    assert replace(first, seconds=first.seconds + 1) == first
    assert first.seconds > 0


def test_each_assistant_message_is_a_model_call_also_one_that_calls_a_tool():
    result = replay(BufferMemory(), TOOLS, answer=False)
    whole = list(TOOLS.messages)
    assert result.prompts == (COUNT(whole[:1]), COUNT(whole[:3]), COUNT(whole[:5]))


def test_cached_is_the_beginning_that_a_prompt_shares_with_the_one_before():
    first, second = ORDER.messages[:2], ORDER.messages[:4]
    assert replay(BufferMemory(), ORDER, answer=False).cached == (
        0, COUNT.message(first[0]), sum(map(COUNT.message, second[:3])))
    assert replay(SlidingWindowMemory(max_turns=1), ORDER, answer=False).cached == (0, 0, 0)


def test_words_before_a_change_inside_the_system_message_stay_cached():
    result = replay(Noting("Be kind."), replace(ORDER, system="Be kind."), answer=False)
    alike = "Be kind.\n\nThe order was named "
    assert result.cached == (0, COUNT.text(alike), COUNT.text(alike))


def test_own_calls_are_those_of_the_chat_and_not_of_the_forks():
    on_forks = replay(Noting("Be kind."), replace(ORDER, system="Be kind."))
    assert (on_forks.own_calls, on_forks.own_tokens) == (6, 90)
    inline = replay(Noting("Be kind."), replace(ORDER, system="Be kind."), inline=True)
    assert (inline.own_calls, inline.own_tokens) == (8, 120)


def test_a_fork_leaves_its_memory_untouched_and_shares_client_and_counter():
    client = object()
    memory = SlidingWindowMemory("Be kind.", max_turns=2, client=client)
    for message in ORDER.messages:
        memory.add(message)
    before = copy.deepcopy((memory.log, memory.messages(), memory.states))
    other = fork(memory)
    other.add(user("And my name?"))
    other.add(assistant("I do not know."))
    assert (memory.log, memory.messages(), memory.states) == before
    assert other.log[:-2] == memory.log
    assert other.client is client and other.count is memory.count


@settings(max_examples=40, deadline=None)
@given(histories, histories, st.sampled_from([BufferMemory, partial(FixedWindowMemory, max_turns=2),
                                              partial(PopOldestMemory, max_messages=4),
                                              partial(TokenWindowMemory, token_limit=20000)]))
def test_a_fork_goes_on_as_its_memory_would_have_and_neither_feels_the_other(first, then, make):
    def fed(memory, messages):
        for message in messages:
            memory.add(message)
        return memory

    memory = fed(make("Be kind."), first)
    before = copy.deepcopy((memory.log, memory.messages(), memory.states))
    other = fed(fork(memory), then)
    assert (memory.log, memory.messages(), memory.states) == before
    straight = fed(make("Be kind."), first + then)
    assert (other.log, other.messages(), other.states) == (straight.log, straight.messages(), straight.states)
    fed(memory, [user("Something else")])
    assert (other.log, other.messages(), other.states) == (straight.log, straight.messages(), straight.states)


def test_times_reach_the_memory():
    memory = BufferMemory()
    times = ("2026-11-30T10:00:00+00:00", "2026-11-30T10:01:00+00:00")
    replay(memory, talk(*ORDER.messages[:2], times=times), answer=False)
    assert [time.isoformat() for time in memory.times] == list(times)


def test_wrong_memories_are_refused():
    with pytest.raises(SettingError, match=r"system text.*conversation\.system"):
        replay(BufferMemory("Be rude."), ORDER)
    filled = BufferMemory()
    filled.add(user("Hi"))
    with pytest.raises(SettingError, match="1 messages already"):
        replay(filled, ORDER)
    with pytest.raises(SettingError, match="0 strategies"):
        tradeoff({}, [ORDER])
    with pytest.raises(SettingError, match="0 conversations"):
        tradeoff({"buffer": BufferMemory}, [])


def test_a_context_that_cannot_be_built_is_an_error_that_says_where():
    tight = partial(TokenWindowMemory, token_limit=5)
    with pytest.raises(TokenLimitError):
        replay(tight(), ORDER, answer=False)
    with pytest.raises(TokenLimitError) as caught:
        tradeoff({"tight": tight}, [ORDER], answer=False)
    assert caught.value.__notes__ == ["strategy 'tight', conversation 'talk'"]


def test_a_tradeoff_has_one_replay_for_each_strategy_and_conversation():
    result = tradeoff(STRATEGIES | {"tokens": BufferMemory}, [ORDER, TOOLS], answer=False)
    assert list(result.replays) == list(STRATEGIES)
    assert [each.conversation for each in result["pop"]] == ["talk", "talk"]
    assert result["buffer"][0] == replay(BufferMemory(), ORDER, answer=False)
