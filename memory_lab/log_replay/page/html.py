"""The page of a replay: one file of HTML with its style and script in it, the same on every run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ...live.base import escape, number
from ...logs import LoggedConversation
from ...prices import Prices
from ...report import Table, percent
from ..advice import advise, held
from ..hurt import Hurt, hurts
from ..limit import Recommendation
from ..measure import FULL, LogReplay
from ..money import bill, in_words
from ..report import rows
from ..text import printable
from .figures import CallsFigure, CostFigure, LimitFigure
from .style import PAGE

NOTES = 30  # of what was read with care
SHOWN = 12  # of what is missing from a turn
# What a browser may load: nothing but what stands in the file.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
HOW = (
    "Each strategy was fed the logged messages, and its context was taken wherever the model was called. No model was "
    "called for this report: summaries were written by rules, as long as a model's may be, and priced as if a model "
    "had written them. A model's summary keeps other things.",
    "A later turn leans on something if its user names a number, name, code, date, amount, link or address that only "
    "an earlier turn said, or touches what the user forbade; or if the answer names a code, date, amount or address "
    "that a user or a tool said earlier. It is still there if it stands anywhere in the context. That is an estimate "
    "of recall without questions: it sees what was named again, not what was needed and left unsaid.",
    "Tokens are counted with cl100k_base, tool definitions left out. Parts of no known kind count as estimated.")


def page(replays: Sequence[LogReplay], talks: Sequence[LoggedConversation], recommendation: Recommendation | None, *,
         prices: Prices, model: str, skipped: Sequence[str] = (), redact: bool = False) -> str:
    """The report as HTML.

    model: whose prices stand in the table.  skipped: why files of a folder were left out.  redact: no title and no
    sentence of the log is shown; the texts must have been masked already (many.redacted).
    Cost: a second for some thousand conversations.  It has no time in it and asks no other host for anything.
    """
    table = rows(replays)
    labels = [row["strategy"] for row in table]
    advice = advise(replays, table, recommendation, model, prices)
    blocks = [f"<header><h1>Which memory for this traffic?</h1><p class='lede'>{_read(talks, replays)}</p></header>"]
    if advice is None or recommendation is None:
        blocks.append("<p>The model was never called in this log (no user message with anything behind it): nothing to "
                      "measure.</p>")
    else:
        blocks += [
            "<section class='advice'><h2>" + ("Send everything (buffer)" if advice.strategy == FULL else
                                              f"Take {escape(advice.strategy)}")
            + f"</h2><p>{escape(advice.reason)}</p><p><strong>Where you set a token limit, "
            f"{recommendation.token_limit:,}</strong>: {escape(recommendation.reason)}.</p></section>",
            "<h2>What it costs and keeps, by strategy</h2>", _wide(_strategies(replays, table, prices, model)),
            CostFigure(replays, labels, prices, model)._repr_html_(),
            "<h2>What each would lose</h2>", _kinds(table),
            LimitFigure(replays, recommendation.token_limit)._repr_html_(),
            f"<h2>The turns that hurt most</h2>{_hurts(hurts(replays, redact=redact), len(replays) > 1)}",
            "<h2>The longest conversation</h2>",
            CallsFigure(max(replays, key=lambda replay: len(replay.plan.calls)), labels)._repr_html_()]
    blocks += ["<h2>What was read</h2>", _care(talks, skipped),
               "<h2>How to read this</h2>", *(f"<p>{escape(words)}</p>" for words in HOW),
               f"<p>Prices of {escape(prices.date)}. {escape(prices.source)}</p>"]
    kept = ("E-mails, phone numbers, cards, keys, links, names and titles are masked; no sentence of the log is shown."
            if redact else "It shows words of the log: treat it as you treat the log.")
    return ("<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>Memory Lab: replay</title>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f"<style>{PAGE}</style></head>\n<body><main>\n" + "\n".join(blocks)
            + f"\n<footer><p>Made by memory-lab replay on this machine. Nothing was sent anywhere. {kept}</p></footer>"
              "\n</main></body></html>\n")


def _read(talks: Sequence[LoggedConversation], replays: Sequence[LogReplay]) -> str:
    forms = Counter(talk.format for talk in talks)
    return escape(", ".join([number(len(talks), "conversation"), number(sum(len(t.messages) for t in talks), "message"),
                             number(sum(replay.plan.turns for replay in replays), "turn"),
                             number(sum(len(replay.plan.calls) for replay in replays), "model call")])
                  + ". " + ", ".join(f"{form} ({n:,})" for form, n in forms.most_common()) + ".")


def _strategies(replays: Sequence[LogReplay], table: Sequence[dict[str, Any]], prices: Prices, model: str) -> Table:
    lines = []
    for row in table:
        costs, (there, asked) = bill(replays, row["strategy"]), held(row)
        lines.append([row["strategy"], in_words(costs.money(model, prices), prices.currency), percent(there, asked),
                      f"{there:,} of {asked:,}", in_words(costs.money(model, prices, cache=False), prices.currency),
                      percent(costs.share, 1), f"{costs.tokens:,.0f}", f"{row['peak']:,}", f"{costs.calls:,}",
                      f"{row['failed']:,} of {row['calls']:,}"])
    return Table(["strategy", "cost, cached", "recall", "leant on, still there", "not cached", "cache share",
                  "tokens", "longest prompt", "summaries", "failed"], lines, f"Per 1,000 turns, with {model}")


def _kinds(table: Sequence[dict[str, Any]]) -> str:
    kinds = list(dict.fromkeys(kind for row in table for kind in row["kinds"]))
    if not kinds:
        return "<p>No later turn leans on anything that an earlier one said.</p>"
    lines = [[row["strategy"], *(f"{there:,}" for there, _ in (row["kinds"][kind] for kind in kinds))]
             for row in table]
    asked = next(iter(table))["kinds"]
    heads = ["strategy", *(f"{kind} (of {asked[kind][1]:,})" for kind in kinds)]
    return _wide(Table(heads, lines, "Still in the context when a later turn leans on it"))


def _hurts(found: Sequence[Hurt], several: bool) -> str:
    if not found:
        return "<p>No strategy lost anything that a later turn leans on.</p>"
    items = []
    for hurt in found:
        where = f"{hurt.conversation}, turn {hurt.turn}" if several else f"Turn {hurt.turn}"
        lines = [[each.written, each.kind, f"{each.said_by}, message {each.said}", f"{each.turns_back:,}",
                  ", ".join(each.lost_by)] for each in hurt.missing]
        words = f"<blockquote>{escape(printable(hurt.words))}</blockquote>" if hurt.words else ""
        items.append(f"<li><details><summary>{escape(printable(where))}: "
                     f"{number(len(hurt.missing), 'thing')} missing</summary>"
                     f"<p>Message {hurt.asked}:</p>{words}"
                     + _wide(Table(["what", "kind", "said by", "turns back", "lost by"], _clean(lines[:SHOWN])))
                     + (f"<p>and {len(lines) - SHOWN:,} more</p>" if len(lines) > SHOWN else "") + "</details></li>")
    return f"<ol class='hurt'>{''.join(items)}</ol>"


def _care(talks: Sequence[LoggedConversation], skipped: Sequence[str]) -> str:
    notes = Counter(note for talk in talks for note in talk.notes)
    lines = [f"{note} (in {n:,} conversations)" if n > 1 else note for note, n in notes.most_common(NOTES)]
    if len(notes) > NOTES:
        lines.append(f"and {len(notes) - NOTES:,} more notes (all with --json)")
    unknown, opaque = (sum((getattr(talk, name) for talk in talks), Counter()) for name in ("unknown", "opaque"))
    lines += [f"not understood: {kind}, {number(n, 'time')}"
              + (f", kept whole, about {number(opaque[kind], 'token')}" if kind in opaque else "")
              for kind, n in unknown.most_common()]
    lines += [f"left out: {reason}" for reason in skipped]
    return "<ul>" + "".join(f"<li>{escape(printable(line))}</li>" for line in lines) + "</ul>" if lines else \
        "<p>Everything, and nothing had to be mended.</p>"


def _clean(lines: Iterable[Sequence[str]]) -> list[list[str]]:
    return [[printable(cell) for cell in line] for line in lines]


def _wide(table: Table) -> str:
    """A table that scrolls in its own box, by keyboard too."""
    name = escape(table.caption or ", ".join(table.header))
    return f'<div class="wide" tabindex="0" role="region" aria-label="{name}">{table._repr_html_()}</div>'
