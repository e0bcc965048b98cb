"""Folding: how a memory that compresses puts old messages into other words, and what it can say about it afterwards.

    plan()            which messages are due, as a Fold; changes nothing
    fold.run(client)  the model's work; may take seconds, may fail, touches no memory
    apply(fold)       puts the result in place, if what it builds on is still there (compare and swap)

add() runs the three in turn; a service can run them apart (session.py).  FoldingMemory knows when and what; how the
words are written is its subclass's matter (summary.py, hierarchy.py).  Chapter 5.

Copy with: the base, window.py, compaction.py.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from .compaction import Compaction, Fold
from .errors import SettingError, TokenLimitError, whole
from .memory import BaseMemory, View
from .messages import Message, copy_message
from .outline import Unit
from .tokens import TokenCounter
from .window import fit


@dataclass
class _Progress:
    first: int = 0                                  # the first turn that has uncovered units
    inside: set[int] = field(default_factory=set)   # covered units in that turn and behind it, by their first index
    covered: list[int] = field(default_factory=list)  # log indices, in the order in which they were folded


class FoldingMemory(BaseMemory):
    """A memory that folds what its window would drop, before it is dropped.

    A fold is due when at least trigger_messages messages and trigger_tokens tokens stand outside the folded text, or
    when token_limit would otherwise drop or clip something that is not folded yet.  It takes the oldest turns until at
    most target_tokens are left (default: half the trigger), so that the next one is that far away.  The newest question
    and the newest unit stay as they are.  After a fold that failed, or undo(), nothing is folded until as many tokens
    are new; meanwhile the view trims.  Cost: O(context) a turn, and the model calls in .compactions.
    """

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, summary_limit: int = 500,
                 trigger_tokens: int = 3000, trigger_messages: int = 20, target_tokens: int | None = None,
                 count: TokenCounter | None = None, client: Any = None):
        self.token_limit = whole("token_limit", token_limit, 0)
        self.summary_limit = whole("summary_limit", summary_limit, 0)
        self.trigger_tokens = whole("trigger_tokens", trigger_tokens, 1)
        self.trigger_messages = whole("trigger_messages", trigger_messages, 0)
        self.target_tokens = whole("target_tokens", trigger_tokens // 2 if target_tokens is None else target_tokens, 0)
        if self.target_tokens >= self.trigger_tokens:
            raise SettingError(f"target_tokens {self.target_tokens} is not below trigger_tokens {self.trigger_tokens}: "
                               "a fold would be due again at once")
        self._generation = 0
        super().__init__(system, count=count, client=client)

    # What a subclass says: its text, how to write it, where to put it.

    def derived(self) -> str:
        """The text that goes out behind the instructions, under its heading; "" for none."""
        raise NotImplementedError

    def _fold(self, covers: tuple[int, ...]) -> Fold:
        raise NotImplementedError

    def _put(self, fold: Fold) -> None:
        raise NotImplementedError

    content: Any  # what undo() and restore() bring back: JSON values, replaced and never changed in place

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        self._progress = _Progress()
        self._generation += 1  # a fold that was planned before is of no use now
        self._hold = self._logged = 0
        self._undo: list[list[Any]] = []

    def add(self, message: Message, *, at: datetime | None = None) -> None:
        """Append one message, then fold if that is due.  Never raises for a fault of the model."""
        super().add(message, at=at)
        self._logged += self._tokens[-1]
        self._advance()
        fold = self.plan()
        if fold is not None:
            fold.run(None if fold.light else self.client)
            self.apply(fold)

    def _view(self) -> View:
        derived, progress = self.derived(), self._progress
        if derived:
            try:
                view = fit(self, self.token_limit, derived=derived, first=progress.first, skip=progress.inside)
            except TokenLimitError:
                return fit(self, self.token_limit)  # no room for it beside the newest words: trim as a window does
            view.covered = progress.covered
            return view
        return fit(self, self.token_limit, first=progress.first, skip=progress.inside)

    def plan(self) -> Fold | None:
        """The work that is due now, or None.  Changes nothing, calls nothing.  Cost: O(what is not folded yet)."""
        if self._logged < self._hold:
            return None
        waiting = self._waiting()
        try:
            view = self.view()
        except TokenLimitError:
            return None  # messages() will say what does not fit; a fold would not help
        sent = set(view.kept) - view.clips.keys()
        lost = any(unit.indices[0] not in sent or unit.indices[-1] not in sent for _, unit in waiting)
        tokens = sum(unit.tokens for _, unit in waiting)
        number = sum(len(unit.indices) for _, unit in waiting)
        if not lost and not self._due(waiting, number, tokens):
            return None
        chosen = self._choose(waiting, tokens, self._target() if lost else self.target_tokens)
        covers = tuple(index for unit in chosen for index in unit.indices)
        return self._fold(covers) if covers else None

    def _due(self, waiting: list[tuple[int, Unit]], messages: int, tokens: int) -> bool:
        return messages >= self.trigger_messages and tokens >= self.trigger_tokens

    def _room(self) -> int:
        """Tokens for turns when the folded text is as long as it may be."""
        return self.token_limit - self.front_tokens() - self.summary_limit

    def _target(self) -> int:
        return min(self.target_tokens, max(0, self._room() // 2))

    def _waiting(self) -> list[tuple[int, Unit]]:
        """(turn, unit) for all that may be sent and is not covered."""
        turns, progress = self.outline.turns, self._progress
        return [(number, unit) for number in range(progress.first, len(turns)) for unit in turns[number].complete()
                if unit.indices[0] not in progress.inside]

    def _choose(self, waiting: list[tuple[int, Unit]], tokens: int, target: int) -> list[Unit]:
        """The oldest units down to the target, whole turns first; in the newest turn only what has no room."""
        newest = len(self.outline.turns) - 1
        chosen, number = [], None
        for turn, unit in waiting:
            if turn == newest or (turn != number and tokens <= target):
                break
            number = turn
            chosen.append(unit)
            tokens -= unit.tokens
        if tokens <= self._room():
            return chosen
        units = self.outline.turns[-1].complete()
        ends = (units[self.outline.turns[-1].users - 1], units[-1])
        own = [unit for turn, unit in waiting if turn == newest]
        for unit in [unit for unit in own if unit not in ends]:
            if tokens <= target:
                break
            chosen.append(unit)
            tokens -= unit.tokens
        if tokens > self._room():  # they go out clipped, so what the clip leaves out is folded too
            chosen += [unit for unit in own if unit in ends]
        return chosen

    def apply(self, fold: Fold) -> bool:
        """Whether the fold was put in place; the record in .compactions says why it was not.

        Refused: a fold planned on another state of the memory, one whose run failed, a text that is empty, over its
        limit, or not shorter than what it replaces.
        """
        if fold.text is None and fold.error is None:
            raise SettingError("this fold was not run; call fold.run(client) first")
        before = sum(self._tokens[index] for index in fold.covers if index < len(self._tokens))
        before += self.count.text(fold.previous)
        after = self.count.text(fold.text or "")
        stale = fold.generation != self._generation
        error = "stale: the memory was folded, undone or cleared meanwhile" if stale else fold.error
        if error is None:
            error = self._refuses(fold, before, after)
        self.compactions.append(Compaction(
            fold.covers, fold.before, fold.previous if error else fold.text, before, after, fold.calls, fold.tokens,
            error, fold.light))
        if error is not None:
            if not stale:
                self._wait()
            return False
        progress = self._progress
        self._undo.append([progress.first, sorted(progress.inside), len(progress.covered), self.content,
                           len(self.compactions) - 1])
        self._put(fold)
        if not fold.again:
            self._progress.covered += fold.covers
            self._progress.inside.update(fold.covers)
            self._advance()
        self._changed()
        return True

    def _refuses(self, fold: Fold, before: int, after: int) -> str | None:
        if not fold.text.strip():
            return "the text is empty"
        if after > self.summary_limit:
            return f"the text has {after} tokens, summary_limit is {self.summary_limit}"
        return f"the text does not shrink: {before} tokens became {after}" if after >= before else None

    def undo(self) -> bool:
        """Whether there was a fold to take back.  Its messages stand in the view again, as far as there is room, until
        new text passes the trigger."""
        if not self._undo:
            return False
        first, inside, length, self.content, record = self._undo.pop()
        del self._progress.covered[length:]
        self._progress.first, self._progress.inside = first, set(inside)
        self.compactions[record] = replace(self.compactions[record], error="undone")
        self._wait()
        self._changed()
        return True

    def _wait(self) -> None:
        self._hold = self._logged + max(1, min(self.trigger_tokens, max(1, self._room())) - self._target())

    def _changed(self) -> None:
        self._generation += 1
        self._seen = None

    def _advance(self) -> None:
        """Step over old turns that are covered to their end."""
        turns, progress = self.outline.turns, self._progress
        while progress.first < len(turns) - 1:
            own = [index for unit in turns[progress.first].complete() for index in unit.indices]
            if not progress.inside.issuperset(own):
                return
            progress.inside.difference_update(own)
            progress.first += 1

    def state(self) -> dict[str, Any]:
        """All but the log, as JSON values: restore() brings it back beside a log that was fed again."""
        progress = self._progress
        return {"content": self.content, "covered": list(progress.covered), "first": progress.first,
                "inside": sorted(progress.inside), "hold": self._hold, "undo": copy_message(self._undo),
                "compactions": [asdict(record) | {"covers": list(record.covers)} for record in self.compactions]}

    def restore(self, state: dict[str, Any]) -> None:
        """Put a state() back.  Raises SettingError if it speaks of messages that the log does not have."""
        covered = state["covered"]
        if covered and max(covered) >= len(self._log):
            raise SettingError(f"the state covers message {max(covered)}, the log has {len(self._log)}: feed it first")
        self._progress = _Progress(state["first"], set(state["inside"]), list(covered))
        self.content, self._hold, self._undo = state["content"], state["hold"], copy_message(state["undo"])
        self.compactions = [Compaction(**(record | {"covers": tuple(record["covers"])}))
                            for record in state["compactions"]]
        self._changed()
