"""Where the planted facts of a conversation stand, for a memory as it is now: the words that the figures show."""

from __future__ import annotations

from ..conversations import Conversation, Probe
from ..memory import BaseMemory
from ..messages import text_of

NOT_YET, THERE, OTHER, GONE = "not said yet", "there", "in other words", "gone"
LEGEND = ('"There": a message that states the fact goes out whole. "In other words": its value still stands in what '
          'goes out (a summary, a table of facts, another message). "Gone": the model cannot know it.')


def planted(conversation: Conversation) -> list[Probe]:
    """The probes about what was said, but for those that ask in the middle of the chat."""
    return [probe for probe in conversation.probes if probe.answerable and probe.at is None]


def name(probe: Probe) -> str:
    """A word or two for the fact."""
    return probe.id or probe.question


def found(memory: BaseMemory, conversation: Conversation, probes: list[Probe]) -> list[str]:
    """For each probe the word for its fact, in the context that goes out now.

    Cost: one search of the context for each fact whose message is not there.
    """
    from ..matching import find

    states, length = memory.states, len(memory.log)
    words = []
    text = "\n".join(text_of(message) for message in memory.messages())
    for probe in probes:
        if max(probe.evidence) >= length:
            words.append(NOT_YET)
        elif any(states[index] == "kept" for index in probe.evidence):
            words.append(THERE)
        elif any(find(text, value, type=probe.type, language=conversation.language) for value in probe.accept):
            words.append(OTHER)
        else:
            words.append(GONE)
    return words


def count(words: list[str]) -> str:
    """How many of the facts that were said are still to be had.

    >>> count([THERE, OTHER, GONE, NOT_YET])
    '2 of 3 facts'
    """
    said = [word for word in words if word != NOT_YET]
    return f"{sum(word in (THERE, OTHER) for word in said)} of {len(said)} facts"
