"""A memory's context, message by message and part by part."""

from __future__ import annotations

from typing import NamedTuple

from ..facts import FactTableMemory
from ..memory import BaseMemory
from ..messages import Message, text_of
from ..retrieval import VectorMemory


class Line(NamedTuple):
    """One message.  index: its place in the log (None: the system text).  text: as it is sent; if it is not, as logged.

    state: one word, as in BaseMemory.states; "instructions" in front.  reason: why it was dropped.
    tokens: of what is sent (of what is logged, if it is not sent), overhead included.
    """

    index: int | None
    role: str
    state: str
    reason: str
    tokens: int
    text: str


def sent(memory: BaseMemory) -> list[Line]:
    """A line for each message of the context.  Raises TokenLimitError where nothing can be sent."""
    context, kept = memory.messages(), _kept(memory)
    states, count, front = memory.states, memory.count, len(context) - len(kept)
    lines = [Line(index, message["role"], "instructions", "", count.message(message), _words(message))
             for index, message in zip(_front(memory, front), context[:front], strict=True)]
    return lines + [Line(index, message["role"], str(states[index]), "", count.message(message), _words(message))
                    for index, message in zip(kept, context[front:], strict=True)]


def withheld(memory: BaseMemory) -> list[Line]:
    """A line for each logged message that is not in the context, with what became of it."""
    gone = [(index, state) for index, state in enumerate(memory.states) if state not in ("kept", "clipped")]
    log = memory.log if gone else []
    return [Line(index, log[index]["role"], str(state), state.reason, memory.count.message(log[index]),
                 _words(log[index])) for index, state in gone]


def parts(memory: BaseMemory) -> dict[str, int]:
    """Tokens of each part of the context; together they are count(messages()).

    "instructions", then what there is of "facts", "summary", "looked up" (older messages that retrieval brought back)
    and "messages"; and "priming the reply", which the API adds.
    """
    context, kept = memory.messages(), _kept(memory)
    front, count = len(context) - len(kept), memory.count
    sizes = [count.message(message) for message in context]
    bare = [] if memory.system is None else [{"role": "system", "content": memory.system}]
    bare += [memory.log[index] for index in memory.outline.instructions]
    instructions = sum(count.message(message) for message in bare[-front:] if front)
    derived = sum(sizes[:front]) - instructions
    facts = derived if isinstance(memory, FactTableMemory) else _facts(memory, context[:front], derived)
    found = _looked_up(memory, kept) if isinstance(memory, VectorMemory) else 0
    named = {"facts": facts, "summary": derived - facts, "looked up": sum(sizes[front:front + found])}
    return {"instructions": instructions, **{name: tokens for name, tokens in named.items() if tokens},
            "messages": sum(sizes[front + found:]), "priming the reply": count.base}


def _facts(memory: BaseMemory, front: list[Message], derived: int) -> int:
    block = getattr(memory, "facts", "")
    there = block and any(block in text_of(message) for message in front)
    return min(derived, memory.count.text(block)) if there else 0


def _kept(memory: BaseMemory) -> list[int]:
    instructions = set(memory.outline.instructions)
    return [index for index, state in enumerate(memory.states)
            if state in ("kept", "clipped") and index not in instructions]


def _front(memory: BaseMemory, size: int) -> list[int | None]:
    """What stands before the turns: places in the log, and None for what is not in it."""
    places = [None] * (memory.system is not None) + list(memory.outline.instructions)
    return [None, *places][len(places) + 1 - size:]


def _looked_up(memory: BaseMemory, kept: list[int]) -> int:
    """How many of the kept messages stand apart, before the run that ends with the newest."""
    skipped = set(memory.outline.instructions)
    newest, apart = len(memory.times) - 1, len(kept)
    for index in reversed(kept):
        while newest in skipped:
            newest -= 1
        if index != newest:
            break
        newest, apart = newest - 1, apart - 1
    return apart


def _words(message: Message) -> str:
    calls = [call.get("function") or call.get("custom") for call in message.get("tool_calls", ())]
    return " ".join([text_of(message).strip(), *(
        f"[calls {call['name']} {call.get('arguments', call.get('input', ''))}]" for call in calls)]).strip()
