"""What a student gets: OUT/feedback/NAME.html and .md. Points per part, the mistake in words, their own code.

Hidden checks stand by name only: neither their inputs, nor their code, nor what they said. Notes for the teacher are in
grades.json and summary.html, not here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from classroom.manifest import Exercise, Manifest
from classroom.pages import fenced, page, plain, text
from classroom.results import file_name, write

_STATES = {
    "not submitted": "Nothing was handed in for this exercise.",
    "unreadable": "The file could not be read",
    "timed out": "Your code did not end in time",
    "killed": "Your code was stopped",
    "grader error": "This could not be graded; it is not your fault. Your teacher has the details.",
}
_SHOWN = 20_000  # characters of a student's own code


def publish(out: Path, course: Manifest, rows: list[dict[str, Any]]) -> None:
    """Write both files of every student."""
    students: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        students.setdefault(row["student"], []).append(row)
    for student, own in students.items():
        base = out / "feedback" / file_name(student)
        write(base.with_name(base.name + ".html"), as_html(student, own, course))
        write(base.with_name(base.name + ".md"), as_markdown(student, own, course))


def _state(row: dict[str, Any]) -> str:
    said = _STATES.get(row["status"], "")
    told = row["reason"] if row["status"] in ("unreadable", "timed out", "killed") else ""
    return f"{said}: {told}." if told else said


def parts(row: dict[str, Any], exercise: Exercise) -> list[dict[str, Any]]:
    """Per part: title, points, max_points, and (check, passed, what to say) for each check."""
    found = []
    for part in exercise.parts:
        own = [check for check in row["checks"] if check["part"] == part["part"]]
        lines = [(check["check"], check["passed"], _say(check)) for check in own]
        answer = next((cell.id for cell in exercise.cells if cell.kind == "answer" and cell.part == part["part"]), "")
        found.append({"title": part["title"], "points": sum(check["points"] for check in own), "lines": lines,
                      "max_points": sum(check["max_points"] for check in own), "code": row["code"].get(answer, "")})
    return found


def _say(check: dict[str, Any]) -> str:
    if check["hidden"]:
        return "" if check["passed"] else "hidden: inputs that you have not seen"
    return "" if check["passed"] else check["reason"]


def as_html(student: str, rows: list[dict[str, Any]], course: Manifest) -> str:
    """The page of one student."""
    points, most = sum(row["points"] for row in rows), sum(row["max_points"] for row in rows)
    body = [f"<h1>{text(student)}</h1>", f'<p class="sub">{points} of {most} points</p>']
    for row in rows:
        exercise = course.exercises[row["exercise"]]
        body.append(f"<h2>{exercise.number}. {text(exercise.title)}: {row['points']} of {row['max_points']}</h2>")
        if row["status"] != "graded":
            body.append(f'<p class="no">{text(_state(row))}</p>')
        if row["status"] in ("not submitted", "unreadable"):
            continue
        body.append('<table><tr><th>part</th><th>check</th><th>what it says</th><th class="n">points</th></tr>')
        for part in parts(row, exercise):
            for number, (name, passed, said) in enumerate(part["lines"]):
                first = number == 0
                mark = '<span class="ok">passed</span>' if passed else '<span class="no">failed</span>'
                earned = f"{part['points']} of {part['max_points']}" if first else ""
                body.append(f"<tr><td>{text(part['title']) if first else ''}</td>"
                            f'<td class="c">{text(name)}<br>{mark}</td>'
                            f'<td>{text(said)}</td><td class="n">{earned}</td></tr>')
        body.append("</table>")
        for part in parts(row, exercise):
            if part["code"].strip():
                body.append(f"<details><summary>Your code for {text(part['title'])}</summary>"
                            f"<pre><code>{text(part['code'][:_SHOWN])}</code></pre></details>")
    return page(f"{student}: feedback", "\n".join(body))


def as_markdown(student: str, rows: list[dict[str, Any]], course: Manifest) -> str:
    """The same as Markdown, for a forum or a repository."""
    points, most = sum(row["points"] for row in rows), sum(row["max_points"] for row in rows)
    lines = [f"# {plain(student)}", "", f"{points} of {most} points", ""]
    for row in rows:
        exercise = course.exercises[row["exercise"]]
        lines += [f"## {exercise.number}. {plain(exercise.title)}: {row['points']} of {row['max_points']}", ""]
        if row["status"] != "graded":
            lines += [f"**{plain(_state(row))}**", ""]
        if row["status"] in ("not submitted", "unreadable"):
            continue
        lines += ["| check | | what it says | points |", "|---|---|---|---:|"]
        for part in parts(row, exercise):
            lines.append(f"| **{plain(part['title'])}** | | | {part['points']} of {part['max_points']} |")
            lines += [f"| {plain(name)} | {'passed' if passed else 'failed'} | {plain(said)} | |"
                      for name, passed, said in part["lines"]]
        lines.append("")
        for part in parts(row, exercise):
            if part["code"].strip():
                lines += [f"Your code for {plain(part['title'])}:", "", fenced(part["code"][:_SHOWN]), ""]
    return "\n".join(lines)
