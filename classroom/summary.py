"""The teacher's page: OUT/summary.html. The distribution, the checks that most failed, and what needs a look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from classroom.manifest import Manifest
from classroom.pages import page, text
from classroom.results import file_name, write
from classroom.sandbox import describe

_BINS = 10


def publish(out: Path, course: Manifest, rows: list[dict[str, Any]], about: dict[str, Any]) -> None:
    """Write the page."""
    write(out / "summary.html", page("The class: summary", "\n".join(_body(course, rows, about))))


def _body(course: Manifest, rows: list[dict[str, Any]], about: dict[str, Any]) -> list[str]:
    totals: dict[str, int] = {}
    for row in rows:
        totals[row["student"]] = totals.get(row["student"], 0) + row["points"]
    states = [row["status"] for row in rows]
    counted = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    body = ["<h1>The class</h1>", f'<p class="sub">{len(totals)} students, {len(course.exercises)} exercises, '
            f"{course.points} points at most; {text(counted)}. Seed {about['seed']}.</p>",
            "<h2>Points</h2>", distribution(list(totals.values()), course.points), "<h2>Checks that most failed</h2>",
            most_failed(rows)]
    body += _needs_a_look(rows)
    body += ["<h2>The class, one by one</h2>", _students(rows, totals, course)]
    if about.get("strays"):
        body += ["<h2>Files that belong nowhere</h2>", "<ul>",
                 *(f"<li>{text(line)}</li>" for line in about["strays"][:200]), "</ul>"]
    body += ["<h2>Walls around the students' code</h2>", "<ul>",
             *(f"<li>{text(line)}</li>" for line in describe(about["walls"])), "</ul>"]
    if about.get("unwatched"):
        body.append("<p>These checks could not be run apart from the students' code: code that rewrites them can cheat"
                    f": {text(', '.join(about['unwatched']))}.</p>")
    return body


def distribution(totals: list[int], most: int) -> str:
    """A bar per tenth of the points, as SVG whose alternative text says the same in words."""
    bins = [0] * _BINS
    for total in totals:
        bins[min(_BINS - 1, total * _BINS // most if most else 0)] += 1
    ordered = sorted(totals)
    middle = ordered[len(ordered) // 2] if ordered else 0
    words = "; ".join(f"{n * 10} to {n * 10 + 10} percent: {count}" for n, count in enumerate(bins) if count)
    alt = f"Students per tenth of the points. {words}. Median {middle} of {most} points."
    top = max(bins, default=0) or 1
    shapes = []
    for number, count in enumerate(bins):
        height = round(150 * count / top)
        x = 40 + 60 * number
        shapes.append(f'<rect class="bar" x="{x}" y="{180 - height}" width="52" height="{height}" rx="3"/>')
        shapes.append(f'<text x="{x + 26}" y="{174 - height}" text-anchor="middle">{count or ""}</text>')
        shapes.append(f'<text x="{x - 4}" y="200" text-anchor="middle">{number * 10}</text>')
    return (f'<svg viewBox="0 0 680 225" role="img" aria-label="{text(alt)}"><title>{text(alt)}</title>'
            + "".join(shapes) +
            '<line class="axis" x1="36" y1="181" x2="644" y2="181" stroke-width="1"/>'
            '<text x="636" y="200" text-anchor="middle">100</text>'
            '<text x="340" y="221" text-anchor="middle">percent of the points</text></svg>')


def most_failed(rows: list[dict[str, Any]], top: int = 12) -> str:
    """A table of checks, by the share of those who handed in and failed, with the commonest reason of visible ones."""
    tries: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["status"] not in ("not submitted", "unreadable"):
            for check in row["checks"]:
                tries.setdefault(check["check"], []).append(check)
    ranked = sorted(tries.items(), key=lambda item: (-sum(not c["passed"] for c in item[1]) / len(item[1]), item[0]))
    lines = ['<table><tr><th>check</th><th class="n">failed</th><th>the commonest reason</th></tr>']
    for name, checks in ranked[:top]:
        wrong = [check["reason"] for check in checks if not check["passed"]]
        if wrong:
            common = max(sorted(set(wrong)), key=wrong.count)
            lines.append(f'<tr><td>{text(name)}{" (hidden)" if checks[0]["hidden"] else ""}</td>'
                         f'<td class="n">{len(wrong)} of {len(checks)}</td><td>{text(common[:200])}</td></tr>')
    return "\n".join([*lines, "</table>"]) if len(lines) > 1 else "<p>No check failed.</p>"


def _needs_a_look(rows: list[dict[str, Any]]) -> list[str]:
    noted = [(row, told) for row in rows if (told := _told(row))]
    if not noted:
        return []
    lines = ["<h2>Needs a look</h2>", "<table><tr><th>student</th><th>exercise</th><th>state</th><th>notes</th></tr>"]
    for row, told in noted:
        shown = "<br>".join(text(note[:300]) for note in told[:12]) + ("<br>..." if len(told) > 12 else "")
        lines.append(f"<tr><td>{text(row['student'])}</td><td>{text(row['exercise'])}</td>"
                     f"<td>{text(row['status'])}</td><td>{shown}</td></tr>")
    return [*lines, "</table>"]


def _told(row: dict[str, Any]) -> list[str]:
    """What of a row is worth a teacher's time: its end, and its notes, one line for all copied answers."""
    told = [row["reason"]] if row["status"] not in ("graded", "not submitted") else []
    copied = [note.partition(":")[0] for note in row["notes"] if note.endswith("the published solution")]
    told += [f"word for word the published solution: {', '.join(copied)}"] if copied else []
    return told + [note for note in row["notes"] if not note.endswith(("the published solution", "not attempted"))]


def _students(rows: list[dict[str, Any]], totals: dict[str, int], course: Manifest) -> str:
    head = "".join(f'<th class="n">{made.number}</th>' for made in course.exercises.values())
    lines = [f'<table><tr><th>student</th>{head}<th class="n">of {course.points}</th></tr>']
    cells = {(row["student"], row["exercise"]): row for row in rows}
    for student, total in totals.items():
        own = [cells.get((student, slug)) for slug in course.exercises]
        shown = "".join(f'<td class="n">{row["points"] if row and row["status"] != "not submitted" else "-"}</td>'
                        for row in own)
        link = f'<a href="feedback/{file_name(student)}.html">{text(student)}</a>'
        lines.append(f'<tr><td>{link}</td>{shown}<td class="n">{total}</td></tr>')
    return "\n".join([*lines, "</table>"])
