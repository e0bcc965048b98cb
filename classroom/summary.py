"""The teacher's page: OUT/summary.html. The distribution, the checks that most failed, and what needs a look."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from classroom.manifest import Manifest
from classroom.pages import page, text
from classroom.results import file_name, write
from classroom.sandbox import describe

_BINS = 10
# of the file's form, or an honest error: told, but no reason to talk to anybody
_FORM = re.compile(r"the file is |renamed to |\d+ files for this exercise|an old notebook|its kernel is "
                   r"|cell \d+ |.*(its id is lost|stands twice|is missing|put back)"
                   r"|[\w-]+: (?!Withheld|KernelEnd)\w+(Error|Exception)\b")
_TWICE_TOLD = re.compile(r".*(the published solution|not attempted)$|.*\bKernelEnd: |.*WitnessError: KeyboardInterrupt")


def publish(out: Path, course: Manifest, rows: list[dict[str, Any]], about: dict[str, Any]) -> None:
    """Write the page."""
    write(out / "summary.html", page("The class: summary", "\n".join(_body(course, rows, about))))


def _body(course: Manifest, rows: list[dict[str, Any]], about: dict[str, Any]) -> list[str]:
    totals: dict[str, int] = {}
    for row in rows:
        totals[row["student"]] = totals.get(row["student"], 0) + row["points"]
    states = [row["status"] for row in rows]
    counted = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    middle = f"Median {_median(list(totals.values()))} of {course.points} points."
    body = ["<h1>The class</h1>", f'<p class="sub">{len(totals)} students, {len(course.exercises)} exercises, '
            f"{course.points} points at most; {text(counted)}. Seed {about['seed']}.</p>",
            "<h2>Points</h2>", distribution(list(totals.values()), course.points), f"<p>{middle}</p>",
            "<h2>Checks that most failed</h2>", most_failed(rows)]
    serious, formal = _notes(rows)
    if serious:
        body += ["<h2>Needs a look</h2>", _noted(serious)]
    if formal:
        body += ["<h2>Graded all the same</h2>", _noted(formal)]
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


def _median(totals: list[int]) -> str:
    ordered = sorted(totals) or [0]
    return f"{(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2:g}"


def distribution(totals: list[int], most: int) -> str:
    """A bar per tenth of the points, as SVG whose alternative text says the same in words."""
    bins = [0] * _BINS
    for total in totals:
        bins[min(_BINS - 1, total * _BINS // most if most else 0)] += 1
    words = "; ".join(f"{n * 10} to {n * 10 + 10} percent: {count}" for n, count in enumerate(bins) if count)
    alt = f"Students per tenth of the points. {words}. Median {_median(totals)} of {most} points."
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
    """A bar per check, by the share of those who handed in and failed it, with the commonest mistake.

    Checks of a part that the same students failed stand together.
    """
    tries: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for row in rows:
        if row["status"] not in ("not submitted", "unreadable"):
            for check in row["checks"]:
                tries.setdefault(check["check"], []).append((row["student"], check))
    groups: dict[tuple[Any, ...], list[str]] = {}
    for name, found in tries.items():
        failed = frozenset(student for student, check in found if not check["passed"])
        if failed:
            groups.setdefault((name.rstrip("abcdefghijklmnopqrstuvwxyz"), len(found), failed), []).append(name)
    ranked = sorted(groups.items(), key=lambda item: (-len(item[0][2]) / item[0][1], item[0][0], item[1]))
    lines = ['<table><tr><th>check</th><th class="n">failed</th><th style="width: 18%"></th>'
             "<th>the commonest mistake</th></tr>"]
    for (_, tried, failed), names in ranked[:top]:
        shown = [f"{name} (hidden)" if tries[name][0][1]["hidden"] else name for name in names]
        lines.append(f'<tr><td>{"<br>".join(map(text, shown))}</td><td class="n">{len(failed)} of {tried}</td><td>'
                     f'<span class="share" style="width: {100 * len(failed) / tried:.0f}%"></span></td>'
                     f"<td>{text(_commonest([check for _, check in tries[names[0]]]))}</td></tr>")
    return "\n".join([*lines, "</table>"]) if len(lines) > 1 else "<p>No check failed.</p>"


def _commonest(checks: list[dict[str, Any]]) -> str:
    wrong = [check["reason"] for check in checks if not check["passed"]]
    blank = wrong.count("not attempted")
    tried = [reason for reason in wrong if reason != "not attempted"]
    common = max(sorted(set(tried)), key=tried.count, default="")
    said = [f"{common[:120]} ({tried.count(common)})"] if tried else []
    return "; ".join(said + ([f"not attempted ({blank})"] if blank else []))


def _notes(rows: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """(row, what to tell) of the rows that need a look, and of those with notes on their form alone."""
    told = [(row, lines) for row in rows if (lines := _told(row))]
    formal = [(row, lines) for row, lines in told if row["status"] == "graded" and all(map(_FORM.match, lines))]
    return [item for item in told if item not in formal], formal


def _noted(noted: list[Any]) -> str:
    lines = ["<table><tr><th>student</th><th>exercise</th><th>state</th><th>notes</th></tr>"]
    for row, told in noted:
        merged = _together(told)
        shown = "<br>".join(text(note[:300]) for note in merged[:12]) + ("<br>..." if len(merged) > 12 else "")
        lines.append(f"<tr><td class=\"c\">{text(row['student'][:40])}</td><td>{text(row['exercise'])}</td>"
                     f'<td class="c">{text(row["status"])}</td><td>{shown}</td></tr>')
    return "\n".join([*lines, "</table>"])


def _together(notes: list[str]) -> list[str]:
    """Notes that say the same of several cells as one."""
    places: dict[str, list[str]] = {}
    for note in notes:
        place, colon, said = note.partition(": ")
        named = bool(colon) and bool(re.fullmatch(r"[\w-]+|an extra cell", place))
        places.setdefault(said if named else note, []).append(place if named else "")
    return [f"{', '.join(dict.fromkeys(found))}: {said}" if found[0] else said for said, found in places.items()]


def _told(row: dict[str, Any]) -> list[str]:
    """What of a row is worth a teacher's time: its end, and its notes, one line for all copied answers."""
    told = [row["reason"]] if row["status"] not in ("graded", "not submitted") else []
    copied = [note.partition(":")[0] for note in row["notes"] if note.endswith("the published solution")]
    told += [f"word for word the published solution: {', '.join(copied)}"] if copied else []
    return told + [note for note in row["notes"] if not _TWICE_TOLD.match(note)]


def _students(rows: list[dict[str, Any]], totals: dict[str, int], course: Manifest) -> str:
    head = "".join(f'<th class="n">{made.number}</th>' for made in course.exercises.values())
    lines = [f'<table><tr><th>student</th>{head}<th class="n">of {course.points}</th><th class="n">percent</th></tr>']
    cells = {(row["student"], row["exercise"]): row for row in rows}
    for student, total in totals.items():
        shown = "".join(_cell(cells.get((student, slug))) for slug in course.exercises)
        link = f'<a href="feedback/{file_name(student)}.html">{text(student)}</a>'
        percent = round(100 * total / course.points) if course.points else 0
        lines.append(f'<tr><td>{link}</td>{shown}<td class="n">{total}</td><td class="n">{percent}</td></tr>')
    return "\n".join([*lines, "</table>"])


def _cell(row: dict[str, Any] | None) -> str:
    if row is None or row["status"] == "not submitted":
        return '<td class="n">-</td>'
    state = "" if row["status"] == "graded" else f'<span class="soft">{text(row["status"])}</span> '
    return f'<td class="n">{state}{row["points"]}</td>'
