"""Talks to measure on: a LoCoMo-shaped file, with the tokens of each message and the questions that have evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from os import PathLike

from ..conversations import Conversation, Probe
from ..errors import LogError
from ..locomo import from_locomo
from ..logs.files import open_log
from ..tokens import TokenCounter


@dataclass(frozen=True)
class Talk:
    """A conversation and what is worked out once for all strategies.

    tokens: of each message, with its overhead.  times: of each, or None.  questions: those with evidence in it.
    base: tokens of an empty context.
    """

    conversation: Conversation
    tokens: tuple[int, ...]
    times: tuple[datetime | None, ...]
    questions: tuple[Probe, ...]
    base: int

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def name(self) -> str:
        return self.conversation.name


def talk(conversation: Conversation, count: TokenCounter | None = None) -> Talk:
    """The conversation ready to be measured.  Cost: each message encoded once."""
    count = count or TokenCounter()
    messages = conversation.messages
    times = tuple(map(datetime.fromisoformat, conversation.times)) if conversation.times else (None,) * len(messages)
    return Talk(conversation, tuple(map(count.message, messages)), times,
                tuple(probe for probe in conversation.probes if probe.answerable and probe.evidence), count.base)


def load(path: str | PathLike[str], *, dialogues: Sequence[int] | None = None, count: TokenCounter | None = None,
         progress: Callable[[int], object] | None = None) -> list[Talk]:
    """The talks of a file in LoCoMo's schema: a list of samples, or one.

    dialogues: which, counted from 1 (None: all).  progress: called with 1 for each.
    Raises LogError for a file that is not that, for a dialogue that is not there, and where no question has evidence.
    """
    data = open_log(path).data
    samples = data if isinstance(data, list) else [data]
    if not samples:
        raise LogError(f"{path}: an empty list: give a file with at least one LoCoMo sample")
    if missing := [number for number in dialogues or () if not 1 <= number <= len(samples)]:
        raise LogError(f"{path}: no dialogue {missing[0]}, it has {len(samples)} (counted from 1)")
    count, talks = count or TokenCounter(), []
    for number in dialogues or range(1, len(samples) + 1):
        try:
            talks.append(talk(from_locomo(samples[number - 1], name=_name(samples[number - 1], number)), count))
        except LogError as error:
            raise LogError(f"{path}, item {number}: {error}. A benchmark reads LoCoMo's schema: "
                           '[{"conversation": {"speaker_a", "session_1": [...]}, "qa": [...]}]') from error
        except (AttributeError, TypeError, ValueError, KeyError) as error:
            raise LogError(f"{path}, item {number}: not LoCoMo's schema ({type(error).__name__}: {error})") from error
        if progress:
            progress(1)
    if not any(each.questions for each in talks):
        raise LogError(f"{path}: no question has evidence in its dialogue: each 'qa' item needs \"evidence\": "
                       '["D1:3"], ids of utterances')
    return talks


def _name(sample: object, number: int) -> str:
    return str(sample.get("sample_id") or f"dialogue {number}") if isinstance(sample, dict) else f"dialogue {number}"
