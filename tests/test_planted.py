"""The shipped conversations say what they claim: facts planted, sizes as published, nothing repeated by chance."""

import re
from dataclasses import replace
from itertools import chain

import pytest

from memory_lab.conversations import load, names, validate
from memory_lab.messages import assistant, turns, user
from memory_lab.tokens import ContentCounter, TokenCounter
from memory_lab.truncation import BufferMemory, PopOldestMemory, SlidingWindowMemory
from memory_lab.window import TokenWindowMemory

KYOTO = ["kyoto_en", "kyoto_es", "kyoto_zh_hans", "kyoto_zh_hant"]
SILENT = [*KYOTO, "order_number", "order_number_50", "five_facts"]   # their sources say that values are not repeated
SIZES = {"short_chat": (5, 126), "medium_chat": (20, 560)}            # turns and content tokens, source 004


def found(probe, text):
    patterns = (rf"(?<!\w){re.escape(value)}(?!\w)" if value.isascii() else re.escape(value) for value in probe.accept)
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def turn_count(conversation):
    return len(turns(conversation.messages)[1])


def sent(memory, conversation, question):
    """The context of a question asked after the log."""
    for message in conversation.messages:
        memory.add(message)
    memory.add(user(question))
    return "\n".join(message["content"] or "" for message in memory.messages())


@pytest.mark.parametrize("name", names())
def test_each_is_valid_and_asks_for_things_never_said(name):
    conversation = load(name)
    validate(conversation)
    assert conversation.name == name
    assert conversation.title and conversation.source
    assert any(not probe.answerable for probe in conversation.probes)
    assert any(probe.answerable for probe in conversation.probes)
    ids = [probe.id for probe in conversation.probes]
    assert len(set(ids)) == len(ids) and all(ids)


@pytest.mark.parametrize("name", names())
def test_each_is_a_list_that_the_contract_takes(name):
    memory = BufferMemory()
    conversation = load(name)
    for message in conversation.messages:
        memory.add(message)
    assert memory.messages() == list(conversation.messages)


@pytest.mark.parametrize("name", names())
def test_only_a_choice_may_name_its_answer(name):
    told = [probe.question for probe in load(name).probes if probe.type != "choice" and found(probe, probe.question)]
    assert told == []


@pytest.mark.parametrize("name", SILENT)
def test_values_stand_in_their_evidence_alone(name):
    conversation = load(name)
    for probe in conversation.probes:
        if not probe.answerable or probe.category == "prohibition" or probe.id in ("colour", "damage", "father"):
            continue
        elsewhere = [index for index, message in enumerate(conversation.messages)
                     if index not in probe.evidence and found(probe, message["content"])]
        assert elsewhere == [], probe.question


@pytest.mark.parametrize("name", KYOTO)
def test_kyoto_window_recall_is_zero_and_buffer_recall_whole(name):
    conversation = load(name)
    for probe in conversation.probes:
        if probe.answerable:
            assert not found(probe, sent(SlidingWindowMemory(max_turns=2), conversation, probe.question))
            assert found(probe, sent(BufferMemory(), conversation, probe.question))


def inline_tokens(memory, conversation, count):
    """Prompt tokens of every call: the chat's turns, then the four questions in the chat."""
    total = 0
    asked = [probe for probe in conversation.probes if probe.answerable]
    answers = [assistant(conversation.messages[probe.evidence[0]]["content"][:18]) for probe in asked]
    extra = [(user(probe.question), answer) for probe, answer in zip(asked, answers, strict=True)]
    for message in [*conversation.messages, *chain(*extra)]:
        memory.add(message)
        if message["role"] == "user":
            total += count(memory.messages())
    return total


def test_kyoto_has_the_published_size():
    conversation, count = load("kyoto_zh_hant"), TokenCounter()
    full = inline_tokens(BufferMemory(conversation.system), conversation, count)
    window = inline_tokens(SlidingWindowMemory(conversation.system, max_turns=2), conversation, count)
    assert full == pytest.approx(13_262, rel=.10)
    assert window / full <= .25


@pytest.mark.parametrize("name", SIZES)
def test_published_sizes_within_five_percent(name):
    conversation, (turns_, tokens) = load(name), SIZES[name]
    assert turn_count(conversation) == turns_
    assert ContentCounter()(conversation.messages) == pytest.approx(tokens, rel=.05)


@pytest.mark.parametrize("count", [TokenCounter(), ContentCounter()], ids=["house count", "content count"])
def test_five_facts_are_out_of_five_turns_and_within_200_tokens(count):
    conversation = load("five_facts")
    asked = [probe for probe in conversation.probes if probe.answerable]
    assert (turn_count(conversation), len(asked)) == (15, 5)
    for probe in asked:
        assert not found(probe, sent(SlidingWindowMemory(max_turns=5), conversation, probe.question))
        assert found(probe, sent(TokenWindowMemory(token_limit=200, count=count), conversation, probe.question))


def test_the_order_number_comes_in_turn_3_and_is_asked_for_in_turn_12():
    conversation = load("order_number")
    probe = next(probe for probe in conversation.probes if probe.at)
    assert turn_count(conversation) == 20
    assert turn_count(replace(conversation, messages=conversation.messages[:probe.evidence[0] + 1])) == 3
    asked = conversation.messages[probe.at]
    assert asked["role"] == "user" and probe.question in asked["content"]
    assert turn_count(replace(conversation, messages=conversation.messages[:probe.at + 1])) == 12


def test_twenty_messages_with_pop_0_have_lost_it():
    conversation = load("order_number")
    probe = next(probe for probe in conversation.probes if probe.at)
    memory = PopOldestMemory(max_messages=20)
    for message in conversation.messages[:probe.at + 1]:
        memory.add(message)
    assert not any(found(probe, message["content"]) for message in memory.messages())
    assert found(probe, conversation.messages[probe.evidence[0]]["content"])


def test_the_long_support_chat_begins_as_the_short_one():
    short, long = load("order_number"), load("order_number_50")
    assert turn_count(long) == 50
    assert long.messages[:len(short.messages)] == short.messages


def test_updates_forbid_the_stale_value():
    for name in ("updates", "updates_zh"):
        conversation = load(name)
        stale = [probe for probe in conversation.probes if probe.forbid]
        assert len(stale) >= 7
        for probe in stale:   # the newest statement is the evidence, the stale one is older
            for value in probe.forbid:
                first = next(i for i, message in enumerate(conversation.messages) if value in message["content"])
                assert first < probe.evidence[-1]


def test_injected_facts_come_from_tools_alone():
    conversation = load("tools")
    injected = [probe for probe in conversation.probes if probe.category == "injected"]
    assert len(injected) == 2
    for probe in injected:
        said_by = {message["role"] for message in conversation.messages
                   if any(value in (message["content"] or "") for value in probe.forbid)}
        assert said_by == {"tool"}
    assert max(len(message.get("tool_calls", ())) for message in conversation.messages) == 3
