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
from .question import is_question, is_request


class Evidence(NamedTuple):
    """One statement. speaker: user, assistant, notes (derived text), tool. lead: the sentence that it follows on."""

    text: str
    speaker: str
    analysis: Analysis
    marks: Marks
    lead: Analysis | None
    asked: bool
    request: bool


_DERIVED = re.compile(r"summar|facts?\b|known|memor|notes?\b|earlier|so far|profile|context|recall|conversation|摘要|总结|事实|记录|资料|已知|记忆|要点|对话|resumen|hechos|datos|notas|memoria|conversación|antes",
                      re.IGNORECASE)
_ENDS = re.compile(r"^\W*(?:end of|end\b|</|以上|摘要结束|结束|fin de|fin\b)", re.IGNORECASE)
_ABOUT_USER = re.compile(r"^\W*(?:the |this |el |la )?(?:user|customer|client|guest|usuari[oa]|cliente|用户|客户|使用者)(?:[’']s)?\b", re.IGNORECASE)
_PAIR = re.compile(r"^(?!\s*(?:rules?|style|tone|role|instructions?|note|important|you|format|language)\b)[\w\u3400-\u9fff /()'’_-]{2,40}\s*[:：=]\s*\S", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•‣▪]|\d{1,3}[.)])\s+|^\s*#+\s*")
_SPEAKER = re.compile(r"^[\[(]?(?:#?\d+[\]):. ]+)?\s*(?:\[[^\]]{1,30}\]\s*)?(?P<who>user|assistant|human|ai|usuario|asistente|customer|agent|用户|使用者|助理|助手|system|tool)\s*(?:\([^)]*\))?[\])]?\s*[:：]\s*", re.IGNORECASE)
_ASSISTANT = {"assistant", "ai", "asistente", "agent", "助理", "助手"}
_EMPTY = re.compile(r"^(?:noted|got it|understood|okay?|sure|thanks?|thank you|entendido|anotado|de acuerdo|好的|明白|收到|了解|知道了)\b[^,，]{0,20}[.!。！]?$|"
                    r"\bi (?:don[’']t|do not) know\b|不知道|\bno lo sé\b", re.IGNORECASE)


def gather(messages: list[Message]) -> list[Evidence]:
    """The statements of a context, oldest first; derived text in the instructions counts as older than the talk."""
    found: list[Evidence] = []
    asked = last = ""
    for message in messages:
        role, text = message["role"], text_of(message)
        if role in ("system", "developer"):
            found += notes(text)
        elif role == "user":
            found += said(text, "user", asked, "" if asked else last)
            asked, last = "", (_chained(last, text) if text else last)
        elif role == "assistant":
            found += said(text, "assistant", "", "")
            asked = next((sentence for sentence in reversed(sentences(text)) if is_question(sentence)), "")
        else:
            found += from_tool(text)
    return found


@lru_cache(maxsize=50_000)
def said(text: str, speaker: str, asked: str, last: str) -> tuple[Evidence, ...]:
    """The statements of one chat message. asked: the other side's question that it follows; last: their own words before."""
    found, before, chain = [], bool(asked), asked or last
    for sentence in sentences(text):
        lead = analyse(chain) if chain else None
        pieces = [sentence]
        request = speaker == "user" and is_request(sentence)
        if is_question(sentence) and not request:
            pieces = _stated(sentence) if speaker == "user" else []
        for piece in pieces:
            if not (speaker == "assistant" and _EMPTY.search(fold(piece))):
                found.append(Evidence(piece, speaker, analyse(piece), marks(piece), lead, before, request))
        chain, before = _chained(chain, sentence), False
    return tuple(found)


def _chained(chain: str, text: str) -> str:
    """What the next sentence follows on: this one, with the one before where this one only points at it ("She ...")."""
    sentence = sentences(text)[-1] if sentences(text) else ""
    return f"{chain[-150:]} {sentence}" if chain and marks(sentence).pronoun else sentence


_STATES = re.compile(r"^(?:(?:since|because|as|given that|hi|hello|hey|so|well|by the way|que|como|ya que|hola|因为|由于|对了|顺便)[,，]?\s*)?(?:i\b|i[’']|my\b|we\b|our\b|we[’']|soy|tengo|me |mi |mis |vivo|somos|nuestr|我|我们|本人)", re.IGNORECASE)


def _stated(sentence: str) -> list[str]:
    """The clauses of a question that state something: "I'm vegan, what can I eat?" holds one."""
    parts = clauses(sentence)
    return [part for part in parts[:-1] if _STATES.match(fold(part)) and not is_question(part) and len(analyse(part).terms) > 0]


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
            line = line[mark.end():]
        lead = None
        for sentence in sentences(line):
            folded = fold(sentence)
            if (derived or mark or _ABOUT_USER.search(folded) or _PAIR.search(folded)) and (not is_question(sentence) or _PAIR.search(folded)):
                sentence = sentence.strip("\"“”")
                found.append(Evidence(sentence, speaker, analyse(sentence), marks(sentence), lead, False, False))
            lead = analyse(sentence)
    return tuple(found)


def _heading(raw: str, line: str) -> bool:
    short = len(line) < 160
    return short and (line.endswith((":", "：")) or raw.lstrip().startswith(("#", "==", "--- ")) or bool(re.match(r"^[\[<【(].*[\]>】)]$", line))
                      ) and not line.startswith(("{", "[{"))


@lru_cache(maxsize=5_000)
def from_tool(text: str) -> tuple[Evidence, ...]:
    """The statements of a tool's result: JSON as "key: value" lines, anything else by sentence."""
    lines = flatten(text)
    pieces = lines.split("; ") if lines else sentences(text)
    return tuple(Evidence(piece, "tool", analyse(piece), marks(piece), None, False, False) for piece in pieces)


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
        return [pair for name, item in value.items() for pair in _pairs(item, f"{key} {name}".strip().replace("_", " "))]
    if isinstance(value, list):
        return [pair for item in value for pair in _pairs(item, key)]
    return [f"{key}: {value}" if key else str(value)]
