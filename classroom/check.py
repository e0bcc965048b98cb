"""The reader's coach: `classroom check`.

    classroom check                        the exercise that you are at
    classroom check exercises/03_window.ipynb --watch
    classroom check --exercise 3 --hint
    classroom check --progress, --next, --reset 3

Exit status: 0 all parts pass (or what was asked for is done), 1 something to mend, 2 wrong use or a file that is none.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from classroom import coach, shipped
from classroom.errors import CourseError
from classroom.progress import Progress
from classroom.reading import UnreadableError
from classroom.ready import Ready
from classroom.watch import saves


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `check`."""
    parser.add_argument("notebook", type=Path, nargs="?", help="default: the exercise that you are at")
    parser.add_argument("--exercise", type=int, metavar="N", help="exercise N instead of a file")
    parser.add_argument("--seconds", type=float, default=10, help="how long a notebook may run (default 10)")
    parser.add_argument("--watch", action="store_true", help="check again after each save; Ctrl-C ends it")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--hint", action="store_true", help="a hint for what is to mend; three a part, one at a time")
    one.add_argument("--progress", action="store_true", help="how far you are in the course")
    one.add_argument("--next", action="store_true", help="which exercise comes next")
    one.add_argument("--reset", type=int, metavar="N", help="exercise N as it was shipped; yours is kept beside it")


def run(arguments: argparse.Namespace) -> int:
    """The exit status."""
    folder = _folder(arguments.notebook)
    found, kept = coach.exercises(folder), Progress.beside(shipped.home(folder / "x"))
    try:
        if arguments.progress:
            print(coach.table(found, kept))
            return _told(kept, 0 if found else 2)
        if arguments.next:
            return _told(kept, _next(found, kept))
        if arguments.reset is not None:
            return _told(kept, _reset(_numbered(found, arguments.reset, folder), kept))
        path = _wanted(arguments, found, kept, folder)
        if not hasattr(os, "fork"):
            raise CourseError([f"this check needs Linux, macOS or WSL; here, run: pytest --nbval {path}"])
        with Ready(path.resolve().parent, seconds=arguments.seconds) as ready:
            return _watch(path, ready, kept, found) if arguments.watch else _once(path, ready, kept, found, arguments)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130


def _folder(notebook: Path | None) -> Path:
    if notebook is not None:
        return notebook.resolve().parent
    return Path("exercises").resolve() if Path("exercises").is_dir() else Path.cwd()


def _numbered(found: dict[str, Path], number: int, folder: Path) -> Path:
    path = next((path for slug, path in found.items() if int(slug[:2]) == number), None)
    if path is None:
        raise CourseError([f"no exercise {number} in {folder}; there are: {', '.join(found) or 'none'}"])
    return path


def _wanted(arguments: argparse.Namespace, found: dict[str, Path], kept: Progress, folder: Path) -> Path:
    if arguments.notebook is not None:
        if arguments.exercise is not None:
            raise CourseError(["a notebook or --exercise N, not both"])
        if not arguments.notebook.is_file():
            raise CourseError([f"{arguments.notebook}: no such file"])
        return arguments.notebook
    if arguments.exercise is not None:
        return _numbered(found, arguments.exercise, folder)
    slug = coach.following(found, kept) or next(reversed(found), None)
    if slug is None:
        raise CourseError([f"no exercise in {folder}; name the notebook: classroom check NOTEBOOK"])
    return found[slug]


def _once(path: Path, ready: Ready, kept: Progress, found: dict[str, Path], arguments: argparse.Namespace) -> int:
    from classroom.verdict import check

    try:
        verdict = check(path, ready)
    except (UnreadableError, OSError, RuntimeError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    slug = verdict.slug or path.stem
    kept.change(slug, parts=len(verdict.parts),
                passed=[part.number for part in verdict.parts if part.state == "passes"])
    shown = os.path.relpath(path)
    if arguments is not None and arguments.hint and verdict.fault is not None:
        part = next((part for part in verdict.parts if part.number == verdict.fault.part), None)
        print(coach.hint(part, kept.hint(slug, part.number)) if part else coach.report(verdict, ""))
        return _told(kept, 1)
    print(coach.report(verdict, f"classroom check {shown}"))
    if verdict.done and (slug := coach.following(found, kept)):
        print(coach.introduce(slug, found[slug]))
    return _told(kept, 0 if verdict.done else 1)


def _watch(path: Path, ready: Ready, kept: Progress, found: dict[str, Path]) -> int:
    """The status of the last check, when the reader has ended the watch."""
    status = 2
    try:
        for _ in saves(path):
            began = time.perf_counter()
            status = _once(path, ready, kept, found, None)
            print(f"\n[{time.strftime('%H:%M:%S')}, {time.perf_counter() - began:.2f} s] "
                  f"watching {os.path.relpath(path)}; Ctrl-C ends\n", flush=True)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    return status


def _next(found: dict[str, Path], kept: Progress) -> int:
    if not found:
        raise CourseError(["no exercises here; go to the folder that has exercises/ in it"])
    slug = coach.following(found, kept)
    print(coach.introduce(slug, found[slug]) if slug else "All exercises are done.")
    return 0


def _reset(path: Path, kept: Progress) -> int:
    back, saved = shipped.reset(path, time.strftime("%Y%m%d-%H%M%S"))
    print(f"{os.path.relpath(back)} is as it was shipped" + (f"; yours is {os.path.relpath(saved)}" if saved else ""))
    slug = shipped.slug(path) or path.stem
    kept.change(slug, passed=[], hints={})
    return 0


def _told(kept: Progress, status: int) -> int:
    for note in dict.fromkeys(kept.notes):
        print(f"note: {note}", file=sys.stderr)
    return status


