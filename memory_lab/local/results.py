"""What bench/local.py stored: the real model's rows beside the offline model's, with n and intervals, as tables.

    results = load_results()                 bench/results/local.json of the repository, or a file of your own
    results.beside()                         each strategy: in context and right, offline and real
    results.orders()                         each published ordering: confirmed, refuted or not decided
    results.swapped()                        pairs of strategies that the two models put in opposite order
    results.lost()                           what the summary loses and the fact table keeps, question by question
    results.positions(), .styles()           the same fact at three places; a chat against notes
    results.tradeoff("local")                a report.Tradeoff, as measure() gives, for any other table

Nothing is measured here.  Chapter 12.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from ..errors import LogError
from ..recall import Asked, Replay
from ..report import Table, Tradeoff
from . import position
from .intervals import difference, points, shown, verdict
from .measure import BY_MODEL, OTHER_LANGUAGES, SEEN, SHORT, STYLED, STYLES, UNSEEN
from .stored import Stored

STORED = Path(__file__).resolve().parents[2] / "bench" / "results" / "local.json"
# (what should keep more, what should keep less, who published it)
ORDERINGS = (("buffer", "sliding window, 2 turns", "000: 4 of 4 against 0 of 4"),
             ("buffer", "summary, 500 tokens", "000: 4 of 4 against 3 of 4"),
             ("summary, 500 tokens", "sliding window, 2 turns", "000: 3 of 4 against 0 of 4"),
             ("summary, 500 tokens", "sliding window, 5 turns", "004: 100 % against 0 %"),
             ("fact table, 500 tokens", "summary, 500 tokens", "001: a fact table keeps what a summary loses"),
             ("fact table, 500 tokens", "token window, 500 tokens", "001: the order number over 50 turns"),
             ("layers, 500 tokens", "summary, 500 tokens", "001: three parts"))


class Results(Stored):
    """The stored results as tables: see the file's head."""

    def beside(self, names: Sequence[str] | None = None, rows: Sequence[str] | None = None) -> Table:
        """One row a strategy: value in the context and right answers of both models, the real one's 95 % interval.

        guessed: right although the value was not in the context (two cats, facing east).  own calls: of the memory, to
        the real model.  invented: answers of the real model to what was never said.
        """
        offline, real = (self.tradeoff(model, names, rows) for model in ("offline", "local"))
        lines = []
        for row in real.replays:
            cells = [row]
            for table in (offline, real):
                said = table.asked(row)
                cells += [f"{sum(each.in_context for each in said)}/{len(said)}",
                          _right(said, interval=table is real)]
            calls = sum(replay.own_calls for replay in real[row])
            guessed = sum(_is_right(each) and not each.in_context for each in real.asked(row))
            lines.append([*cells, f"{guessed}", f"{calls}", f"{_invented(real, row)}"])
        header = ["strategy", "offline: in context", "right", "real: in context", "right (95 %)", "guessed",
                  "own calls", "invented"]
        chats = len(self.names if names is None else names)
        return Table(header, lines, f"{self.title}: {chats} chats, each row offline and real")

    def orders(self) -> Table:
        """Each published ordering: the difference in right answers, offline and real, and what it says.

        A right answer counts where its value was in the context: a guess says nothing of a memory.
        The interval is a bootstrap over conversations.  Confirmed: it lies above 0.  Refuted: below.  Else the
        conversations are too few to decide.  The last column says the same of the value's being in the context.
        """
        lines = []
        for more, less, source in ORDERINGS:
            if not {more, less} <= set(self.rows):
                continue
            cells = [f"{more} > {less}", source]
            for model, measured in (("offline", _is_told), ("local", _is_told), ("local", _is_there)):
                table = self.tradeoff(model, rows=(more, less))
                parts = difference(*([_counted(replay, measured) for replay in table[row]] for row in (more, less)))
                cells.append(f"{points(parts)}: {verdict(parts)}")
            lines.append(cells)
        return Table(["ordering", "published", "right, offline", "right, real", "in context, real"], lines,
                     f"{self.title}: published orderings, {len(self.names)} chats, differences in points (95 %)")

    def swapped(self) -> Table:
        """One row a pair of strategies that the models put in opposite order, by right answers; else as orders().

        The caption says how many pairs there are, and how many both put in the same order.
        """
        tables = [self.tradeoff(model) for model in ("offline", "local")]
        pairs, lines, same = list(combinations(self.rows, 2)), [], 0
        for pair in pairs:
            parts = [difference(*([_counted(replay, _is_told) for replay in table[row]] for row in pair))
                     for table in tables]
            same += parts[0][0] * parts[1][0] > 0
            if parts[0][0] * parts[1][0] < 0:
                lines.append([f"{pair[0]} > {pair[1]}", *map(points, parts)])
        return Table(["pair", "right, offline", "right, real"], lines,
                     f"{self.title}: {same} of {len(pairs)} pairs in the same order, {len(lines)} in the opposite one, "
                     "the others equal for one of the models")

    def lost(self, summary: str = "summary, 500 tokens", table: str = "fact table, 500 tokens") -> Table:
        """One row a question whose value the real model's summary lost: who has it in the context, who answers it."""
        lines = []
        offline, real = self.tradeoff("offline"), self.tradeoff("local")
        for one, two, three, four in zip(*(each.asked(row) for each, row in (
                (real, summary), (offline, summary), (real, table), (real, BY_MODEL))), strict=True):
            if not one.in_context:
                lines.append([one.probe.question, one.probe.accept[0], *(_yes(each.in_context) for each in (
                    two, three, four)), _yes(three.verdict == "correct")])
        return Table(["question", "value", "offline summary", "fact table, rules", "fact table, real model",
                      "real, right with rules"], lines, f"{self.title}: what its own summary lost")

    def positions(self) -> Table:
        """Right answers by the place of the fact, one row a length; the real model's with its 95 % interval."""
        lines = []
        for turns in position.TURNS:
            for model in ("offline", "local"):
                cells = [f"{turns} turns, {'real' if model == 'local' else model}"]
                for place in position.PLACES:
                    got = [getattr(self, model).get(f"position|{turns}|{place}|{fact}")
                           for fact in range(len(position.FACTS))]
                    got = [each["verdict"] == "correct" for each in got if each]
                    cells.append(shown(sum(got), len(got), interval=model == "local"))
                lines.append(cells)
        return Table(["small talk", *position.PLACES], lines, f"{self.title}: the same fact at three places")

    def styles(self) -> Table:
        """Right answers from all of the chat, one row a prompt style; seen: while the prompts were written."""
        lines = []
        for style in (*STYLES, "notes of the user"):
            cells = [style]
            for names in (SEEN, UNSEEN):
                got = [each for name in names if name in STYLED for each in self.styled(style, name)]
                cells.append(shown(sum(got), len(got), interval=True))
            lines.append(cells)
        return Table(["style", "seen chats", "unseen chats"], lines, f"{self.title}: a chat against notes")

    def languages(self) -> Table:
        """beside(), for the chats that are not English."""
        done = [name for name in OTHER_LANGUAGES if all(f"strategy|{row}|{name}" in self.local for row in SHORT)]
        return self.beside(done, SHORT)

    def markdown(self) -> str:
        """All tables as one page."""
        about = self.about
        head = [f"# The tables with a real model: {self.title}", "",
                f"Command: `{about['command']}`, {about['threads']} thread(s), temperature {about['temperature']}, "
                f"seed {about['seed']}. " + ", ".join(f"{name} {number}" for name, number in about["versions"].items()),
                ""]
        tables = (self.beside, self.orders, self.swapped, self.lost, self.positions, self.styles, self.languages)
        return "\n".join(head) + "\n" + "\n\n".join(table().markdown() for table in tables) + "\n"


def _is_right(asked: Asked) -> bool:
    return asked.verdict == "correct"


def _is_told(asked: Asked) -> bool:
    return _is_right(asked) and _is_there(asked)


def _is_there(asked: Asked) -> bool:
    return bool(asked.in_context)


def _counted(replay: Replay, measured: Callable[[Asked], bool]) -> tuple[int, int]:
    return sum(map(measured, replay.answerable)), len(replay.answerable)


def _right(said: Sequence[Asked], *, interval: bool) -> str:
    return shown(sum(map(_is_right, said)), len(said), interval=interval)


def _invented(table: Tradeoff, row: str) -> str:
    return f"{sum(replay.invented for replay in table[row])}/{len(table.asked(row, answerable=False))}"


def _yes(value: Any) -> str:
    return "yes" if value else "no"


def load_results(path: str | Path | None = None) -> Results:
    """The stored results.  path: default bench/results/local.json of the repository.

    Raises LogError for a file that is not there or is not one of bench/local.py.
    """
    path = STORED if path is None else Path(path)
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return Results(raw["about"], raw["local"], raw["offline"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LogError(f"{path}: no results of bench/local.py ({type(error).__name__}: {error}); run that") from error
