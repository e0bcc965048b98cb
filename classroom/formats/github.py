"""A step summary and annotations for a GitHub workflow.

The summary goes to $GITHUB_STEP_SUMMARY (where there is none, only to OUT/github/summary.md); annotations are printed,
as workflow commands. A student's text is escaped in both: it can neither be markup nor a command to the runner.
`classroom/data/github-workflow.yml` is for each student's repository, `github-grading.yml` for the teacher's.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from classroom.feedback import parts
from classroom.formats import by_student
from classroom.manifest import Manifest
from classroom.pages import plain
from classroom.results import write as keep

_MOST = 10  # GitHub shows ten errors of a step
_LARGEST = 900_000  # bytes; GitHub refuses a summary of 1 MiB


def write(out: Path, course: Manifest, rows: list[dict[str, Any]], roster: Path | None = None) -> list[Path]:
    """The files written; the annotations are printed, and the summary is added to the step's."""
    text = summary(course, rows)
    keep(out / "github" / "summary.md", text)
    step = os.environ.get("GITHUB_STEP_SUMMARY")
    if step:
        with open(step, "a", encoding="utf-8") as file:
            file.write(text.encode()[:_LARGEST].decode(errors="ignore"))
    lines = annotations(course, rows)
    keep(out / "github" / "annotations.txt", "\n".join(lines) + "\n")
    print(*lines, sep="\n")
    return [out / "github" / "summary.md", out / "github" / "annotations.txt"]


def summary(course: Manifest, rows: list[dict[str, Any]]) -> str:
    """Markdown: a table of the class; for a single student one of the parts."""
    students = by_student(rows)
    lines = ["| student | " + " | ".join(plain(slug) for slug in course.exercises) + " | points |",
             "|---|" + "---:|" * (len(course.exercises) + 1)]
    for student, own in students.items():
        cells = [f"{row['points']} of {row['max_points']}" if (row := own.get(slug)) and row["status"] == "graded"
                 else plain(row["status"] if row else "-") for slug in course.exercises]
        lines.append(f"| {plain(student)} | " + " | ".join(cells)
                     + f" | {sum(row['points'] for row in own.values())} of {course.points} |")
    if len(students) == 1:
        lines += ["", "| part | points | to mend |", "|---|---:|---|"]
        for row in rows:
            for part in parts(row, course.exercises[row["exercise"]]):
                wrong = [said or name for name, passed, said in part["lines"] if not passed]
                lines.append(f"| {plain(part['title'])} | {part['points']} of {part['max_points']} "
                             f"| {plain('; '.join(wrong)[:300])} |")
    return "\n".join(lines) + "\n"


def annotations(course: Manifest, rows: list[dict[str, Any]]) -> list[str]:
    """Workflow commands, an error per part that lost points, at most ten, and a notice with the sum of each student."""
    errors = []
    for row in rows:
        file = f"exercises/{row['exercise']}.ipynb"
        if row["status"] not in ("graded", "not submitted"):
            why = row["reason"] or row["status"]
            errors.append(_command("error", f"{row['exercise']}: {row['status']}", why, file))
            continue
        for part in parts(row, course.exercises[row["exercise"]]):
            said = [said or name for name, passed, said in part["lines"] if not passed]
            if said and row["status"] == "graded":
                errors.append(_command("error", part["title"], said[0], file))
    sums = [_command("notice", "points", f"{student}: {sum(row['points'] for row in own.values())} of {course.points}")
            for student, own in by_student(rows).items()]
    return errors[:_MOST] + sums[:_MOST]


def _command(kind: str, title: str, text: str, file: str = "") -> str:
    """One line that the runner reads, whatever is in the texts."""
    def safe(value: str, more: str = "") -> str:
        for char in "%\r\n" + more:
            value = value.replace(char, f"%{ord(char):02X}")
        return "".join(c if c.isprintable() else "?" for c in value)[:500]

    where = f"file={safe(file, ':,')}," if file else ""
    return f"::{kind} {where}title={safe(title, ':,')}::{safe(text)}"
