"""AsyncChatSession: the same chat for asyncio, with folding beside the turns instead of in them.

The race that it must not lose: a summary takes seconds, and turns go on meanwhile.  A fold is a snapshot of what it
covers; the memory takes the result only if it was not folded, undone or cleared since (compare and swap), and whatever
was added meanwhile stands behind what the fold covers.  Source: 001, and openai-agents' compaction session.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from ..client import _body, _model, as_message
from ..compaction import Fold
from ..errors import ModelOutputError, StoreError
from ..folding import FoldingMemory
from ..memory import BaseMemory
from ..messages import Message, assistant, text_of
from ..stores import Store, check_session_id
from .chat import note_unsaved, retrying
from .front import Front
from .keeper import Keeper, Steps


class AsyncChatSession(Front):
    """A chat for asyncio: turns never wait for a summary, neither here nor in another session.

    client: of memory_lab.client.connect_async, or any AsyncOpenAI client.  The memory folds through its own client, a
    plain one, in a thread; one fold of a session at a time.  run: what does the folding work, an async function of the
    Fold (default: fold.run in a thread).  The rest as in ChatSession; what the store has is read at the first turn.
    All of a session's calls belong to one event loop.  aclose(), or the end of `async with`, waits for the fold.
    """

    def __init__(self, memory: BaseMemory, client: Any, store: Store | None = None, session_id: str = "default", *,
                 model: str | None = None, max_retries: int | None = None, mask: Callable[[str], str] | None = None,
                 clock: Callable[[], datetime] | None = None, run: Callable[[Fold], Awaitable[None]] | None = None):
        self.session_id = check_session_id(session_id)
        self.client, self.model = retrying(client, max_retries), model
        self._keeper = Keeper(memory, store, session_id, mask=mask, clock=clock)
        self._run = run or self._in_thread
        self._lock, self._store_lock = asyncio.Lock(), asyncio.Lock()
        self._opened = False
        self._folding: asyncio.Task | None = None

    # ---- turns

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[Keeper]:
        async with self._lock:
            if not self._opened:
                await self._drive(self._keeper.opening())
                self._opened = True
            yield self._keeper

    async def open(self) -> AsyncChatSession:
        """The session, with what the store has.  Raises StoreError if it cannot be read."""
        async with self._turn():
            return self

    async def send(self, text: str, **options: Any) -> str:
        """The reply's text; what ChatSession.send says holds here."""
        async with self._turn() as keeper:
            await self._take(keeper.say, text)
            return text_of(await self._reply(keeper, options))

    async def add(self, message: Message) -> None:
        """Take a message in without asking the model: a tool's result, an instruction."""
        async with self._turn() as keeper:
            await self._take(keeper.add, message)

    async def reply(self, **options: Any) -> Message:
        """The model's next message, taken in: for tools, where it may be calls."""
        async with self._turn() as keeper:
            return await self._reply(keeper, options)

    async def _reply(self, keeper: Keeper, options: dict[str, Any]) -> Message:
        try:
            message = await self._complete(keeper, options)
        except Exception as error:
            if not keeper.shrink(error):
                raise
            message = await self._complete(keeper, options)
        await self._take(keeper.hear, message)
        return message

    async def _complete(self, keeper: Keeper, options: dict[str, Any]) -> Message:
        response = await self.client.chat.completions.create(
            model=_model(self.client, self.model), **_body(keeper.context(), options))
        if not response.choices:
            raise ModelOutputError("the endpoint answered without any choice: is it an endpoint of chat completions?")
        return as_message(response.choices[0].message)

    async def stream(self, text: str, **options: Any) -> AsyncIterator[str]:
        """The reply's text in pieces; what ChatSession.stream says holds here.  Close it (aclose) if you stop early."""
        async with self._turn() as keeper:
            await self._take(keeper.say, text)
            pieces: list[str] = []
            try:
                async for piece in self._pieces(keeper, options):
                    pieces.append(piece)
                    yield piece
            except BaseException as error:
                keeper.hear_part("".join(pieces), wanted=not isinstance(error, Exception), fold=False)
                await asyncio.shield(self._save())
                raise
            await self._take(keeper.hear, assistant("".join(pieces)))

    async def _pieces(self, keeper: Keeper, options: dict[str, Any]) -> AsyncIterator[str]:
        for attempt in range(2):
            try:
                async with await self.client.chat.completions.create(
                        model=_model(self.client, self.model), stream=True,
                        **_body(keeper.context(), options)) as chunks:
                    async for chunk in chunks:
                        if chunk.choices and chunk.choices[0].delta.content:
                            yield chunk.choices[0].delta.content
                return
            except Exception as error:
                if attempt or not keeper.shrink(error):
                    raise

    async def _take(self, take: Callable[..., None], what: Any) -> None:
        """Take something in, write it down, and start folding if that is due."""
        if isinstance(self.memory, FoldingMemory):
            take(what, fold=False)
        else:
            await asyncio.to_thread(take, what)  # such a memory may ask a model here; the turn lock keeps it ours
        await self._save()
        self._fold_soon()

    # ---- folding

    def _fold_soon(self) -> None:
        if isinstance(self.memory, FoldingMemory) and (self._folding is None or self._folding.done()):
            fold = self.memory.plan()
            if fold is not None:
                self._folding = asyncio.create_task(self._fold(fold))

    async def _fold(self, fold: Fold | None) -> None:
        while fold is not None:
            await self._run(fold)
            taken = self.memory.apply(fold)  # no await between its check and its change, and all on this loop's thread
            await self._save()
            if not taken:
                return
            better = getattr(self.memory, "better", None)
            fold = self.memory.plan() or (better() if better and fold.light else None)

    async def _in_thread(self, fold: Fold) -> None:
        if fold.light:
            fold.run(None)
        else:
            await asyncio.to_thread(fold.run, self.memory.client)

    async def settled(self) -> None:
        """Nothing, when no fold is under way any more."""
        while self._folding is not None and not self._folding.done():
            await asyncio.wait([self._folding])

    # ---- the store

    async def _drive(self, steps: Steps) -> Any:
        """What the steps return, each operation done in a thread; one sequence of a session at a time."""
        async with self._store_lock:
            result, error = None, None
            try:
                while True:
                    operation = steps.throw(error) if error else steps.send(result)
                    result, error = None, None
                    try:
                        result = await asyncio.to_thread(operation)
                    except StoreError as raised:
                        error = raised
            except StopIteration as end:
                return end.value

    async def _save(self) -> None:
        try:
            await self._drive(self._keeper.saving())
        except StoreError as error:
            note_unsaved(self._keeper, error)

    async def save(self) -> None:
        """Write what waits.  Raises StoreError if the store cannot; it waits on then."""
        async with self._turn() as keeper:
            await self._drive(keeper.saving(last=True))

    async def clear(self) -> None:
        """Empty again: memory, scratchpad and what the store has.  A fold under way comes to nothing."""
        async with self._turn() as keeper:
            await self._drive(keeper.clearing())

    async def undo(self) -> bool:
        """Whether the memory's last compaction was taken back."""
        async with self._turn() as keeper:
            done = hasattr(keeper.memory, "undo") and keeper.memory.undo()
            await self._save()
            return done

    async def aclose(self) -> None:
        """Wait for the fold that is under way, then write what waits."""
        await self.settled()
        await self.save()

    async def __aenter__(self) -> AsyncChatSession:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
