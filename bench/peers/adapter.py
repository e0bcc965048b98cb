"""What every memory of the comparison is held behind: put a message, get the context, as the plain dicts of the API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memory_lab import Message, TokenCounter

from .model import Model


class Adapter:
    """One memory of one library.  A subclass says four things; `add` and `messages` are what the comparison calls.

    native(message): the message in the library's own form (raises where it has none).
    put(native): store it.  context(): what the library would send now.  plain(natives): that as the API's dicts.
    """

    def native(self, message: Message) -> Any:
        return message

    def put(self, native: Any) -> None:
        raise NotImplementedError

    def context(self) -> list[Any]:
        raise NotImplementedError

    def plain(self, natives: list[Any]) -> list[Message]:
        return natives

    def close(self) -> None:
        """Let go of files, loops and clients."""

    def add(self, message: Message) -> None:
        self.put(self.native(message))

    def messages(self) -> list[Message]:
        return self.plain(self.context())


@dataclass(frozen=True)
class Entrant:
    """make: (system text or None, limit in tokens, model) -> Adapter.

    limited: whether the library takes a limit in tokens; where it does not, it is given `settings` in messages.
    summarises: whether it asks a model.  better: what it does better than ours.  ours: one of memory_lab's own.
    """

    name: str
    package: str
    settings: str
    make: Callable[[str | None, int, Model], Adapter]
    better: str = ""
    limited: bool = True
    summarises: bool = False
    ours: bool = False


def own_text(limit: int) -> int:
    """Tokens of a summary or of facts, for all who keep one: a share of the limit, as the shipped tables have."""
    return max(20, limit * 3 // 10)


def counted(count: TokenCounter) -> Callable[[list[Message]], int]:
    """Tokens of messages by the API's rule, without what primes the reply."""
    return lambda messages: sum(map(count.message, messages))
