"""The fact table as a part that any memory can carry: facts by rules from the user's words, in a block of their own.

Copy with: the folder facts/, the base, window.py, compaction.py.  Chapter 8.
"""

from __future__ import annotations

from ..messages import Message
from .rules import extract_rules
from .table import FactTable


class CarriesFacts:
    """Put it in front of a memory class that sets facts_limit before its own __init__ calls clear().

    facts_limit: tokens of the block at most; 0 takes no facts.  max_facts: how many may be current.
    .table has the facts, .facts the block.  Where the block goes out is the memory's matter.  No model call; the block
    is encoded when a fact changes, not each turn.
    """

    facts_limit: int
    max_facts = 50

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        self.table = FactTable(max_facts=self.max_facts)
        self._facts: str | None = ""

    def _added(self, message: Message) -> None:
        super()._added(message)
        if self.facts_limit:
            changes = extract_rules(message, len(self._log) - 1)  # of a user's message alone
            if sum(self.table.apply(change) for change in changes):
                self._facts = None

    @property
    def facts(self) -> str:
        """The facts' block, within facts_limit; "" for none."""
        if self._facts is None:
            self._facts = self.table.render(limit=self.facts_limit, count=self.count.text)
        return self._facts

    def _restore_facts(self, table: dict) -> None:
        self.table, self._facts = FactTable.from_state(table), None
