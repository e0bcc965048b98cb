"""A 50 MB export through `memory-lab replay`: seconds, CPU seconds and the largest memory of all its processes.

    .venv/bin/python bench/replay.py [--megabytes 50] [--jobs N]     writes bench/results/replay.json

The export is generated from a seed, in the form of ChatGPT's: trees of one branch, chats of 1 to some hundred turns,
codes and prohibitions that later turns name again.  Seconds are of one machine with whatever else it was doing: CPU
seconds are there to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

RESULT = Path(__file__).parent / "results" / "replay.json"
COMMON = """the of a to and in that it is was for on are as with they at be this from have or by one had not but what
all were when we there can an your which their said if do will each about how up out them then she many some so these
would other into has more her two like him see time could no make than first been its who now people my made over did
down only way find use may water long little very after words called just where most know"""
WORDS = COMMON.split()
RUN = "import sys; from memory_lab.cli import main; sys.exit(main())"
PACE = 0.2  # seconds between two looks at the processes' memory


def text(chance: random.Random, sentences: int) -> str:
    return " ".join(" ".join(chance.choices(WORDS, k=chance.randint(6, 20))).capitalize() + "."
                    for _ in range(sentences))


def conversation(chance: random.Random, number: int) -> dict:
    """A tree of one branch.  Turns: about 8, a few chats far more."""
    mapping: dict = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent, codes = "root", []
    for turn in range(max(1, int(chance.lognormvariate(1.6, 1.0)))):
        asked = text(chance, chance.randint(1, 3))
        if chance.random() < 0.3:
            codes.append(f"{chance.choice('ABCDEFG')}-{chance.randint(1000, 9999)}")
            asked += f" My order is {codes[-1]}."
        if codes and chance.random() < 0.2:
            asked += f" What about {chance.choice(codes)}?"
        if chance.random() < 0.03:
            asked += " I am allergic to nuts."
        if chance.random() < 0.03:
            asked += " Which cake has no nuts?"
        for role, words in (("user", asked), ("assistant", text(chance, chance.randint(5, 25)))):
            key = f"{number}-{turn}-{role}"
            mapping[parent]["children"].append(key)
            mapping[key] = {"id": key, "parent": parent, "children": [], "message": {
                "id": key, "author": {"role": role, "name": None, "metadata": {}},
                "create_time": 1.7e9 + 1000 * number + turn, "update_time": None,
                "content": {"content_type": "text", "parts": [words]}, "status": "finished_successfully",
                "end_turn": True, "weight": 1.0, "metadata": {"model_slug": "gpt-4o"}, "recipient": "all"}}
            parent = key
    return {"title": f"Talk {number}", "mapping": mapping, "current_node": parent, "conversation_id": str(number)}


def write(path: Path, size: int, seed: int = 7) -> int:
    """How many conversations the export of at least `size` bytes holds."""
    chance, written, number = random.Random(seed), 0, 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            written += file.write(("[" if number == 0 else ",\n") + json.dumps(conversation(chance, number)))
            number += 1
        file.write("]")
    return number


def family(pid: int) -> Iterator[int]:
    """The process and all below it, as /proc knows them."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in children:
            yield from family(int(child))


def resident(pid: int) -> int:
    """Bytes of memory that the process and all below it hold now; what two share counts once for each."""
    total = 0
    for member in family(pid):
        try:
            total += int(Path(f"/proc/{member}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            continue
    return total


def measure(command: list[str]) -> dict[str, float]:
    """Seconds, CPU seconds and the peak of memory, in MB, of a command.  Raises RuntimeError if it fails."""
    before, started, peak = os.times(), time.perf_counter(), [0]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        def watch() -> None:
            while process.poll() is None:
                peak[0] = max(peak[0], resident(process.pid))
                time.sleep(PACE)

        watcher = threading.Thread(target=watch)
        watcher.start()
        process.wait()
        watcher.join()
    seconds, after = time.perf_counter() - started, os.times()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"seconds": round(seconds, 1), "cpu_seconds": round(cpu, 1), "peak_mb": round(peak[0] / 1e6)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="half a megabyte, and nothing is stored")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "conversations.json"
        talks = write(log, int((0.5 if args.quick else args.megabytes) * 1e6))
        size = log.stat().st_size
        found = measure([sys.executable, "-c", RUN, "replay", str(log), "--jobs", str(args.jobs),
                         "--html", str(Path(folder) / "report.html")])
    result = {"python": platform.python_version(), "cores": os.cpu_count(), "jobs": args.jobs,
              "load": round(os.getloadavg()[0], 1), "bytes": size, "conversations": talks, **found,
              "bars": {"seconds": 60, "peak_mb": 1000}}
    print(json.dumps(result, indent=1))
    if not args.quick:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
