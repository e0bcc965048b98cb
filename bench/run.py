"""Run the comparisons and write bench/results/: `make bench`, or .bench-venv/bin/python bench/run.py [names] [--quick].

--quick prints a small run and writes nothing.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from entrants import offline_vocabulary
from timing import as_json

HERE = Path(__file__).parent
COMPARISONS = ("windows", "sessions", "bills", "peers")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Timings against peers, as ratios of one run.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(COMPARISONS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="a small run, printed and not written")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(COMPARISONS)
    if unknown:
        parser.error(f"no such comparison: {', '.join(sorted(unknown))}; there is {', '.join(COMPARISONS)}")
    offline_vocabulary(HERE.parent / "_build/tiktoken")
    for name in options.names or COMPARISONS:
        comparison = import_module(name)
        result = comparison.run(quick=options.quick)
        page = comparison.markdown(result)
        print(page)
        if not options.quick:
            results = HERE / "results"
            results.mkdir(exist_ok=True)
            (results / f"{name}.json").write_text(as_json(result), encoding="utf-8")
            (results / f"{name}.md").write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
