"""One fold: what it takes, its work, the record of it, and text cut for it.

Copy with: messages.py, errors.py, tokens.py, outline.py.  Chapter 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .errors import whole
from .messages import Message
from .outline import Turn, Unit
from .tokens import TokenCounter, clip

SENTENCE = re.compile(r"[^\n.!?。！？]*(?:[.!?](?!\s|$)[^\n.!?。！？]*)*[.!?。！？\n]*\s*")


@dataclass(frozen=True)
class Compaction:
    """The record of one fold.

    covers: log indices that it put into other words.  before: what it read (the older text, then the messages); after:
    what stands for it now, which is the same where the fold was not taken.  tokens_before, tokens_after: of those two.
    model_calls, model_tokens: what it cost, in and out, a failed call included.  error: why it was not taken (None: it
    was).  light: written by rules, to be bettered when there is time.  again: what it covers was covered already.
    """

    covers: tuple[int, ...]
    before: str
    after: str
    tokens_before: int
    tokens_after: int
    model_calls: int = 0
    model_tokens: int = 0
    error: str | None = None
    light: bool = False
    again: bool = False

    def diff(self):
        """What the fold kept, changed and lost, as a diff.Diff: sentences, and the numbers, codes and names in them."""
        from .diff import diff

        return diff(self.before, self.after)


@dataclass
class Fold:
    """A piece of folding work, taken from a memory and good without it.

    covers: log indices, oldest first.  messages: those messages, copies; none where only texts are folded.
    previous: the text that it continues.  generation: the state of the memory that it was planned on.
    write: (client, fold) -> text; it adds to calls and tokens as it spends them.
    """

    covers: tuple[int, ...]
    messages: list[Message]
    previous: str
    generation: int
    write: Callable[[Any, Fold], str]
    light: bool = False
    again: bool = False  # the messages are covered already, and their text is written anew
    text: str | None = None
    calls: int = 0
    tokens: int = 0
    error: str | None = None

    def run(self, client: Any) -> None:
        """Write the text.  A fault of the model, of whatever kind, is kept in .error: the chat goes on without it.

        client: an OpenAI client, or a function that makes one (none to be had is such a fault, too).
        """
        try:
            self.text = self.write(client() if callable(client) else client, self) or ""
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"

    @property
    def before(self) -> str:
        """All that the fold reads, as text."""
        return "\n".join(part for part in (self.previous, transcript(self.messages)) if part)


@dataclass
class Progress:
    """What of a log stands in other words.  covered: log indices, in the order in which they were folded.

    first: the first turn that has uncovered units.  inside: covered indices in that turn and behind it.
    """

    first: int = 0
    inside: set[int] = field(default_factory=set)
    covered: list[int] = field(default_factory=list)

    def waiting(self, turns: list[Turn]) -> list[tuple[int, Unit]]:
        """(turn, unit) for all that may be sent and is not covered."""
        return [(number, unit) for number in range(self.first, len(turns)) for unit in turns[number].complete()
                if unit.indices[0] not in self.inside]

    def cover(self, indices: tuple[int, ...], turns: list[Turn]) -> None:
        """Count those indices as covered."""
        self.covered += indices
        self.inside.update(indices)
        self.advance(turns)

    def advance(self, turns: list[Turn]) -> None:
        """Step over old turns that are covered to their end; nothing joins a turn once the next has begun."""
        while self.first < len(turns) - 1:
            own = [index for unit in turns[self.first].complete() for index in unit.indices]
            if not self.inside.issuperset(own):
                return
            self.inside.difference_update(own)
            self.first += 1


def oldest(waiting: list[tuple[int, Unit]], turns: list[Turn], tokens: int, target: int, room: int) -> list[Unit]:
    """What a fold takes: the oldest units down to the target, whole turns first; of the newest turn what has no room.

    waiting: (turn, unit), oldest first, of `tokens` tokens together.  target, room: tokens that may stay, and that fit.
    """
    newest, chosen, number = len(turns) - 1, [], None
    for turn, unit in waiting:
        if turn == newest or (turn != number and tokens <= target):
            break
        number = turn
        chosen.append(unit)
        tokens -= unit.tokens
    if tokens <= room:
        return chosen
    units = turns[-1].complete()
    ends = (units[turns[-1].users - 1], units[-1])  # they go out whatever comes: the question and the newest unit
    own = [unit for turn, unit in waiting if turn == newest]
    for unit in [unit for unit in own if unit not in ends]:
        if tokens <= target:
            break
        chosen.append(unit)
        tokens -= unit.tokens
    if tokens > room:  # they go out clipped, so what the clip leaves out is folded too
        chosen += [unit for unit in own if unit in ends]
    return chosen


def transcript(messages: list[Message]) -> str:
    """Messages as lines "role: words", calls and results named as such, for a model to read.

    >>> transcript([{"role": "user", "content": "Hi"}])
    'user: Hi'
    """
    return "\n".join(_line(message) for message in messages)


def _line(message: Message) -> str:
    content = message.get("content") or message.get("refusal") or ""
    if isinstance(content, list):
        content = "\n".join(part["text"] if part["type"] == "text" else f"[{part['type']}]" for part in content)
    calls = [call.get("function") or call.get("custom") for call in message.get("tool_calls", ())]
    content += "".join(f" [calls {call['name']} {call.get('arguments', call.get('input', ''))}]" for call in calls)
    role = message["role"] + (f" ({message['name']})" if "name" in message else "")
    return f"{role}: {content.strip()}"


def chunks(text: str, limit: int, count: TokenCounter) -> Iterator[str]:
    """The text in pieces of at most limit tokens, cut at line ends, else at sentence ends, else anywhere.

    Their join is the text, but for line breaks between them.  limit: at least 16.
    """
    whole("input_limit", limit, 16)
    if not text or count.text(text) <= limit:
        yield text
        return
    piece, size = [], 0
    for line in text.splitlines(keepends=True):
        for part in _parts(line, limit, count):
            tokens = count.text(part) + 1  # a join may cost a token
            if piece and size + tokens > limit:
                yield "".join(piece).strip("\n")
                piece, size = [], 0
            piece.append(part)
            size += tokens
    if piece:
        yield "".join(piece).strip("\n")


def _parts(line: str, limit: int, count: TokenCounter) -> list[str]:
    if count.text(line) < limit or len(line) == 1:
        return [line]
    sentences = [sentence for sentence in SENTENCE.findall(line) if sentence]
    if len(sentences) < 2:
        sentences = [line[:len(line) // 2], line[len(line) // 2:]]
    return [part for sentence in sentences for part in _parts(sentence, limit, count)]


def cut(text: str, limit: int, count: TokenCounter, *, unfinished: bool = False) -> str:
    """The first whole sentences of a text that fit the limit; a clip of the first one where not even that fits.

    unfinished: the text was broken off, so its last sentence (of a single one, its last word) is not to be trusted:
    half an order number is a wrong one.  Raises TokenLimitError if not even a clip's mark fits.

    >>> cut("Budget: 900 yen. The order is A-44", 99, TokenCounter(), unfinished=True)
    'Budget: 900 yen.'
    """
    sentences = [sentence for sentence in SENTENCE.findall(text.strip()) if sentence]
    if unfinished and sentences:
        last = sentences.pop()
        sentences = sentences or [last.rpartition(" ")[0] or last]
    kept = ""
    for sentence in sentences:
        if count.text((kept + sentence).rstrip()) > limit:
            break
        kept += sentence
    if kept or not sentences:
        return kept.rstrip()
    return clip(sentences[0].strip(), limit, count=count)
