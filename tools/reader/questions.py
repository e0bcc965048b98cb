"""Questions in contexts, in four languages, to fit a reader on.

chats/: contexts with questions in other words, and near misses that nothing answers. pairs/: statements with two
questions each. None is in tests/fixtures/paraphrases.json, which measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_lab.messages import assistant, user

HERE = Path(__file__).parent


@dataclass
class Question:
    """A question in a context. accept: what its statement holds; [] if nothing answers; group: its context."""

    language: str
    context: list[dict]
    text: str
    accept: list[str]
    group: str
    made: bool = False  # by leaving something out or by joining contexts: it counts half


def chats() -> Iterator[Question]:
    """chats/LANGUAGE.txt: "#" begins a chat; u and a: the messages; q question | value; n: one that nothing answers."""
    for path in sorted((HERE / "chats").glob("*.txt")):
        for number, block in enumerate(path.read_text(encoding="utf-8").split("#\n")):
            lines = [(line[0], line[2:].strip()) for line in block.splitlines() if line[:2] in ("u ", "a ", "q ", "n ")]
            context = [(user if kind == "u" else assistant)(text) for kind, text in lines if kind in "ua"]
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
                    yield Question(language, [user(turn(each)) for each in said], turn(line[2:]), [turn(last)],
                                   f"pairs {path.stem} {number}")
