"""Probes of a replay: where they are asked, what counts as being in the context, and what the answers are worth."""

from __future__ import annotations

from dataclasses import replace

import openai
import pytest
from scripted import FACT, NEVER, ORDER, Noting, talk

from memory_lab import BufferMemory, Probe, SettingError, SlidingWindowMemory, TokenCounter, assistant, replay, user
from memory_lab.conversations import load, names
from memory_lab.errors import ModelOutputError
from memory_lab.evaluate import tradeoff
from memory_lab.testing import ScriptedModel, status_error

COUNT = TokenCounter()


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


def test_a_context_over_the_models_window_is_an_answer_without_words_and_other_faults_are_raised():
    with ScriptedModel([status_error(400, code="context_length_exceeded"), "It is 4821."]) as model:
        result = replay(BufferMemory(), ORDER, client=model.client)
    assert [asked.answer for asked in result.asked] == ["", "It is 4821."]
    assert result.invented == 0, "no words invent nothing"
    with ScriptedModel([status_error(500)]) as model, pytest.raises(openai.InternalServerError) as caught:
        tradeoff({"all": BufferMemory}, [ORDER], client=model.client)
    assert caught.value.__notes__ == ["strategy 'all', conversation 'talk'"]


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


@pytest.mark.parametrize("name", names())
def test_the_buffer_holds_every_planted_fact_of_the_shipped_conversations(name):
    conversation = load(name)
    result = replay(BufferMemory(conversation.system), conversation, answer=False)
    assert [asked.probe.question for asked in result.answerable if not asked.in_context] == []
    assert result.evidence_recall == 1
