"""What a session says and hears, in memory: each message taken in once, whatever became of the call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from ..folding import FoldingMemory
from ..memory import BaseMemory
from ..messages import Message, assistant, copy_message, text_of, user
from ..window import trim

INTERRUPTED = " [... interrupted]"  # stands behind what was kept of a reply that broke off


@contextmanager
def unfolded(memory: BaseMemory) -> Iterator[None]:
    """Inside, add() takes a message in and folds nothing: folding is planned elsewhere, or comes back with a state."""
    if not isinstance(memory, FoldingMemory):
        yield
        return
    memory.plan = lambda: None
    try:
        yield
    finally:
        del memory.plan


class Talk:
    """memory: of the session.  notices: what a user should know, oldest first; the caller may empty it.

    pending: messages that are in the memory and not in a store yet.  asked: the user's text that has no answer yet.
    """

    def __init__(self, memory: BaseMemory, *, mask: Callable[[str], str] | None = None,
                 clock: Callable[[], datetime] | None = None):
        self.memory, self.mask, self.clock = memory, mask, clock
        self.notices: list[str] = []
        self.pending: list[tuple[Message, datetime | None]] = []
        self.asked: str | None = None
        self._cap: int | None = None  # tokens, learned from a server that refused a longer context

    def add(self, message: Message, *, fold: bool = True) -> None:
        """Take a message in, to be stored at the next saving().  fold=False: leave folding to who plans it."""
        message = self._masked(message)
        at, length = self.clock() if self.clock else None, len(self.memory.times)
        try:
            if fold:
                self.memory.add(message, at=at)
            else:
                with unfolded(self.memory):
                    self.memory.add(message, at=at)
        finally:  # Ctrl-C in a fold comes when the message is in the log already
            if len(self.memory.times) > length:
                self.pending.append((message, at))
                if message["role"] == "user" and isinstance(message["content"], str):
                    self.asked = message["content"]

    def _masked(self, message: Message) -> Message:
        message = copy_message(message)
        if self.mask is None or not isinstance(message, dict):
            return message
        content = message.get("content")
        if isinstance(content, str):
            return message | {"content": self.mask(content)}
        for part in content or ():
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                part["text"] = self.mask(part["text"])
        return message

    def say(self, text: str, *, fold: bool = True) -> None:
        """Take the user's text in; once, however often the same text is sent again after a call that failed."""
        message = self._masked(user(text))
        if self.asked is None or message["content"] != self.asked:
            self.add(message, fold=fold)

    def hear(self, reply: Message, *, fold: bool = True) -> None:
        """Take the reply in."""
        try:
            self.add(reply, fold=fold)
        finally:
            self.asked = None

    def hear_part(self, text: str, *, wanted: bool, fold: bool = True) -> None:
        """Take in, marked, what came of a reply that broke off.  wanted: the user stopped it, so it is the answer."""
        if text:
            self.add(assistant(text + INTERRUPTED), fold=fold)
            if wanted:
                self.asked = None

    def context(self) -> list[Message]:
        """What to send now, without the part of an answer that is being asked for again."""
        context = self.memory.messages()
        if self._cap is not None and not hasattr(self.memory, "token_limit"):
            context = trim(context, token_limit=self._cap, count=self.memory.count)
        if context and context[-1]["role"] == "assistant" and text_of(context[-1]).endswith(INTERRUPTED):
            context.pop()
        return context

    def shrink(self, error: Exception) -> bool:
        """Whether the server found the context too long and it can be made shorter; the limit stays that low."""
        if getattr(error, "code", None) != "context_length_exceeded":
            return False
        count = self.memory.count(self.context())
        numbers = [int(number) for number in re.findall(r"(\d+) tokens", str(error))]
        share = numbers[0] / numbers[1] if len(numbers) > 1 and 0 < numbers[0] < numbers[1] else 1
        self._cap = max(1, int(count * share * 0.75))  # room for the reply, and for a tokenizer that is not ours
        if hasattr(self.memory, "token_limit"):
            self._cap = self.memory.token_limit = min(self.memory.token_limit, self._cap)
            self.memory._seen = None
        self.notices.append(f"the model takes less than token_limit said; it is {self._cap:,} now")
        return True
