"""Folding: how a memory that compresses puts old messages into other words, and what it can say about it afterwards.

    plan()            which messages are due, as a Fold; changes nothing
    fold.run(client)  the model's work; may take seconds, may fail, touches no memory
    apply(fold)       puts the result in place, if what it builds on is still there (compare and swap)

add() runs the three in turn; a service can run them apart (session.py).  FoldingMemory knows when and what; how the
words are written is its subclass's matter (summary.py, hierarchy.py).  Chapter 5.

Copy with: the base, window.py, compaction.py.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from .compaction import Compaction, Fold, Progress, oldest
from .errors import SettingError, TokenLimitError, whole
from .memory import BaseMemory, View
from .messages import Message, copy_message
from .outline import Unit
from .tokens import TokenCounter
from .window import fit

STALE = "stale: the memory was folded, undone or cleared meanwhile"
UNDOS = 10  # how many folds undo() can take back; each one kept makes a state() longer


class FoldingMemory(BaseMemory):
    """A memory that folds what its window would drop, before it is dropped.

    A fold is due when at least trigger_messages messages and trigger_tokens tokens stand outside the folded text, or
    when token_limit would otherwise drop or clip something that is not folded yet.  It takes the oldest turns until at
    most target_tokens are left (default: half the trigger), so that the next one is that far away.  The newest question
    and the newest unit stay as they are.  After a fold that failed, or undo(), nothing is folded until as many tokens
    are new; meanwhile the view trims.  summary_limit: tokens of the folded text, without its heading (default: 500, at
    most a third of token_limit; 0 never folds).  Cost: O(context) a turn, and the model calls in .compactions.
    """

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, summary_limit: int | None = None,
                 trigger_tokens: int = 3000, trigger_messages: int = 20, target_tokens: int | None = None,
                 count: TokenCounter | None = None, client: Any = None):
        self.token_limit = whole("token_limit", token_limit, 0)
        default = min(500, token_limit // 3)
        self.summary_limit = whole("summary_limit", default if summary_limit is None else summary_limit, 0)
        self.trigger_tokens = whole("trigger_tokens", trigger_tokens, 1)
        self.trigger_messages = whole("trigger_messages", trigger_messages, 0)
        self.target_tokens = whole("target_tokens", trigger_tokens // 2 if target_tokens is None else target_tokens, 0)
        if self.target_tokens >= self.trigger_tokens:
            raise SettingError(f"target_tokens {self.target_tokens} is not below trigger_tokens {self.trigger_tokens}: "
                               "a fold would be due again at once")
        self._generation = 0
        super().__init__(system, count=count, client=client)
        self._frame = self.count.message({"role": "system", "content": self.heading}) + 4  # a join may cost a token

    heading = ""  # what derived() sets its text in
    content: Any  # what undo() and restore() bring back: JSON values, replaced and never changed in place

    def derived(self) -> str:
        """The text that goes out behind the instructions, under its heading; "" for none."""
        raise NotImplementedError

    def _fold(self, covers: tuple[int, ...]) -> Fold:
        """The work of putting those messages into the text."""
        raise NotImplementedError

    def _put(self, fold: Fold) -> None:
        """Make the content anew with the text of a fold that was taken."""
        raise NotImplementedError

    def _merge(self) -> Fold | None:
        """The work on texts alone that is due."""
        return None

    def _limit(self, fold: Fold) -> int:
        """Tokens that the fold's text may have."""
        return self.summary_limit

    def _shown(self) -> list[int]:
        """The covered indices whose text is in derived()."""
        return self._progress.covered

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        self._progress = Progress()
        self._generation += 1  # a fold that was planned before is of no use now
        self._logged = 0            # tokens of all that was added
        self._held: list[int] = []  # [tokens, turns] of the log when a fold failed or was undone
        self._undo: list[list[Any]] = []
        self._sizes: dict[str, int] = {}

    def append(self, message: Message, *, at: datetime | None = None) -> None:
        """Append one message and fold nothing: to feed a log before restore(), or where plan() runs elsewhere."""
        super().add(message, at=at)
        self._logged += self._tokens[-1]
        self._progress.advance(self.outline.turns)

    def add(self, message: Message, *, at: datetime | None = None) -> None:
        """Append one message, then fold what is due.  Never raises for a fault of the model."""
        self.append(message, at=at)
        fold = self.plan()
        while fold is not None:
            fold.run(None if fold.light else lambda: self.client)
            fold = self._merge() if self.apply(fold) else None

    def _view(self) -> View:
        derived, progress = self.derived(), self._progress
        if derived:
            try:
                view = fit(self, self.token_limit, derived=derived, first=progress.first, skip=progress.inside)
            except TokenLimitError:
                return fit(self, self.token_limit)  # no room for it beside the newest words: trim as a window does
            view.covered = self._shown()
            return view
        return fit(self, self.token_limit)

    def plan(self) -> Fold | None:
        """The work that is due now, or None.  Changes nothing, calls nothing.  Cost: O(what is not folded yet)."""
        if not self._ready():
            return None
        waiting = self._progress.waiting(self.outline.turns)
        try:
            view = self.view()
        except TokenLimitError:
            return None  # messages() will say what does not fit; a fold would not help
        sent = set(view.kept) - view.clips.keys()
        lost = not all(sent.issuperset(unit.indices) for _, unit in waiting)
        tokens, fold = sum(unit.tokens for _, unit in waiting), None
        if lost or self._due_now(waiting):
            target = self._target() if lost else min(self.target_tokens, max(0, self._room()))
            covers = sorted(index for unit in self._choose(waiting, tokens, target) for index in unit.indices)
            fold = self._fold(tuple(covers)) if covers else None
        fold = fold or self._merge()
        return fold if fold and self._limit(fold) > 0 else None

    def _ready(self) -> bool:
        """Whether as much is new since a fold failed, or was undone, as parts two folds otherwise."""
        if not self._held:
            return True
        step = min(self.trigger_tokens, max(1, self._room())) - self._target()
        fresh = Progress(self._held[1]).waiting(self.outline.turns)
        return self._logged - self._held[0] >= max(1, step) or self._due_now(fresh)

    def _due_now(self, waiting: list[tuple[int, Unit]]) -> bool:
        units = [unit for _, unit in waiting]
        return self._due(waiting, sum(len(unit.indices) for unit in units), sum(unit.tokens for unit in units))

    def _due(self, waiting: list[tuple[int, Unit]], messages: int, tokens: int) -> bool:
        return messages >= self.trigger_messages and tokens >= self.trigger_tokens

    def _room(self) -> int:
        """Tokens for turns when the folded text is as long as it may be."""
        return self.token_limit - self.front_tokens() - self._frame - self.summary_limit

    def _target(self) -> int:
        return min(self.target_tokens, max(0, self._room() // 2))

    def _choose(self, waiting: list[tuple[int, Unit]], tokens: int, target: int) -> list[Unit]:
        return oldest(waiting, self.outline.turns, tokens, target, self._room())

    def apply(self, fold: Fold) -> bool:
        """Whether the fold was put in place; the record in .compactions says why it was not: it was planned on another
        state of the memory, its run failed, its text is empty, over its limit, or not shorter than what it replaces."""
        if fold.text is None and fold.error is None:
            raise SettingError("this fold was not run; call fold.run(client) first")
        read = fold.covers if fold.messages else ()
        before = self._size(fold.previous) + sum(self._tokens[i] for i in read if i < len(self._tokens))
        after = self._size(fold.text or "")
        error = STALE if fold.generation != self._generation else fold.error or self._refuses(fold, before, after)
        self.compactions.append(Compaction(
            fold.covers, fold.before, fold.before if error else fold.text, before, before if error else after,
            fold.calls, fold.tokens, error, fold.light, fold.again))
        if error is not None:
            if error != STALE and not (fold.again and fold.messages):  # a better() that failed leaves all as it was
                self._held = [self._logged, len(self.outline.turns)]
            return False
        first, inside, covered = self._progress.first, self._progress.inside, self._progress.covered
        self._undo.append([first, sorted(inside), len(covered), self.content, len(self.compactions) - 1])
        del self._undo[:-UNDOS]
        self._put(fold)
        if not fold.again:
            self._progress.cover(fold.covers, self.outline.turns)
            self._held = []
        self._changed()
        return True

    def _refuses(self, fold: Fold, before: int, after: int) -> str | None:
        if not fold.text.strip():
            return "the text is empty"
        if after > self._limit(fold):
            return f"the text has {after} tokens, its limit is {self._limit(fold)}"
        return f"the text does not shrink: {before} tokens became {after}" if after >= before else None

    def _size(self, text: str) -> int:
        """Tokens of a text that may be asked for again."""
        if text not in self._sizes:
            self._sizes[text] = self.count.text(text)
        return self._sizes[text]

    def undo(self) -> bool:
        """Whether there was a fold to take back; its messages stand in the view until new text passes the trigger."""
        if not self._undo:
            return False
        first, inside, length, self.content, record = self._undo.pop()
        self._progress = Progress(first, set(inside), self._progress.covered[:length])
        self.compactions[record] = replace(self.compactions[record], error="undone")
        self._held = [self._logged, len(self.outline.turns)]
        self._changed()
        return True

    def _changed(self) -> None:
        self._generation += 1
        self._seen = None

    def state(self) -> dict[str, Any]:
        """All but the log, as JSON values: restore() brings it back beside a log that was fed again."""
        return copy_message({
            "strategy": type(self).__name__, "content": self.content, "held": self._held, "undo": self._undo,
            "progress": [self._progress.first, sorted(self._progress.inside), self._progress.covered],
            "compactions": [asdict(record) | {"covers": list(record.covers)} for record in self.compactions]})

    def restore(self, state: dict[str, Any]) -> None:
        """Put a state() back beside its log, which append() feeds.

        Raises SettingError if it is another strategy's, or speaks of messages that the log does not have.
        """
        state = copy_message(state)
        if state["strategy"] != type(self).__name__:
            raise SettingError(f"this is the state of a {state['strategy']}, not of a {type(self).__name__}")
        first, inside, covered = state["progress"]
        if max(covered, default=-1) >= len(self._log):
            raise SettingError(f"the state covers message {max(covered)}, the log has {len(self._log)}: append() them")
        self._progress = Progress(first, set(inside), covered)
        self.content, self._held, self._undo = state["content"], state["held"], state["undo"]
        self.compactions = [Compaction(**(record | {"covers": tuple(record["covers"])}))
                            for record in state["compactions"]]
        self._changed()
