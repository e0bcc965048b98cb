"""Tables that read the same in a terminal, in Markdown and in the book; figures.py draws them.

Numbers are rounded in one place, so that a table is the same on every machine.  Chapter 4.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .evaluate import Replay


def width(text: str) -> int:
    """Columns that a text takes in a terminal: two for a wide character, none for a mark on the one before.

    >>> width("budget"), width("預算")
    (6, 4)
    """
    return sum(0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
               for character in text)


@dataclass(frozen=True)
class Table:
    """A table of ready words.  header: one text per column.  rows: of the same length.  The first column is the name.

    str() is for a terminal, markdown() for a README; a notebook shows the HTML.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""

    def __str__(self) -> str:
        lines = [list(self.header), *map(list, self.rows)]
        widths = [max(width(line[column]) for line in lines) for column in range(len(self.header))]
        texts = ["  ".join(_pad(cell, size, left=column == 0)
                           for column, (cell, size) in enumerate(zip(line, widths, strict=True))).rstrip()
                 for line in lines]
        rule = "  ".join("-" * size for size in widths)
        return "\n".join([*([self.caption] if self.caption else []), texts[0], rule, *texts[1:]])

    __repr__ = __str__

    def markdown(self) -> str:
        """The table as Markdown, numbers to the right."""
        lines = [self.header, ["---", *["---:"] * (len(self.header) - 1)], *self.rows]
        return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in self.header)
        body = "".join(
            f'<tr><th scope="row">{html.escape(row[0])}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in row[1:]) + "</tr>" for row in self.rows)
        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        return f'<table class="memory-lab">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _pad(text: str, size: int, *, left: bool) -> str:
    space = " " * (size - width(text))
    return text + space if left else space + text


@dataclass(frozen=True)
class Tradeoff:
    """Strategies against conversations.  replays: for each strategy's name one Replay per conversation, in order.

    published: name -> the words of the published row, printed beside.  A notebook shows it as the recall/token table.
    """

    replays: dict[str, tuple[Replay, ...]]
    published: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> tuple[Replay, ...]:
        return self.replays[name]

    def table(self, caption: str = "") -> Table:
        """One row a strategy.

        prompt tokens: of all prompts of the chats together.  share: of the first row's.  peak: the largest prompt.
        own calls, own tokens: what the memory itself asked of a model (left out where none did).  cached: the share of
        prompt tokens that repeats the beginning of the prompt before.  evidence: mean share of the evidence that is in
        the context.  in context, right: probes whose value is in the context, probes that were answered correctly.
        invented: answers to questions about what was never said (the last two are left out where no model was asked).
        """
        own = any(replay.own_calls for replays in self.replays.values() for replay in replays)
        asked = any(each.verdict for replays in self.replays.values() for replay in replays for each in replay.asked)
        full = _tokens(next(iter(self.replays.values()), ()))
        header = ["strategy", "prompt tokens", "share", "peak", *["own calls", "own tokens"] * own, "cached",
                  "evidence", "in context", *["right", "invented"] * asked, *["published"] * bool(self.published)]
        rows = []
        for name, replays in self.replays.items():
            probes = [each for replay in replays for each in replay.asked]
            answerable = [each for each in probes if each.probe.answerable]
            row = [name, f"{_tokens(replays):,}", percent(_tokens(replays), full),
                   f"{max(replay.peak for replay in replays):,}"]
            if own:
                row += [f"{sum(replay.own_calls for replay in replays):,}",
                        f"{sum(replay.own_tokens for replay in replays):,}"]
            row += [percent(sum(sum(replay.cached) for replay in replays), _tokens(replays)),
                    percent(sum(each.evidence for each in answerable), len(answerable)),
                    f"{sum(each.in_context for each in answerable)}/{len(answerable)}"]
            if asked:
                row += [f"{sum(replay.right for replay in replays)}/{len(answerable)}",
                        f"{sum(replay.invented for replay in replays)}/{len(probes) - len(answerable)}"]
            rows.append(row + [self.published.get(name, "")] * bool(self.published))
        return Table(header, rows, caption)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def percent(part: float, whole: float) -> str:
    """part of whole in whole percent, halves up; a dash where there is no whole.

    >>> percent(1, 8), percent(0, 0)
    ('13 %', '-')
    """
    return f"{int(100 * part / whole + 0.5)} %" if whole else "-"


def _tokens(replays: Sequence[Replay]) -> int:
    return sum(replay.prompt_tokens for replay in replays)
