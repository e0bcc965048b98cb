"""What was said, as notes in the third person: a small model answers from these where it cannot follow a chat.

Chapter 12.
"""

from __future__ import annotations

import json
import re

from .. import summary
from ..facts import render as facts
from ..messages import Message, text_of

_THIRD = [(re.compile(words, re.IGNORECASE if words != r"\bI\b" else 0), new) for words, new in (
    (r"\bI am\b|\bI[’']m\b", "the user is"), (r"\bI was\b", "the user was"), (r"\bI have\b|\bI[’']ve\b",
     "the user has"), (r"\bI will\b|\bI[’']ll\b", "the user will"), (r"\bI[’']d\b", "the user would"),
    (r"\bdo I\b", "does the user"), (r"\bam I\b", "is the user"), (r"\bhave I\b", "has the user"),
    (r"\bmy\b|\bmine\b", "the user's"), (r"\bmyself\b|\bme\b", "the user"), (r"\bI\b", "the user"))]
VERBS = ("has", "is", "wants", "likes", "dislikes", "takes", "does not take", "faces")  # of a fact's attributes
PLAIN = ("when", "where", "plan", "cancelled", "prohibition", "rule")
_DERIVED = re.compile("|".join(re.escape(mark) for mark in (
    facts.OPEN, facts.CLOSE, summary.OPEN, summary.CLOSE)))
_FACT = re.compile(r'- ([^":\n]+): ("(?:[^"\\]|\\.)*")')


def third_person(text: str) -> str:
    """An English text with "the user" where its writer says I, me and my; other languages pass unchanged.

    The verb is changed where that is safe (I am, I have, do I); "the user live" is good enough for a note.

    >>> third_person("I am Omar, and my wife is vegan. Where do I live?")
    "The user is Omar, and the user's wife is vegan. Where does the user live?"
    """
    for words, new in _THIRD:
        text = words.sub(new, text)
    return text[:1].upper() + text[1:]


def instructions(text: str) -> str:
    """A system message without what a memory derived behind its instructions."""
    return _DERIVED.split(text)[0].rstrip()


def derived(text: str) -> list[str]:
    """The notes that a memory's derived texts make: its summaries' lines, and its facts as sentences."""
    lines = [line.strip() for part in _DERIVED.split(text)[1:] for line in part.splitlines()]
    return [_fact(line) or third_person(line.removeprefix("- ").removeprefix("User: ")) for line in lines
            if line and not line.endswith(":") and not line.startswith("[level ")]


def _fact(line: str) -> str:
    """A line of facts/render.py as a sentence; "" for any other line."""
    found = _FACT.fullmatch(line)
    if not found:
        return ""
    label, value = found[1], third_person(json.loads(found[2]))
    who, _, attribute = label.rpartition(", ")
    subject = f"The user's {who}" if who else "The user"
    if label.startswith("this time only"):
        return f"This time only: {value}"
    if attribute in VERBS:
        return f"{subject} {attribute} {value[:1].lower() + value[1:]}."
    if attribute in PLAIN:
        return f"{subject}, {attribute}: {value}."
    return f"{subject}'s {attribute} is {json.loads(found[2])}."


def note(message: Message, assistant: bool = False) -> str:
    """A message as one line; "" for one that makes no note.  assistant: the assistant's words make one, too."""
    text, role = " ".join(text_of(message).split()), message.get("role")
    if role == "user":
        return third_person(text)
    if role == "assistant" and assistant and text:
        return f"The assistant said: {text}"
    return f"Looked up: {text}" if role == "tool" and text else ""
