"""The options that commands share which ask a model: which one, what it may cost, a dry run, a cache of its calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..errors import EndpointError, SettingError, SpendingError
from .numbers import whole

TASKS = ("summary", "extraction", "embedding")
RETRIES, SECONDS, MAX_TOKENS = 4, 120, 1024


def add_model_options(parser: argparse.ArgumentParser, *, chat: bool = True, **words: str) -> None:
    """Nothing; the parser knows the shared options, as a group of their own.

    chat: the command asks for more than vectors.  words: what this command does with the model of a task, if named.
    """
    group = parser.add_argument_group(
        "models", "Where OPENAI_BASE_URL points, with the key in OPENAI_API_KEY (a file .env may hold both): see "
        "memory_lab/client.py. Without a model's name the offline model answers, at no cost.")
    if chat:
        group.add_argument("--model", metavar="NAME", help="who answers (default: what MEMORY_LAB_MODEL says, or "
                                                           "offline)")
        group.add_argument("--summary-model", metavar="NAME", help="who summarises (default: what "
                                                                   "MEMORY_LAB_SUMMARY_MODEL says, or the same)")
    for task, what in words.items():
        group.add_argument(f"--{task}-model", metavar="NAME", help=what)
    group.add_argument("--max-cost", type=_money, metavar="MONEY",
                       help="stop before this run's calls cost more, by the dated price table")
    group.add_argument("--prices", type=Path, metavar="FILE",
                       help="a price table of your own: a copy of memory_lab/data/prices/prices.json with your models")
    if chat:
        group.add_argument("--max-tokens", type=whole("tokens"), default=MAX_TOKENS, metavar="N",
                           help=f"with --max-cost: of a reply that has no other limit (default: {MAX_TOKENS})")
    group.add_argument("--dry-run", action="store_true",
                       help="send nothing: estimate calls, tokens and cost with the offline model's replies")
    group.add_argument("--cache", type=Path, metavar="FILE",
                       help="keep answers there, and take them from there: a stopped run goes on, a repeat is free")
    group.add_argument("--timeout", type=_seconds, metavar="SECONDS",
                       help=f"to wait for an answer (default: {SECONDS}; 600 for the local model)")
    group.add_argument("--max-retries", type=int, default=RETRIES, metavar="N",
                       help="of a call, after 429, 5xx or silence, as long as Retry-After says, or longer each time "
                            f"(default: {RETRIES})")


@contextmanager
def model_calls(args: argparse.Namespace, *, progress: bool = True) -> Iterator[Any]:
    """The client that the options ask for; at the end what the calls came to is printed, on stderr.

    progress: show calls and money as they grow, where someone watches.
    Raises SettingError for a model that cannot be had, or has no price where --max-cost is given; SpendingError where
    the limit stopped a call, even if a memory went on without it; EndpointError for what the endpoint did.
    """
    from ..client import connect

    names = model_names(args)
    if names.chat.startswith("offline") and not (args.dry_run or args.cache or args.max_cost is not None):
        with _explained(args, connect(args.model)) as client:
            client.models_ = names
            yield client
        return

    from ..client import LOCAL
    from ..endpoint import CallCache, DryRun, Quirks, Spending
    from ..endpoint.account import account, estimate
    from ..prices import load_prices

    prices = load_prices(args.prices)
    if args.max_cost is not None:
        for name in (*names[:3], *filter(None, [getattr(args, "embedding_model", None)])):
            prices[name]  # refuses an unknown one now, and not after half of the calls
    spending = Spending(prices, limit=None if args.dry_run else args.max_cost,
                        max_tokens=getattr(args, "max_tokens", MAX_TOKENS))
    own = names.chat if names.chat.startswith(("local", "offline")) else None  # at another port each time
    cache, quirks = args.cache and CallCache(args.cache, address=own, read_only=args.dry_run), Quirks()
    options = {"max_retries": args.max_retries, **({"api_key": "none"} if args.dry_run else {})}
    if args.timeout or names.chat not in LOCAL:
        options["timeout"] = args.timeout or SECONDS
    closing = ExitStack()
    if cache:
        closing.callback(cache.close)
    try:
        layers = [*([_progress(spending, closing)] if progress and sys.stderr.isatty() else []),
                  *([cache] if cache else []), spending, DryRun() if args.dry_run else quirks]
        with _explained(args, connect(args.model, layers=layers, **options)) as client:
            client.models_ = names
            yield client
        if spending.stopped:  # a memory took it for a fault of the model, and went on
            raise spending.stopped
        if args.dry_run:
            print("\n".join(estimate(spending, args.max_cost, cache)))
    except KeyboardInterrupt:
        print(f"\nmemory-lab: {_resume(args)}.", file=sys.stderr)
        raise
    except SpendingError as error:
        raise SpendingError(f"{spending.stopped}. {_resume(args)}") from error
    finally:
        closing.close()
        if not args.dry_run and (spending.rows or spending.unanswered or (cache and cache.hits)):
            print("memory-lab: " + "\n".join(account(spending, cache, quirks)), file=sys.stderr)


def model_names(args: argparse.Namespace) -> Any:
    """The client.Models that the options and the environment name.

    Raises SettingError for a task's model beside a chat model that no endpoint serves.
    """
    from ..client import models

    given = {task: name for task in TASKS if (name := getattr(args, f"{task}_model", None))}
    names = models(args.model)
    for task, name in given.items():
        if names.chat.startswith(("offline", "local")) and not name.startswith(names.chat):
            raise SettingError(f"--{task}-model {name}: the {names.chat} model works alone; name an endpoint's --model")
    return names._replace(**given)


def all_offline(args: argparse.Namespace) -> bool:
    """Do these options ask the offline model for everything, with nothing to count or keep?"""
    counted = args.dry_run or args.cache or args.max_cost is not None or getattr(args, "extraction_model", None)
    return not counted and all(name.startswith("offline") for name in model_names(args)[:3])


def _progress(spending: Any, closing: ExitStack) -> Any:
    """A layer that counts calls in a bar on stderr."""
    from tqdm import tqdm

    bar = closing.enter_context(tqdm(unit=" calls", file=sys.stderr, leave=False))

    def count(request: Any, forward: Any) -> Any:
        try:
            return forward(request)
        finally:
            bar.set_postfix_str(f"{spending.money:.4f} {spending.prices.currency}", refresh=False)
            bar.update()

    return count


@contextmanager
def _explained(args: argparse.Namespace, client: Any) -> Iterator[Any]:
    from ..endpoint.explain import explain

    try:
        with client:
            yield client
    except Exception as error:
        words = explain(error, str(client.base_url).rstrip("/"))
        if words is None:
            raise
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        raise EndpointError(f"{words}{notes}. {_resume(args)}") from error


def _resume(args: argparse.Namespace) -> str:
    if args.cache:
        return f"What was answered is in {args.cache}: the same command goes on from there"
    return "With --cache FILE a stopped run goes on where it was"


def _money(text: str) -> float:
    money = float(text)
    if not 0 <= money < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no sum: give 0 or more, such as 0.50")
    return money


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time to wait: give seconds, more than 0")
    return seconds


_money.__name__, _seconds.__name__ = "sum of money", "number of seconds"
