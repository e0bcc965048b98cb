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
_HIDDEN = "hidden: inputs that you have not seen"
_HOW = ("Visible checks guide. Points are earned on hidden checks: the same questions, with inputs that you have not "
        "seen.")
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
    """Per part: title, points, max_points, code, hidden (names), lines (check, passed, what to say), said (to mend)."""
    found = []
    for part in exercise.parts:
        own = [check for check in row["checks"] if check["part"] == part["part"]]
        answer = next((cell.id for cell in exercise.cells if cell.kind == "answer" and cell.part == part["part"]), "")
        found.append({"title": part["title"], "points": sum(check["points"] for check in own),
                      "max_points": sum(check["max_points"] for check in own), "code": row["code"].get(answer, ""),
                      "hidden": [check["check"] for check in own if check["hidden"]],
                      "lines": [(check["check"], check["passed"], _say(check)) for check in own],
                      "said": _said(own)})
    return found


def _said(checks: list[dict[str, Any]]) -> list[str]:
    """What each failed check says, once."""
    wrong = [check for check in checks if not check["passed"]]
    if any(check["reason"] == "not attempted" for check in wrong):
        return ["not attempted"]
    return list(dict.fromkeys(map(_say, wrong)))


def _say(check: dict[str, Any]) -> str:
    if check["passed"]:
        return ""
    return _HIDDEN if check["hidden"] else check["reason"]


def as_html(student: str, rows: list[dict[str, Any]], course: Manifest) -> str:
    """The page of one student."""
    points, most = sum(row["points"] for row in rows), sum(row["max_points"] for row in rows)
    body = [f"<h1>{text(student)}</h1>", f'<p class="sub">{points} of {most} points</p>']
    for row in rows:
        exercise = course.exercises[row["exercise"]]
        body.append(f"<h2>{exercise.number}. {text(exercise.title)} "
                    f'<span class="soft">{row["points"]} of {row["max_points"]}</span></h2>')
        if row["status"] != "graded":
            body.append(f'<p class="no">{text(_state(row))}</p>')
        if row["status"] in ("not submitted", "unreadable"):
            continue
        told = parts(row, exercise)
        body.append('<table class="parts"><tr><th>part</th><th>checks</th><th>what to mend</th>'
                    '<th class="n">points</th></tr>')
        for part in told:
            marks = "<br>".join(
                f'<span class="{"ok" if passed else "no"}">{"passed" if passed else "failed"}</span> '
                f'<span class="id">{text(name)}{" (hidden)" if name in part["hidden"] else ""}</span>'
                for name, passed, _ in part["lines"])
            body.append(f"<tr><td>{text(part['title'])}</td><td>{marks}</td><td>{'<br>'.join(map(text, part['said']))}"
                        f"</td><td class=\"n\">{part['points']} of {part['max_points']}</td></tr>")
        body.append("</table>")
        for part in told:
            if part["code"].strip():
                shown = " open" if part["said"] not in ([], ["not attempted"]) else ""
                body.append(f"<details{shown}><summary>Your code for {text(part['title'])}</summary>"
                            f"<pre><code>{text(part['code'][:_SHOWN])}</code></pre></details>")
    body.append(f'<p class="sub">{text(_HOW)}</p>')
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
        lines += ["| part | checks | what to mend | points |", "|---|---|---|---:|"]
        told = parts(row, exercise)
        for part in told:
            marks = "<br>".join(f"{'passed' if passed else 'failed'}: {plain(name)}"
                                f"{' (hidden)' if name in part['hidden'] else ''}" for name, passed, _ in part["lines"])
            lines.append(f"| {plain(part['title'])} | {marks} | {'<br>'.join(map(plain, part['said']))} "
                         f"| {part['points']} of {part['max_points']} |")
        lines.append("")
        for part in told:
            if part["code"].strip():
                lines += [f"Your code for {plain(part['title'])}:", "", fenced(part["code"][:_SHOWN]), ""]
    return "\n".join([*lines, _HOW, ""])
