"""The same fact at the start, in the middle and at the end of a long context of small talk.

The offline model reads every place alike; a real one need not (Liu et al., "Lost in the Middle", 2023).  The small talk
is that of longchat.py, which states nothing that is asked for.  Chapter 12.
"""

from __future__ import annotations

import json
import random
from importlib import resources
from typing import Any

from ..conversations import Probe
from ..errors import SettingError, whole
from ..messages import Message, assistant, user

PLACES = ("start", "middle", "end")
TURNS = (15, 60)  # of small talk: about 200 and 700 tokens of notes
FACTS = (  # what is said, what is asked, what is right, of which type
    ("My locker number is 417.", "What is my locker number?", "417", "number"),
    ("I am allergic to peanuts.", "What am I allergic to?", "peanuts", "free"),
    ("My name is Octavia.", "What is my name?", "Octavia", "name"),
    ("I live in Salzburg.", "Where do I live?", "Salzburg", "name"),
    ("My budget is 650 euros.", "What is my budget?", "650", "number"),
    ("My dog is called Biscuit.", "What is my dog called?", "Biscuit", "name"),
    ("My favourite colour is turquoise.", "What is my favourite colour?", "turquoise", "free"),
    ("My son is called Emil.", "What is my son called?", "Emil", "name"),
    ("My flight leaves on 14 March.", "When does my flight leave?", "14 March", "date"),
    ("My sister lives in Lisbon.", "Where does my sister live?", "Lisbon", "name"),
    ("My order number is 90-2216.", "What is my order number?", "90-2216", "free"),
    ("My bike lock code is 7731.", "What is my bike lock code?", "7731", "number"),
    ("My van is yellow.", "What colour is my van?", "yellow", "free"),
    ("My doctor is called Dr Okafor.", "What is my doctor called?", "Okafor", "name"),
    ("I play the cello.", "Which instrument do I play?", "cello", "free"),
    ("My room number is 958.", "What is my room number?", "958", "number"),
    ("My brother is named Leopold.", "What is my brother's name?", "Leopold", "name"),
    ("My wife comes from Antwerp.", "Where does my wife come from?", "Antwerp", "name"),
    ("My exam is on 22 June.", "When is my exam?", "22 June", "date"),
    ("My favourite dish is lasagne.", "What is my favourite dish?", "lasagne", "free"),
)


def context(fact: int, place: str, turns: int) -> list[Message]:
    """The messages of a chat of `turns` turns of small talk and one that states the fact, there.

    fact: an index of FACTS.  place: one of PLACES.  The small talk is the same for each place.

    >>> [message["content"] for message in context(0, "start", 2)][0]
    'My locker number is 417.'
    """
    whole("turns", turns, 2)
    if place not in PLACES:
        raise SettingError(f"place is {place!r}; take one of {', '.join(PLACES)}")
    source = resources.files("memory_lab").joinpath("data", "parts", "longchat.json")
    parts = json.loads(source.read_text(encoding="utf-8"))
    rng = random.Random(f"{fact} {turns}")
    pairs = [[user(_filled(said, parts, rng)), assistant(_filled(back, parts, rng))]
             for said, back in (rng.choice(parts["chat"]) for _ in range(turns))]
    pairs.insert({"start": 0, "middle": turns // 2, "end": turns}[place],
                 [user(FACTS[fact][0]), assistant("Thank you for telling me.")])
    return [message for pair in pairs for message in pair]


def _filled(text: str, parts: dict[str, Any], rng: random.Random) -> str:
    words = {slot: rng.choice(values) for slot, values in parts["slots"].items()}
    return text.format_map({**words, "other": rng.choice(parts["others"])})


def probe(fact: int) -> Probe:
    """The question for a fact of FACTS."""
    _, question, right, kind = FACTS[fact]
    return Probe(question, kind, (right,))


def ask(client: Any, fact: int, place: str, turns: int) -> dict[str, Any]:
    """The model's answer and its verdict.  Cost: one model call."""
    from ..client import chat
    from ..errors import ModelOutputError
    from ..matching import match

    asked = probe(fact)
    try:
        answer = chat(client, [*context(fact, place, turns), user(asked.question)])
    except ModelOutputError:
        answer = ""  # no words are an answer, too
    return {"answer": answer, "verdict": match(answer, accept=asked.accept, type=asked.type).verdict}
