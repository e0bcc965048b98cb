"""The statements that a context holds: who said each, in what order, and what the words before it lend to it."""

from __future__ import annotations

import html
import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

from ..messages import Message, text_of
from .analysis import Analysis, analyse
from .language import clauses, fold, sentences
from .marks import Marks, marks
from .names import with_names
from .patterns import compiled
from .question import is_question, is_request


class Evidence(NamedTuple):
    """One statement. speaker: user, assistant, notes (derived text), tool.

    lead: the same side's words that it follows on.  reply_to: the other side's question that it answers.  before: the
    sentence before it in its message.  named: the statement that introduced a name which it uses.
    """

    text: str
    speaker: str
    analysis: Analysis
    marks: Marks
    lead: Analysis | None
    reply_to: Analysis | None
    request: bool
    before: str = ""
    named: Analysis | None = None


_DERIVED = compiled("evidence", "derived")
_ENDS = compiled("evidence", "ends")
_ABOUT_USER = compiled("evidence", "about_user")
_PAIR = compiled("evidence", "pair")
_BULLET = re.compile(r"^\s*(?:[-*•‣▪]|\d{1,3}[.)])\s+|^\s*#+\s*")
_SPEAKER = compiled("evidence", "speaker")
_ASSISTANT = {"assistant", "ai", "asistente", "agent", "助理", "助手"}
_EMPTY = compiled("evidence", "empty")


def gather(messages: list[Message]) -> list[Evidence]:
    """The statements of a context, oldest first; derived text in the instructions counts as older than the talk."""
    found: list[Evidence] = []
    asked = last = ""
    for message in messages:
        role, text = message["role"], text_of(message)
        if role in ("system", "developer"):
            found += notes(text)
        elif role == "user":
            found += said(text, "user", asked, last)
            last, asked = _follows(last, text), _asked(text)
        elif role == "assistant":
            found += said(text, "assistant", asked, "")
            asked = _asked(text)
        else:
            found += from_tool(text)
    return with_names(found)


@lru_cache(maxsize=20_000)
def _asked(text: str) -> str:
    """The last question of a message, with the sentence before it; "" when it asks nothing."""
    parts = sentences(text)
    last = max((i for i, sentence in enumerate(parts) if is_question(sentence)), default=-1)
    return " ".join(parts[max(0, last - 1) : last + 1])


@lru_cache(maxsize=50_000)
def said(text: str, speaker: str, asked: str, last: str) -> tuple[Evidence, ...]:
    """The statements of one chat message.

    asked: the other side's question that it follows.  last: the same side's own words before it.
    """
    found, chain, previous, reply_to = [], last, "", analyse(asked) if asked else None
    for sentence in sentences(text):
        lead = analyse(chain) if chain else None
        pieces = [sentence]
        request = speaker == "user" and is_request(sentence)
        if is_question(sentence) and not request:
            pieces = _stated(sentence) if speaker == "user" else []
        for piece in pieces:
            if not (speaker == "assistant" and _EMPTY.search(fold(piece))):
                found.append(Evidence(piece, speaker, analyse(piece), marks(piece), lead, reply_to, request, previous))
        if analyse(sentence).terms and not _NODS.match(fold(sentence)):  # nothing leans on "Nice."
            chain, previous = _chained(chain, sentence), sentence
        reply_to = None
    return tuple(found)


def _follows(chain: str, text: str) -> str:
    """What the next message's words follow on, after this one."""
    for sentence in sentences(text):
        chain = _chained(chain, sentence)
    return chain


def _chained(chain: str, sentence: str) -> str:
    """What the next sentence follows on: this one, with the one before where this one only points at it ("She ...")."""
    follows = chain and (marks(sentence).pronoun or len(analyse(sentence).terms) <= 3)
    return f"{chain[-160:].partition(' ')[2] if len(chain) > 160 else chain} {sentence}" if follows else sentence


_STATES = compiled("evidence", "states")
_NODS = compiled("evidence", "nods")
_EXCLAIMS = compiled("evidence", "exclaims")


def _stated(sentence: str) -> list[str]:
    """The clauses of a question that state something: "I'm vegan, what can I eat?" holds one."""
    told = _EXCLAIMS.sub("", sentence)
    if told and told != sentence and not is_question(told):  # "She is ninety, can you imagine?" asks nothing
        return [told]
    parts = clauses(sentence)
    return [
        part
        for part in parts[:-1]
        if _STATES.match(fold(part)) and not is_question(part) and len(analyse(part).terms) > 0
    ]


@lru_cache(maxsize=5_000)
def notes(text: str) -> tuple[Evidence, ...]:
    """The statements of a system message: derived text under its heading, and what it says of the user."""
    found, derived, speaker = [], False, "notes"
    for raw in html.unescape(text).splitlines():
        line = _BULLET.sub("", raw).strip().strip("|").strip()
        if not line:
            continue
        if _ENDS.search(fold(line)):
            derived = False
            continue
        if _heading(raw, line):
            derived = derived or bool(_DERIVED.search(fold(line)))
            continue
        if line.startswith(("{", "[")) and line.endswith(("}", "]", "},")):
            line = flatten(line.rstrip(",")) or line
        mark = _SPEAKER.match(fold(line))
        speaker = "notes"
        if mark:
            speaker = "assistant" if mark["who"].lower() in _ASSISTANT else "notes"
            line = line[mark.end() :]
        lead = None
        for sentence in sentences(line):
            folded = fold(sentence)
            if (derived or mark or _ABOUT_USER.search(folded) or _PAIR.search(folded)) and (
                not is_question(sentence) or _PAIR.search(folded)
            ):
                sentence = sentence.strip('"“”')
                found.append(Evidence(sentence, speaker, _noted(sentence), marks(sentence), lead, None, False))
            lead = analyse(sentence)
    return tuple(found)


def _noted(sentence: str) -> Analysis:
    """The analysis of a note; of `lodging: "cerca de la estación"` the label counts as the English that it is."""
    analysis, label = analyse(sentence), _PAIR.match(fold(sentence)) and sentence.partition(":")[0]
    if not label or analysis.language != "es" or not label.isascii():
        return analysis
    extra = [term for term in analyse(label, "en").terms if term.concepts]
    concepts = {**analyse(label, "en").concepts, **analysis.concepts}
    return analysis._replace(terms=(*extra, *analysis.terms), concepts=concepts)


def _heading(raw: str, line: str) -> bool:
    short = len(line) < 160
    return (
        short
        and (
            line.endswith((":", "："))
            or raw.lstrip().startswith(("#", "==", "--- "))
            or bool(re.match(r"^[\[<【(].*[\]>】)]$", line))
        )
        and not line.startswith(("{", "[{"))
    )


# A page or a tool that tells the model what to remember is data, not a statement (memory poisoning).
_ORDERS = compiled("evidence", "orders")


@lru_cache(maxsize=5_000)
def from_tool(text: str) -> tuple[Evidence, ...]:
    """The statements of a tool's result: JSON as "key: value" lines, anything else by sentence."""
    lines = flatten(text)
    pieces = lines.split("; ") if lines else [piece for piece in sentences(text) if not _ORDERS.search(fold(piece))]
    return tuple(Evidence(piece, "tool", analyse(piece), marks(piece), None, None, False) for piece in pieces)


def flatten(text: str) -> str:
    """JSON as "key: value; key: value"; "" for what is not a JSON object or list."""
    try:
        value = json.loads(text)
    except ValueError:
        return ""
    return "; ".join(_pairs(value, "")) if isinstance(value, dict | list) else ""


def _pairs(value: Any, key: str) -> list[str]:
    if isinstance(value, dict):
        if {"attribute", "value"} <= value.keys():
            return [f"{value.get('subject') or 'user'} {value['attribute']}: {value['value']}"]
        return [
            pair for name, item in value.items() for pair in _pairs(item, f"{key} {name}".strip().replace("_", " "))
        ]
    if isinstance(value, list):
        return [pair for item in value for pair in _pairs(item, key)]
    return [f"{key}: {value}" if key else str(value)]
