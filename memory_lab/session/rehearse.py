"""How long the turns of a chat wait, on a clock that nobody waits for: the same figures on every machine.

Every model call moves the clock on by what such a call takes.  Only the order of things is simulated; the sessions, the
memory and the folds are the real ones.  Chapter 11.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from ..compaction import Fold
from ..folding import FoldingMemory
from .background import AsyncChatSession
from .chat import ChatSession


class Waited(NamedTuple):
    """One turn.  seconds: from the user's message to the reply.  dropped: messages that stood nowhere in the context at
    its end, neither in full nor in a summary.  folding: whether a fold was under way in it."""

    seconds: float
    dropped: int
    folding: bool


class Timed:
    """A client of chat completions, each of which takes that many seconds on the clock."""

    def __init__(self, client: Any, clock: SimpleNamespace, seconds: float):
        self.models_, self._create, self._clock, self._seconds = (
            client.models_, client.chat.completions.create, clock, seconds)
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))

    def create(self, **request: Any) -> Any:
        """The client's answer."""
        self._clock.now += self._seconds
        return self._create(**request)


class TimedLater(Timed):
    """The same, to be awaited."""

    async def create(self, **request: Any) -> Any:
        """The client's answer."""
        return super().create(**request)


async def rehearse(make_memory: Callable[..., FoldingMemory], texts: Sequence[str], client: Any, *, background: bool,
                   reply: float = 1.0, summary: float = 8.0, pause: float = 4.0) -> list[Waited]:
    """How long each turn of a chat waits.

    make_memory: called with client=..., gives an empty memory that folds.  texts: what the user says, turn by turn.
    client: a plain one; it answers and it summarises.  background: fold beside the turns (AsyncChatSession), or in them
    (ChatSession).  reply, summary: seconds that one call takes.  pause: seconds that the user reads and types.
    A fold that ends in the middle of a turn counts from the next turn on.  Deterministic.  Keeps nothing in a store.
    """
    clock = SimpleNamespace(now=0.0)
    if background:
        return await _beside(make_memory(client=client), texts, TimedLater(client, clock, reply), clock, summary, pause)
    memory, waited = make_memory(client=Timed(client, clock, summary)), []
    session = ChatSession(memory, Timed(client, clock, reply))
    for text in texts:
        start, folds = clock.now, len(memory.compactions)
        session.send(text)
        waited.append(Waited(clock.now - start, memory.states.count("dropped"), len(memory.compactions) > folds))
        clock.now += pause
    return waited


async def _beside(memory: FoldingMemory, texts: Sequence[str], client: TimedLater, clock: SimpleNamespace,
                  summary: float, pause: float) -> list[Waited]:
    due: list[tuple[float, asyncio.Event]] = []

    async def run(fold: Fold) -> None:
        fold.run(memory.client)  # its words hang on what it read alone, so they may as well be written now
        due.append((clock.now + summary * fold.calls, asyncio.Event()))
        await due[-1][1].wait()

    async def end(until: float) -> None:
        while due and due[0][0] <= until:
            taken = len(memory.compactions)
            due.pop(0)[1].set()
            while len(memory.compactions) == taken:  # apply() always leaves its record
                await asyncio.sleep(0)

    waited = []
    async with AsyncChatSession(memory, client, run=run) as session:
        for text in texts:
            await end(clock.now)
            start = clock.now
            await session.send(text)
            await asyncio.sleep(0)  # a fold that has become due begins
            waited.append(Waited(clock.now - start, memory.states.count("dropped"), bool(due)))
            clock.now += pause
        while due:
            await end(due[0][0])
            await asyncio.sleep(0)
    return waited
