"""The contract of every memory, and what they share: an append-only log of which a strategy is only a view.

A strategy is BaseMemory with one method, _view(): which messages of the log go out now, and which of them clipped.
This file does not choose: the simplest strategies are in truncation.py, token limits in window.py.

The base, which every strategy goes with: errors.py, messages.py, tokens.py, outline.py and this file.
Copy with: the other base files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from .errors import MessageError, SettingError
from .messages import Message, check_message, copy_message, copy_nested, nesting, system, with_derived
from .outline import ABANDONED, CLIPPED, KEPT, OVER, PENDING, SUMMARISED, Outline, State
from .tokens import TokenCounter


@runtime_checkable
class Memory(Protocol):
    """What a chat loop needs of a memory, and all that it may rely on."""

    def add(self, message: Message, *, at: datetime | None = None) -> None: ...  # write; may call the model
    def messages(self) -> list[Message]: ...                                      # the context to send now; pure
    def clear(self) -> None: ...                                                  # empty again, as constructed


@dataclass
class View:
    """What goes out.  kept: indices of the log, in order, behind the instructions.  clips: what goes out for some.

    derived: text that the memory made itself, behind the last instruction.  covered: indices that stand in it.
    """

    kept: list[int]
    clips: dict[int, Message] = field(default_factory=dict)
    derived: str = ""
    covered: Iterable[int] = ()


class BaseMemory:
    """The log, its counts and states; a strategy adds _view().

    system: text that is sent first and is not part of the log.  count: a TokenCounter (default cl100k_base).
    client: an OpenAI client for strategies that call a model (default: the offline one, made when first used).
    Each message is encoded once, when it is added; messages() costs O(context).
    """

    def __init__(self, system: str | None = None, *, count: TokenCounter | None = None, client: Any = None):
        if system is not None and not isinstance(system, str):
            raise SettingError(f"system is {type(system).__name__}, not text; later instructions are add()ed")
        self.system = system
        self.count = TokenCounter() if count is None else count
        self._client = client
        self._head_tokens = 0 if system is None else self.count.message({"role": "system", "content": system})
        self.clear()

    def clear(self) -> None:
        """Empty again, as constructed."""
        self._log: list[Message] = []
        self._nesting: list[tuple] = []  # looked up once: each message is copied for every turn that sends it
        self._tokens: list[int] = []
        self.times: list[datetime | None] = []
        self.outline = Outline()
        self.compactions: list[Any] = []
        self._seen: View | None = None
        self._head = [] if self.system is None else [system(self.system)]
        self._joined = ((), 0)

    def add(self, message: Message, *, at: datetime | None = None) -> None:
        """Append one message to the log.  at: when it was said (all with a time zone, or none).

        Raises MessageError, and logs nothing, for what no model API would take.
        """
        check_message(message)
        if at is not None:
            known = next((time for time in reversed(self.times) if time is not None), at)
            if (known.tzinfo is None) != (at.tzinfo is None):
                raise MessageError(f"at={at.isoformat()}: some times have a time zone and some have none; use one kind")
        inside = nesting(message)
        message = copy_nested(message, inside)
        tokens = self.count.message(message)
        self._log.append(message)
        self._nesting.append(inside)
        self._tokens.append(tokens)
        self.times.append(at)
        self.outline.add(message, tokens)
        self._seen = None
        self._added(message)

    def _added(self, message: Message) -> None:
        """What a strategy does with each message once it is logged; message is the memory's own, not to be changed."""

    @property
    def log(self) -> list[Message]:
        """All messages that were added, as copies; nothing is lost before clear().  Cost: O(log)."""
        return copy_message(self._log)

    @property
    def client(self) -> Any:
        """The client that the memory's own model calls go through."""
        if self._client is None:
            try:
                from .client import connect
            except ImportError as error:  # a copied file
                raise SettingError("this memory asks a model: give client=openai.OpenAI(...)") from error
            self._client = connect("offline")
        return self._client

    def _view(self) -> View:
        raise NotImplementedError("a strategy says here what goes out")

    def view(self) -> View:
        """The strategy's choice for the log as it is; made once, until the log changes."""
        if self._seen is None:
            self._seen = self._view()
        return self._seen

    def _front(self, derived: str) -> list[Message]:
        front = self._head + [self._log[index] for index in self.outline.instructions]
        return with_derived(front, derived) if derived else front

    def front_tokens(self, derived: str = "") -> int:
        """Tokens of an empty context: the base, the instructions, and derived text behind the last of them."""
        outline, tokens = self.outline, self._tokens
        if not derived:
            return self.count.base + self._head_tokens + sum(tokens[index] for index in outline.instructions)
        key = (derived, len(outline.instructions))
        if self._joined[0] != key:
            self._joined = key, self.count(self._front(derived)[-1:])
        last = tokens[outline.instructions[-1]] if outline.instructions else self._head_tokens
        return self.front_tokens() - last + self._joined[1] - self.count.base

    def messages(self) -> list[Message]:
        """The context to send now: instructions in order, then the strategy's choice, as fresh copies."""
        view, log, nesting, clips = self.view(), self._log, self._nesting, self.view().clips
        front = [copy_message(message) for message in self._front(view.derived)]
        if clips:
            return front + [copy_message(clips.get(i, log[i])) for i in view.kept]
        return front + [copy_nested(log[i], nesting[i]) if nesting[i] else log[i].copy() for i in view.kept]

    @property
    def states(self) -> list[State]:
        """One state per logged message, true of what messages() holds.  Cost: O(log)."""
        view, outline = self.view(), self.outline
        states = [OVER] * len(self._log)
        for index in view.covered:
            states[index] = SUMMARISED
        for unit in (unit for turn in outline.turns for unit in turn.units if unit.missing):
            for index in unit.indices:
                states[index] = PENDING if unit is outline.pending() else ABANDONED
        for index, state in outline.strays.items():
            states[index] = state
        for index in outline.instructions:
            states[index] = KEPT
        for index in view.kept:
            states[index] = CLIPPED if index in view.clips else KEPT
        return states
