"""memory-lab replay FILE: real chat logs through every memory."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ..errors import LogError, SettingError
from .numbers import processors, whole

WATCHED = 500  # messages; below that a progress bar would only flicker
LONG = 2000  # messages; below that a second process would only be waited for
WIDE, WIDEST = 32_000, 128_000  # tokens; larger windows are tried if asked for: each context of them takes its time
LEAST = 200  # tokens; a smaller window holds hardly one question and its instructions
MODEL = "gpt-4.1-mini"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `replay`."""
    parser.add_argument("file", metavar="FILE", nargs="+",
                        help="a chat log, or a folder or zip of them: ChatGPT and Claude.ai exports, ShareGPT, OpenAI, "
                             "Anthropic and LangChain messages, Responses items, LiteLLM rows; JSON or JSONL")
    parser.add_argument("--html", type=Path, metavar="OUT.html", help="also write a report there: one file")
    parser.add_argument("--redact", action="store_true",
                        help="mask e-mails, phone numbers, cards, keys, links, names and titles; show no sentence")
    parser.add_argument("--strategy", nargs="+", action="extend", metavar="NAME",
                        help="buffer, pop_oldest, fixed_window, sliding_window, token_window, summary, fact_table, "
                             "layers (default: all)")
    parser.add_argument("--token-limit", nargs="+", action="extend", type=whole("tokens"), metavar="N",
                        help="limits of token_window (default: a quarter and a half of the longest prompt); the first "
                             "is that of summary, fact_table and layers, too (default: the recommended one)")
    parser.add_argument("--max-turns", type=int, default=10, metavar="N",
                        help="for fixed_window and sliding_window (default: 10)")
    parser.add_argument("--max-messages", type=int, default=20, metavar="N", help="for pop_oldest (default: 20)")
    parser.add_argument("--model", default=MODEL, metavar="NAME", help=f"whose prices to count (default: {MODEL})")
    parser.add_argument("--prices", type=Path, metavar="FILE", help="a price table of your own")
    parser.add_argument("--jobs", type=whole("processes"), metavar="N",
                        help="processes (default: one a core for a long log)")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="also write replay.json, replay.png and its alternative text replay.alt.txt there")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the tables")


def run(args: argparse.Namespace) -> int:
    """The exit code.  Raises LogError for a bad file, SettingError for a bad option."""
    from ..log_replay import recommend
    from ..log_replay.advice import advise
    from ..log_replay.many import Replays, Settings, redacted
    from ..log_replay.report import as_json, rows
    from ..log_replay.text import as_text
    from ..log_replay.windows import NAMES, token_window_label
    from ..log_replay.write import folder_for, write_page, write_results
    from ..prices import load_prices

    names = tuple(name.replace("-", "_") for name in args.strategy or NAMES)
    if args.token_limit and "token_window" not in names:
        raise SettingError("--token-limit is for token_window, which is not among the names after --strategy.")
    settings = {"names": names, "max_turns": args.max_turns, "max_messages": args.max_messages}
    Settings(**settings, token_limits=tuple(args.token_limit or ()), memory_limit=LEAST).memories()
    prices = load_prices(args.prices)
    prices[args.model]  # refuses an unknown one now, not behind a long log
    talks, skipped = _load(args.file, args.redact)
    if args.redact:
        redacted(talks)
    for option, folder in (("--out", args.out), ("--html", args.html and args.html.parent)):
        if folder:
            folder_for(option, folder)
    messages = sum(len(talk.messages) for talk in talks)
    jobs = args.jobs or processors()
    with Replays(talks, jobs=jobs if args.jobs or messages >= LONG else 1, redact=args.redact) as replays, \
            _progress(2 * messages) as advance:
        recommendation = recommend(replays.plans(advance))
        limits, marked = list(args.token_limit or ()), ""
        if recommendation and "token_window" in names:
            limits = limits or [max(LEAST, min(WIDE, _round(recommendation.peak // part))) for part in (4, 2)]
            if recommendation.token_limit <= WIDEST:
                limits.append(recommendation.token_limit)
                marked = token_window_label(recommendation.token_limit)
        memory_limit = args.token_limit[0] if args.token_limit else max(
            LEAST, min(WIDE, recommendation.token_limit if recommendation else 0))
        results = replays.run(Settings(**settings, token_limits=tuple(sorted(set(limits))), memory_limit=memory_limit),
                              advance)
    advice = advise(results, rows(results), recommendation, args.model, prices)
    result = {"file": ["(redacted)"] * len(args.file) if args.redact else args.file, "redacted": args.redact,
              "read": [_reading(talk) for talk in talks], "skipped": skipped,
              "advice": vars(advice) if advice else None, **as_json(results, recommendation)}
    written = write_results(args.out, result, results, recommendation) if args.out else []
    if args.html:
        from ..log_replay.page import page

        written.append(write_page(args.html, page(results, talks, recommendation, prices=prices, model=args.model,
                                                  skipped=skipped, redact=args.redact)))
    if args.json:
        plain = (getattr(sys.stdout, "encoding", None) or "ascii").lower() not in ("utf-8", "utf8")
        print(json.dumps(result, ensure_ascii=plain, indent=1))
        return 0
    print(_head(args, talks, results, skipped))
    if not recommendation:
        print("\nThe model was never called in this log (no user message with anything behind it): nothing to measure.")
    else:
        print("\n" + as_text(results, recommendation, marked, advice))
    for path in written:
        print(f"\nWritten: {path}" if path is written[0] else f"         {path}")
    return 0


def _load(files: list[str], redact: bool) -> tuple[list[Any], list[str]]:
    """(conversations, why files were left out), with paths that begin at what was named."""
    from .. import logs
    from ..masking import Redactor

    talks, skipped = [], []
    try:
        for file in files:
            loaded = logs.load(file)
            talks += loaded
            skipped += [words.replace(file, Path(file).name or file) for words in loaded.skipped]
    except LogError as error:
        if redact:  # an error quotes the place where a file is broken
            raise LogError(Redactor().text(str(error))) from None
        raise
    return talks, [f"file {number} of a folder or zip that is no log" for number in range(1, len(skipped) + 1)] \
        if redact else skipped


def _round(tokens: int) -> int:
    return round(tokens, -1 if tokens < 1000 else -2)


def _reading(talk: Any) -> dict[str, Any]:
    return {"name": talk.name, "format": talk.format, "messages": len(talk.messages),
            "unknown": dict(talk.unknown), "opaque_tokens": dict(talk.opaque), "notes": talk.notes}


def _head(args: argparse.Namespace, talks: list, replays: list, skipped: list[str]) -> str:
    """What was read, what was mended, what was not understood."""
    from ..log_replay.text import printable

    messages, turns = sum(len(talk.messages) for talk in talks), sum(replay.plan.turns for replay in replays)
    calls = sum(len(replay.plan.calls) for replay in replays)
    forms = ", ".join(dict.fromkeys(talk.format for talk in talks)) or "empty"
    name = "the log" if args.redact else args.file[0] if len(args.file) == 1 else _many(len(args.file), "path")
    lines = [f"{name}: {forms}, {_many(len(talks), 'conversation')}, {_many(messages, 'message')}, "
             f"{_many(turns, 'turn')}, {_many(calls, 'model call')}"]
    notes = Counter(note for talk in talks for note in talk.notes)
    lines += [f"  read with care: {printable(note)}" + (f" (in {n} conversations)" if n > 1 else "")
              for note, n in notes.most_common(12)]
    if len(notes) > 12:
        lines.append(f"  ... and {len(notes) - 12} more notes (all with --json or --out)")
    unknown, opaque = (sum((getattr(talk, key) for talk in talks), Counter()) for key in ("unknown", "opaque"))
    lines += [f"  not understood: {printable(kind)}, {_many(n, 'time')}"
              + (f", kept whole, about {opaque[kind]:,} tokens" if kind in opaque else "")
              for kind, n in unknown.most_common()]
    lines += [f"  left out: {printable(reason)}" for reason in skipped[:12]]
    if len(skipped) > 12:
        lines.append(f"  ... and {len(skipped) - 12} more files (all with --json or --out)")
    return "\n".join(lines)


def _many(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


class _progress:
    """A progress bar on stderr, where someone watches and the log is long; else nothing."""

    def __init__(self, total: int):
        self.bar = None
        if total >= 2 * WATCHED and sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(total=total, unit=" messages", file=sys.stderr, leave=False)

    def __enter__(self):
        return self.bar.update if self.bar else None

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.close()
