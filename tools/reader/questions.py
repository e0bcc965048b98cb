"""What the offline reader is fitted on, and nothing else: questions in contexts, in four languages.

chats/: contexts with questions in other words, and near misses that nothing answers. pairs/: statements with two
questions each. tests/fixtures/reader_dev.json, reader_dev2.json (its half "tune") and reader_pairs.json: development
questions. The shipped conversations but long_300. Never tests/fixtures/paraphrases.json, nor long_300: those measure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memory_lab.offline.language import fold

HERE = Path(__file__).parent
FIXTURES = HERE.parents[1] / "tests" / "fixtures"


@dataclass
class Question:
    """A question in a context. accept: what its statement holds; [] if nothing answers; fold: part of the data."""

    language: str
    context: list[dict]
    text: str
    accept: list[str]
    group: str
    made: bool = False  # by leaving something out or by joining contexts: it counts half


def _user(text: str) -> dict:
    return {"role": "user", "content": text}


def chats() -> Iterator[Question]:
    """chats/LANGUAGE.txt: "#" begins a chat; u and a: the messages; q question | value; n: one that nothing answers."""
    for path in sorted((HERE / "chats").glob("*.txt")):
        for number, block in enumerate(path.read_text(encoding="utf-8").split("#\n")):
            lines = [(line[0], line[2:].strip()) for line in block.splitlines() if line[:2] in ("u ", "a ", "q ", "n ")]
            context = [{"role": "user" if kind == "u" else "assistant", "content": text}
                       for kind, text in lines if kind in "ua"]
            for kind, text in lines:
                if kind in "qn":
                    asked, _, value = text.partition("|")
                    yield Question(path.stem.split("_")[0], context, asked.strip(),
                                   [each.strip() for each in value.split(";")] if kind == "q" else [],
                                   f"chats {path.stem} {number}")


def pairs() -> Iterator[Question]:
    """pairs/LANGUAGE.txt: a statement a line, its questions behind "? "; an empty line ends a context."""
    from opencc import OpenCC

    simplified = OpenCC("tw2sp").convert
    for path in sorted((HERE / "pairs").glob("*.txt")):
        for number, block in enumerate(path.read_text(encoding="utf-8").strip().split("\n\n")):
            said = [line for line in block.splitlines() if not line.startswith("? ")]
            last = ""
            for line in block.splitlines():
                if not line.startswith("? "):
                    last = line
                    continue
                for language, turn in ((("zh-Hant", str), ("zh-Hans", simplified)) if path.stem == "zh"
                                       else ((path.stem, str),)):
                    yield Question(language, [_user(turn(each)) for each in said], turn(line[2:]), [turn(last)],
                                   f"pairs {path.stem} {number}")


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
            yield Question(language, [_user(each) for each in others], asked, accept, f"lines {language} {i}")


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


def varied(questions: list[Question]) -> list[Question]:
    """The questions, each answerable one also without its statement, and some in a context of three chats.

    So the rule learns when nothing answers."""
    draw, found = np.random.RandomState(2), list(questions)
    contexts: dict[str, list[list[dict]]] = {}
    for each in questions:
        if not contexts.setdefault(each.language, []) or contexts[each.language][-1] is not each.context:
            contexts[each.language].append(each.context)
    for each in questions:
        if each.accept:
            rest = [message for message in each.context if not holds(message["content"] or "", each.accept)]
            found.append(Question(each.language, rest, each.text, [], each.group, made=True))
        if draw.rand() < 0.25:
            all_of = contexts[each.language]
            more = [all_of[j] for j in draw.choice(len(all_of), 2, replace=False)]
            if any(holds(message["content"] or "", each.accept) for other in more for message in other):
                continue
            place = draw.randint(3)
            joined = [message for chat in (*more[:place], each.context, *more[place:]) for message in chat]
            found.append(Question(each.language, joined, each.text, each.accept, each.group, made=True))
    return found
