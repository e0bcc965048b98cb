"""The memories that count messages or turns: everything, the newest 20 messages, and windows of whole turns.

    BufferMemory          all of it, at a price that grows with every turn
    PopOldestMemory       messages.pop(0), as teams do it; kept here to be broken (chapter 1 shows each break)
    FixedWindowMemory     after max_turns all is cleared, and the window fills again
    SlidingWindowMemory   the newest max_turns turns

What none of them does: look at tokens.  Twenty short messages fit, twenty long ones do not; window.py counts.
Chapter 1.

Copy with: the base.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from .errors import whole
from .memory import BaseMemory, View
from .messages import Message, check_message
from .messages import system as system_message
from .outline import KEPT, OVER, State


def _indices(turns) -> list[int]:
    return [index for turn in turns for unit in turn.complete() for index in unit.indices]


class BufferMemory(BaseMemory):
    """Everything that may be sent: the whole log, but for strays that the API would refuse.

    Tokens grow with the square of the turns over a chat.  Forgets nothing.
    """

    def _view(self) -> View:
        return View(_indices(self.outline.turns))


class SlidingWindowMemory(BaseMemory):
    """The newest max_turns turns, whole, behind the instructions.

    Forgets all that is older, however small it is.  Source: 000, 004.
    """

    def __init__(self, system: str | None = None, *, max_turns: int = 10, count=None, client: Any = None):
        self.max_turns = whole("max_turns", max_turns, 1)
        super().__init__(system, count=count, client=client)

    def _view(self) -> View:
        return View(_indices(self.outline.turns[-self.max_turns:]))


class FixedWindowMemory(BaseMemory):
    """Up to max_turns turns; when the next user message comes, all of them are gone and the window fills anew.

    Cheap for a prompt cache, for between two clearings each prompt begins as the last one did.  Source: 002.
    """

    def __init__(self, system: str | None = None, *, max_turns: int = 10, count=None, client: Any = None):
        self.max_turns = whole("max_turns", max_turns, 1)
        super().__init__(system, count=count, client=client)

    def _view(self) -> View:
        turns = self.outline.turns
        return View(_indices(turns[(len(turns) - 1) // self.max_turns * self.max_turns:] if turns else []))


class PopOldestMemory(BaseMemory):
    """The newest max_messages messages of one list that holds all of them, the system message too: do not use it.

    This is the loop that lost the order number (source 001).  It breaks law 1 (its list is handed out, so a caller's
    change is a change of the memory), law 3 (the system message is popped like any other), law 4 (the first message
    left may be a reply to nobody), law 5 (a tool result stays when its call is popped) and law 7 (it never knew states
    other than in or out).  The log beside it is kept so that one can see what was lost.
    """

    def __init__(self, system: str | None = None, *, max_messages: int = 20, count=None, client: Any = None):
        self.max_messages = whole("max_messages", max_messages, 1)
        super().__init__(system, count=count, client=client)

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        self._list = [] if self.system is None else [system_message(self.system)]

    def add(self, message: Message, *, at: datetime | None = None) -> None:
        """Append, then pop from the front, whatever stands there."""
        check_message(message)
        super().add(message, at=at)
        self._list.append(message)
        while len(self._list) > self.max_messages:
            self._list.pop(0)

    def messages(self) -> list[Message]:
        """The list itself."""
        return self._list

    @property
    def states(self) -> list[State]:
        """In or out."""
        out = len(self._log) - min(len(self._list), len(self._log))
        return [OVER] * out + [KEPT] * (len(self._log) - out)
