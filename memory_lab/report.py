"""Tables that read the same in a terminal, in Markdown and in the book; figures.py draws them.

Numbers are rounded in one place, exactly, so that a table is the same on every machine.  Chapter 4.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from .errors import SettingError

if TYPE_CHECKING:
    from .recall import Asked, Replay


def width(text: str) -> int:
    """Columns that a text takes in a terminal: two for a wide character, none for a mark on the one before.

    >>> width("budget"), width("預算")
    (6, 4)
    """
    return sum(0 if unicodedata.category(character) in ("Mn", "Me", "Cf") else
               2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


@dataclass(frozen=True)
class Table:
    """A table of ready words.  header: one text per column.  rows: of the same length.  The first column is the name.

    str() is for a terminal, markdown() for a README; a notebook shows the HTML.  Runs of white space become one space.
    Raises SettingError for a row that is longer or shorter than the header.

    >>> print(Table(["strategy", "tokens"], [["buffer", "13,262"], ["window", "2,382"]]))
    strategy  tokens
    --------  ------
    buffer    13,262
    window     2,382
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.header):
                raise SettingError(f"row {number} has {len(row)} cells, the header {len(self.header)}: {list(row)!r}")

    def __str__(self) -> str:
        lines = [[_line(cell) for cell in row] for row in (self.header, *self.rows)]
        widths = [max(width(line[column]) for line in lines) for column in range(len(self.header))]
        texts = ["  ".join(_pad(cell, size, left=column == 0)
                           for column, (cell, size) in enumerate(zip(line, widths, strict=True))).rstrip()
                 for line in lines]
        rule = "  ".join("-" * size for size in widths)
        return "\n".join([*([self.caption, ""] if self.caption else []), texts[0], rule, *texts[1:]])

    __repr__ = __str__

    def markdown(self) -> str:
        """The table as GitHub's Markdown, numbers to the right, the caption as a line above."""
        lines = [[_escaped(cell) for cell in row] for row in (self.header, *self.rows)]
        lines.insert(1, ["---", *["---:"] * (len(self.header) - 1)])
        above = [_escaped(self.caption), ""] if self.caption else []
        return "\n".join([*above, *("| " + " | ".join(line) + " |" for line in lines)])

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in self.header)
        body = "".join(
            f'<tr><th scope="row">{html.escape(row[0])}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in row[1:]) + "</tr>" for row in self.rows)
        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        return f'<table class="memory-lab">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|$~])", r"\\\1", _line(text))


def _pad(text: str, size: int, *, left: bool) -> str:
    space = " " * (size - width(text))
    return text + space if left else space + text


@dataclass(frozen=True)
class Tradeoff:
    """Strategies against conversations.  replays: for each strategy's name one Replay per conversation, in order.

    published: name -> the words of the published row, printed beside.  caption: the line above the table.
    A notebook shows it as the recall/token table.  Raises SettingError for a published row that has no measured one.
    """

    replays: Mapping[str, Sequence[Replay]]
    published: Mapping[str, str] = field(default_factory=dict)
    caption: str = ""

    def __post_init__(self) -> None:
        if alone := sorted(self.published.keys() - self.replays.keys()):
            raise SettingError(f"published rows without a measured one: {', '.join(alone)}; use the strategies' names "
                               f"({', '.join(self.replays)})")

    def __getitem__(self, name: str) -> Sequence[Replay]:
        return self.replays[name]

    def asked(self, name: str, *, answerable: bool = True) -> list[Asked]:
        """The strategy's probes over all conversations: those about what was said, or those about what never was."""
        return [each for replay in self[name] for each in replay.asked if each.probe.answerable is answerable]

    def tokens(self, name: str) -> int:
        """What the strategy cost over all conversations: tokens of all prompts, and of the memory's own calls."""
        return sum(replay.prompt_tokens + replay.own_tokens for replay in self[name])

    def only(self, conversations: Sequence[str], caption: str = "") -> Tradeoff:
        """The same strategies over some of the conversations, in that order.

        Raises SettingError for one that was not measured.
        """
        rows = {}
        for name, replays in self.replays.items():
            known = {replay.conversation: replay for replay in replays}
            if missing := [each for each in conversations if each not in known]:
                raise SettingError(f"{', '.join(missing)} was not measured: take from {', '.join(known)}")
            rows[name] = tuple(known[each] for each in conversations)
        return Tradeoff(rows, self.published, caption)

    def table(self, caption: str = "") -> Table:
        """One row a strategy.

        prompt tokens: of all prompts of the chats together.  own calls, own tokens: what the memory itself asked of a
        model, in and out (left out where none did).  share: of both sums, against the first row's.  peak: the largest
        prompt.  cached: the share of prompt tokens that repeats the beginning of the prompt before.  evidence: mean
        share of the evidence that is in the context.  in context, right: probes whose value is in the context, probes
        that were answered correctly.  invented: answers to questions about what was never said (the last two are left
        out where no model was asked).
        """
        replays = [replay for row in self.replays.values() for replay in row]
        own = any(replay.own_calls for replay in replays)
        asked = any(each.verdict for replay in replays for each in replay.asked)
        header = ["strategy", "prompt tokens", *["own calls", "own tokens"] * own, "share", "peak", "cached",
                  "evidence", "in context", *["right", "invented"] * asked, *["published"] * bool(self.published)]
        return Table(header, [self._row(name, own, asked) for name in self.replays], caption or self.caption)

    def _row(self, name: str, own: bool, asked: bool) -> list[str]:
        replays, said = self[name], self.asked(name)
        tokens = sum(replay.prompt_tokens for replay in replays)
        cells = [name, f"{tokens:,}"]
        if own:
            cells += [f"{sum(replay.own_calls for replay in replays):,}",
                      f"{sum(replay.own_tokens for replay in replays):,}"]
        cells += [percent(self.tokens(name), self.tokens(next(iter(self.replays)))),
                  f"{max((replay.peak for replay in replays), default=0):,}",
                  percent(sum(sum(replay.cached) for replay in replays), tokens),
                  percent(sum(each.evidence for each in said), len(said)),
                  f"{sum(each.in_context for each in said)}/{len(said)}"]
        if asked:
            cells += [f"{sum(replay.right for replay in replays)}/{len(said)}",
                      f"{sum(replay.invented for replay in replays)}/{len(self.asked(name, answerable=False))}"]
        return cells + [self.published.get(name, "")] * bool(self.published)

    def markdown(self) -> str:
        """The recall/token table as Markdown."""
        return self.table().markdown()

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def percent(part: float, whole: float) -> str:
    """part of whole in whole percent, halves up; a dash where there is no whole.

    Exact, so that 57 of 200 is 29 % although 100 * 0.285 is a little less than 28.5 in floating point.

    >>> percent(1, 8), percent(57, 200), percent(0, 0)
    ('13 %', '29 %', '-')
    """
    if not whole:
        return "-"
    share = Fraction(part).limit_denominator(10**6) / Fraction(whole)  # a sum of thirds in floats is thirds again
    return f"{int(share * 100 + Fraction(1, 2))} %"
