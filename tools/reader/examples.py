"""What the offline reader is fitted on beside questions.py, and the questions varied so that nothing answers some.

tests/fixtures/reader_dev.json, reader_dev2.json (its half "tune") and reader_pairs.json: development questions. The
shipped conversations but long_300. Never tests/fixtures/paraphrases.json, nor long_300: those measure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
from questions import HERE, Question

from memory_lab.messages import user
from memory_lab.offline.language import fold

FIXTURES = HERE.parents[1] / "tests" / "fixtures"


def fixtures() -> Iterator[Question]:
    """The development questions that stand with the tests."""
    for name in ("reader_dev.json", "reader_dev2.json"):
        for block in json.loads((FIXTURES / name).read_text(encoding="utf-8")):
            for item in block["items"]:
                if item.get("half", "tune") == "tune":
                    yield Question(block["lang"], item["context"], item["question"], item["accept"],
                                   json.dumps(item["context"]))
    draw = np.random.RandomState(1)
    for language, lines in json.loads((FIXTURES / "reader_pairs.json").read_text(encoding="utf-8")).items():
        for i, (said, asked, *accept) in enumerate(lines):
            others = [lines[j][0] for j in draw.choice([j for j in range(len(lines)) if j != i], 9, replace=False)]
            others.insert(draw.randint(10), said)
            yield Question(language, [user(each) for each in others], asked, accept, f"lines {language} {i}")


def shipped() -> Iterator[Question]:
    """The probes of the shipped conversations but long_300, each in the context of the turn where it is asked."""
    from memory_lab import conversations

    for name in conversations.names():
        talk = conversations.load(name)
        for probe in talk.probes if name != "long_300" else ():
            said = [*talk.messages[: probe.at]]
            yield Question(talk.language, said, probe.question, list(probe.accept), f"shipped {name} {probe.at}")


def holds(text: str, accept: list[str]) -> bool:
    return any(fold(value).lower() in fold(text).lower() for value in accept)


FEW, MANY, OF_MANY = 3, 15, 0.05  # chats in one context; how many questions are asked in one of many


def varied(questions: list[Question]) -> list[Question]:
    """The questions, each answerable one also without its statement; some in a context of FEW or MANY chats, or of few
    words.

    So the rule learns when nothing answers, and that a memory may send little or much."""
    draw, found = np.random.RandomState(2), list(questions)
    contexts: dict[str, list[list[dict]]] = {}
    for each in questions:
        if not contexts.setdefault(each.language, []) or contexts[each.language][-1] is not each.context:
            contexts[each.language].append(each.context)
    for each in questions:
        if each.accept:
            found.append(_made(each, _without(each), []))
        if (lot := draw.rand()) < 0.25:
            all_of, size = contexts[each.language], (MANY if lot < OF_MANY else FEW) - 1
            more = [all_of[j] for j in draw.choice(len(all_of), min(size, len(all_of)), replace=False)]
            if not any(holds(message["content"] or "", each.accept) for other in more for message in other):
                place = draw.randint(size + 1)
                chats = [*more[:place], each.context, *more[place:]]
                found.append(_made(each, [message for chat in chats for message in chat], each.accept))
                if size >= FEW and each.accept:
                    chats[place] = _without(each)
                    found.append(_made(each, [message for chat in chats for message in chat], []))
        elif draw.rand() < 0.4:
            kept = set(draw.choice(len(each.context), min(len(each.context), draw.randint(1, 5)), replace=False))
            few = [message for i, message in enumerate(each.context)
                   if i in kept or (each.accept and holds(message["content"] or "", each.accept))]
            found.append(_made(each, few, each.accept))
    return found


def _without(question: Question) -> list[dict]:
    """Its context without what answers it."""
    return [message for message in question.context if not holds(message["content"] or "", question.accept)]


def _made(question: Question, context: list[dict], accept: list[str]) -> Question:
    return Question(question.language, context, question.text, accept, question.group, made=True)
