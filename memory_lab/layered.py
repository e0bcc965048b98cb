"""Memories put together: facts, summaries and the newest messages in layers; a window that becomes a summary; and which
of all of them to take.

    LayeredMemory     the fact table, a tree of summaries for the middle, the last messages as they were said
    HybridMemory      a window while the chat is short, a running summary once it is long
    choose            a strategy for a scenario, with its reason

Chapter 8.

Copy with: the base, window.py, truncation.py, compaction.py, folding.py, summary.py, hierarchy.py; the folder facts/.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .errors import SettingError, TokenLimitError, whole
from .facts import CarriesFacts, FactTableMemory
from .hierarchy import HierarchicalSummaryMemory
from .memory import BaseMemory, View
from .outline import Unit
from .summary import SummaryMemory
from .tokens import TokenCounter
from .truncation import BufferMemory, SlidingWindowMemory
from .window import TokenWindowMemory, fit


class LayeredMemory(CarriesFacts, HierarchicalSummaryMemory):
    """Facts that the user stated, then summaries of the middle, then the newest messages as they were said.

    recent_messages: how many of the newest stay raw at least, as far as token_limit has room.  fold_messages: so many
    older ones become one summary of at most level_limits[0] tokens (source 001: 20 and 20, 200 tokens, about 15 % more
    model calls).  facts_limit, max_facts: the fact table's; rules extract, so facts cost no model call.
    What the facts leave of facts_limit, and the summaries of theirs, is the window's.  Forgets details of the middle
    that are no facts.
    """

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, recent_messages: int = 20,
                 fold_messages: int = 20, facts_limit: int = 400, max_facts: int = 50, **settings: Any):
        self.recent_messages = whole("recent_messages", recent_messages, 0)
        self.fold_messages = whole("fold_messages", fold_messages, 1)
        self.facts_limit, self.max_facts = whole("facts_limit", facts_limit, 0), whole("max_facts", max_facts, 0)
        super().__init__(system, token_limit=token_limit, **settings)

    def derived(self) -> str:
        """The facts, then the summaries, each under its heading."""
        return "\n\n".join(part for part in (self.facts, super().derived()) if part)

    def _view(self) -> View:
        progress = self._progress
        for text, folded in ((self.derived(), True), (self.facts, False)):  # facts before summaries, if room is short
            if text:
                try:
                    view = fit(self, self.token_limit, derived=text, first=progress.first if folded else 0,
                               skip=progress.inside if folded else ())
                except TokenLimitError:
                    continue
                view.covered = self._shown() if folded else ()
                return view
        return fit(self, self.token_limit)

    def _room(self) -> int:
        return super()._room() - self.facts_limit

    def _due(self, waiting: list[tuple[int, Unit]], messages: int, tokens: int) -> bool:
        return messages >= self.recent_messages + self.fold_messages

    def _choose(self, waiting: list[tuple[int, Unit]], tokens: int, target: int) -> list[Unit]:
        number = sum(len(unit.indices) for _, unit in waiting)
        if not self._due(waiting, number, tokens):
            return super()._choose(waiting, tokens, target)  # the limit asks for it
        newest, chosen, taken, last = len(self.outline.turns) - 1, [], 0, None
        for turn, unit in waiting:
            if turn == newest or (turn != last and taken >= self.fold_messages):
                break
            chosen.append(unit)
            taken += len(unit.indices)
            last = turn
        return chosen or super()._choose(waiting, tokens, target)  # one long turn holds them all

    def state(self) -> dict[str, Any]:
        """All but the log, as JSON values."""
        return super().state() | {"table": self.table.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Put a state() back beside its log."""
        self._restore_facts(state["table"])
        super().restore({key: value for key, value in state.items() if key != "table"})


class HybridMemory(SummaryMemory):
    """A window while the chat has at most window_turns turns, a running summary of the rest from then on.

    A short chat costs no model call and no summary that is longer than what it sums up (source 004: 10 turns).  When it
    is long, all but the newest half of the window is folded at once, so that the next fold is that far away.  After
    clear() it is a window again, and so after undo() of the only fold.
    """

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, window_turns: int = 10,
                 count: TokenCounter | None = None, client: Any = None, **settings: Any):
        self.window_turns = whole("window_turns", window_turns, 1)
        super().__init__(system, token_limit=token_limit, count=count, client=client, **settings)

    @property
    def mode(self) -> str:
        """"window" or "summary"."""
        return "summary" if self.summary else "window"

    def _due(self, waiting: list[tuple[int, Unit]], messages: int, tokens: int) -> bool:
        return len({turn for turn, _ in waiting}) > self.window_turns

    def _choose(self, waiting: list[tuple[int, Unit]], tokens: int, target: int) -> list[Unit]:
        if self._due(waiting, 0, tokens):
            first_kept = len(self.outline.turns) - max(1, self.window_turns // 2)
            return [unit for turn, unit in waiting if turn < first_kept]
        return super()._choose(waiting, tokens, target)


@dataclass(frozen=True)
class Choice:
    """make(system) gives the configured memory.  name: of the strategy.  reason: one sentence."""

    name: str
    make: Callable[[str | None], BaseMemory]
    reason: str


MUST_REMEMBER = ("nothing", "gist", "facts", "both")
REASONS = {
    "short": "the whole chat takes at most half of the limit: send everything; a summary of a short chat costs more "
             "than it saves",
    "window": "nothing old is needed: the cheapest window; 5 turns is what 004 measured for FAQ bots",
    "tokens": "nothing old is needed, and five turns may be over the limit: a token window never is",
    "facts": "numbers, names and prohibitions survive word for word without a model call; a summary may lose one",
    "gist": "the gist of a long chat: a window until it is long, then a running summary, so short chats cost nothing",
    "gist, low": "the gist matters and no turn may wait: rules summarise at once, better() has a model write it anew",
    "both": "facts word for word, summaries for the middle, the last messages raw: neither part does that alone",
    "both, low": "facts word for word and the gist of the middle, both by rules, so that no turn waits for a model",
}


def choose(*, turns: int, must_remember: str = "facts", token_limit: int = 3000, latency: str = "any",
           tokens_per_turn: int = 80) -> Choice:
    """A configured strategy for a scenario, and its reason.

    turns: how long a chat gets.  must_remember: "nothing" older than the window, the "gist", the "facts" (numbers,
    names, prohibitions), or "both".  token_limit: tokens of the whole context.  latency: "low" if no turn may wait for
    a model call of the memory's own, else "any".  tokens_per_turn: an estimate of your talk.
    Source: the guide of 004 (FAQ: sliding window; support: hybrid; counselling: summary; gateway: token window),
    changed where our tables say otherwise; chapter 8 shows them.  memory-lab replay measures your own log instead.

    >>> choose(turns=8).name
    'BufferMemory'
    >>> choose(turns=60, must_remember="both").name
    'LayeredMemory'
    """
    for name, value, known in (("must_remember", must_remember, MUST_REMEMBER), ("latency", latency, ("low", "any"))):
        if value not in known:
            raise SettingError(f"{name} is {value!r}; take one of {', '.join(known)}")
    whole("turns", turns, 1)
    whole("token_limit", token_limit, 1)
    whole("tokens_per_turn", tokens_per_turn, 1)
    low = latency == "low"
    if turns * tokens_per_turn <= token_limit // 2:
        return _choice("short", BufferMemory)
    if must_remember == "nothing":
        if 5 * tokens_per_turn > token_limit:
            return _choice("tokens", TokenWindowMemory, token_limit=token_limit)
        return _choice("window", SlidingWindowMemory, max_turns=5)
    if must_remember == "facts":
        return _choice("facts", FactTableMemory, token_limit=token_limit)
    if must_remember == "gist":
        kind, settings = (SummaryMemory, {"light": True}) if low else (HybridMemory, {})
    else:
        kind, settings = LayeredMemory, {"light": True} if low else {}
    return _choice(must_remember + ", low" * low, kind, token_limit=token_limit, **settings)


def _choice(reason: str, kind: type[BaseMemory], **settings: Any) -> Choice:
    return Choice(kind.__name__, partial(kind, **settings), REASONS[reason])
