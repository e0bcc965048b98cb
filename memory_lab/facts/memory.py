"""A memory that sends what the user stated, by subject and attribute, and behind it the newest turns that fit.

Copy with: the folder facts/, the base, window.py, compaction.py.  Chapter 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ..compaction import Compaction
from ..errors import LogError, SettingError, TokenLimitError, whole
from ..memory import BaseMemory, View
from ..messages import Message, copy_message, text_of
from ..outline import Turn
from ..tokens import TokenCounter
from ..window import fit
from .extract import extract_model
from .fact import Fact, Retraction
from .rules import extract_rules
from .table import FactTable

CLIPPED_RESULT = 60  # tokens: room that a clipped tool result keeps for its mark and some of its ends
Extractor = Callable[[Message, int], Iterable[Fact | Retraction]]


class FactTableMemory(BaseMemory):
    """Facts in the system message, taken from every user message, then the newest whole turns that fit.

    token_limit: tokens of the whole context.  facts_limit: tokens of the facts' block at most.  max_facts: how many may
    be current.  Where the block has no room, the facts of the least kind go first (fact.KINDS), of a kind the oldest,
    of prohibitions and allergies the newest; they stay in .table.  The newest question and its answer's last unit come
    before the facts; a tool result is clipped before a fact goes.
    extractor: "rules" (no model), "model" (one call for batch user messages, sooner if one would leave the window), or
    a function of (message, index) that gives Facts and Retractions.
    .table has the facts, .refused what could not be proved from the user's words, with why; .compactions one record
    for each model call.  A failed call is tried once more with the next batch; then the rules read those messages.
    Cost: rules, about a tenth of a millisecond a sentence.  The block is encoded when it changes, not each turn.
    Forgets what no extractor recognised once it leaves the window.
    """

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, facts_limit: int = 400,
                 max_facts: int = 50, extractor: str | Extractor = "rules", batch: int = 5,
                 count: TokenCounter | None = None, client: Any = None):
        if extractor not in ("rules", "model") and not callable(extractor):
            raise SettingError(f"extractor is {extractor!r}; take 'rules', 'model', or a function of (message, index)")
        self.token_limit = whole("token_limit", token_limit, 0)
        self.facts_limit = whole("facts_limit", facts_limit, 0)
        self.max_facts = whole("max_facts", max_facts, 0)
        self.batch = whole("batch", batch, 1)
        self.extractor = extractor
        super().__init__(system, count=count, client=client)

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        self.table = FactTable(max_facts=self.max_facts)
        self.refused: list[tuple[Any, str]] = []
        self._waiting: list[int] = []  # user messages that the model has not read yet
        self._failed = 0               # how many of them, from the oldest, a call has failed on already
        self._blocks: dict[str, int] = {}  # tokens of each block that was tried, so that none is encoded twice

    def add(self, message: Message, *, at: datetime | None = None) -> None:
        """Append one message, and take its facts if it is a user's.  No fault of an extractor is raised."""
        super().add(message, at=at)
        index = len(self._log) - 1
        if message["role"] == "user":
            if self.extractor == "model":
                self._waiting.append(index)
            else:
                self._take(self._read(index))
        if self.extractor == "model" and self._waiting and self._due():
            self._ask()

    def _read(self, index: int) -> list[Fact | Retraction]:
        if not callable(self.extractor):
            return extract_rules(self._log[index], index)
        try:
            return list(self.extractor(copy_message(self._log[index]), index))
        except Exception as error:
            self._record([index], 0, 0, f"{type(error).__name__}: {error}")
            return []

    def _take(self, changes: Iterable[Fact | Retraction]) -> None:
        """Apply what an extractor found, if the log proves it."""
        for change in changes:
            problem = self._problem(change)
            if problem:
                self.refused.append((change, problem))
            elif self.table.apply(change):
                self._seen = None

    def _problem(self, change: Any) -> str | None:
        if not isinstance(change, Fact | Retraction):
            return f"{type(change).__name__} is neither a Fact nor a Retraction"
        if change.source >= len(self._log) or self._log[change.source]["role"] != "user":
            return f"message {change.source} is not a user's: only what a user states is a fact about the user"
        if change.quote not in text_of(self._log[change.source]):
            return f"the quote is not in message {change.source}"
        return None

    def _due(self) -> bool:
        fresh = len(self._waiting) - self._failed
        if fresh >= self.batch:
            return True
        if self._failed:
            return False  # a fault waits for the next batch; asking at each message would pay for each
        try:
            view = self.view()
        except TokenLimitError:
            return False
        return self._waiting[0] not in view.kept or self._waiting[0] in view.clips

    def _ask(self) -> None:
        waiting = self._waiting
        found = extract_model(self.client, [(index, self._log[index]) for index in waiting], self.table)
        self.refused += found.refused
        self._record(waiting, found.model_calls, found.model_tokens, found.error, found.changes)
        if found.error is None:
            self._take(found.changes)
            self._waiting, self._failed = [], 0
            return
        for index in waiting[:self._failed]:  # twice in vain: better the rules than nothing
            self._take(extract_rules(self._log[index], index))
        self._waiting = waiting[self._failed:]
        self._failed = len(self._waiting)

    def _record(self, covers: list[int], calls: int, tokens: int, error: str | None, changes=()) -> None:
        before = "\n".join(text_of(self._log[index]) for index in covers)
        after = "\n".join(change.quote for change in changes)
        self.compactions.append(Compaction(tuple(covers), before, after, self.count.text(before),
                                           self.count.text(after) if after else 0, calls, tokens, error))

    def _view(self) -> View:
        lines, turns = self.table.lines(), self.outline.turns
        if not lines or not turns:
            return fit(self, self.token_limit)
        for room in self._rooms(turns[-1]):
            block = self.table.render(limit=min(self.facts_limit, room), count=self._block_tokens)
            if not block:
                break
            try:
                return fit(self, self.token_limit, derived=block)
            except TokenLimitError:
                continue
        return fit(self, self.token_limit)

    def _rooms(self, turn: Turn) -> Iterator[int]:
        """What the facts may take: all that the newest question leaves whole; less if that is still too much."""
        units, left = turn.complete(), self.token_limit - self.front_tokens()
        asked, last = units[turn.users - 1], units[-1]
        left -= asked.tokens
        if last is not asked:
            left -= min(last.tokens, self._tokens[last.indices[0]] + CLIPPED_RESULT * (len(last.indices) - 1))
        yield left
        yield left // 2

    def _block_tokens(self, text: str) -> int:
        if text not in self._blocks:
            if len(self._blocks) > 200:
                self._blocks.clear()
            self._blocks[text] = self.count.text(text)
        return self._blocks[text]

    def state(self) -> dict[str, Any]:
        """All but the log, as JSON values."""
        return {"table": self.table.state(), "waiting": list(self._waiting), "failed": self._failed,
                "refused": [[str(item), why] for item, why in self.refused],
                "compactions": [asdict(record) | {"covers": list(record.covers)} for record in self.compactions]}

    def restore(self, state: dict[str, Any]) -> None:
        """Put a state() back, beside a log that was added again.  Raises LogError for what is no such state."""
        try:
            table = FactTable.from_state(state["table"])
            records = [Compaction(**record | {"covers": tuple(record["covers"])}) for record in state["compactions"]]
            waiting, failed = [int(index) for index in state["waiting"]], int(state["failed"])
            refused = [(item, why) for item, why in state["refused"]]
        except (KeyError, TypeError, ValueError) as error:
            raise LogError(f"this is no state of a FactTableMemory ({error}): pass what state() gave") from error
        if any(fact.source >= len(self._log) for fact in table._facts) or any(i >= len(self._log) for i in waiting):
            raise LogError("the state speaks of messages that the log does not have: add() the log, then restore()")
        self.table, self.compactions, self.refused = table, records, refused
        self._waiting, self._failed = waiting, failed
        self._seen = None
