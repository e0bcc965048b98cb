"""A replay is a chat: what it counts is what a hand-written loop would have sent, and nothing it does touches a memory
that it did not have to touch."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab import (
    BaseMemory,
    BufferMemory,
    Conversation,
    FixedWindowMemory,
    PopOldestMemory,
    Probe,
    SettingError,
    SlidingWindowMemory,
    TokenLimitError,
    TokenWindowMemory,
    assistant,
    replay,
    tool,
    tool_call,
    tradeoff,
    user,
)
from memory_lab.compaction import Compaction
from memory_lab.conversations import load, names
from memory_lab.errors import ModelOutputError
from memory_lab.evaluate import fork
from memory_lab.memory import View
from memory_lab.messages import system
from memory_lab.tokens import TokenCounter

COUNT = TokenCounter()
STRATEGIES = {
    "buffer": BufferMemory,
    "pop": partial(PopOldestMemory, max_messages=6),
    "fixed": partial(FixedWindowMemory, max_turns=2),
    "sliding": partial(SlidingWindowMemory, max_turns=2),
    "tokens": partial(TokenWindowMemory, token_limit=60),
}
FACT = Probe("What is my order number?", "number", accept=("4821",), evidence=(0,))
NEVER = Probe("What is my shoe size?", "number", answerable=False)


def talk(*messages, probes=(FACT,), system_text=None, times=None):
    return Conversation("talk", "A talk", "en", system_text, messages, tuple(probes), "this test", times)


ORDER = talk(user("My order number is 4821."), assistant("Noted."), user("Is it on its way?"), assistant("It is."),
             user("By mail?"), assistant("Yes."), probes=(NEVER, FACT))
TOOLS = talk(user("Where is it?"), assistant(None, tool_calls=[tool_call("a", "find")]),
             tool("in Bonn", tool_call_id="a"), assistant("In Bonn."), user("Thanks."), assistant("Good."), probes=())


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


class Noting(BaseMemory):
    """All turns, behind a note that grows: a memory with derived text that pays a model for it."""

    def _view(self):
        turns = [index for turn in self.outline.turns for index in turn.indices]
        return View(turns[-1:], derived=f"The order was named {len(turns)} times.", covered=turns[:-1])

    def add(self, message, *, at=None):
        super().add(message, at=at)
        if message["role"] == "user":
            self.compactions.append(Compaction((0,), "before", "after", 9, 5, model_calls=2, model_tokens=30))


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


def test_probes_are_asked_on_forks_so_the_memory_holds_the_chat_alone():
    memory = BufferMemory()
    result = replay(memory, ORDER)
    assert memory.log == list(ORDER.messages)
    assert [asked.probe for asked in result.asked] == [NEVER, FACT]
    assert [asked.verdict for asked in result.asked] == ["correct", "correct"]
    assert {asked.tokens for asked in result.asked} == {
        COUNT([*ORDER.messages, user(probe.question)]) for probe in ORDER.probes}


def test_inline_asks_what_was_said_in_the_chat_and_what_was_not_on_a_fork():
    memory = BufferMemory()
    conversation = replace(ORDER, probes=(FACT, NEVER, replace(FACT, question="Which number has my order?")))
    result = replay(memory, conversation, inline=True)
    asked = memory.log[len(ORDER.messages):]
    assert [message["role"] for message in asked] == ["user", "assistant"] * 2
    assert asked[0]["content"] == FACT.question and asked[1]["content"] == result.asked[0].answer
    assert [each.probe for each in result.asked] == list(conversation.probes)
    assert result.prompts[-2:] == (result.asked[0].tokens, result.asked[2].tokens)
    assert len(result.prompts) == 3 + 2
    assert result.asked[1].tokens < result.asked[0].tokens + COUNT.message(assistant(result.asked[0].answer))
    with pytest.raises(SettingError, match="inline"):
        replay(BufferMemory(), ORDER, inline=True, answer=False)


def test_a_probe_in_the_middle_is_asked_there():
    later = user("My order number is 9999 now.")
    early, late = replace(FACT, at=2), replace(FACT, accept=("9999",), evidence=(2,))
    result = replay(BufferMemory(), talk(*ORDER.messages[:2], later, assistant("Noted."), probes=(late, early)))
    assert [asked.verdict for asked in result.asked] == ["correct", "correct"]
    assert result.asked[1].tokens == COUNT([*ORDER.messages[:2], user(FACT.question)])


def test_without_answers_no_model_is_asked_even_where_one_is_given():
    result = replay(BufferMemory(), ORDER, client=object(), answer=False)
    assert {asked.verdict for asked in result.asked} == {None}
    assert result.context_recall == 1 and result.answer_recall == 0 and result.invented == 0


def test_a_model_without_words_is_judged_and_the_rest_is_asked(monkeypatch):
    def silent(client, messages, **options):
        if messages[-1]["content"] == NEVER.question:
            raise ModelOutputError("the model gave an empty reply")
        return "It is 4821."

    monkeypatch.setattr("memory_lab.client.chat", silent)
    result = replay(BufferMemory(), ORDER)
    assert [(asked.answer, asked.verdict) for asked in result.asked] == [("", "wrong"), ("It is 4821.", "correct")]


def test_answers_come_from_the_context_that_is_sent():
    window = replay(SlidingWindowMemory(max_turns=1), ORDER)
    assert window.asked[1].verdict == "abstained" and window.asked[1].in_context is False
    assert (window.evidence_recall, window.context_recall, window.answer_recall) == (0, 0, 0)
    everything = replay(BufferMemory(), ORDER)
    assert (everything.evidence_recall, everything.context_recall, everything.answer_recall) == (1, 1, 1)
    assert (everything.right, everything.invented) == (1, 0)


@pytest.mark.parametrize(("left", "counts"), [("My order number is 4821 [...]", True), ("My order [...]", False)])
def test_a_clipped_message_is_evidence_if_its_value_is_still_in_it(left, counts):
    class Clipping(BufferMemory):
        def _view(self):
            return replace(super()._view(), clips={0: user(left)})

    asked = replay(Clipping(), ORDER, answer=False).asked[1]
    assert (asked.evidence, asked.in_context) == (counts, counts)


def test_a_value_in_a_summary_is_in_the_context_though_its_message_is_not():
    class Telling(Noting):
        def _view(self):
            return replace(super()._view(), derived="The order number is 4821.")

    asked = replay(Telling(), ORDER, answer=False).asked[1]
    assert (asked.evidence, asked.in_context) == (0, True)


def test_the_question_itself_is_no_context():
    probe = replace(FACT, question="Is 4821 my order number?")
    result = replay(SlidingWindowMemory(max_turns=1), replace(ORDER, probes=(probe,)), answer=False)
    assert result.asked[0].in_context is False


def test_numbers_are_read_in_the_language_of_the_conversation():
    spanish = replace(talk(user("Mi presupuesto es de 1.500 euros."), assistant("Vale."),
                           probes=[Probe("¿Cuál es mi presupuesto?", "number", accept=("1500",), evidence=(0,))]),
                      language="es")
    assert replay(BufferMemory(), spanish, answer=False).context_recall == 1
    assert replay(BufferMemory(), replace(spanish, language="en"), answer=False).context_recall == 0


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
    assert system("x") not in ORDER.messages


@pytest.mark.parametrize("name", names())
def test_the_buffer_holds_every_planted_fact_of_the_shipped_conversations(name):
    conversation = load(name)
    result = replay(BufferMemory(conversation.system), conversation, answer=False)
    assert [asked.probe.question for asked in result.answerable if not asked.in_context] == []
    assert result.evidence_recall == 1
