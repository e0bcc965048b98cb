"""What every session shows of its keeper, whether its turns are awaited or not."""

from __future__ import annotations

from ..memory import BaseMemory
from .keeper import Keeper
from .scratchpad import Scratchpad


class Front:
    """The session's memory, notes and notices, read off its keeper."""

    _keeper: Keeper

    @property
    def memory(self) -> BaseMemory:
        """The session's memory, to look into."""
        return self._keeper.memory

    @property
    def scratchpad(self) -> Scratchpad:
        """Notes that the model does not see: store(), get(), clear()."""
        return self._keeper.scratchpad

    @property
    def notices(self) -> list[str]:
        """What a user should know: what was restored and trimmed, what could not be saved."""
        return self._keeper.notices

    @property
    def unsaved(self) -> int:
        """How many messages wait for the store."""
        return len(self._keeper.pending)
