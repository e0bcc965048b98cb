"""Seconds per submission of `classroom grade` beside nbgrader's autograde and plain nbval: `make bench-grading`.

    .venv/bin/python bench/grading.py .grading-venv [--quick]

Every grader gets the same 20 right submissions of one notebook with 5 checks, and runs all 5. Each command is timed
whole, from its start to its end, in turns, so that a busy machine is busy for all. Ours is timed with its walls.
--quick: 4 submissions, one round, printed and not written.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from grading_course import course
from timing import as_json, machine

from classroom.sandbox import layers

HERE = Path(__file__).parent
OURS, NBGRADER, NBVAL = "classroom grade --jobs 1", "nbgrader autograde", "pytest --nbval"
BARS = {NBGRADER: 4.0, NBVAL: 2.0}  # at least so many times our seconds


def run(command: list[str], folder: Path) -> str:
    """What it printed. Raises CalledProcessError, with all of it, if it fails: a grader that failed is not fast."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=_environment())
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-3000:], file=sys.stderr)
        done.check_returncode()
    return done.stdout


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTEST"))}
    return kept | {"CLASSROOM_SEED": "0"}


def ours(base: Path, number: int, jobs: int) -> Callable[[Path], None]:
    """Grades the class into a folder that is new each time."""
    def grade(out: Path) -> None:
        run([sys.executable, "-m", "classroom.cli", "grade", str(base / "class"), "--root", str(base / "course"),
             "--out", str(out), "--jobs", str(jobs)], HERE.parent)
        with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        full = [row for row in rows if row["points"] == row["max_points"] and row["status"] == "graded"]
        if len(full) != number:
            raise SystemExit(f"ours: {len(full)} of {number} have full marks")
    return grade


def plain(base: Path, workers: int) -> Callable[[Path], None]:
    """nbval on the solved notebooks with their stored outputs, in one process or on so many workers."""
    split = ["-n", str(workers), "--dist", "loadfile"] if workers > 1 else ["-p", "no:xdist"]

    def check(out: Path) -> None:
        del out
        run([sys.executable, "-m", "pytest", "--nbval", "-q", "-p", "no:cacheprovider", *split, "-c", os.devnull,
             "--rootdir", str(base / "class"), *sorted(map(str, (base / "class").rglob("*.ipynb")))], base)
    return check


def nbgrader(base: Path, number: int, environment: Path) -> Callable[[Path], None]:
    """nbgrader's autograde on the same cells: a course folder of its own, made before the clock starts."""
    home, tool = base / "nbgrader", str(environment / "bin" / "nbgrader")
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def call(*words: str) -> None:
        run(["env", f"PATH={path}", tool, *words], home)

    call("generate_assignment", "ps1", "--force")

    def grade(out: Path) -> None:
        del out
        shutil.rmtree(home / "autograded", ignore_errors=True)
        call("autograde", "ps1", "--force")
        call("export", "--to", str(home / "grades.csv"))
        with (home / "grades.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        full = [row for row in rows if float(row["score"] or 0) == float(row["max_score"]) > 0]
        if len(full) != number:
            raise SystemExit(f"nbgrader: {len(full)} of {number} have full marks")
    return grade


def measure(environment: Path, *, number: int, rounds: int) -> dict[str, Any]:
    """The results: seconds per submission of each round, by grader."""
    with tempfile.TemporaryDirectory(prefix="bench-grading-") as folder:
        base = Path(folder)
        course(base, number)
        graders = {OURS: ours(base, number, 1), "classroom grade --jobs 2": ours(base, number, 2),
                   NBVAL: plain(base, 1), "pytest --nbval -n 2": plain(base, 2),
                   NBGRADER: nbgrader(base, number, environment)}
        spent: dict[str, list[float]] = {name: [] for name in graders}
        loads = []
        for turn in range(rounds):
            for name, grade in list(graders.items())[:: -1 if turn % 2 else 1]:  # a load that grows falls on all alike
                loads.append(os.getloadavg()[0])
                begun = time.perf_counter()
                grade(base / f"out-{turn}-{len(loads)}")
                spent[name].append(round((time.perf_counter() - begun) / number, 3))
                print(f"{name}: {spent[name][-1]} s a submission", file=sys.stderr)
    theirs = subprocess.run([str(environment / "bin/python"), "-c", "from importlib.metadata import version;"
                             "print(version('nbgrader'))"], capture_output=True, text=True, check=True).stdout.strip()
    ratios = {name: round(median(peer / own for peer, own in zip(values, spent[OURS], strict=True)), 2)
              for name, values in spent.items()}
    made = machine(("nbval", "pytest", "ipykernel"))
    made["versions"]["nbgrader"] = theirs
    return {"machine": made, "submissions": number, "rounds": rounds, "checks": 5,
            "load": [round(min(loads), 1), round(max(loads), 1)], "walls": layers(), "seconds": spent, "ratios": ratios,
            "bars": BARS}


def markdown(found: dict[str, Any]) -> str:
    """The same as a page."""
    walls = ", ".join(name for name, holds in found["walls"].items() if holds) or "none"
    made = found["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    lines = ["# Seconds per submission", "",
             f"Made by `make bench-grading` on {made['processor']}, {made['cores']} cores, Python {made['python']}; "
             f"{versions}; at commit {made['commit']}. Load {found['load'][0]} to {found['load'][1]}.", "",
             f"{found['submissions']} right submissions of a notebook with {found['checks']} checks. Each command is "
             f"timed whole, {found['rounds']} rounds in turns. Walls around ours: {walls}.", "",
             "| grader | seconds a submission | times ours | at least |", "|---|---:|---:|---:|"]
    for name, values in sorted(found["seconds"].items(), key=lambda item: median(item[1])):
        least = found["bars"].get(name)
        bar = "" if least is None else f"{least:g}" + (" MISSED" if found["ratios"][name] < least else "")
        lines.append(f"| {name} | {median(values):.3f} | {found['ratios'][name]:.2f} | {bar} |")
    return "\n".join([*lines, "", "Seconds are the median of the rounds; a ratio is the median of each round's ratio.",
                      "Ours runs each of its 3 hidden checks a second time, outside; the others do not.", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description="Seconds per submission beside nbgrader and plain nbval.")
    parser.add_argument("environment", type=Path, help="where nbgrader is installed")
    parser.add_argument("--quick", action="store_true", help="a small run, printed and not written")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    number, rounds = (4, 1) if options.quick else (20, options.rounds)
    found = measure(options.environment.resolve(), number=number, rounds=rounds)
    page = markdown(found)
    print(page)
    if not options.quick:
        (HERE / "results/grading.json").write_text(as_json(found), encoding="utf-8")
        (HERE / "results/grading.md").write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
