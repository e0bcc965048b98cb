"""canvas.csv, for Canvas: Grades, Import.

Give Canvas's own export of the gradebook as `--roster`: its ID columns tell Canvas who is who, and an exercise whose
title or name stands in one of its columns goes into that column. Without it the names of the submissions stand in the
column Student, and new columns are made. An empty cell changes nothing in Canvas.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from classroom.formats import by_student, known, points
from classroom.manifest import Exercise, Manifest
from classroom.results import table
from classroom.results import write as keep

WHO = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def write(out: Path, course: Manifest, rows: list[dict[str, Any]], roster: Path | None = None) -> list[Path]:
    """The file written: a line per student, points per exercise, and Canvas's line of points possible."""
    students = by_student(rows)
    columns, lines = known(roster, list(students))
    headed = {slug: _column(made, columns) for slug, made in course.exercises.items()}
    worth = [made.points for made in course.exercises.values()]
    body: list[list[Any]] = [["    Points Possible", "", "", "", "", *worth]]
    for student, own in students.items():
        line = lines.get(student, {})
        who = [line.get(column, "") for column in WHO] if "Student" in line else [student, "", "", "", ""]
        body.append([*who, *(points(own.get(slug)) for slug in course.exercises)])
    keep(out / "canvas.csv", table([*WHO, *headed.values()], body))
    return [out / "canvas.csv"]


def _column(made: Exercise, columns: list[str]) -> str:
    """Canvas's own head for the exercise, "Title (12345)", else a new one."""
    wanted = (made.slug.casefold(), made.title.casefold())
    theirs = (column for column in columns if column not in WHO and any(word in column.casefold() for word in wanted))
    return next(theirs, f"{made.number}. {made.title}")
