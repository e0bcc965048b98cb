"""The prompt style of the small local model: what it is sent in place of the request, and how its reply is read.

A model of 135 million parameters does not follow a chat back to an old turn, fills no long list, and goes round in
circles.  It does answer from notes in the third person, and it does fill in a form.  So each of the package's three
tasks is put into words that suit it, here and nowhere else; no strategy and no prompt of the package knows of it.

    answer    the instructions; then notes: the derived texts (a fact as "The user's name is Omar."), each user's
              message and each tool result, "the user" for "I"; the newest user message is the question.  The
              assistant's own words are left out: that halves the notes, and was no clear gain beside notes of all
              (results.styles: 16 against 14 of 20 where it was chosen, 3 against 6 of 26 on chats not seen then).
    summary   the summary so far and the new user messages as notes, with one short instruction.  A reply is cut where
              it begins to say the same again.
    facts     a form of seven fields under a JSON schema, which llama.cpp's grammar enforces; a filled field becomes a
              change of facts/extract.py's schema if its value stands in a message.  It only adds: ids are beyond it.

What it does not do: help a larger model, which needs none of it (give that one as an endpoint instead).  Chapter 12.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..messages import Message, text_of
from .form import FORM, FORM_TOKENS, asked_form, changes, said
from .notes import derived, instructions, note, third_person

SUMMARY_BEGINS = "Summarise the conversation for the assistant that continues it."  # of summary.PROMPT
ANSWER_RULE = ("Answer the question from the notes, in a few words. If the notes do not say it, answer: I do not "
               "know.")
ANSWER_TOKENS = 40
SUMMARY_RULE = "Summarize the notes. Keep names, numbers and wishes."
_TURN = re.compile(r"\n(?=(?:user|assistant|tool|system|developer)(?: \([^\n)]*\))?: )")
_SPOKEN = re.compile(r"(\w+)[^:]*: (.*)", re.DOTALL)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*\s*")


def task(request: dict[str, Any]) -> str:
    """Which task a chat request is: "facts" by its schema, "summary" by its first words, else "answer"."""
    form = request.get("response_format") or {}
    if form.get("type") == "json_schema" and (form.get("json_schema") or {}).get("name") == "facts":
        return "facts"
    messages = request.get("messages") or [{}]
    if messages[0].get("role") == "system" and text_of(messages[0]).startswith(SUMMARY_BEGINS):
        return "summary"
    return "answer"


def styled(request: dict[str, Any]) -> dict[str, Any]:
    """The request as this model is to see it; the messages are new, options pass, temperature is 0 unless it is set."""
    kind, messages = task(request), request.get("messages") or []
    options = {"temperature": 0, "seed": 0, **request}
    if kind == "facts":
        schema = {"type": "json_schema", "json_schema": {"name": "form", "strict": True, "schema": FORM}}
        return {**options, "messages": asked_form(messages), "response_format": schema, "max_tokens": FORM_TOKENS}
    if kind == "summary":
        return {**options, "messages": _asked_summary(messages)}
    cap = request.get("max_completion_tokens") or request.get("max_tokens") or ANSWER_TOKENS
    return {**options, "messages": answer_messages(messages), "stop": request.get("stop") or ["\n"],
            "max_tokens": min(cap, ANSWER_TOKENS)}


def answer_messages(messages: Sequence[Message], *, assistant: bool = False) -> list[Message]:
    """Two messages: the rule, the instructions and the notes; and the newest user message as the question.

    assistant: the assistant's words become notes, too (for the comparison).

    >>> for message in answer_messages([{"role": "user", "content": "I am Omar."},
    ...                                 {"role": "user", "content": "Who am I?"}]):
    ...     print(message["content"].splitlines()[-1])
    - The user is Omar.
    Who is the user?
    """
    last = max((index for index, message in enumerate(messages) if message.get("role") == "user"), default=-1)
    front = [text_of(message) for message in messages if message.get("role") in ("system", "developer")]
    notes = [note for text in front for note in derived(text)]
    notes += [note(message, assistant) for index, message in enumerate(messages) if index != last]
    lines = "\n".join(f"- {note}" for note in notes if note)
    front = [instructions(text) for text in front]
    head = "\n\n".join(part for part in (ANSWER_RULE, *front, f"Notes:\n{lines}" if lines else "") if part)
    question = third_person(text_of(messages[last])) if last >= 0 else ""
    return [{"role": "system", "content": head}, {"role": "user", "content": question}]


def _asked_summary(messages: Sequence[Message]) -> list[Message]:
    """The notes of condense()'s request: what the summary so far holds, then what users and tools have said since.

    A text without a transcript (summaries that are merged) is taken as it is; a summary that was too long is itself
    what is summarised.
    """
    text = text_of(messages[1]) if len(messages) > 1 else ""
    before, _, new = text.removeprefix("Summary so far:\n").partition("\n\nNew messages")
    notes = [] if before.strip() == "(none)" else [before]
    if len(messages) > 2:
        notes = [text_of(messages[2])]
    elif turns := [_SPOKEN.match(turn) for turn in _TURN.split(new)[1:]]:
        notes += [note({"role": turn[1], "content": turn[2]}) for turn in turns]
    else:
        notes += new.splitlines()[1:]
    lines = "\n".join(f"- {' '.join(note.split())}" for note in notes if note.strip())
    return [{"role": "system", "content": SUMMARY_RULE}, {"role": "user", "content": f"Notes:\n{lines}"}]


def read(request: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    """The reply as the request's sender expects it: a form as changes, a summary without its repetitions."""
    kind, choices = task(request), reply.get("choices") or []
    if not choices or kind == "answer":
        return reply
    choice = choices[0]
    text = (choice.get("message") or {}).get("content") or ""
    if kind == "facts":
        text = json.dumps({"changes": changes(text, said(request.get("messages") or []))}, ensure_ascii=False)
        end = "stop"
    else:
        text, cut = unrepeated(text)
        end = "stop" if cut else choice.get("finish_reason")
    message = {**choice["message"], "content": text}
    return {**reply, "choices": [{**choice, "message": message, "finish_reason": end}]}


def unrepeated(text: str) -> tuple[str, bool]:
    """The text up to the first sentence that it has said before, and whether that was any.

    >>> unrepeated("The user is Omar. The user is vegan. The user is Omar. The user")
    ('The user is Omar. The user is vegan.', True)
    """
    seen: set[str] = set()
    kept = ""
    for sentence in _SENTENCE.findall(text):
        words = " ".join(sentence.casefold().split()).strip(" -.")
        if words and words in seen:
            return kept.rstrip(), True
        seen.add(words)
        kept += sentence
    return text, False
