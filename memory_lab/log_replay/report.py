"""A replay as rows, as a table for a terminal, and as JSON."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from textwrap import fill
from typing import Any

from ..report import width
from ..values import KINDS
from .limit import Recommendation
from .measure import LogReplay

HEADS = ("strategy", "prompt tokens", "of full", "per turn", "peak", "turns out", "named again, lost", "gone", "failed")
COLUMNS = 110
LONGEST = 5
ROWS = 10  # of the list of losses on the terminal; the JSON has all


def rows(replays: Sequence[LogReplay]) -> list[dict[str, Any]]:
    """One dict per strategy, over all conversations.

    prompt_tokens: of all calls.  of_full: share of what sending everything costs at the same calls.  per_turn: tokens
    per turn in which a call went out.  turns_out: turns that are not in the last context.  lost: references whose value
    was not in the context when a user named it again, of `references`.  gone: values that only turns that fell out
    held.  failed: calls at which the instructions and the newest message did not fit.
    """
    table = []
    for label in dict.fromkeys(label for replay in replays for label in replay.strategies):
        parts = [(replay.plan, replay.strategies[label]) for replay in replays if label in replay.strategies]
        tokens = sum(result.prompt_tokens for _, result in parts)
        full = sum(call.full for made, result in parts
                   for call, sent in zip(made.calls, result.tokens, strict=True) if sent is not None)
        turns = len({(number, call.turn) for number, (made, result) in enumerate(parts)
                     for call, sent in zip(made.calls, result.tokens, strict=True) if sent is not None})
        table.append({
            "strategy": label, "prompt_tokens": tokens, "of_full": tokens / full if full else None,
            "per_turn": tokens / turns if turns else 0.0, "peak": max((result.peak for _, result in parts), default=0),
            "turns": sum(made.turns for made, _ in parts), "turns_out": sum(len(result.fell) for _, result in parts),
            "references": sum(len(made.references) for made, _ in parts),
            "lost": sum(len(result.lost) for _, result in parts), "gone": sum(len(result.gone) for _, result in parts),
            "calls": sum(len(result.tokens) for _, result in parts),
            "failed": sum(len(result.failures) for _, result in parts)})
    return table


def losses(replays: Sequence[LogReplay]) -> list[dict[str, Any]]:
    """Each value that a user named again while some strategy had lost it, the most painful kinds first.

    said, asked: message numbers from 1, of the newest earlier mention and of each time it was missed.
    """
    found: dict[tuple, dict[str, Any]] = {}
    for number, replay in enumerate(replays):
        for label, result in replay.strategies.items():
            for lost in result.lost:
                entry = found.setdefault((number, lost.value), {
                    "conversation": replay.name, "kind": lost.value.kind,
                    "value": replay.plan.written(lost.value),
                    "said_by": replay.plan.messages[lost.said]["role"], "said": lost.said + 1, "asked": [],
                    "turns_back": lost.turns_back, "needs": lost.needs, "lost_by": []})
                if lost.asked + 1 not in entry["asked"]:
                    entry["asked"].append(lost.asked + 1)
                if label not in entry["lost_by"]:
                    entry["lost_by"].append(label)
    order = {kind: rank for rank, kind in enumerate(KINDS)}
    return sorted(found.values(), key=lambda entry: (
        order[entry["kind"]], entry["said_by"] != "user", -len(entry["asked"]), -len(entry["lost_by"])))


def as_json(replays: Sequence[LogReplay], recommendation: Recommendation | None) -> dict[str, Any]:
    """The whole result as JSON values: totals, recommendation, losses, and each conversation call by call."""
    return {"strategies": rows(replays), "recommendation": vars(recommendation) if recommendation else None,
            "losses": losses(replays), "conversations": [_conversation(replay) for replay in replays]}


def _conversation(replay: LogReplay) -> dict[str, Any]:
    made = replay.plan
    return {"name": replay.name, "messages": len(made.messages), "turns": made.turns,
            "references": len(made.references),
            "calls": [{"message": call.before + 1, "turn": call.turn + 1, "full": call.full} for call in made.calls],
            "strategies": {label: {
                "tokens": result.tokens, "lost": len(result.lost),
                "failures": [{"call": number + 1, "error": words} for number, words in result.failures],
                "fell_out": [{"turn": turn + 1, "at_call": number + 1} for turn, number in sorted(result.fell.items())],
                "gone": [{"kind": value.kind, "value": made.written(value)}
                         for value in result.gone]}
                for label, result in replay.strategies.items()}}


def as_text(replays: Sequence[LogReplay], recommendation: Recommendation | None, marked: str = "") -> str:
    """The tables for a terminal.  marked: the row that was added to try the recommended limit."""
    table = [HEADS]
    for row in rows(replays):
        share = "-" if row["of_full"] is None else f"{row['of_full']:.0%}"
        table.append((row["strategy"] + (" *" if row["strategy"] == marked else ""), f"{row['prompt_tokens']:,}", share,
                      f"{row['per_turn']:,.0f}", f"{row['peak']:,}", f"{row['turns_out']:,} of {row['turns']:,}",
                      f"{row['lost']:,} of {row['references']:,}", f"{row['gone']:,}",
                      f"{row['failed']:,} of {row['calls']:,}"))
    blocks = [aligned(table)]
    if recommendation:
        blocks.append(fill(f"Recommended token_limit: {recommendation.token_limit:,}"
                           f"{' (row *)' if marked else ''}: {recommendation.reason}.", COLUMNS))
    several = len(replays) > 1
    if several:
        blocks.append(_longest(replays))
    lost = losses(replays)
    if lost:
        lines = [("named again, but lost", "kind", "said", "missed", "turns back", "needs", "lost by")]
        for entry in lost[:ROWS]:
            where = f" in {_short(entry['conversation'], 20)}" if several else ""
            said = f"{entry['said_by']} {entry['said']}{where}"
            missed = f"{entry['asked'][0]}" + (f" +{len(entry['asked']) - 1}" if len(entry["asked"]) > 1 else "")
            lines.append((_short(entry["value"], 32), entry["kind"], said, missed, str(entry["turns_back"]),
                          f"{entry['needs']:,}", _grouped(entry["lost_by"])))
        more = f"\n... and {len(lost) - ROWS:,} more (all with --json or --out)" if len(lost) > ROWS else ""
        blocks.append(aligned(lines, left={0, 1, 2, 6}) + more)
    failures = [printable(f"{replay.name}: {label} failed at call {result.failures[0][0] + 1}: {result.failures[0][1]}")
                for replay in replays for label, result in replay.strategies.items() if result.failures]
    if failures:
        more = [f"... and {len(failures) - 3} more"] if len(failures) > 3 else []
        blocks.append("\n".join(failures[:3] + more))
    return "\n\n".join(blocks)


def _longest(replays: Sequence[LogReplay]) -> str:
    """The conversations with the longest prompts, a line each."""
    lines = [("longest conversations", "messages", "turns", "calls", "full tokens", "peak", "named again")]
    ordered = sorted(replays, key=lambda replay: -max((call.full for call in replay.plan.calls), default=0))
    for replay in ordered[:LONGEST]:
        full = [call.full for call in replay.plan.calls]
        lines.append((_short(replay.name, 32), f"{len(replay.plan.messages):,}", f"{replay.plan.turns:,}",
                      f"{len(full):,}", f"{sum(full):,}", f"{max(full, default=0):,}",
                      f"{len(replay.plan.references):,}"))
    more = f"\n... and {len(replays) - LONGEST:,} more (all with --json or --out)" if len(replays) > LONGEST else ""
    return aligned(lines) + more


def aligned(table: Sequence[Sequence[str]], left: frozenset[int] | set[int] = frozenset({0})) -> str:
    """Columns lined up for a terminal, in which a Chinese character is two wide."""
    widths = [max(width(row[i]) for row in table) for i in range(len(table[0]))]
    lines = []
    for row in table:
        cells = [cell + " " * (wide - width(cell)) if i in left else " " * (wide - width(cell)) + cell
                 for i, (cell, wide) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join(lines)


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
