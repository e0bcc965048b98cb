"""What a grading run leaves behind, written whole or not at all after each submission.

    OUT/results/*.json   one per student and exercise, as it ended (a run that is resumed reads them)
    OUT/grades.csv, totals.csv, grades.json, junit.xml
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from classroom.manifest import Exercise, Manifest

GRADED = ("graded", "timed out", "killed")  # states in which points can have been earned
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(path: Path, text: str) -> None:
    """The file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    draft.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    os.replace(draft, path)


def file_name(student: str) -> str:
    """A name for a student's files: readable, harmless, and no two the same."""
    plain = re.sub(r"[^\w-]+", "_", student).strip("_")[:40] or "student"
    return f"{plain}-{hashlib.sha256(student.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


def store(folder: Path, result: dict[str, Any]) -> None:
    """Keep one result."""
    write(folder / "results" / f"{file_name(result['student'])}.{result['exercise']}.json",
          json.dumps(result, ensure_ascii=False, indent=1))


def stored(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The results kept so far, by student and exercise; a file that is none is left out."""
    found = {}
    for path in sorted((folder / "results").glob("*.json")):
        try:
            result = json.loads(path.read_text(encoding="utf-8"))
            found[result["student"], result["exercise"]] = result
        except (ValueError, KeyError, TypeError, OSError):
            continue
    return found


def score(exercise: Exercise, outcome: dict[str, Any] | None, expected: dict[str, Any]) -> list[dict[str, Any]]:
    """One entry per check: whether it passed, its points, and why not. outcome: what judge.py found; None: nothing ran.

    expected: check id -> what witness.py saw in the solution's run, None where it cannot watch.
    """
    cells = {cell["id"]: cell for cell in (outcome or {}).get("cells", []) if cell["id"]}
    broken = {cell.part: cells[cell.id]["error"] for cell in exercise.cells
              if cell.kind == "answer" and cells.get(cell.id, {}).get("error")}
    neutered = bool((outcome or {}).get("neutered"))
    checks = []
    for check in exercise.checks:
        cell, hidden = cells.get(check.id), check.kind == "hidden-check"
        passed, reason = bool(cell and cell["passed"]), ""
        if cell is None:
            reason = "not run"
        elif not passed:
            kind, text = cell["error"] or ("", "")
            reason = _reason(kind, text)
            if kind == "NameError" and check.part in broken:  # the name is missing because of what went wrong before
                reason = f"the answer does not run: {_reason(*broken[check.part])}"
        elif hidden and neutered:
            passed, reason = False, "a cell that must fail passed: this notebook keeps its checks from running"
        elif hidden and expected.get(check.id) is not None:
            seen = cell.get("witness", {})
            if seen.get("value") != expected[check.id]:
                passed = False
                reason = ("it passes beside the student's code alone, and not when the check runs apart: "
                          + str(seen.get("error") or seen.get("unfit") or "another value came back"))[:300]
        checks.append({"check": check.id, "part": check.part, "hidden": hidden, "passed": passed,
                       "points": check.points if passed else 0, "max_points": check.points, "reason": reason,
                       "suspicious": "beside the student's code" in reason or "must fail" in reason,
                       "apart": _apart(cell) if hidden else ""})
    return checks


def _apart(cell: dict[str, Any] | None) -> str:
    """What was odd about the student's answers to the witness."""
    seen = (cell or {}).get("witness", {})
    said = str(seen.get("unfit") or seen.get("error") or "")
    return said[:300] if seen.get("unfit") or said.startswith(("ChannelError", "WitnessError")) else ""


def _reason(kind: str, text: str) -> str:
    if kind == "NotImplementedError" and text.endswith("your code here"):
        return "not attempted"
    if kind == "AssertionError":
        return text or "an assertion failed"
    if kind == "shown":
        return f"another value is expected; this came: {text[:300]}" if text else "it shows no value"
    if kind in ("KernelEnd", "RuntimeError") and "dead" in text.lower():
        return "not reached: the code before it ended the run"
    if kind == "_Neutered":
        return text
    if kind in ("KeyboardInterrupt", "_Late"):
        return "it did not end in time"
    return f"{kind}: {text}"[:600] if kind != "KernelEnd" else text


def cell_text(value: Any) -> str:
    """A value for a CSV cell that no spreadsheet takes for a formula.

    >>> cell_text('=HYPERLINK("x")'), cell_text("Ann"), cell_text(-1)
    ('\\'=HYPERLINK("x")', 'Ann', '-1')
    """
    if isinstance(value, (int, float)):
        return str(value)
    text = re.sub(r"[\x00-\x08\x0b-\x1f]", " ", str(value))
    return "'" + text if text.lstrip()[:1] in tuple("=+-@\uff1d\uff0b\uff0d\uff20") else text


def table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """CSV text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows([cell_text(value) for value in row] for row in rows)
    return text.getvalue()


def publish(folder: Path, manifest: Manifest, results: list[dict[str, Any]], about: dict[str, Any]) -> None:
    """Write the gradebook anew. results: in the order of the rows. about: seed, layers, strays, ..."""
    write(folder / "grades.csv", table(
        ("student", "exercise", "points", "max_points", "status", "reason"),
        ([r["student"], r["exercise"], r["points"], r["max_points"], r["status"], r["reason"]] for r in results)))
    totals: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        totals.setdefault(result["student"], []).append(result)
    write(folder / "totals.csv", table(
        ("student", "points", "max_points", "percent", "graded", "exercises"),
        ([student, sum(r["points"] for r in own), manifest.points,
          round(100 * sum(r["points"] for r in own) / manifest.points, 1) if manifest.points else 0,
          sum(r["status"] in GRADED for r in own), len(manifest.exercises)] for student, own in totals.items())))
    write(folder / "grades.json", json.dumps({**about, "manifest": manifest.sha256, "results": results},
                                             ensure_ascii=False, indent=1) + "\n")
    write(folder / "junit.xml", _junit(results))


def _junit(results: list[dict[str, Any]]) -> str:
    root = ElementTree.Element("testsuites")
    for result in results:
        checks = result["checks"]
        suite = ElementTree.SubElement(root, "testsuite", name=_xml(f"{result['student']}.{result['exercise']}"),
                                       tests=str(len(checks)), failures=str(sum(not c["passed"] for c in checks)))
        for check in checks:
            case = ElementTree.SubElement(suite, "testcase", classname=_xml(result["student"]), name=check["check"])
            listed = ElementTree.SubElement(case, "properties")
            for key in ("points", "max_points"):
                ElementTree.SubElement(listed, "property", name=key, value=str(check[key]))
            if not check["passed"]:
                ElementTree.SubElement(case, "failure", message=_xml(check["reason"] or result["status"]))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
