"""Notes of a session, beside its conversation: what an application wants to find again and the model need not see."""

from __future__ import annotations

import json
from typing import Any

from ..errors import SettingError


class Scratchpad:
    """Named JSON values, saved with the session.  Source: 003, the scratchpad of a working memory.

    >>> pad = Scratchpad()
    >>> pad.store("step", 2)
    >>> pad.get("step"), pad.get("owner", "nobody")
    (2, 'nobody')
    """

    def __init__(self):
        self._notes: dict[str, str] = {}
        self.changes = 0

    def store(self, key: str, value: Any) -> None:
        """Keep a value under a key.  Raises SettingError for what is not JSON."""
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise SettingError(f"scratchpad value {key!r}: {error}; store JSON values alone") from error
        if not isinstance(key, str):
            raise SettingError(f"scratchpad key {key!r} is not text")
        self._notes[key] = text  # as text: nothing that the caller does to the value later changes the note
        self.changes += 1

    def get(self, key: str, default: Any = None) -> Any:
        """The value under the key, as a fresh copy, else the default."""
        return json.loads(self._notes[key]) if key in self._notes else default

    def clear(self) -> None:
        """No notes."""
        self._notes = {}
        self.changes += 1

    def state(self) -> dict[str, Any]:
        """All notes, as JSON values."""
        return {key: json.loads(text) for key, text in self._notes.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Put a state() back."""
        self._notes = {key: json.dumps(value) for key, value in state.items()}
