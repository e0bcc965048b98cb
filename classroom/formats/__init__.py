"""A finished grading run in the form that another system takes: `classroom grade ... --format NAME`.

    gradescope.py   results.json per student, and the autograder's zip
    canvas.py       CSV for Canvas's gradebook import
    moodle.py       CSV for Moodle's grade import
    github.py       step summary and annotations

A format is write(out, course, rows, roster) -> the files written. out: the gradebook's folder.  rows: the results of
grade.py, a dict per student and exercise.  roster: the CSV that was given, or None.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from classroom.manifest import Manifest

Format = Callable[[Path, Manifest, list[dict[str, Any]], Path | None], list[Path]]


def _later(name: str) -> Format:
    def write(out: Path, course: Manifest, rows: list[dict[str, Any]], roster: Path | None = None) -> list[Path]:
        return importlib.import_module(f"classroom.formats.{name}").write(out, course, rows, roster)

    return write


FORMATS: dict[str, Format] = {name: _later(name) for name in ("gradescope", "canvas", "moodle", "github")}


def by_student(rows: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """student -> exercise -> result, in the order of the rows."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["student"], {})[row["exercise"]] = row
    return found


def known(roster: Path | None, students: list[str]) -> tuple[list[str], dict[str, dict[str, str]]]:
    """(the roster's columns, student -> its line). A line is a student's if one of its cells is the student's name."""
    if roster is None:
        return [], {}
    with roster.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        lines = [{key: value or "" for key, value in line.items() if key} for line in reader]
    wanted = set(students)
    found: dict[str, dict[str, str]] = {}
    for line in lines:
        name = next((cell.strip() for cell in line.values() if isinstance(cell, str) and cell.strip() in wanted), None)
        if name is not None:
            found.setdefault(name, line)
    return list(reader.fieldnames or []), found


def points(row: dict[str, Any] | None) -> str:
    """The points to hand on; "" (which changes nothing there) if nothing was handed in or the grader failed."""
    return "" if row is None or row["status"] in ("not submitted", "grader error") else str(row["points"])
