"""ChatSession: a memory, a client and a store, one turn at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from ..client import complete, stream
from ..errors import SettingError, StoreError
from ..memory import BaseMemory
from ..messages import Message, assistant, text_of
from ..stores import Store, check_session_id
from .front import Front
from .keeper import Keeper, Steps


def run(steps: Steps) -> Any:
    """What the steps return, each operation done here and now."""
    result, error = None, None
    try:
        while True:
            operation = steps.throw(error) if error else steps.send(result)
            result, error = None, None
            try:
                result = operation()
            except StoreError as raised:
                error = raised
    except StopIteration as end:
        return end.value


class ChatSession(Front):
    """A chat that is written down as it goes on, and goes on after a restart.

    memory: any memory; it is emptied and filled from the store.  client: of memory_lab.client.connect, or any OpenAI
    client; many sessions may share it.  store: None keeps nothing.  model: default client.models_.chat.
    max_retries: how often the client tries again, with its own back-off, on rate limits and server errors (default: as
    the client is set).  mask: what is done to every text before it is remembered (memory_lab.masking.mask); the model
    sees the masked text too.  clock: gives the time of each message (default: none is kept).
    The user's message is stored before the model is asked and the reply when it is there.  A store that fails stops no
    turn: .notices says so, .unsaved counts what waits, and each later turn, or save(), tries again.
    One turn at a time: a second thread waits.  The memory folds inside a turn; AsyncChatSession does it beside.
    Raises StoreError if the store cannot be read at the start; in a turn the client's own errors.
    """

    def __init__(self, memory: BaseMemory, client: Any, store: Store | None = None, session_id: str = "default", *,
                 model: str | None = None, max_retries: int | None = None,
                 mask: Callable[[str], str] | None = None, clock: Callable[[], datetime] | None = None):
        self.session_id = check_session_id(session_id)
        self.client, self.store, self.model = retrying(client, max_retries), store, model
        self._keeper = Keeper(memory, store, session_id, mask=mask, clock=clock)
        self._lock, self._owner = threading.Lock(), 0
        run(self._keeper.opening())

    @property
    def asked(self) -> str | None:
        """The user's text that has no answer yet; send() it again to retry."""
        return self._keeper.asked

    @contextmanager
    def _turn(self) -> Iterator[Keeper]:
        if self._owner == threading.get_ident():
            raise SettingError("a stream of this session is still open: read it to its end, or close() it")
        with self._lock:
            self._owner = threading.get_ident()
            try:
                yield self._keeper
            finally:
                self._owner = 0

    def send(self, text: str, **options: Any) -> str:
        """The reply's text.  options: what client.chat.completions.create takes.

        If it raises, the user's message is kept; send the same text again and it is not doubled.
        """
        with self._turn() as keeper:
            keeper.say(text)
            return text_of(self._reply(keeper, options))

    def add(self, message: Message) -> None:
        """Take a message in without asking the model: a tool's result, an instruction."""
        with self._turn() as keeper:
            keeper.add(message)
            self._save(keeper)

    def reply(self, **options: Any) -> Message:
        """The model's next message, taken in: for tools, where it may be calls."""
        with self._turn() as keeper:
            return self._reply(keeper, options)

    def _reply(self, keeper: Keeper, options: dict[str, Any]) -> Message:
        self._save(keeper)
        try:
            message = complete(self.client, keeper.context(), model=self.model, **options)
        except Exception as error:
            if not keeper.shrink(error):
                raise
            message = complete(self.client, keeper.context(), model=self.model, **options)
        keeper.hear(message)
        self._save(keeper)
        return message

    def stream(self, text: str, **options: Any) -> Iterator[str]:
        """The reply's text in pieces, as they come.

        Whether the reader stops (close() the iterator, or Ctrl-C) or the connection breaks: what came is kept, with
        INTERRUPTED behind it.  After an error the same text can be sent again and is not doubled.
        """
        with self._turn() as keeper:
            keeper.say(text)
            self._save(keeper)
            pieces: list[str] = []
            try:
                for piece in self._pieces(keeper, options):
                    pieces.append(piece)
                    yield piece
            except BaseException as error:
                keeper.hear_part("".join(pieces), wanted=not isinstance(error, Exception))
                self._save(keeper)
                raise
            keeper.hear(assistant("".join(pieces)))
            self._save(keeper)

    def _pieces(self, keeper: Keeper, options: dict[str, Any]) -> Iterator[str]:
        try:
            yield from stream(self.client, keeper.context(), model=self.model, **options)
        except Exception as error:
            if not keeper.shrink(error):  # it is refused before the first piece
                raise
            yield from stream(self.client, keeper.context(), model=self.model, **options)

    def clear(self) -> None:
        """Empty again: memory, scratchpad and what the store has.  If the store cannot, all stays: StoreError."""
        with self._turn() as keeper:
            run(keeper.clearing())

    def undo(self) -> bool:
        """Whether the memory's last compaction was taken back."""
        with self._turn() as keeper:
            done = hasattr(keeper.memory, "undo") and keeper.memory.undo()
            self._save(keeper)
            return done

    def save(self) -> None:
        """Write what waits.  Raises StoreError if the store cannot; it waits on then."""
        with self._turn() as keeper:
            run(keeper.saving(last=True))

    def _save(self, keeper: Keeper) -> None:
        try:
            run(keeper.saving())
        except StoreError as error:
            note_unsaved(keeper, error)

    def __enter__(self) -> ChatSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.save()


def note_unsaved(keeper: Keeper, error: StoreError) -> None:
    """Say once what could not be saved; the number of messages is the session's .unsaved."""
    notice = f"not saved yet: {error}"
    if not keeper.notices or keeper.notices[-1] != notice:
        keeper.notices.append(notice)


def retrying(client: Any, max_retries: int | None) -> Any:
    """The client with that many retries of its own; the names of its models go along."""
    if max_retries is None:
        return client
    changed = client.with_options(max_retries=max_retries)
    if hasattr(client, "models_"):
        changed.models_ = client.models_
    return changed
