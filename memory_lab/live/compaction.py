"""The compaction diff: a slider over the folds of a memory, and what each kept, changed and lost.  Chapter 5."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from ..compaction import Compaction
from ..diff import Diff
from ..errors import SettingError
from ..memory import BaseMemory
from .base import Control, LiveFigure, Slots, escape, number, short

ALIKE = 0.6  # share of characters that a lost and an added sentence have in common, to be one that was changed
SENTENCES = 60  # that one fold shows of a kind


class CompactionFigure(LiveFigure):
    """A slider over folds: sentences kept, changed, lost and added, values that vanished, tokens before and after.

    memory: one that has folded (its .compactions are shown, those that were not taken too).  Sentences are those of
    diff.Diff; a lost and an added one that share most of their characters are shown as one that was changed.
    Raises SettingError for a memory that has not folded anything.  Cost: one diff a fold; no model call.
    """

    def __init__(self, memory: BaseMemory, title: str = "What each fold kept, changed and lost"):
        if not memory.compactions:
            raise SettingError("this memory has folded nothing yet: add() messages until its .compactions has records")
        self.records: Sequence[Compaction] = list(memory.compactions)
        self._parts = [_parts(record.diff()) for record in self.records]
        self.title = title
        self.controls = [Control("Fold", [f"{place} of {len(self.records)}"
                                          for place in range(1, len(self.records) + 1)])]
        self.steps = [[self._status(place)] for place in range(len(self.records))]

    def _status(self, place: int) -> str:
        record, parts = self.records[place], self._parts[place]
        where = f"messages {record.covers[0]} to {record.covers[-1]}" if record.covers else "no messages"
        start = f"Fold {place + 1} of {len(self.records)}, {where}"
        if record.error:
            return f"{start}: not taken ({short(record.error, 120)})."
        kind = " merged" if record.again else ""
        counts = ", ".join(f"{len(parts[word])} {word}" for word in ("kept", "changed", "lost", "added"))
        gone = "; ".join(text for _, text in parts["vanished"]) or "none"
        return (f"{start}{kind}: {number(record.tokens_before, 'token')} became {record.tokens_after:,}, "
                f"{number(record.model_calls, 'model call')}. Sentences: {counts}. Values vanished: {gone}.")

    def _body(self, slots: Slots) -> str:
        return slots.status() + "".join(
            f'<div data-panel="{place}"><table><thead><tr><th scope="col">what</th><th scope="col">text of fold '
            f"{place + 1}</th></tr></thead><tbody>{_rows(parts)}</tbody></table></div>"
            for place, parts in enumerate(self._parts))

    def __repr__(self) -> str:
        return "\n".join([self.title, *(step[0] for step in self.steps)])


def _parts(diff: Diff) -> dict[str, list[tuple[str, str]]]:
    """word -> (before, after) of each sentence or value, what hurts first."""
    changed, added = [], list(diff.added)
    for old in diff.lost:
        near = max(added, key=lambda new: _alike(old, new), default=None)
        if near is not None and _alike(old, near) >= ALIKE:
            changed.append((old, near))
            added.remove(near)
    replaced = {old for old, _ in changed}
    return {"vanished": [("", f"{kind} {written}") for kind, written in diff.vanished],
            "changed": changed,
            "lost": [(text, "") for text in diff.lost if text not in replaced],
            "added": [("", text) for text in added],
            "kept": [("", text) for text in diff.kept]}


def _alike(old: str, new: str) -> float:
    return SequenceMatcher(None, old, new, autojunk=False).ratio()


def _rows(parts: dict[str, list[tuple[str, str]]]) -> str:
    tags = {"vanished": "strong", "changed": "ins", "added": "ins", "kept": "span"}
    rows = []
    for word, texts in parts.items():
        for before, after in texts[:SENTENCES]:
            cells = [f"<del>{escape(short(before, 160))}</del>"] * bool(before)
            cells += [f"<{tags.get(word, 'span')}>{escape(short(after, 160))}</{tags.get(word, 'span')}>"] * bool(after)
            rows.append(f'<tr><th scope="row">{word}</th><td>{" ".join(cells)}</td></tr>')
        if len(texts) > SENTENCES:
            rows.append(f'<tr><th scope="row">{word}</th><td>and {len(texts) - SENTENCES:,} more</td></tr>')
    return "".join(rows) or '<tr><th scope="row">nothing</th><td>no sentences</td></tr>'
