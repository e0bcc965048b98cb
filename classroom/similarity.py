"""Which submissions are alike: `classroom similarity SUBMISSIONS`. Advice to a teacher who then reads both, no verdict.

Each answer's syntax tree is written down without names and literals, its runs of 8 nodes are hashed, and a few of the
hashes are kept by a rule that keeps the same ones from the same code (winnowing: Schleimer, Wilkerson and Aiken,
"Winnowing", SIGMOD 2003, the method of MOSS). Alike is the share of hashes that two students have in common (Jaccard).
What the exercise ships does not count, nor what over half of a class has. An answer that is the published solution's
tree is listed apart. Renaming, comments, layout and other numbers change nothing; another algorithm does.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import itertools
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from classroom import manifest, reading, rebuild, results, submissions
from classroom.errors import CourseError
from classroom.manifest import Exercise, Manifest

RUN, WINDOW = 8, 4  # nodes in a hash; hashes of which at least one is kept
_FEWEST = 12  # hashes that two students must have between them: less is chance
_CLASS = 8  # students from which on "over half of the class" says something
Print = tuple[str, int]


@dataclass
class Pair:
    """Two students' answers to one exercise. share: from 0 to 1. answers: the parts that are alike by themselves."""

    exercise: str
    first: str
    second: str
    share: float
    answers: list[str]


@dataclass
class Report:
    """pairs: the most alike first. published: (exercise, student, answers).

    usual: exercise -> median share of all pairs. left_out: "student, exercise: why" of what could not be compared.
    """

    pairs: list[Pair] = field(default_factory=list)
    published: list[tuple[str, str, list[str]]] = field(default_factory=list)
    usual: dict[str, float] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def nodes(source: str) -> list[str] | None:
    """A cell's syntax tree as a list of words, without names, literals, docstrings and notes on types; None: no Python.

    >>> nodes("x = 1") == nodes("total = 99  # another") != nodes("x += 1")
    True
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: list[str] = []
    waiting: list[ast.AST | str] = [tree]
    while waiting:  # no recursion: a student's expression may be deep
        node = waiting.pop()
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node, ast.Constant):
            found.append(type(node.value).__name__)
        elif not isinstance(node, (ast.Load, ast.Store, ast.Module)):
            found.append(type(node).__name__)
            waiting += [")", *reversed(list(_inside(node)))]
        elif isinstance(node, ast.Module):
            waiting += reversed(list(_inside(node)))
    return found


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_comment"):
            continue
        values = value if isinstance(value, list) else [value]
        for number, child in enumerate(values):
            docstring = number == 0 and name == "body" and isinstance(child, ast.Expr) and isinstance(
                child.value, ast.Constant)
            if isinstance(child, ast.AST) and not docstring:
                yield child


def fingerprints(words: list[str]) -> set[int]:
    """The hashes that stand for a list of nodes: of each WINDOW neighbours the smallest."""
    runs = [" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1)]
    hashes = [int.from_bytes(hashlib.blake2b(run.encode(), digest_size=8).digest(), "big") for run in runs]
    return {min(hashes[at : at + WINDOW]) for at in range(max(1, len(hashes) - WINDOW + 1))} if hashes else set()


def compare(answers: dict[str, dict[str, str]], exercise: Exercise, *, least: float = 0.6) -> Report:
    """The report on one exercise. answers: student -> answer id -> source.  least: the share from which a pair is told.

    Cost: each pair once; a class of 300 has 45,000 pairs, some seconds.
    """
    report = Report()
    wanted = {cell.id: cell for cell in exercise.cells if cell.kind == "answer"}
    given = {name: set(_prints(cell.given)) for name, cell in wanted.items()}
    solved = {name: nodes(cell.source) for name, cell in wanted.items()}
    prints: dict[str, set[Print]] = {}
    for student, own in answers.items():
        kept: set[Print] = set()
        same = []
        for name, source in own.items():
            words = nodes(source)
            if words is None:
                report.left_out.append(f"{student}, {name}: no Python")
            elif words == solved[name]:
                same.append(name)
            elif words != nodes(wanted[name].given):
                kept |= {(name, hashed) for hashed in fingerprints(words) - given[name]}
        if same:
            report.published.append((exercise.slug, student, same))
        prints[student] = kept
    common = Counter(hashed for kept in prints.values() for hashed in kept)
    most = len(prints) / 2 if len(prints) >= _CLASS else len(prints) + 1
    rare = {student: {hashed for hashed in kept if common[hashed] <= most} for student, kept in prints.items()}
    shares = []
    for first, second in itertools.combinations(rare, 2):
        one, other = rare[first], rare[second]
        if len(one | other) < _FEWEST or not one or not other:
            continue
        share = len(one & other) / len(one | other)
        shares.append(share)
        if share >= least:
            alike = [name for name in wanted if _share(name, one, other) >= least]
            report.pairs.append(Pair(exercise.slug, first, second, share, alike))
    report.pairs.sort(key=lambda pair: (-pair.share, pair.first, pair.second))
    report.usual[exercise.slug] = statistics.median(shares) if shares else 0.0
    return report


def _prints(source: str) -> set[int]:
    return fingerprints(nodes(source) or [])


def _share(name: str, one: set[Print], other: set[Print]) -> float:
    mine, theirs = ({hashed for at, hashed in prints if at == name} for prints in (one, other))
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.0


def similar(folder: Path, course: Manifest, roster: list[str] | None = None, *, least: float = 0.6) -> list[Report]:
    """A report per exercise of a folder of submissions (submissions.py). Runs none of it."""
    answers: dict[str, dict[str, dict[str, str]]] = {slug: {} for slug in course.exercises}
    left_out: dict[str, list[str]] = {slug: [] for slug in course.exercises}
    with tempfile.TemporaryDirectory(prefix="similarity-") as scratch:
        for one in submissions.collect(folder, course, Path(scratch), roster).submissions:
            if one.path is None:
                continue
            try:
                found, _ = reading.read_cells(one.path)
            except reading.UnreadableError as error:
                left_out[one.slug].append(f"{one.student}, {one.slug}: {error}")
                continue
            answers[one.slug][one.student] = rebuild.rebuild(course.exercises[one.slug], found).answers
    reports = []
    for slug, own in answers.items():
        report = compare(own, course.exercises[slug], least=least)
        report.left_out[:0] = left_out[slug]
        reports.append(report)
    return reports


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `similarity`."""
    parser.add_argument("submissions", type=Path, help="a folder, or a zip of Canvas or Moodle")
    parser.add_argument("--manifest", type=Path, help="the release's manifest (default: made from the course's text)")
    parser.add_argument("--root", type=Path, default=Path(), help="the course's folder (default: this one)")
    parser.add_argument("--roster", type=Path, help="CSV of the class")
    parser.add_argument("--least", type=float, default=0.6, help="share from which a pair is told (default 0.6)")
    parser.add_argument("--out", type=Path, help="the pairs as CSV too")


def run(arguments: argparse.Namespace) -> int:
    """The exit status: 0, or 1 with what is wrong on stderr. What it finds changes no status: it is advice."""
    try:
        course = manifest.read(arguments.manifest) if arguments.manifest else manifest.from_course(arguments.root)
        roster = submissions.read_roster(arguments.roster) if arguments.roster else None
        reports = similar(arguments.submissions, course, roster, least=arguments.least)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    print("Alike is not copied: read both before you say anything. Short exercises have few answers.")
    for report in reports:
        for slug, usual in report.usual.items():
            print(f"\n{slug}: {len(report.pairs)} pairs at or over {arguments.least:.0%}; the median is {usual:.0%}")
        for pair in report.pairs:
            print(f"  {pair.share:4.0%}  {pair.first}  {pair.second}  {', '.join(pair.answers)}")
        for _, student, same in report.published:
            print(f"  the published solution, names aside: {student}  {', '.join(same)}")
        for line in report.left_out:
            print(f"  not compared: {line}")
    if arguments.out:
        rows = [(pair.exercise, pair.first, pair.second, round(pair.share, 3), " ".join(pair.answers))
                for report in reports for pair in report.pairs]
        rows += [(slug, student, "the published solution", 1, " ".join(same))
                 for report in reports for slug, student, same in report.published]
        results.write(arguments.out, results.table(("exercise", "first", "second", "share", "answers"), rows))
    return 0
