"""moodle.csv, for Moodle: Grades, Import, CSV file.

With a `--roster` that has e-mail addresses or ID numbers these tell Moodle who is who ("Map from: Email address, map
to: Email address"); without one the names of the submissions stand in the column Username. Map each exercise's points
and its feedback: Moodle drops the points where only the feedback is mapped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from classroom.formats import by_student, known, points
from classroom.manifest import Manifest
from classroom.results import table
from classroom.results import write as keep

_KEYS = {"Email address": ("email address", "email", "e-mail"), "ID number": ("id number", "idnumber", "id"),
         "Username": ("username", "login")}


def write(out: Path, course: Manifest, rows: list[dict[str, Any]], roster: Path | None = None) -> list[Path]:
    """The file written: a line per student; per exercise the points and a line of feedback."""
    students = by_student(rows)
    columns, lines = known(roster, list(students))
    plain = {column.strip().casefold(): column for column in columns}
    keys = {name: next((plain[word] for word in words if word in plain), "") for name, words in _KEYS.items()}
    named = [name for name, column in keys.items() if column] or ["Username"]
    head = [*named, *(text for made in course.exercises.values()
                      for text in (f"{made.number}. {made.title}", f"{made.number}. {made.title} (feedback)"))]
    body = []
    for student, own in students.items():
        line = lines.get(student, {})
        who = [line.get(keys[name], "") if line else student * (name == named[0]) for name in named]
        told = [text for slug in course.exercises for text in (points(own.get(slug)), said(own.get(slug)))]
        body.append([*who, *told])
    keep(out / "moodle.csv", table(head, body))
    return [out / "moodle.csv"]


def said(row: dict[str, Any] | None) -> str:
    """One line on a result, without what a hidden check said."""
    if row is None or row["status"] == "not submitted":
        return ""
    if row["status"] != "graded":
        return row["status"] + (f": {row['reason']}" if row["status"] == "unreadable" else "")
    missed = [check for check in row["checks"] if not check["passed"]]
    first = next((check["reason"] for check in missed if not check["hidden"]), "")
    parts = sorted({check["part"] for check in missed})
    if not parts:
        return "all passed"
    return f"parts to mend: {', '.join(map(str, parts))}" + (f"; {first[:200]}" if first else "")
