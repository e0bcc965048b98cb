"""memory-lab replay FILE: a real chat log through every memory."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ..errors import SettingError

LONG = 2000  # messages; below that a progress bar would only flicker
LEAST = 200  # tokens; a smaller window holds hardly one question and its instructions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `replay`."""
    parser.add_argument("file", metavar="FILE",
                        help="a chat log: OpenAI messages (JSON, JSONL), ChatGPT export, ShareGPT")
    parser.add_argument("--strategy", nargs="+", action="extend", metavar="NAME",
                        help="buffer, pop_oldest, fixed_window, sliding_window, token_window (default: all)")
    parser.add_argument("--token-limit", nargs="+", action="extend", type=_tokens, metavar="N",
                        help="limits of token_window (default: a quarter and a half of the longest prompt)")
    parser.add_argument("--max-turns", type=int, default=10, metavar="N",
                        help="for fixed_window and sliding_window (default: 10)")
    parser.add_argument("--max-messages", type=int, default=20, metavar="N", help="for pop_oldest (default: 20)")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="also write replay.json, replay.png and its alternative text replay.alt.txt there")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the tables")


def run(args: argparse.Namespace) -> int:
    """The exit code.  Raises LogError for a bad file, SettingError for a bad option."""
    from .. import logs
    from ..log_replay import KnownCounts, recommend, replay_log
    from ..log_replay.report import as_json, as_text
    from ..log_replay.windows import NAMES, token_window_label, windows

    count = KnownCounts()
    names = [name.replace("-", "_") for name in args.strategy or NAMES]
    if args.token_limit and "token_window" not in names:
        raise SettingError("--token-limit is for token_window, which is not among the names after --strategy.")
    memories = windows(names, token_limits=args.token_limit or (), max_turns=args.max_turns,
                       max_messages=args.max_messages, count=count)
    conversations = logs.load(args.file)
    if args.out:
        _folder(args.out)
    replays = [replay_log(talk.messages, {}, count=count, name=talk.name) for talk in conversations]
    recommendation = recommend(replays)
    limits = list(args.token_limit or ())
    if recommendation and "token_window" in names:
        limits = limits or [max(LEAST, _round(recommendation.peak // part)) for part in (4, 2)]
        limits = sorted({*limits, recommendation.token_limit})
        memories = windows(names, token_limits=limits, max_turns=args.max_turns, max_messages=args.max_messages,
                           count=count)
    with _progress(sum(len(talk.messages) for talk in conversations) * len(memories)) as advance:
        replays = [replay_log(talk.messages, memories, times=talk.times, count=count, name=talk.name, made=first.plan,
                              progress=advance) for talk, first in zip(conversations, replays, strict=True)]
    marked = token_window_label(recommendation.token_limit) if recommendation and "token_window" in names else ""
    result = {"file": str(args.file), "read": [_reading(talk) for talk in conversations],
              **as_json(replays, recommendation)}
    written = _write(args.out, result, replays, recommendation) if args.out else []
    if args.json:
        plain = (getattr(sys.stdout, "encoding", None) or "ascii").lower() not in ("utf-8", "utf8")
        print(json.dumps(result, ensure_ascii=plain, indent=1))
        return 0
    print(_head(args.file, conversations, replays))
    if not recommendation:
        print("\nThe model was never called in this log (no user message with anything behind it): nothing to measure.")
    else:
        print("\n" + as_text(replays, recommendation, marked))
    for path in written:
        print(f"\nWritten: {path}" if path is written[0] else f"         {path}")
    return 0


def _tokens(text: str) -> int:
    number = int(text.replace(",", "").replace("_", ""))
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number of tokens: give 1 or more")
    return number


_tokens.__name__ = "number of tokens"  # argparse puts it into its message


def _round(tokens: int) -> int:
    return round(tokens, -1 if tokens < 1000 else -2)


def _reading(talk: Any) -> dict[str, Any]:
    return {"name": talk.name, "format": talk.format, "messages": len(talk.messages),
            "unknown": dict(talk.unknown), "notes": talk.notes}


def _head(file: str, conversations: list, replays: list) -> str:
    """What was read, what was mended, what was not understood."""
    from ..log_replay.report import printable

    messages, turns = sum(len(talk.messages) for talk in conversations), sum(replay.plan.turns for replay in replays)
    calls = sum(len(replay.plan.calls) for replay in replays)
    name = conversations[0].format if conversations else "empty"
    lines = [f"{file}: {name}, {_many(len(conversations), 'conversation')}, {_many(messages, 'message')}, "
             f"{_many(turns, 'turn')}, {_many(calls, 'model call')}"]
    notes = Counter(note for talk in conversations for note in talk.notes)
    lines += [f"  read with care: {printable(note)}" + (f" (in {n} conversations)" if n > 1 else "")
              for note, n in notes.most_common(12)]
    if len(notes) > 12:
        lines.append(f"  ... and {len(notes) - 12} more notes (all with --json or --out)")
    unknown = sum((talk.unknown for talk in conversations), Counter())
    lines += [f"  not understood: {printable(kind)}, {_many(n, 'time')}" for kind, n in unknown.most_common()]
    return "\n".join(lines)


def _many(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


class _progress:
    """A progress bar on stderr, where someone watches and the log is long; else nothing."""

    def __init__(self, total: int):
        self.bar = None
        if total >= LONG and sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(total=total, unit=" messages", file=sys.stderr, leave=False)

    def __enter__(self):
        return self.bar.update if self.bar else None

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.close()


def _folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"--out {out}: no folder can be made there ({error.strerror}). Give another.") from error


def _write(out: Path, result: dict[str, Any], replays: list, recommendation: Any) -> list[Path]:
    """The files written, each whole or not at all."""
    from ..log_replay.figure import draw
    from ..log_replay.write import atomically

    paths = [out / "replay.json"]
    try:
        if recommendation:
            png, alt = out / "replay.png", out / "replay.alt.txt"
            with atomically(png) as part:
                words = draw(replays, recommendation, part)
            with atomically(alt) as part:
                part.write_text(words + "\n", encoding="utf-8")
            result = {**result, "figure": {"file": png.name, "alt": words}}
            paths += [png, alt]
        with atomically(paths[0]) as part:
            part.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SettingError(f"--out {out}: the results cannot be written ({error.strerror}). Give another.") from error
    return paths
