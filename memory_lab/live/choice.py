"""The map: which strategy for which traffic, as a tree of questions that shows the way to the answer.  Chapter 8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..layered import MUST_REMEMBER, REASONS, choose
from ..report import Table
from .base import Control, LiveFigure, Slots, escape, number

ASKED = {"nothing": "nothing", "the gist": "gist", "facts, word for word": "facts", "facts and gist": "both"}
WAITS = {"it may": "any", "no": "low"}
TAKEN, HERE, ASIDE = "yes", "take", "–"
STYLE = """
.ml-live .ml-depth-1 { margin-left: 1.1rem; }
.ml-live .ml-depth-2 { margin-left: 2.2rem; }
.ml-live li[data-state=take] { outline: 2px solid var(--ml-accent); outline-offset: 2px; border-radius: .2rem; }
.ml-live li[data-state=yes] > b { border: 1px solid var(--ml-accent); }
.ml-live li[data-state=take] > b { border: 1px solid var(--ml-accent); color: var(--ml-paper);
  background: var(--ml-accent); }
"""


class Row(NamedTuple):
    """A line of the tree: how deep it stands, its words, and the reasons that lie behind it; one reason is a leaf."""

    depth: int
    words: str
    reasons: tuple[str, ...]


TREE = (
    Row(0, "The whole chat takes at most half of the limit", ("short",)),
    Row(0, "It is longer, and of what is old you need …", ("window", "tokens", "facts", "gist", "gist, low", "both",
                                                           "both, low")),
    Row(1, "… nothing", ("window", "tokens")),
    Row(2, "Five turns always fit", ("window",)),
    Row(2, "A turn may be long", ("tokens",)),
    Row(1, "… numbers, names, prohibitions, word for word", ("facts",)),
    Row(1, "… the gist", ("gist", "gist, low")),
    Row(2, "A turn may wait for a model", ("gist",)),
    Row(2, "No turn may wait", ("gist, low",)),
    Row(1, "… both", ("both", "both, low")),
    Row(2, "A turn may wait for a model", ("both",)),
    Row(2, "No turn may wait", ("both, low",)),
)


class ChoiceFigure(LiveFigure):
    """What choose() answers for your traffic, on a tree of its questions.

    measured: reason of REASONS -> what was measured for it, a few words.  turns, tokens_per_turn: those to choose from.
    token_limit: tokens of the whole context.
    Cost: one choose() for each setting of the controls.

    >>> print(ChoiceFigure(turns=(8, 60)).says(0)[-len(TREE) - 1])
    BufferMemory: the whole chat takes at most half of the limit: send everything; a summary of a short chat costs \
more than it saves
    """

    def __init__(self, measured: Mapping[str, str] | None = None, *, turns: tuple[int, ...] = (8, 20, 60, 300),
                 tokens_per_turn: tuple[int, ...] = (80, 800), token_limit: int = 3000):
        self.measured, self.token_limit = dict(measured or {}), token_limit
        self.title = f"Which memory, for a context of {number(token_limit, 'token')}?"
        self.controls = [Control("Old things that must be remembered", list(ASKED), choose=True),
                         Control("May a turn wait for a model?", list(WAITS), choose=True),
                         Control("Tokens of a turn", [f"{each:,}" for each in tokens_per_turn], choose=True),
                         Control("Turns of a chat", [number(each, "turn") for each in turns])]
        self.choices = [choose(turns=each, must_remember=what, latency=wait, tokens_per_turn=size,
                               token_limit=token_limit)
                        for what in ASKED.values() for wait in WAITS.values() for size in tokens_per_turn
                        for each in turns]
        self.steps = [self._step(choice.name, choice.reason) for choice in self.choices]
        self.first = list(ASKED.values()).index("facts") * len(WAITS) * len(tokens_per_turn) * len(turns) + 2
        self.note = f"{HERE}: the answer; {TAKEN}: on the way to it; {ASIDE}: not for this traffic."

    def _step(self, name: str, reason: str) -> list[str]:
        key = next(key for key, words in REASONS.items() if words == reason)
        rows = [ASIDE if key not in row.reasons else HERE if len(row.reasons) == 1 else TAKEN for row in TREE]
        return [f"{name}: {reason}", *rows]

    def _body(self, slots: Slots) -> str:
        status = slots.status()
        rows = [slots.row("li", f'<span>{escape(row.words)}</span>{self._leaf(row)}').replace(
            "<li ", f'<li class="ml-depth-{row.depth}" ', 1) for row in TREE]
        return f'<style>{STYLE}</style>{status}<ol aria-label="questions, and where they lead">{"".join(rows)}</ol>'

    def _leaf(self, row: Row) -> str:
        if len(row.reasons) > 1:
            return ""
        told = self.measured.get(row.reasons[0])
        return f': <span class="ml-who">{escape(kind(row.reasons[0]))}</span>' + (f" ({escape(told)})" if told else "")

    def __repr__(self) -> str:
        rows = [["· " * row.depth + row.words, kind(row.reasons[0]) if len(row.reasons) == 1 else "",
                 self.measured.get(row.reasons[0], "") if len(row.reasons) == 1 else ""] for row in TREE]
        return str(Table(["if", "take", "measured"], rows, self.title))


def kind(reason: str) -> str:
    """The strategy that choose() gives for a reason, with the setting that makes it another one.

    >>> kind("gist"), kind("both, low")
    ('HybridMemory', 'LayeredMemory, light')
    """
    what, _, low = reason.partition(", ")
    case = {"turns": 1 if reason == "short" else 1000, "must_remember": what if what in MUST_REMEMBER else "nothing",
            "tokens_per_turn": 800 if reason == "tokens" else 80, "latency": low or "any"}
    return choose(**case).name + (", light" if low else "")
