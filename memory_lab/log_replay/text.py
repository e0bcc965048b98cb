"""A replay as tables for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from textwrap import fill

from ..report import Table, percent, width
from .advice import Advice, held
from .limit import Recommendation
from .measure import LogReplay
from .report import losses, rows

HEADS = ("strategy", "prompt tokens", "of full", "per turn", "peak", "cached", "turns out",
         "leant on, kept", "gone", "failed")
COLUMNS = 110
LONGEST = 5
ROWS = 10  # of the list of losses on the terminal; the JSON has all


def as_text(replays: Sequence[LogReplay], recommendation: Recommendation | None, marked: str = "",
            advice: Advice | None = None) -> str:
    """The tables for a terminal.  marked: the row that was added to try the recommended limit."""
    table = []
    for row in rows(replays):
        there, asked = held(row)
        table.append((row["strategy"] + (" *" if row["strategy"] == marked else ""), f"{row['prompt_tokens']:,}",
                      "-" if row["of_full"] is None else percent(row["of_full"], 1), f"{row['per_turn']:,.0f}",
                      f"{row['peak']:,}", percent(row["cached"], 1), f"{row['turns_out']:,} of {row['turns']:,}",
                      f"{there:,} of {asked:,}", f"{row['gone']:,}", f"{row['failed']:,} of {row['calls']:,}"))
    blocks = [str(Table(HEADS, table))]
    if recommendation:
        blocks.append(fill(f"Recommended token_limit: {recommendation.token_limit:,}"
                           f"{' (row *)' if marked else ''}: {recommendation.reason}.", COLUMNS))
    if advice:
        blocks.append(fill(f"Recommended strategy: {advice.strategy}. {advice.reason}", COLUMNS))
    several = len(replays) > 1
    if several:
        blocks.append(_longest(replays))
    lost = losses(replays)
    if lost:
        lines = []
        for entry in lost[:ROWS]:
            where = f" in {_short(entry['conversation'], 20)}" if several else ""
            missed = f"{entry['asked'][0]}" + (f" +{len(entry['asked']) - 1}" if len(entry["asked"]) > 1 else "")
            lines.append((_short(entry["value"], 32), entry["kind"], f"{entry['said_by']} {entry['said']}{where}",
                          missed, str(entry["turns_back"]), f"{entry['needs']:,}", _grouped(entry["lost_by"])))
        heads = ("named again, but lost", "kind", "said", "missed", "turns back", "needs", "lost by")
        more = f"\n... and {len(lost) - ROWS:,} more (all with --json or --out)" if len(lost) > ROWS else ""
        blocks.append(str(Table(heads, lines)) + more)
    failures = [printable(f"{replay.name}: {label} failed at call {result.failures[0][0] + 1}: {result.failures[0][1]}")
                for replay in replays for label, result in replay.strategies.items() if result.failures]
    if failures:
        more = [f"... and {len(failures) - 3} more"] if len(failures) > 3 else []
        blocks.append("\n".join(failures[:3] + more))
    return "\n\n".join(blocks)


def _longest(replays: Sequence[LogReplay]) -> str:
    """The conversations with the longest prompts, a line each."""
    lines = []
    ordered = sorted(replays, key=lambda replay: -max((call.full for call in replay.plan.calls), default=0))
    for replay in ordered[:LONGEST]:
        full = [call.full for call in replay.plan.calls]
        lines.append((_short(replay.name, 32), f"{len(replay.plan.messages):,}", f"{replay.plan.turns:,}",
                      f"{len(full):,}", f"{sum(full):,}", f"{max(full, default=0):,}",
                      f"{len(replay.plan.references):,}"))
    heads = ("longest conversations", "messages", "turns", "calls", "full tokens", "peak", "named again")
    more = f"\n... and {len(replays) - LONGEST:,} more (all with --json or --out)" if len(replays) > LONGEST else ""
    return str(Table(heads, lines)) + more


def _grouped(labels: Sequence[str]) -> str:
    """fixed_window, token_window(850; 1,000) for labels with one setting, or several, of a kind."""
    settings: dict[str, list[str]] = {}
    for label in labels:
        name, _, setting = label.partition("(")
        settings.setdefault(name, []).append(setting.rstrip(")"))
    return ", ".join(name if len(known) == 1 and name != "token_window" else f"{name}({'; '.join(known)})"
                     for name, known in settings.items())


def printable(text: str) -> str:
    """A text out of a log that cannot steer the terminal: control characters and line ends become spaces."""
    return "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") or char in "\u202a\u202b\u202c\u202d\u202e"
                   "\u2066\u2067\u2068\u2069" else char for char in text)


def _short(text: str, columns: int) -> str:
    text = printable(text)
    if width(text) <= columns:
        return text
    while width(text) >= columns:
        text = text[:-1]
    return text + "…"
