"""Tokens of prompt after prompt, and how many of them a prompt cache would have known.

A cache serves the beginning that a prompt shares with the one before, and nothing behind the first difference.
Chapter 4.
"""

from __future__ import annotations

from itertools import takewhile

from .messages import Message, copy_message, text_of
from .tokens import TokenCounter


class Meter:
    """prompts: tokens of each prompt, in order.  cached: how many of them repeat the beginning of the prompt before.

    Whole messages that are equal count whole; in the first that differs, the words that begin alike count (a summary
    behind fixed instructions leaves those cached).  The tokens that prime the reply come last and never count.
    Cost: each message is encoded once; O(context) a prompt.

    >>> from memory_lab.messages import system, user
    >>> meter = Meter(TokenCounter())
    >>> meter.prompt([system("Be kind."), user("Hi")])
    >>> meter.prompt([system("Be kind."), user("Hi"), user("Hello?")])
    >>> meter.prompts, meter.cached
    ([15, 21], [0, 12])
    """

    def __init__(self, count: TokenCounter):
        self.count, self.prompts, self.cached = count, [], []
        self._last: list[Message] = []
        self._known: dict[str, int] = {}

    def tokens(self, messages: list[Message]) -> int:
        """Tokens of a prompt, off the bill.  Cost: as prompt."""
        return self.count.base + sum(map(self._tokens, messages))

    def prompt(self, messages: list[Message]) -> None:
        """Put one prompt on the bill."""
        same = 0
        for ours, theirs in zip(messages, self._last, strict=False):
            if ours != theirs:
                same += self._common(ours, theirs)
                break
            same += self._tokens(ours)
        self.prompts.append(self.tokens(messages))
        self.cached.append(same)
        self._last = [copy_message(message) for message in messages]  # a memory may hand out the list that it keeps

    def _tokens(self, message: Message) -> int:
        key = repr(message)
        if key not in self._known:
            self._known[key] = self.count.message(message)
        return self._known[key]

    def _common(self, ours: Message, theirs: Message) -> int:
        if ours["role"] != theirs["role"]:
            return 0
        pairs = zip(text_of(ours), text_of(theirs), strict=False)
        alike = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return min(self.count.text(alike), self._tokens(ours))
