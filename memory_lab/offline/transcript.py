"""What a request gives a model to work on: instructions apart from the talk, and earlier notes apart from both."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..messages import Message, text_of
from .evidence import _BULLET, _SPEAKER
from .language import fold
from .patterns import compiled


class Line(NamedTuple):
    """One line of talk or of notes. speaker: user, assistant or other; heading: what it stood under, for notes."""

    text: str
    speaker: str
    earlier: bool = False
    heading: str = ""


_EARLIER = compiled("transcript", "earlier")
_NEW = compiled("transcript", "new")
_WHO = {
    "user": "user",
    "human": "user",
    "usuario": "user",
    "customer": "user",
    "用户": "user",
    "使用者": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "asistente": "assistant",
    "agent": "assistant",
    "助理": "assistant",
    "助手": "assistant",
}
_NONE = compiled("transcript", "none")


def talk(messages: list[Message]) -> list[Line]:
    """The lines to work on: marked transcripts inside the messages, else the chat's own turns before the last one."""
    found = [line for message in messages if message["role"] == "user" for line in marked(text_of(message))]
    if any(not line.earlier for line in found):
        return found
    last = max((i for i, message in enumerate(messages) if message["role"] == "user"), default=0)
    turns = [
        message
        for i, message in enumerate(messages)
        if message["role"] in ("user", "assistant", "tool") and (i != last or not _instructs(message))
    ]
    said = [
        Line(text_of(message), message["role"] if message["role"] != "tool" else "other")
        for message in turns
        if text_of(message).strip()
    ]
    return found + said


def _instructs(message: Message) -> bool:
    from .summariser import asks_to_summarise

    return asks_to_summarise(fold(text_of(message)))


def marked(text: str) -> list[Line]:
    """The lines of a text with "user: ..." marks, and the notes that it gives under a heading of their own."""
    found: list[Line] = []
    section, heading, speaker = "", "", ""
    for raw in text.splitlines():
        line = _BULLET.sub("", raw).strip()
        if not line:
            continue
        folded = fold(line)
        mark = _SPEAKER.match(folded)
        is_heading = (
            not mark
            and len(line) < 90
            and (
                line.endswith((":", "："))
                or raw.lstrip().startswith("#")
                or bool(re.fullmatch(r"[\[<【].*[\]>】]", line))
            )
        )
        if is_heading and (_NEW.search(folded) or _EARLIER.search(folded)) and not line.startswith(("</", "[/")):
            section, speaker, heading = (
                ("earlier" if _EARLIER.search(folded) and not re.match(r"\W*new", folded, re.IGNORECASE) else "new"),
                "",
                "",
            )
            continue
        if section == "earlier":
            if is_heading:
                heading = line.strip(":：#<>[] ")
            elif not _NONE.match(line):
                who = _WHO.get(mark["who"].lower(), "other") if mark else "user"
                found.append(Line(line[mark.end() :] if mark else line, who, True, heading))
        elif mark:
            speaker = _WHO.get(mark["who"].lower(), "other")
            found.append(Line(line[mark.end() :], speaker))
        elif speaker and not is_heading:
            found.append(Line(line, speaker))
    return found
