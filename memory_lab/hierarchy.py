"""Summaries of summaries: a tree in which every summary is written once.

    leaf     a summary of messages
    node     a summary of fan_in summaries of the level below; at the top level, of its own level
    sent     the nodes that stand in no other, oldest first: coarse for what is old, fine for what is new

A rolling summary is written anew at every fold, so an early fact is copied as often as there are folds; here it is
copied once a level.  What it does not do: promise that a fact survives one copy (facts/ does).  light=True needs
extractive.py too.  Chapter 6.

Copy with: the base, window.py, compaction.py, folding.py, summary.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .compaction import Fold
from .errors import SettingError, whole
from .folding import FoldingMemory
from .messages import Message, copy_message
from .summary import CLOSE, NEW, OPEN, condense, fenced
from .tokens import TokenCounter

MERGED = "New messages, in summaries of them, oldest first"


@dataclass(frozen=True)
class Node:
    """One summary.  level: 1 for a summary of messages.  covers: the log indices that it stands for, oldest first.

    children: the nodes that it was made of, oldest first; () for a leaf.
    """

    level: int
    text: str
    covers: tuple[int, ...]
    children: tuple[Node, ...] = ()

    def __str__(self) -> str:
        says = next((line for line in self.text.splitlines() if not line.endswith(":")), self.text)  # no heading
        first = f"level {self.level}, messages {self.covers[0]} to {self.covers[-1]}: {says[:60]}"
        return "\n".join([first, *("  " + line for child in self.children for line in str(child).splitlines())])


class HierarchicalSummaryMemory(FoldingMemory):
    """Summaries of summaries behind the instructions, and the newest turns as they were said.

    fan_in: so many nodes of one level are merged into one of the next.  level_limits: tokens of a node's text by level,
    the last for all levels above.  levels: at the highest one, fan_in nodes become one of the same level, so the oldest
    text is rewritten again, but only every fan_in - 1 nodes of that level.  summary_limit: tokens of all that is sent,
    level marks included (default: what can stand at once, at most half of token_limit); nodes are merged early where
    they would be over it, and where a merge failed the oldest go out no more: their messages' state is "dropped".
    Children whose texts fit their parent together are put in it as they are: no model call, nothing lost.
    light=True: rules write all texts.  The other limits are those of FoldingMemory.
    Cost: the model calls of its leaves, and at most one more for each fan_in - 1 of them, in .compactions.
    Source: 001, the L1/L2 picture.
    """

    heading = f"{OPEN}\n\n{CLOSE}"

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, fan_in: int = 4,
                 level_limits: Sequence[int] = (200, 400), levels: int = 2, summary_limit: int | None = None,
                 trigger_tokens: int = 3000, trigger_messages: int = 20, target_tokens: int | None = None,
                 model: str | None = None, light: bool = False, input_limit: int = 6000,
                 count: TokenCounter | None = None, client: Any = None):
        self.fan_in, self.levels = whole("fan_in", fan_in, 2), whole("levels", levels, 1)
        self.level_limits = tuple(whole("level_limits", limit, 1) for limit in level_limits)
        if not self.level_limits:
            raise SettingError("level_limits is empty; give the tokens of a summary of messages at least")
        self.model, self.light, self.input_limit = model, light, whole("input_limit", input_limit, 16)
        if summary_limit is None:
            full = (fan_in - 1) * sum(self._level_limit(level) for level in range(1, levels + 1))
            summary_limit = min(full, whole("token_limit", token_limit, 0) // 2)
        super().__init__(system, token_limit=token_limit, summary_limit=summary_limit, trigger_tokens=trigger_tokens,
                         trigger_messages=trigger_messages, target_tokens=target_tokens, count=count, client=client)

    def _level_limit(self, level: int) -> int:
        return self.level_limits[min(level, len(self.level_limits)) - 1]

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        # nodes: [level, text, covers of a leaf, children by number], never changed; roots: numbers of those in no other
        self.content = {"nodes": [], "roots": []}

    @property
    def roots(self) -> list[Node]:
        """The nodes that stand in no other, oldest first: with their children, the whole tree.  Cost: O(tree)."""
        made: list[Node] = []
        for level, text, covers, children in self.content["nodes"]:
            below = tuple(made[child] for child in children)
            made.append(Node(level, text, tuple(sorted([*covers, *(i for node in below for i in node.covers)])), below))
        return [made[number] for number in self.content["roots"]]

    def expand(self, node: Node) -> list[Message]:
        """The messages that a node stands for, whole, from the log."""
        return copy_message([self._log[index] for index in node.covers])

    def _line(self, number: int) -> str:
        level, text = self.content["nodes"][number][:2]
        return f"[level {level}]\n{text}"

    def _standing(self) -> list[int]:
        """The newest roots that fit summary_limit together; all of them, but for a merge that failed."""
        room, standing = self.summary_limit, []
        for number in reversed(self.content["roots"]):
            room -= self._size(self._line(number)) + bool(standing)
            if room < 0:
                break
            standing.insert(0, number)
        return standing

    @property
    def summary(self) -> str:
        """The summaries that go out, oldest first, each under its level, without the heading; "" for none."""
        return "\n".join(map(self._line, self._standing()))

    def derived(self) -> str:
        """The summaries under one heading, or ""."""
        return fenced(self.summary) if self.summary else ""

    def _shown(self) -> list[int]:
        standing = self._standing()
        if len(standing) == len(self.content["roots"]):
            return self._progress.covered
        return self._covers(standing)

    def _covers(self, numbers: list[int]) -> list[int]:
        covers, nodes = [], self.content["nodes"]
        while numbers:
            covers += [index for number in numbers for index in nodes[number][2]]
            numbers = [child for number in numbers for child in nodes[number][3]]
        return sorted(covers)

    def _limit(self, fold: Fold) -> int:
        level = self._level_of(self._due_children()) if fold.again else 1
        # two at least can stand beside each other, with the mark of their level, so that there is a tree
        return max(0, min(self._level_limit(level), self.summary_limit // 2 - 8))

    def _level_of(self, children: list[int]) -> int:
        return min(self.levels, 1 + max(self.content["nodes"][number][0] for number in children))

    def _due_children(self) -> list[int]:
        """The roots to be merged now: fan_in of one level, or what is needed to get below summary_limit."""
        roots, by_level = self.content["roots"], {}
        for number in roots:
            by_level.setdefault(self.content["nodes"][number][0], []).append(number)
        full = [level for level, numbers in by_level.items() if len(numbers) >= self.fan_in]
        if full:
            return by_level[min(full)][:self.fan_in]
        if len(self._standing()) == len(roots):
            return []
        several = [level for level, numbers in by_level.items() if len(numbers) > 1]
        return by_level[min(several)] if several else roots[:2]

    def _fold(self, covers: tuple[int, ...]) -> Fold:
        return self._made(Fold(covers, copy_message([self._log[index] for index in covers]), "", self._generation,
                               self._write, light=self.light))

    def _merge(self) -> Fold | None:
        children = self._due_children()
        if not children:
            return None
        previous = "\n".join(self.content["nodes"][number][1] for number in children)
        return self._made(Fold(tuple(self._covers(children)), [], previous, self._generation, self._write,
                               light=self.light, again=True))

    def _made(self, fold: Fold) -> Fold:
        limit = self._limit(fold)
        if fold.again and self._size(fold.previous) <= limit:
            fold.write = _joined
        else:
            fold.write = partial(self._write, limit=limit)
        return fold

    def _write(self, client: Any, fold: Fold, limit: int = 0) -> str:
        if self.light:
            from .extractive import light_summary

            return light_summary(fold.before, limit=limit, count=self.count)
        return str(condense(client, fold.before, what=MERGED if fold.again else NEW, summary_limit=limit,
                            model=self.model, count=self.count, input_limit=self.input_limit, spent=fold))

    def _refuses(self, fold: Fold, before: int, after: int) -> str | None:
        joined = fold.again and fold.text == fold.previous and after <= self._limit(fold)
        return None if joined else super()._refuses(fold, before, after)

    def _put(self, fold: Fold) -> None:
        nodes, roots = self.content["nodes"], self.content["roots"]
        children = self._due_children() if fold.again else []
        place = roots.index(children[0]) if children else len(roots)
        level = self._level_of(children) if children else 1
        covers = [] if children else list(fold.covers)
        self.content = {"nodes": [*nodes, [level, fold.text, covers, children]],
                        "roots": [*roots[:place], len(nodes), *roots[place + len(children):]]}


def _joined(client: Any, fold: Fold) -> str:
    return fold.previous
