"""What a teacher's grading run trusts: every cell of every exercise, its kind, its points, its solution.

Made from the course's text, not from stored notebooks; a JSON file that the class never sees.
"""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from classroom import exercise, markers
from classroom.build import load
from classroom.errors import CourseError
from classroom.source import course_files

FORMAT = 1


@dataclass(frozen=True)
class Cell:
    """One code cell. source: the solution's; given: what the class gets (answers: unsolved; hidden checks: "")."""

    id: str
    kind: str
    source: str
    given: str
    part: int = 0
    points: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """One notebook of the class."""

    slug: str
    number: int
    title: str
    withhold: tuple[str, ...]
    parts: tuple[dict[str, Any], ...]
    cells: tuple[Cell, ...]
    sha256: str = ""

    @property
    def points(self) -> int:
        return sum(cell.points for cell in self.cells)

    @property
    def checks(self) -> tuple[Cell, ...]:
        """Visible and hidden checks, in order."""
        return tuple(cell for cell in self.cells if cell.kind in ("check", "hidden-check"))


@dataclass(frozen=True)
class Manifest:
    """The exercises of a course, by slug, and a hash of all of it."""

    exercises: dict[str, Exercise]
    sha256: str = ""
    data: str = ""

    @property
    def points(self) -> int:
        return sum(exercise.points for exercise in self.exercises.values())


def from_course(root: Path) -> Manifest:
    """The manifest of a course's folder. Raises CourseError for text that lint refuses. Runs nothing."""
    paths = [path for path in course_files(root.resolve()) if path.parent.parent.name == "solutions"]
    if not paths:
        raise CourseError([f"no solutions/_src/*.md under {root}"])
    return _signed({source.slug: _exercise(source) for source in load(paths)}, str((root / "exercises").resolve()))


def _exercise(source: Any) -> Exercise:
    cells = []
    for cell in source.notebook.cells:
        if cell.cell_type != "code" or "solution" in cell.metadata.get("tags", []):
            continue
        about, kind = cell.metadata.memory_lab, exercise.kind(cell)
        given = "" if kind == "hidden-check" else exercise.unsolved(cell).source
        cells.append(Cell(cell["id"], kind, _without_markers(cell.source), given, about.get("part", 0),
                          about.get("points", 0), tuple(_bound(cell.source)) if kind == "answer" else ()))
    facts = source.facts
    parts = tuple(dict(part) for part in facts["parts"])
    made = Exercise(source.slug, facts["number"], facts["title"], tuple(facts["withhold"]), parts, tuple(cells))
    return Exercise(**{**made.__dict__, "sha256": _hash(asdict(made))})


def _without_markers(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip() not in (markers.BEGIN, markers.END))


def _bound(text: str) -> list[str]:
    """The names that an answer cell leaves behind, the imported ones aside."""
    found: list[str] = []
    for statement in ast.parse(text).body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append(statement.name)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found += [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(found))


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _signed(exercises: dict[str, Exercise], data: str) -> Manifest:
    return Manifest(exercises, _hash({slug: made.sha256 for slug, made in exercises.items()}), data)


def save(manifest: Manifest, path: Path) -> None:
    """Nothing; the file holds the solutions: it is the teacher's alone."""
    body = {"format": FORMAT, "sha256": manifest.sha256, "points": manifest.points,
            "exercises": [asdict(made) for made in manifest.exercises.values()]}
    path.write_text(json.dumps(body, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    path.chmod(0o600)


def read(path: Path) -> Manifest:
    """A saved manifest. Raises CourseError for a file that is none, or one that was changed by hand."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        if body["format"] != FORMAT:
            raise CourseError([f"{path}: format {body['format']!r}; this release reads format {FORMAT}"])
        exercises = {}
        for item in body["exercises"]:
            cells = tuple(Cell(**{**cell, "names": tuple(cell["names"])}) for cell in item["cells"])
            exercises[item["slug"]] = Exercise(**{**item, "withhold": tuple(item["withhold"]), "cells": cells,
                                                  "parts": tuple(item["parts"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, CourseError):
            raise
        raise CourseError([f"{path}: no manifest: {error}; make one with `classroom release`"]) from error
    for made in exercises.values():
        if made.sha256 != _hash(asdict(Exercise(**{**made.__dict__, "sha256": ""}))):
            raise CourseError([f"{path}: {made.slug} was changed since the release; run `classroom release` again"])
    data = path.parent / "exercises"
    return _signed(exercises, str(data.resolve()) if data.is_dir() else "")


__all__ = ["Cell", "Exercise", "Manifest", "from_course", "read", "save"]
