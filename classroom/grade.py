"""A class graded: `classroom grade SUBMISSIONS --out DIR`.

    collect (submissions.py) -> rebuild (rebuild.py) -> nbval and witness in workers (judge.py) -> points (results.py)
    -> feedback and summary (feedback.py, summary.py)

Every student ends in a state: graded, not submitted, unreadable, timed out, killed. Results are written as each ends.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import secrets
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classroom import cluster, feedback, manifest, reading, rebuild, results, sandbox, submissions, summary
from classroom.errors import CourseError
from classroom.formats import FORMATS
from classroom.manifest import Exercise, Manifest
from classroom.orders import order, reference
from classroom.suspicions import suspicions
from classroom.workers import Worker, each

VERSION = 1  # of what a result means: one more makes `--resume` grade anew


@dataclass
class Settings:
    """How to grade. seed: inputs of hidden checks; None: a fresh one. Times in seconds on the wall.

    scheduler: a Dask cluster's address (cluster.py); its workers grade instead of `jobs` processes here.
    """

    jobs: int = 2
    seed: int | None = None
    resume: bool = False
    require_isolation: bool = False
    cell_seconds: float = 10
    notebook_seconds: float = 120
    quiet: bool = False
    scheduler: str | None = None

    @property
    def times(self) -> tuple[float, float]:
        return self.cell_seconds, self.notebook_seconds


def grade(folder: Path, out: Path, course: Manifest, settings: Settings | None = None,
          roster: list[str] | None = None) -> list[dict[str, Any]]:
    """The results, a dict per student and exercise, in the order of the gradebook that is then in `out`.

    Raises CourseError if there is nothing to grade, if a solution fails its own checks here, or if walls are missing
    and settings.require_isolation. Cost: some seconds, then some tenths of a second per notebook and job.
    """
    settings = settings or Settings()
    with cluster.connect(settings.scheduler) as far, tempfile.TemporaryDirectory(prefix="grade-") as scratch, \
            sandbox.Stage.temporary() as stage:
        walls = far.walls if far else sandbox.layers()
        if settings.require_isolation and not all(walls.values()):
            raise CourseError(["not graded: a wall around the students' code is missing", *sandbox.describe(walls)])
        seed = _seed(out, course, settings)
        handed = submissions.collect(folder, course, Path(scratch), roster)
        if not handed.submissions:
            raise CourseError([f"{folder}: no submission found", *handed.strays[:10]])
        about = {"seed": seed, "walls": walls, "strays": handed.strays}
        known = results.stored(out) if settings.resume else {}
        rows = {(one.student, one.slug): _unrun(one, course.exercises[one.slug], seed) for one in handed.submissions}
        tasks = {}
        for key, (row, built) in rows.items():
            before = known.get(key)
            if before and before.get("key") == row["key"] and before["status"] != "grader error":
                rows[key] = (before, None)
            elif built is not None:
                tasks[key] = (row, built)
            else:
                results.store(out, row)
        withhold = {slug: list(course.exercises[slug].withhold) for slug in sorted({slug for _, slug in tasks})}
        data = Path(course.data) if course.data else None
        if far:
            workers = far.workers(len(tasks), withhold, data)
        else:
            jobs = max(1, min(settings.jobs, len(tasks)))
            workers = [Worker(stage, slot, walls["namespaces"]) for slot in range(jobs)]
        try:
            if tasks:
                if not far:
                    for worker in workers:
                        worker.launch()  # it starts meanwhile
                    stage.prepare(withhold, data=data)
                expected = reference([course.exercises[slug] for slug in withhold], workers, seed, settings.times)
                about["unwatched"] = sorted(name for _, seen in expected.values() for name, value in seen.items()
                                            if value is None)
                for key, row in _graded(tasks, course, workers, expected, seed, settings):
                    rows[key] = (row, None)
                    results.store(out, row)
        finally:
            for worker in workers:
                worker.stop()
            final = [row for row, built in rows.values() if built is None]
            _publish(out, course, final, about)
    return final


def _publish(out: Path, course: Manifest, rows: list[dict[str, Any]], about: dict[str, Any]) -> None:
    results.publish(out, course, rows, about)
    feedback.publish(out, course, rows)
    summary.publish(out, course, rows, about)


def _seed(out: Path, course: Manifest, settings: Settings) -> int:
    """The run's seed: the one asked for, the one of the run that is resumed, or a fresh one; kept in OUT/run.json."""
    kept: dict[str, Any] = {}
    path = out / "run.json"
    if settings.resume and path.exists():
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise CourseError([f"{path}: cannot be read, so nothing can be resumed: {error}"]) from error
    seed = settings.seed if settings.seed is not None else kept.get("seed")
    seed = secrets.randbelow(2**31) if seed is None else int(seed)
    results.write(path, json.dumps({"seed": seed, "manifest": course.sha256, "version": VERSION}) + "\n")
    return seed


def _unrun(one: submissions.Submission, exercise: Exercise, seed: int) -> tuple[dict[str, Any], rebuild.Rebuilt | None]:
    """The row as it stands before anything runs, and what to run, if there is anything."""
    raw = one.path.read_bytes() if one.path and one.path.stat().st_size <= reading.LARGEST else b""
    about = f"{VERSION} {exercise.sha256} {seed} {one.path is None} {one.notes}"
    key = hashlib.sha256(about.encode() + raw).hexdigest()
    row = {"student": one.student, "exercise": one.slug, "points": 0, "max_points": exercise.points,
           "status": "not submitted", "reason": "", "key": key, "notes": list(one.notes), "seconds": 0.0, "code": {},
           "checks": results.score(exercise, None, {})}
    if one.path is None:
        return row, None
    try:
        found, notes = reading.read_cells(one.path)
    except reading.UnreadableError as error:
        return row | {"status": "unreadable", "reason": str(error)}, None
    built = rebuild.rebuild(exercise, found, notes)
    odd = [f"{cell.id if cell else 'an extra cell'}: {text}" for cell, source in built.cells
           if cell is None or cell.kind == "answer" for text in suspicions(source)]
    return row | {"notes": [*one.notes, *built.notes, *odd][:100], "code": built.answers}, built


def _graded(tasks: dict, course: Manifest, workers: list[Worker], expected: dict, seed: int, settings: Settings,
            ) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    from tqdm import tqdm

    orders = [order(course.exercises[slug], built.cells, seed, settings.times, key=[student, slug],
                    expected=expected[slug][0]) for (student, slug), (_, built) in tasks.items()]
    bar = tqdm(total=len(orders), desc="grading", unit="notebook", disable=settings.quiet or None, dynamic_ncols=True)
    with bar:
        for task, outcome in each(workers, orders):
            key = tuple(task["key"])
            row, _ = tasks[key]
            yield key, _row(row, course.exercises[key[1]], outcome, expected[key[1]][1])
            bar.update()


def _row(row: dict[str, Any], exercise: Exercise, outcome: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    checks = results.score(exercise, outcome, seen)
    notes = list(row["notes"])
    notes += [f"{check['check']}: {check['reason']}" for check in checks if check["suspicious"]]
    notes += [f"{check['check']}, run apart: {check['apart']}" for check in checks if check["apart"]]
    notes += [f"{cell['id'] or 'an extra cell'}: {': '.join(map(str, cell['error']))[:200]}"
              for cell in outcome["cells"] if cell["error"] and not cell["kind"].endswith("check")]
    reason = outcome["reason"]
    if outcome["status"] == "graded":
        wrong = [check["reason"] for check in sorted(checks, key=lambda check: not check["suspicious"])
                 if not check["passed"]]
        reason = wrong[0][:200] if wrong else ""
    return row | {"status": outcome["status"], "reason": reason, "checks": checks, "notes": list(dict.fromkeys(notes)),
                  "points": sum(check["points"] for check in checks), "seconds": outcome["seconds"]}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `grade`."""
    parser.add_argument("submissions", type=Path, help="a folder, or a zip of Canvas or Moodle")
    parser.add_argument("--out", type=Path, required=True, help="where the gradebook goes")
    parser.add_argument("--manifest", type=Path, help="the release's manifest (default: made from the course's text)")
    parser.add_argument("--root", type=Path, default=Path(), help="the course's folder (default: this one)")
    parser.add_argument("--roster", type=Path, help="CSV of the class; a student who handed nothing in gets a row too")
    parser.add_argument("--exercise", action="append", help="grade this one alone (number or name; repeatable)")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (default 2)")
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="grade on this Dask cluster instead, like tcp://host:8786 (needs the extra dask)")
    parser.add_argument("--seed", type=int, help="of the hidden checks' inputs (default: fresh)")
    parser.add_argument("--resume", action="store_true", help="keep what an interrupted run has graded")
    parser.add_argument("--require-isolation", action="store_true", help="refuse if a wall is missing")
    parser.add_argument("--cell-seconds", type=float, default=10, help="for one cell (default 10)")
    parser.add_argument("--notebook-seconds", type=float, default=120, help="for a whole notebook (default 120)")
    parser.add_argument("--format", action="append", choices=[*FORMATS], default=[],
                        help="the gradebook in another system's form too (repeatable)")


def chosen(course: Manifest, wanted: list[str] | None) -> Manifest:
    """The manifest with the wanted exercises alone. Raises CourseError for one that it does not have."""
    if not wanted:
        return course
    by_name = {word: slug for slug, made in course.exercises.items() for word in (slug, str(made.number))}
    missing = [word for word in wanted if word not in by_name]
    if missing:
        raise CourseError([f"no exercise {missing[0]!r}; there are {', '.join(course.exercises)}"])
    return Manifest({by_name[word]: course.exercises[by_name[word]] for word in wanted}, course.sha256, course.data)


def run(arguments: argparse.Namespace) -> int:
    """The exit status: 0; 1 with what is wrong on stderr; 130 if interrupted."""
    settings = Settings(arguments.jobs, arguments.seed, arguments.resume, arguments.require_isolation,
                        arguments.cell_seconds, arguments.notebook_seconds, scheduler=arguments.scheduler)
    try:
        course = manifest.read(arguments.manifest) if arguments.manifest else manifest.from_course(arguments.root)
        roster = submissions.read_roster(arguments.roster) if arguments.roster else None
        if not arguments.scheduler:  # a cluster's workers have every wall, or it is refused
            print(*sandbox.describe(sandbox.layers()), sep="\n", file=sys.stderr)
        rows = grade(arguments.submissions, arguments.out, chosen(course, arguments.exercise), settings, roster)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"interrupted; what was graded is in {arguments.out}; --resume goes on from there", file=sys.stderr)
        return 130
    states = [row["status"] for row in rows]
    counted = {status: states.count(status) for status in dict.fromkeys(states)}
    print(f"{len(rows)} rows: " + ", ".join(f"{number} {status}" for status, number in counted.items()))
    print(f"{arguments.out / 'grades.csv'}, totals.csv, summary.html, feedback/")
    for name in arguments.format:
        written = FORMATS[name](arguments.out, chosen(course, arguments.exercise), rows, arguments.roster)
        print(f"{name}: {', '.join(path.name for path in written[:3])}" + ", ..." * (len(written) > 3))
    return 0
