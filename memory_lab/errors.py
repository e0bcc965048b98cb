"""Everything that memory_lab raises on purpose, in one tree.

    Exception
    └── MemoryLabError                 catch this one to catch all of them
        ├── MessageError               (also ValueError) a message, or a list of them, that no model API would take
        ├── TokenLimitError            (also ValueError) what has to be sent does not fit its limit
        ├── SettingError               (also ValueError) a limit, an encoding name or an option that makes no sense
        ├── LogError                   (also ValueError) a chat log that cannot be read
        ├── ModelOutputError           a model answered, but not with what was asked of it
        ├── EndpointError              an endpoint that cannot be reached, refuses, or breaks off
        ├── SpendingError              the next model call might cost more than may still be spent
        └── StoreError                 a store that cannot be reached, read or written
            └── VersionError           somebody else has written to the session meanwhile

Each message says what is wrong, where (a message's index, a file's line), and what to do about it.
A wrong type of argument is still Python's own TypeError.

Copy with: nothing.
"""

from __future__ import annotations

from typing import Any


class MemoryLabError(Exception):
    """The common parent: nothing raises it itself."""


class MessageError(MemoryLabError, ValueError):
    """A message or message list that no model API would take; raised before any call.

    index: which message of the list (None: the list as a whole).  rule: the rule's short name, one of
    messages.RULES.  server: "openai" for a rule of the OpenAI API, "strict" for one that only stricter servers have.
    """

    def __init__(self, text: str, *, index: int | None = None, rule: str = "shape", server: str = "openai"):
        super().__init__(text)
        self.index, self.rule, self.server = index, rule, server


class TokenLimitError(MemoryLabError, ValueError):
    """What must be sent is over the limit even when all that may be cut is cut.

    needed: tokens that the smallest permitted context takes.  token_limit: tokens allowed.
    parts: what those tokens are, as (words, tokens) pairs.
    """

    def __init__(self, text: str, *, needed: int | None = None, token_limit: int | None = None, parts=()):
        super().__init__(text)
        self.needed, self.token_limit, self.parts = needed, token_limit, tuple(parts)


class SettingError(MemoryLabError, ValueError):
    """An argument or setting that makes no sense: a negative limit, an unknown encoding, an unknown strategy."""


class LogError(MemoryLabError, ValueError):
    """A chat log that cannot be read: the text says which file, which line or item, and what was expected there."""


class ModelOutputError(MemoryLabError):
    """A model answered, but not with what it was asked for: no text, no JSON where JSON was asked, an empty summary."""


class EndpointError(MemoryLabError):
    """An endpoint that gave no answer, or no whole one: the text says why, and what to do."""


class SpendingError(MemoryLabError):
    """The next model call might cost more than may still be spent; raised before it is made."""


class StoreError(MemoryLabError):
    """A store that cannot be reached, read or written, or a session id that it refuses: the text says what to do.

    Whoever holds messages for it keeps them and tries again; a ChatSession does.
    """


class VersionError(StoreError):
    """Somebody else has written to the session since it was read: load it again, then append.

    expected: the version that the caller knew.  version: the one that the store has.
    """

    def __init__(self, session_id: str, expected: int, version: int):
        super().__init__(f"session {session_id!r} is at version {version}, not {expected}: somebody else has written "
                         "to it; load() it again, then append")
        self.expected, self.version = expected, version


def whole(name: str, value: Any, least: int) -> int:
    """value, if it is a whole number of at least `least`; else SettingError that names the setting."""
    if type(value) is not int or value < least:
        raise SettingError(f"{name} is {value!r}; it must be a whole number of at least {least}")
    return value
