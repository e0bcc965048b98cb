"""What came of a replay: the prompts' tokens, the probes and the three recalls (evaluate.py makes it).  Chapter 4."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from .conversations import Probe


def mean(values: Iterable[float | None]) -> float:
    """The mean of those that are not None; 0.0 for none."""
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


@dataclass(frozen=True)
class Asked:
    """One probe and what came of it.

    evidence: share of its evidence messages in the context, 0 to 1; a clipped one counts if an accepted value is found
    in what is left of it.  in_context: an accepted value is found in the context before the question, whatever is
    claimed of it there.  (Both None for what was never said.)  answer: the model's words (None: no model was asked).
    verdict: correct, wrong, abstained, stale or ambiguous (None: no model was asked).  tokens: of this prompt.
    """

    probe: Probe
    evidence: float | None
    in_context: bool | None
    answer: str | None
    verdict: str | None
    tokens: int


@dataclass(frozen=True)
class Replay:
    """What one memory cost and kept over one conversation.

    prompts: tokens of each prompt that a chat would have sent, in order: one an assistant message, for each is a model
    call, also the one that calls a tool.  cached: tokens of each that repeat the beginning of the prompt before.
    asked: in the order of the conversation's probes.  own_calls, own_tokens: model calls of the memory itself in the
    chat (not on forks), and their tokens in and out.  seconds: of the memory's work, never part of a table.
    """

    conversation: str
    prompts: tuple[int, ...]
    cached: tuple[int, ...]
    asked: tuple[Asked, ...]
    own_calls: int
    own_tokens: int
    seconds: float = field(compare=False)

    @property
    def prompt_tokens(self) -> int:
        """Tokens of all prompts together."""
        return sum(self.prompts)

    @property
    def peak(self) -> int:
        """Tokens of the largest prompt."""
        return max(self.prompts, default=0)

    @property
    def cache_share(self) -> float:
        """The share of all prompt tokens that a prompt cache could serve, 0 to 1."""
        return sum(self.cached) / max(1, self.prompt_tokens)

    @cached_property
    def answerable(self) -> list[Asked]:
        """The probes about what was said."""
        return [asked for asked in self.asked if asked.probe.answerable]

    @property
    def right(self) -> int:
        """How many answerable probes were answered correctly."""
        return sum(asked.verdict == "correct" for asked in self.answerable)

    @property
    def invented(self) -> int:
        """How many questions about what was never said got an answer all the same; one without words is none."""
        return sum(not asked.probe.answerable and asked.verdict not in (None, "correct") and asked.answer != ""
                   for asked in self.asked)

    @property
    def evidence_recall(self) -> float:
        """Mean share of the evidence that is in the context."""
        return mean(asked.evidence for asked in self.answerable)

    @property
    def context_recall(self) -> float:
        """Share of answerable probes whose accepted value is in the context."""
        return mean(asked.in_context for asked in self.answerable)

    @property
    def answer_recall(self) -> float:
        """Share of answerable probes that were answered correctly."""
        return mean(asked.verdict == "correct" for asked in self.answerable)
