"""The prompt style: what of a request reaches the model, whatever stands in it."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.compaction import transcript
from memory_lab.conversations import load, names
from memory_lab.facts import Fact, FactTable
from memory_lab.hierarchy import MERGED
from memory_lab.local.form import EXAMPLES, FIELDS
from memory_lab.local.notes import third_person
from memory_lab.local.style import (
    ANSWER_RULE,
    ANSWER_TOKENS,
    SUMMARY_BEGINS,
    SUMMARY_RULE,
    answer_messages,
    read,
    styled,
    task,
    unrepeated,
)
from memory_lab.messages import assistant, developer, system, text_of, tool, tool_call, user
from memory_lab.summary import HARDER, NEW, PROMPT, fenced

WORDS = st.text(st.sampled_from("aI .?\nmy'…我"), min_size=1, max_size=30)
TALK = st.lists(st.builds(lambda role, text: {"role": role, "content": text},
                          st.sampled_from(["system", "user", "assistant"]), WORDS), min_size=1, max_size=6)


@given(TALK)
@settings(max_examples=60)
def test_every_word_of_users_and_instructions_reaches_the_model_once(talk):
    head, question = (message["content"] for message in answer_messages(talk))
    asked = [message["content"] for message in talk if message["role"] == "user"]
    notes = [f"- {third_person(' '.join(text.split()))}" for text in asked[:-1] if text.strip()]
    assert question == (third_person(asked[-1]) if asked else "")
    front = [message["content"].rstrip() for message in talk if message["role"] == "system"]
    assert head == "\n\n".join(
        [ANSWER_RULE, *(text for text in front if text), *(["Notes:\n" + "\n".join(notes)] if notes else [])])


def test_tool_results_are_notes_and_the_assistants_words_are_not():
    call = assistant(tool_calls=[tool_call("a", "look", "{}")])
    talk = [developer("Be brief."), user("Where is my parcel?"), call, tool('{"place": "Hull"}', tool_call_id="a"),
            assistant("It is on its way."), user("Where?")]
    head = answer_messages(talk)[0]["content"]
    assert head.endswith('Be brief.\n\nNotes:\n- Where is the user\'s parcel?\n- Looked up: {"place": "Hull"}')
    assert "The assistant said: It is on its way." in answer_messages(talk, assistant=True)[0]["content"]


def test_what_a_memory_derives_becomes_notes_behind_the_instructions():
    table = FactTable()
    for number, (subject, attribute, value, kind) in enumerate([
            ("user", "name", "Omar", "name"), ("wife", "name", "Salma", "name"), ("user", "likes", "tea", "like"),
            ("user", "prohibition", "do not phone me", "prohibition"), ("user", "this time only", "call me", "once"),
            ("user", "home", 'the "Old" Mill', "place")]):
        table.apply(Fact(subject, attribute, value, number, value, number, kind=kind))
    block = table.render(limit=4000, count=len)
    text = f"Be brief.\n\n{block}\n\n{fenced('[level 1]' + chr(10) + 'Numbers:' + chr(10) + '- User: I have 3 cats.')}"
    head = answer_messages([system(text), user("Who?")])[0]["content"]
    before, _, notes = head.partition("\n\nNotes:\n")
    assert before == f"{ANSWER_RULE}\n\nBe brief."
    assert sorted(notes.splitlines()) == sorted([
        "- The user's name is Omar.", "- The user's wife's name is Salma.", "- The user likes tea.",
        "- The user, prohibition: Do not phone the user.", "- This time only: Call the user",
        '- The user\'s home is the "Old" Mill.', "- The user has 3 cats."])


def test_no_first_person_is_left_in_a_note():
    said = "I'm Omar, I am vegan; I've a wife and I'd go if I have time. My keys? Give them to me. Am I late? I do."
    assert not re.search(r"\b(I|my|me|I'm|am)\b", third_person(said), re.IGNORECASE)
    assert third_person("我叫小明。") == "我叫小明。"
    assert third_person("Email me at i@me.org, Mimi.").startswith("Email the user at")


def test_tasks_are_told_apart():
    asked = [system(PROMPT.format(headings="x", limit=9)), user("Summary so far:\n(none)\n\nNew messages:\nuser: Hi")]
    form = {"response_format": {"type": "json_schema", "json_schema": {"name": "facts"}}}
    assert PROMPT.startswith(SUMMARY_BEGINS), "the style knows the package's summary prompt by its first words"
    assert [task({"messages": asked}), task({"messages": asked[1:], **form}), task({"messages": asked[1:]}), task({})
            ] == ["summary", "facts", "answer", "answer"]
    assert task({"messages": asked[1:], "response_format": {"type": "json_object"}}) == "answer"


def notes(previous, new, *more):
    asked = [system(SUMMARY_BEGINS), user(f"Summary so far:\n{previous or '(none)'}\n\n{new}"), *more]
    front, back = styled({"messages": asked, "max_tokens": 9})["messages"]
    assert front["content"] == SUMMARY_RULE
    return back["content"].splitlines()


def test_a_summary_reads_all_that_users_and_tools_said_and_what_it_held():
    talk = [user("I am Omar.\n\nI like tea: green."), assistant("Noted.\nuser-friendly."),
            tool("4 °C", tool_call_id="a"), user("assistant: no")]
    lines = notes("Name: Omar\n\nNumbers: 4", f"{NEW}:\n{transcript(talk)}")
    assert lines == ["Notes:", "- Name: Omar Numbers: 4", "- The user is Omar. the user like tea: green.",
                     "- Looked up: 4 °C", "- Assistant: no"]


def test_merged_summaries_are_notes_as_they_are():
    assert notes("", f"{MERGED}:\nThe user is Omar.\nThe user has a dog.") == [
        "Notes:", "- The user is Omar.", "- The user has a dog."]


def test_what_was_too_long_is_itself_summarised():
    assert notes("old", f"{NEW}:\nuser: Hi", assistant("Long words."), user(HARDER.format(limit=4))) == [
        "Notes:", "- Long words."]


def test_options_pass_but_answers_are_short_and_cold():
    sent = styled({"model": "local", "messages": [user("Hi")], "max_tokens": 9, "top_p": 1})
    assert (sent["max_tokens"], sent["top_p"], sent["temperature"], sent["stop"]) == (9, 1, 0, ["\n"])
    assert styled({"messages": [user("Hi")], "max_tokens": 900, "temperature": 1})["max_tokens"] == ANSWER_TOKENS


@given(st.lists(st.sampled_from(["The user is A. ", "The user is B.\n", "- so? ", "x"]), max_size=12).map("".join))
@settings(max_examples=80)
def test_what_is_kept_says_nothing_twice_and_is_the_beginning(text):
    kept, cut = unrepeated(text)
    assert text.startswith(kept)
    assert cut or kept == text
    said = [part.casefold().strip(" -.!?\n") for part in re.findall(r"[^.!?\n]+[.!?\n]*\s*", kept)]
    said = [part for part in said if part]
    assert len(said) == len(set(said))


def test_an_answer_is_read_as_it_came():
    reply = {"choices": [{"message": {"content": "A. A."}, "finish_reason": "stop"}]}
    assert read({"messages": [user("Hi")]}, reply) is reply
    assert read({"messages": [user("Hi")]}, {"choices": []}) == {"choices": []}


def test_no_example_gives_away_what_a_conversation_asks():
    values = [value for _, form in EXAMPLES for value in re.findall(r'": "([^"]+)"', form)]
    assert len(values) == 6 and len(FIELDS) == 7
    said = "\n".join(text_of(message) for name in names() if name != "long_300" for message in load(name).messages)
    assert not [value for value in values if value in said]
