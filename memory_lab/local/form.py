"""The form of seven fields that stands in for a list of facts: a small model fills it in, under a grammar.

FORM is the JSON schema that the reply has to keep to; llama.cpp makes a grammar of it.  Chapter 12.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..messages import Message, text_of

FORM_RULE = ("Fill in what the user states, as JSON. Copy each value from the text. What is not stated is null.")
FORM_TOKENS = 250
FIELDS = {"name": "name", "home": "place", "allergy": "allergy", "budget": "budget", "number or code": "identifier",
          "date": "event", "must not": "prohibition"}
FORM = {"type": "object", "additionalProperties": False, "required": list(FIELDS), "properties": {
    field: {"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 50}]} for field in FIELDS}}


def _form(**filled: str) -> str:
    return json.dumps({field: filled.get(field.replace(" ", "_")) for field in FIELDS})


EXAMPLES = (  # of a filled form; none of their values is in a shipped conversation
    ("Hello! I am Berta. What is the weather like?\nMy budget is 300 dollars.",
     _form(name="Berta", budget="300 dollars")),
    ("I live at 5 Rose Street. Never call me.\nThe ticket is AB-12, for 3 May.",
     _form(home="5 Rose Street", number_or_code="AB-12", date="3 May", must_not="Never call me")),
)
_NUMBERED = re.compile(r"^\[(\d+)\] user: (.*)$", re.MULTILINE)


def asked_form(messages: Sequence[Message]) -> list[Message]:
    """The request for a form, with two filled ones before it, for the user's messages of facts/extract.py's."""
    asked: list[Message] = [{"role": "system", "content": FORM_RULE}]
    for text, filled in EXAMPLES:
        asked += [{"role": "user", "content": text}, {"role": "assistant", "content": filled}]
    return [*asked, {"role": "user", "content": "\n".join(text for _, text in said(messages))}]


def said(messages: Sequence[Message]) -> list[tuple[int, str]]:
    """(number, text) of the user's messages in a request of facts/extract.py."""
    return [(int(number), text) for message in messages if message.get("role") == "user"
            for number, text in _NUMBERED.findall(text_of(message))]


def changes(text: str, said: Sequence[tuple[int, str]]) -> list[dict[str, Any]]:
    """One change a filled field, a value once; one that no message holds keeps message 0, where it is refused."""
    try:
        filled = json.loads(text)
    except ValueError:
        return []  # the form was broken off: nothing in it can be trusted
    found, taken = [], set()
    for field, value in filled.items() if isinstance(filled, dict) else ():
        if not isinstance(value, str) or not value.strip() or value in taken:
            continue
        taken.add(value)
        number = next((number for number, words in said if value in words), 0)
        found.append({"action": "add", "id": None, "message": number, "subject": "user", "attribute": field,
                      "value": value, "kind": FIELDS.get(field, "other"), "temporary": False})
    return found
