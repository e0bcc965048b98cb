"""The summary tree: summaries of summaries, opened down to the messages.  Chapter 6."""

from __future__ import annotations

from collections.abc import Sequence

from ..compaction import transcript
from ..diff import diff
from ..errors import SettingError
from ..hierarchy import HierarchicalSummaryMemory, Node
from ..messages import Message
from .base import LiveFigure, Slots, escape, number, short


class TreeFigure(LiveFigure):
    """The summaries of a tree as boxes that open: a summary, what it was written from, down to the messages.

    memory: a HierarchicalSummaryMemory that has folded.  Each summary says which values of the texts right below it
    it holds in no form.  Behind the tree stand the messages that go out as they were said.  Needs no script.
    Raises SettingError for a memory without a summary.  Cost: one diff a node; no model call.
    """

    def __init__(self, memory: HierarchicalSummaryMemory):
        if not memory.roots:
            raise SettingError("this memory has no summary yet: add() messages until it folds")
        self.roots, self._memory = list(memory.roots), memory
        self._raw = [index for index, state in enumerate(memory.states) if state in ("kept", "clipped")]
        self._log = memory.log
        covered = sum(len(root.covers) for root in self.roots)
        self.title = f"{number(covered, 'message')} in {number(len(self.roots), 'summary', 'summaries')}"
        self.note = "Open a summary with Enter or a click: below it stands what it was written from."

    def _body(self, slots: Slots) -> str:
        parts = [self._node(root) for root in self.roots]
        if self._raw:
            parts.append(f"<details><summary>as they were said: {number(len(self._raw), 'message')}, the newest"
                         f"</summary>{_messages([self._log[index] for index in self._raw], self._raw)}</details>")
        return "".join(parts)

    def _node(self, node: Node) -> str:
        below = ("".join(map(self._node, node.children)) if node.children
                 else _messages(self._memory.expand(node), node.covers))
        return (f"<details><summary>{escape(_label(node))}: {escape(_first(node))}</summary>"
                f'<p class="ml-text">{escape(node.text)}</p><p>{escape(self._vanished(node))}</p>{below}</details>')

    def _vanished(self, node: Node) -> str:
        texts = "\n".join(child.text for child in node.children) or transcript(self._memory.expand(node))
        gone = "; ".join(f"{kind} {written}" for kind, written in diff(texts, node.text).vanished)
        return f"Values that vanished here: {gone or 'none'}."

    def __repr__(self) -> str:
        return "\n".join([self.title, *(line for root in self.roots for line in self._lines(root, 0))])

    def _lines(self, node: Node, depth: int) -> list[str]:
        return [f"{'  ' * depth}{_label(node)}: {_first(node)}",
                *(line for child in node.children for line in self._lines(child, depth + 1))]


def _label(node: Node) -> str:
    return f"level {node.level}, messages {node.covers[0]} to {node.covers[-1]}"


def _first(node: Node) -> str:
    """The first line that is no heading, without its bullet."""
    line = next((line for line in node.text.splitlines() if not line.endswith(":")), node.text)
    return short(line.removeprefix("- "), 60)


def _messages(messages: list[Message], indices: Sequence[int]) -> str:
    rows = "".join(f"<li>{index}, {escape(short(transcript([message]), 200))}</li>"
                   for index, message in zip(indices, messages, strict=True))
    return f"<ul>{rows}</ul>"
