"""Dividing a model's context window: what is left for the conversation when all the rest has its share.

Copy with: errors.py.  Chapter 2.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, asdict, dataclass
from typing import NamedTuple

from .errors import SettingError, TokenLimitError


@dataclass(frozen=True)
class Budget:
    """Tokens of a context window, by what they are for.

    context_window: tokens that the model takes in all.  response: kept free for the reply (what you pass as
    max_tokens).  system, tools, summary: instructions, tool definitions, running summary.  margin: for counts that are
    a little wrong.  Raises SettingError for a negative part, TokenLimitError if the parts leave less than nothing.
    Source: 001. Chapter 2.

    >>> Budget(8_192, response=1_024, system=800, tools=600, summary=500, margin=512).window
    4756
    """

    context_window: int
    _: KW_ONLY
    response: int
    system: int = 0
    tools: int = 0
    summary: int = 0
    margin: int = 0

    def __post_init__(self):
        negative = [f"{name} = {tokens:,}" for name, tokens in asdict(self).items() if tokens < 0]
        if negative:
            raise SettingError(f"a budget has no negative part: {', '.join(negative)}.")
        if self.window < 0:
            parts = self.parts
            needed = sum(tokens for _, tokens in parts)
            listed = ", ".join(f"{name} {tokens:,}" for name, tokens in parts if tokens)
            raise TokenLimitError(
                f"{listed} take {needed:,} tokens together, {-self.window:,} more than the context window of "
                f"{self.context_window:,}: make one of them smaller.",
                needed=needed, token_limit=self.context_window, parts=parts)

    @property
    def parts(self) -> list[tuple[str, int]]:
        """What is taken off the context window, as (name, tokens) pairs."""
        return [(name, tokens) for name, tokens in asdict(self).items() if name != "context_window"]

    @property
    def window(self) -> int:
        """Tokens left for the conversation's own messages."""
        return self.context_window - sum(tokens for _, tokens in self.parts)


class Window(NamedTuple):
    """A token limit that somebody published for a scenario: tokens, and where it stands."""

    token_limit: int
    source: str


WINDOWS = {
    "4k model, support chat": Window(3_000, "001: 4,096-token context, repaired with a 3,000-token window"),
    "8k model with tools and a summary": Window(4_756, "001: 8,192 less response, system, tools, summary and margin"),
    "128k model": Window(100_000, "002: trimming starts at 100,000 tokens"),
    "demonstration": Window(200, "002 and 004: so small that a reader sees it trim"),
}
