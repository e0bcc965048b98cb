"""A memory and its log in a store, kept in step: what is written when, who else wrote, what a restart brings back.

What touches the store is a generator that yields each operation and is sent its result.  So the same steps serve a
session that waits (chat.py) and one that awaits (background.py), and only the driver touches a thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from datetime import datetime
from functools import partial
from typing import Any

from ..errors import MemoryLabError, VersionError
from ..memory import BaseMemory
from ..messages import text_of
from ..stores import Saved, Store
from .scratchpad import Scratchpad
from .talk import Talk, unfolded

Steps = Generator[Callable[[], Any], Any, Any]


class Keeper(Talk):
    """A Talk whose log a store keeps.  scratchpad: saved with it.  version: of the store when it was last in step."""

    def __init__(self, memory: BaseMemory, store: Store | None, session_id: str, *,
                 mask: Callable[[str], str] | None = None, clock: Callable[[], datetime] | None = None):
        super().__init__(memory, mask=mask, clock=clock)
        self.store, self.session_id = store, session_id
        self.scratchpad = Scratchpad()
        self.version = 0
        self._saved: Any = None  # the mark of the state that the store has
        self._unsure = False     # an append broke off, and may have happened all the same

    def opening(self) -> Steps:
        """Bring back what the store has."""
        if self.store is None:
            return
        saved, kept = yield from self._load()
        if saved.version == 0 and self.memory.times:  # a talk that began without a store
            self.pending = list(zip(self.memory.log, self.memory.times, strict=True))
        else:
            self._rebuild(saved, kept)
        self.notices += saved.notices
        if saved.messages:
            self.notices.append(self._restored())

    def _load(self) -> Steps:
        saved = yield partial(self.store.load, self.session_id)
        kept = yield partial(self.store.load_state, self.session_id)
        return saved, kept

    def _rebuild(self, saved: Saved, kept: tuple[dict[str, Any], int] | None) -> None:
        """The memory as its log and the saved state make it, under the limits that it has today."""
        pairs = list(zip(saved.messages, saved.times, strict=True))
        known = kept[1] - saved.first if kept else 0
        state = self._usable(kept[0] if kept and 0 <= known <= len(pairs) else None)
        self.memory.clear()
        if state is not None:
            # restore() brings what a model made of these, so none may be asked again
            put = getattr(self.memory, "append", None) or partial(BaseMemory.add, self.memory)
            try:
                for message, at in pairs[:known]:
                    put(message, at=at)
                self.memory.restore(state)
            except (MemoryLabError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
                self.notices.append(f"the saved state cannot be used ({error}); the messages are all here")
                self.memory.clear()
                state = None
        with unfolded(self.memory):
            for message, at in pairs[known if state is not None else 0:]:
                self.memory.add(message, at=at)
        self.version, self._saved = saved.version, self._mark()
        last = saved.messages[-1] if saved.messages else {"role": ""}
        self.asked = text_of(last) if last["role"] == "user" else None

    def _usable(self, state: dict[str, Any] | None) -> dict[str, Any] | None:
        if not isinstance(state, dict):
            return None
        self.scratchpad.restore(state.get("scratchpad") or {})
        if state.get("memory") is None or not hasattr(self.memory, "restore"):
            return None
        if state.get("strategy") != type(self.memory).__name__:
            self.notices.append(f"the saved state is of a {state.get('strategy')}, this is a "
                                f"{type(self.memory).__name__}: the messages are all here, the state is not used")
            return None
        return state["memory"]

    def _restored(self) -> str:
        try:
            states = Counter(self.memory.states)
        except MemoryLabError as error:
            return f"restored {len(self.memory.times)} messages; {error}"
        counts = [f"{states[word]} {word}" for word in ("kept", "clipped", "summarised", "dropped", "pending")
                  if states[word]]
        return f"restored {len(self.memory.times)} messages: {', '.join(counts)}"

    def saving(self, *, last: bool = False) -> Steps:
        """Write what is pending, then the derived state.  Raises StoreError; what is pending stays so then.

        The state is written after a compaction, not after each turn: the log brings back the rest.  last: write it in
        any case, so that the next start has nothing to derive again.
        """
        if self.store is None:
            self.pending.clear()
            return
        while self.pending:
            batch, unsure, self._unsure = list(self.pending), self._unsure, True
            try:
                version = yield partial(self.store.append, self.session_id, [message for message, _ in batch],
                                        self.version, times=[at for _, at in batch])
            except VersionError:
                yield from self._catch_up(unsure)
                self._unsure = False
                continue
            self.version, self._unsure = version, False
            del self.pending[:len(batch)]
        mark = self._mark()
        if mark != self._saved or (last and self.version and hasattr(self.memory, "state")):
            try:
                yield partial(self.store.save_state, self.session_id, self._state(), self.version)
            except VersionError:  # another process is ahead of us; the next append says so, and brings its state
                return
            self._saved = mark

    def _state(self) -> dict[str, Any]:
        memory = self.memory
        return {"strategy": type(memory).__name__, "memory": memory.state() if hasattr(memory, "state") else None,
                "scratchpad": self.scratchpad.state()}

    def _mark(self) -> tuple:
        """Changes whenever the derived state does, in a way that the log alone would not bring back."""
        return len(self.memory.compactions), getattr(self.memory, "_generation", 0), self.scratchpad.changes

    def _catch_up(self, unsure: bool) -> Steps:
        """The store is at another version: read what is there, and put what is pending behind it."""
        saved, kept = yield from self._load()
        new = saved.messages[self.version - saved.first:] if self.version >= saved.first else None
        ours = [message for message, _ in self.pending[:len(new or ())]]
        if unsure and new and new == ours:  # the append that seemed to fail had happened
            self.version = saved.version
            del self.pending[:len(new)]
            return
        asked = self.asked
        self._rebuild(saved, kept)
        with unfolded(self.memory):
            for message, at in self.pending:
                self.memory.add(message, at=at)
        self.asked = asked
        what = "cleared it" if new is None else f"added {len(new)} messages"
        self.notices.append(f"another process has written to the session: it {what}")

    def clearing(self) -> Steps:
        """Empty store, memory and scratchpad.  Raises StoreError, and leaves all as it is, if the store cannot."""
        if self.store is not None:
            self.version = yield partial(self.store.clear, self.session_id)
        self.memory.clear()
        self.scratchpad.clear()
        self.pending.clear()
        self.asked, self._saved, self._unsure = None, self._mark(), False
