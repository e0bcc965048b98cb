"""memory-lab bench FILE: evidence recall on a LoCoMo-shaped file, by strategy and token budget."""

from __future__ import annotations

import argparse
import json
import re
import sys

from .model_options import add_model_options, model_calls

HELP = "evidence recall of retrieval strategies on dialogues in LoCoMo's schema, by token budget"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `bench`."""
    from ..benchmark.strategies import EXTRAS, STRATEGIES

    parser.add_argument("file", metavar="FILE", help="a JSON file in LoCoMo's schema: a list of samples, or one")
    parser.add_argument("--budgets", type=_budgets, default=_budgets("1k,2k,4k,8k"), metavar="N,N",
                        help="tokens of the context (default: 1k,2k,4k,8k)")
    parser.add_argument("--strategies", type=_names, metavar="NAME,NAME",
                        help=f"of {', '.join(STRATEGIES)} (default: all these), {', '.join(EXTRAS)}")
    parser.add_argument("--dialogues", type=_numbers, metavar="N-N,N",
                        help="only these dialogues of the file, counted from 1")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for the random row and the intervals")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the tables")
    add_model_options(parser, chat=False, embedding="one more row, embedding: as hybrid, with this model's vectors")


def run(args: argparse.Namespace) -> int:
    """The exit code.  Raises LogError for a bad file, SettingError for a bad option."""
    from ..benchmark import load, measure, named, tables
    from ..benchmark.strategies import with_vectors_of

    strategies = named(args.strategies)
    talks = load(args.file, dialogues=args.dialogues)
    args.model = args.embedding_model or "offline"
    total = (len(strategies) + bool(args.embedding_model)) * sum(len(talk.questions) for talk in talks)
    with model_calls(args, progress=False) as client, _progress(total) as advance:
        if args.embedding_model:
            strategies["embedding"] = with_vectors_of(client)
        result = measure(talks, strategies, list(args.budgets), seed=args.seed, progress=advance)
    if args.dry_run:
        return 0
    if args.json:
        print(json.dumps({name: {args.budgets[budget]: score.as_json() for budget, score in scores.items()}
                          for name, scores in result.items()}, indent=1))
        return 0
    print(f"{args.file}: {len(talks)} dialogues, {sum(map(len, talks)):,} messages, "
          f"{sum(sum(talk.tokens) for talk in talks):,} tokens")
    for table in tables(result, args.budgets):
        print(f"\n{table}")
    return 0


def _budgets(text: str) -> dict[int, str]:
    """Tokens -> the word that was given for them."""
    found = {}
    for word in text.split(","):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)(k?)\s*", word.lower())
        tokens = int(float(match[1]) * (1000 if match[2] else 1)) if match else 0
        if tokens < 1:
            raise argparse.ArgumentTypeError(f"{word!r} is no budget: write tokens, as in 1k,2k or 1500")
        found[tokens] = word.strip()
    return found


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _numbers(text: str) -> list[int]:
    found = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if not match:
            raise argparse.ArgumentTypeError(f"{part!r} names no dialogues: write 3 or 1-5")
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    return found


class _progress:
    """A progress bar on stderr, where someone watches; else nothing."""

    def __init__(self, total: int):
        self.bar = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(total=total, unit=" questions", file=sys.stderr, leave=False)

    def __enter__(self):
        return self.bar.update if self.bar else None

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.close()
