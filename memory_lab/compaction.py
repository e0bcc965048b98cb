"""One fold: the work before it is done, and the record of it afterwards.

Copy with: messages.py, errors.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .messages import Message


@dataclass(frozen=True)
class Compaction:
    """The record of one fold.

    covers: log indices that it put into other words.  before: what it read (the older text, then the messages); after:
    the text in place now.  tokens_before, tokens_after: of those two.  model_calls, model_tokens: what it cost, in and
    out.  error: why it was not taken (None: it was).  light: written by rules, to be bettered when there is time.
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

    def diff(self):
        """What the fold kept, changed and lost, as a diff.Diff: sentences, and the numbers, codes and names in them."""
        from .diff import diff

        return diff(self.before, self.after)


@dataclass
class Fold:
    """A piece of folding work, taken from a memory and good without it.

    covers: log indices, oldest first.  messages: those messages, copies.  previous: the text that it continues.
    generation: the state of the memory that it was planned on.  write: (client, fold) -> text, with calls and tokens.
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
        """Write the text.  A fault of the model, of whatever kind, is kept in .error: the chat goes on without it."""
        try:
            self.text = self.write(client, self)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"

    @property
    def before(self) -> str:
        """All that the fold reads, as text."""
        return "\n".join(part for part in (self.previous, transcript(self.messages)) if part)


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
