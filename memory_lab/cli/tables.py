"""memory-lab tables: what each strategy costs and keeps on the shipped conversations."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ..errors import SettingError
from .model_options import add_model_options, all_offline, model_calls
from .numbers import processors, whole

MODEL_OPTIONS = ("summary_model", "extraction_model", "max_cost", "cache", "dry_run")

def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `tables`."""
    parser.add_argument("--conversation", nargs="+", action="extend", metavar="NAME",
                        help="only these shipped conversations (default: all but long_300)")
    parser.add_argument("--all", action="store_true", help="long_300 as well, which takes about a minute")
    parser.add_argument("--no-answers", action="store_true", help="ask no model: what is in the context, and no more")
    parser.add_argument("--jobs", type=whole("processes"), metavar="N",
                        help="processes that share all conversations, answered offline (default: one a core)")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--markdown", action="store_true", help="print Markdown")
    shape.add_argument("--json", action="store_true", help="print JSON: each strategy on each conversation")
    shape.add_argument("--readme", type=Path, metavar="FILE",
                       help="put the headline table between the markers in FILE, and print nothing else")
    add_model_options(parser, extraction="one more row: a fact table whose facts this model finds")


def run(args: argparse.Namespace) -> int:
    """The exit code.  Raises LogError for an unknown conversation, SettingError for options that exclude each other."""
    from ..tables import GROUPS, LONG, groups, headline, into_readme, measure, measure_apart, table_000

    if args.conversation and (args.all or args.readme):
        raise SettingError("--conversation names the conversations: leave out --all and --readme")
    if args.no_answers and any(getattr(args, name) is not None and getattr(args, name) is not False
                               for name in MODEL_OPTIONS):
        raise SettingError("--no-answers asks no model: leave it out, or leave out the options that are about models")
    if args.readme and (args.no_answers or args.model or args.dry_run):
        raise SettingError("--readme writes the table of the offline model with its answers: leave out --model and "
                           "--no-answers, and --dry-run")
    if args.readme:
        changed = into_readme(args.readme, lambda: headline().markdown())
        print(f"{args.readme}: {'the headline table was replaced' if changed else 'the headline table was up to date'}")
        return 0
    names = list(dict.fromkeys(args.conversation or [name for group in GROUPS.values() for name in group
                                                     if args.all or name not in LONG]))
    with nullcontext() if args.no_answers else model_calls(args) as client:
        jobs = args.jobs or processors()
        if jobs > 1 and not args.conversation and not args.no_answers and all_offline(args):
            measured, inline = measure_apart(names, jobs)
        else:
            measured = measure(names, client=client, answer=not args.no_answers, by_model=bool(args.extraction_model))
            inline = None if args.conversation or args.no_answers else table_000(client=client)
        tables = groups(measured)
        if not args.conversation:
            tables = [*tables, *([inline] if inline else []), headline(measured)]
    if args.dry_run:
        return 0  # the offline model's answers would say nothing about the model that was named
    if args.json:
        print(json.dumps([as_json(table) for table in tables], ensure_ascii=False, indent=1))
    else:
        print("\n\n".join(table.markdown() if args.markdown else str(table.table()) for table in tables))
    return 0


def as_json(table: Any) -> dict[str, Any]:
    """A Tradeoff as JSON values: sums and recalls for each strategy and conversation; no times."""
    return {"caption": table.caption, "strategies": {
        name: {**({"published": table.published[name]} if name in table.published else {}),
               "conversations": [_replay(replay) for replay in replays]}
        for name, replays in table.replays.items()}}


def _replay(replay: Any) -> dict[str, Any]:
    asked = any(each.verdict for each in replay.asked)
    return {"conversation": replay.conversation, "prompts": list(replay.prompts), "cached": list(replay.cached),
            "prompt_tokens": replay.prompt_tokens, "peak": replay.peak, "own_calls": replay.own_calls,
            "own_tokens": replay.own_tokens, "evidence_recall": round(replay.evidence_recall, 4),
            "context_recall": round(replay.context_recall, 4),
            **({"answer_recall": round(replay.answer_recall, 4), "invented": replay.invented} if asked else {}),
            "probes": [{"question": each.probe.question, "evidence": each.evidence, "in_context": each.in_context,
                        "answer": each.answer, "verdict": each.verdict, "tokens": each.tokens}
                       for each in replay.asked]}
