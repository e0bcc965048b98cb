"""Token windows: the newest whole turns that fit a limit, and what to do when not even the newest one fits.

    trim                  a pure function: list in, shorter list out
    TokenWindowMemory     the same over a growing chat, with every message counted once

What they do not do: remember anything of the turns that fall out (summary.py, facts.py, retrieval.py do).  Chapter 3.

Copy with: the base.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

from .errors import TokenLimitError, whole
from .memory import BaseMemory, View
from .messages import Message
from .outline import Turn, Unit
from .tokens import TokenCounter, clip


def trim(messages: Sequence[Message], *, token_limit: int, count: TokenCounter | None = None) -> list[Message]:
    """The newest whole turns that fit, behind the instructions.

    messages: n messages, oldest first.  token_limit: tokens, overhead included.  count: tokens of a message list.
    Returns k <= n messages: the instructions, then the newest turns in order, never aliasing the input;
    count(result) <= token_limit.  A turn that is itself too big keeps its user message and its last unit.
    Raises TokenLimitError if the instructions and the newest user message alone are over the limit, MessageError for a
    message that no API would take.
    Cost: each message counted once, at most CLIP_ENCODES + 1 more for each one that is clipped; no model call.
    Does not keep facts from the turns that it drops (see summary.py, facts.py).  Chapter 3.

    >>> from memory_lab.messages import assistant, system, user
    >>> talk = [system("Be kind."), user("My order is 4471."), assistant("Noted."), user("Where is it?")]
    >>> [message["content"] for message in trim(talk, token_limit=25)]
    ['Be kind.', 'Where is it?']
    """
    memory = TokenWindowMemory(token_limit=token_limit, count=count)
    for message in messages:
        memory.add(message)
    return memory.messages()


class TokenWindowMemory(BaseMemory):
    """The newest whole turns that fit token_limit, behind the instructions.

    token_limit: tokens of the whole context, overhead included.  messages() raises TokenLimitError if the instructions
    and the newest user message are over it; the log keeps everything all the same.
    Cost: one encoding a message, O(context) a turn.  Forgets all that is older than the window.
    """

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, count: TokenCounter | None = None,
                 client: Any = None):
        self.token_limit = whole("token_limit", token_limit, 0)
        super().__init__(system, count=count, client=client)

    def _view(self) -> View:
        return fit(self, self.token_limit)


def fit(memory: BaseMemory, token_limit: int, *, derived: str = "", first: int = 0,
        skip: Collection[int] = ()) -> View:
    """The newest whole turns of a memory that fit, as a View.

    derived: text that will follow the last instruction, and counts.  first: the earliest turn that may go out.
    skip: units, by their first index, that stand in the derived text already.  The question of a turn that is skipped
    in part goes out all the same, and so does the newest unit of all.
    Filling stops at the first turn that does not fit, so no gap opens between what the model reads.
    Cost: O(what goes out).
    """
    turns = memory.outline.turns
    left = token_limit - memory.front_tokens(derived)
    if left < 0:
        raise over_limit(memory, token_limit, derived, [])
    kept, room = [], left
    if skip:
        for number in range(len(turns) - 1, first - 1, -1):
            units = _unskipped(turns[number], skip, number == len(turns) - 1)
            room -= sum(unit.tokens for unit in units)
            if room < 0:
                break
            kept.append(_in_order(units))
        kept.reverse()
    else:  # the running sums say at once where to begin
        start = bisect_left(memory.outline.before, memory.outline.tokens() - left)
        kept = [turn.indices for turn in turns[max(first, start):]]
    if kept or len(turns) <= first:
        return View([*chain.from_iterable(kept)], derived=derived)
    return _part_of_turn(memory, _unskipped(turns[-1], skip, True), left, token_limit, derived)


def _unskipped(turn: Turn, skip: Collection[int], newest: bool) -> list[Unit]:
    units = turn.complete()
    ends = (units[turn.users - 1], units[-1] if newest else None)
    return [unit for unit in units if unit.indices[0] not in skip or unit in ends]


def _part_of_turn(memory: BaseMemory, units: list[Unit], left: int, token_limit: int, derived: str) -> View:
    """The newest turn when it is too big: its question and last unit, then newer units; else clips of those two."""
    place = max(place for place, unit in enumerate(units) if memory._log[unit.indices[0]]["role"] == "user")
    asked, last = units[place], units[-1]
    must = [asked] if last is asked else [asked, last]
    spare = left - sum(unit.tokens for unit in must)
    if spare < 0:
        return View(*_clipped(memory, must, left, token_limit, derived), derived=derived)
    for group in (units[place + 1:-1], units[:place]):  # what came behind the question, then what was said before it
        for unit in reversed(group):
            if unit.tokens > spare:
                return View(_in_order(must), derived=derived)
            spare -= unit.tokens
            must.append(unit)
    return View(_in_order(must), derived=derived)


def _in_order(units: Sequence[Unit]) -> list[int]:
    return sorted(index for unit in units for index in unit.indices)


def _clipped(memory: BaseMemory, must: list[Unit], left: int, token_limit: int, derived: str):
    """(indices, clips) that fit: the results (or the reply) cut first, the user's words only if that is not enough.

    Results share the room that there is: short ones stay whole, long ones get equal parts.  If not even their marks fit
    beside the user's whole message, each shrinks to its mark, and the user's message takes the rest.
    """
    log, tokens, count = memory._log, memory._tokens, memory.count
    indices = _in_order(must)
    asked = must[0].indices[0]
    soft = [i for i in indices if i != asked and not log[i].get("tool_calls")]
    least = {i: least_tokens(log[i], tokens[i], count) for i in (*soft, asked)}
    calls = sum(tokens[i] for i in indices if i not in least)
    spare = left - calls - sum(least[i] for i in soft)
    if spare >= tokens[asked]:
        extra = shares([tokens[i] - least[i] for i in soft], spare - tokens[asked])
        rooms = {i: least[i] + more for i, more in zip(soft, extra, strict=True)}
    elif spare >= least[asked]:
        rooms = {**{i: least[i] for i in soft}, asked: spare}
    else:
        parts = [(f"the newest user message [{asked}] cut to its mark", least[asked])]
        parts += [(f"message [{i}] cut to its mark", least[i]) for i in soft]
        raise over_limit(memory, token_limit, derived, [*parts, ("the tool call", calls)] if calls else parts)
    return indices, {i: clip_message(log[i], room, tokens[i], count) for i, room in rooms.items() if room < tokens[i]}


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """How much of the room each gets: the short what they need, the long equal parts of what is left.

    >>> shares([10, 500, 300], 210)
    [10, 100, 100]
    """
    given = [0] * len(sizes)
    for rank, place in enumerate(sorted(range(len(sizes)), key=lambda place: sizes[place])):
        given[place] = min(sizes[place], room // (len(sizes) - rank))
        room -= given[place]
    return given


def _texts(message: Message, tokens: int, count: TokenCounter) -> tuple[list[tuple[str, int, int]], int]:
    """(text, its tokens, the tokens of its mark) for all that a clip may shorten, and the tokens of the rest."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    rest = count.message({**message, "content": [part for part in parts if part["type"] != "text"] or None})
    texts = [part["text"] for part in parts if part["type"] == "text"] if parts else [content or ""]
    found = []
    for text in texts:
        size = tokens - rest if len(texts) == 1 else count.text(text)
        try:
            clip(text, 0, count=count, tokens=size)
            found.append((text, 0, 0))
        except TokenLimitError as error:
            found.append((text, size, min(size, error.needed)))
    return found, rest


def least_tokens(message: Message, tokens: int, count: TokenCounter) -> int:
    """Tokens of the shortest clip of a message, which shows its marks alone.  tokens: of the whole message."""
    texts, rest = _texts(message, tokens, count)
    return rest + sum(mark for _, _, mark in texts)


def clip_message(message: Message, limit: int, tokens: int, count: TokenCounter) -> Message:
    """A copy whose texts are cut to head, visible mark and tail, so that count.message(result) <= limit.

    tokens: of the whole message.  Several text parts share the room; images and other parts stay.
    Raises TokenLimitError if the marks do not fit.  Cost: at most CLIP_ENCODES + 2 encodings a text, and 1.
    """
    texts, rest = _texts(message, tokens, count)
    room = limit - rest - sum(mark for _, _, mark in texts)
    if room < 0:
        raise TokenLimitError(f"a {message['role']} message cut to its mark takes {limit - room} tokens, the limit is "
                              f"{limit}; raise the limit", needed=limit - room, token_limit=limit)
    extra = shares([size - mark for _, size, mark in texts], room)
    cut = iter([clip(text, mark + more, count=count, tokens=size)
                for (text, size, mark), more in zip(texts, extra, strict=True)])
    content = message.get("content")
    if not isinstance(content, list):
        return {**message, "content": next(cut)}
    return {**message, "content": [part | {"text": next(cut)} if part["type"] == "text" else part for part in content]}


def over_limit(memory: BaseMemory, token_limit: int, derived: str, parts: list[tuple[str, int]]) -> TokenLimitError:
    """The error that says what does not fit: each instruction by index, and what else must go out."""
    front = [("the reply's start", memory.count.base)]
    if memory.system is not None:
        front.append(("the system text", memory._head_tokens))
    front += [(f"the {memory._log[i]['role']} message [{i}]", memory._tokens[i]) for i in memory.outline.instructions]
    if derived:
        front.append(("the memory's own text", memory.front_tokens(derived) - memory.front_tokens()))
    parts = front + parts
    needed = sum(tokens for _, tokens in parts)
    listed = ", ".join(f"{words} {tokens:,}" for words, tokens in parts)
    return TokenLimitError(f"the context takes at least {needed:,} tokens, token_limit is {token_limit:,}: {listed}. "
                           "Shorten the instructions, or raise token_limit.",
                           needed=needed, token_limit=token_limit, parts=parts)
