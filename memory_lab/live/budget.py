"""The budget slider: token limits, and what of a conversation goes out under each.  Chapter 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..conversations import Conversation
from ..errors import SettingError, TokenLimitError
from ..memory import BaseMemory
from ..messages import system, text_of
from ..report import Table
from . import facts
from .base import Control, LiveFigure, Slots, escape, number, short

Maker = Callable[..., BaseMemory]
LISTED = 120  # messages; of a longer chat the figure lists those that state a fact
GRAIN = 40    # and looks for limits in steps of this part of its tokens


class BudgetFigure(LiveFigure):
    """A slider over token limits: which messages go out after a whole chat, tokens used, facts still there.

    make: a memory that takes token_limit (a class or partial), or {name: such a memory}, which adds a list to choose
    from.  limits: tokens; None takes those at which the first memory's kept messages change, found by bisection: exact
    if a larger limit never keeps less, as with windows, and the chat has at most 120 messages.  first: the limit shown
    before anybody moves the slider.  The context is the one after the last message, with no question behind it.
    A limit under which a memory cannot send anything says so.
    Raises SettingError if nothing can be sent under any limit.
    Cost: the chat is added once for each memory and limit, and about ten times for each limit that is looked for.

    >>> from memory_lab import TokenWindowMemory
    >>> from memory_lab.conversations import load
    >>> print(BudgetFigure(load("five_facts"), TokenWindowMemory, limits=[100, 200]))
    What a token limit keeps of five_facts: 30 messages, 5 facts
    <BLANKLINE>
    memory        limit  tokens  messages kept   facts
    ------------  -----  ------  -------------  ------
    token window    100      91          12/30  1 of 5
    token window    200     186          24/30  5 of 5
    """

    def __init__(self, conversation: Conversation, make: Maker | Mapping[str, Maker],
                 limits: Sequence[int] | None = None, *, first: int | None = None):
        makers = make if isinstance(make, Mapping) else {"token window": make}
        self.conversation, self._probes = conversation, facts.planted(conversation)
        if limits is None:
            limits = _limits(next(iter(makers.values())), conversation)
        self.limits = sorted(set(limits))
        self.rows = [(name, limit, *self._view(each, limit)) for name, each in makers.items() for limit in self.limits]
        if not any(states for _, _, states, *_ in self.rows):
            raise SettingError(f"no limit of {self.limits} lets a memory send anything: give larger limits")
        self.title = (f"What a token limit keeps of {conversation.name}: "
                      f"{number(len(conversation.messages), 'message')}, {number(len(self._probes), 'fact')}")
        self.controls = [Control("Token limit", [number(limit, "token") for limit in self.limits])]
        if len(makers) > 1:
            self.controls.insert(0, Control("Memory", list(makers), choose=True))
        everyone = range(len(conversation.messages))
        stated = {index for probe in self._probes for index in probe.evidence}
        self._listed = sorted(everyone if len(everyone) <= LISTED else stated, reverse=True)
        self.steps = [self._step(*row) for row in self.rows]
        self.first = len(self.limits) // 2 if first is None else self.limits.index(first)
        self.note = facts.LEGEND

    def _view(self, make: Maker, limit: int) -> tuple[tuple[str, ...], int, list[str]]:
        """(states, tokens, facts) after the whole chat; () for states where nothing can be sent."""
        memory = _filled(make, self.conversation, limit)
        states = _states(memory)
        if not states:
            return (), 0, [facts.GONE] * len(self._probes)
        return states, memory.count(memory.messages()), facts.found(memory, self.conversation, self._probes)

    def _step(self, name: str, limit: int, states: Sequence[str], used: int, held: list[str]) -> list[str]:
        if not states:
            status = f"{name}, limit {limit:,}: nothing can be sent, for what must go out is larger."
            return [status, *held, *["dropped"] * len(self._listed)]
        counts = Counter(states)
        others = [f"{counts[word]} {word}" for word in ("clipped", "summarised") if counts[word]]
        status = ", ".join([f"{name}, limit {limit:,}: {counts['kept']} of {len(states)} messages kept", *others,
                            f"{used:,} tokens used", f"{facts.count(held)} still there."])
        return [status, *held, *(states[index] for index in self._listed)]

    def _body(self, slots: Slots) -> str:
        messages = self.conversation.messages
        status = slots.status()
        held = "".join(slots.row("li", f"<span>{escape(short(probe.question + ' ' + probe.accept[0]))}</span>")
                       for probe in self._probes)
        listed = "".join(
            slots.row("li", f'<span>{escape(messages[index]["role"])}: {escape(_words(messages[index]))}</span>')
            for index in self._listed)
        what = "Messages" if len(self._listed) == len(messages) else "Messages that state a fact"
        return (f'{status}<div class="ml-columns"><div><p class="ml-head">Planted facts</p><ul>{held}</ul></div>'
                f'<div><p class="ml-head">{what}, newest first</p>'
                f'<ol class="ml-scroll" tabindex="0" aria-label="{what}">{listed}</ol></div></div>')

    def __repr__(self) -> str:
        rows = [[name, f"{limit:,}", f"{used:,}" if states else "-", f"{list(states).count('kept')}/{len(states)}",
                 facts.count(held).removesuffix(" facts")] for name, limit, states, used, held in self.rows]
        return str(Table(["memory", "limit", "tokens", "messages kept", "facts"], rows, self.title))


def _words(message: dict) -> str:
    return short(text_of(message).strip() or "calls " + ", ".join(
        (call.get("function") or call.get("custom"))["name"] for call in message.get("tool_calls", ())))


def _filled(make: Maker, conversation: Conversation, limit: int) -> BaseMemory:
    memory = make(conversation.system, token_limit=limit)
    for message in conversation.messages:
        memory.add(message)
    return memory


def _states(memory: BaseMemory) -> tuple[str, ...]:
    try:
        memory.messages()
    except TokenLimitError:
        return ()
    return tuple(map(str, memory.states))


def _limits(make: Maker, conversation: Conversation) -> list[int]:
    memory = make(conversation.system, token_limit=10**9)
    front = [] if conversation.system is None else [system(conversation.system)]
    whole = memory.count([*front, *conversation.messages])
    grain = 1 if len(conversation.messages) <= LISTED else whole // GRAIN
    known: dict[int, tuple[str, ...]] = {}

    def view(limit: int) -> tuple[str, ...]:
        if limit not in known:
            known[limit] = _states(_filled(make, conversation, limit))
        return known[limit]

    return list(_changes(view, 0, whole, grain))


def _changes(view: Callable[[int], object], low: int, high: int, grain: int = 1) -> Iterator[int]:
    """The limits above low, up to high, whose view is not that of the limit a grain or less below.

    >>> list(_changes(lambda limit: limit // 4, 0, 10))
    [4, 8]
    """
    if view(low) == view(high):
        return
    if high - low <= grain:
        yield high
        return
    middle = (low + high) // 2
    yield from _changes(view, low, middle, grain)
    yield from _changes(view, middle, high, grain)
