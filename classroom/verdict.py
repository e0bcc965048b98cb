"""What stands between a reader's notebook and done: a state for each part, and the first thing to mend.

The notebook is rebuilt as a grader would (rebuild.py): the reader's answers among the checks as shipped. Cells run
without a kernel (ready.py); a check passes as nbval would have it: no error, and the outputs that it was shipped with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classroom import fast, shipped
from classroom.reading import UnreadableError, read_cells
from classroom.ready import Ready

_DETAILS = re.compile(r"<details>\s*<summary>[^<]*hint[^<]*</summary>(.*?)</details>", re.IGNORECASE | re.DOTALL)
_NO_CHECK = "its check is missing from the file; put it back, or take the exercise anew and paste your code into it"


@dataclass
class Part:
    """One part of an exercise. state: passes, to mend, not begun, waits for part N, not reached."""

    number: int
    title: str
    points: int = 0
    minutes: int = 0
    state: str = "passes"
    hints: list[str] = field(default_factory=list)


@dataclass
class Fault:
    """The first thing to mend. where: (cell, line, text) of the reader's own code, if it raised there."""

    part: int
    cell: str
    message: str
    expected: str = ""
    got: str = ""
    asserted: str = ""
    where: tuple[str, int, str] | None = None


@dataclass
class Verdict:
    """A notebook, checked. notes: what is odd about the file. cells: whether each passes. lost: those not reached."""

    path: Path
    slug: str
    title: str
    parts: list[Part]
    fault: Fault | None
    notes: list[str]
    cells: dict[str, bool] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return self.fault is None


def check(path: Path, ready: Ready) -> Verdict:
    """The verdict on a notebook. Raises UnreadableError, in a reader's words, for a file that is no exercise."""
    from classroom.rebuild import rebuild

    body, notes = shipped.load(path)
    name, copy = shipped.slug(path, body), shipped.find(path, body)
    given = shipped.load(copy)[0] if copy else body
    exercise = shipped.exercise_of(name or path.stem, given)
    answers = [cell for cell in exercise.cells if cell.kind == "answer"]
    if not answers:
        raise UnreadableError("no cell of it says that it is an answer, so it is no exercise of this course, "
                              "or its cells lost their metadata; take the exercise anew and paste your code into it")
    built = rebuild(exercise, read_cells(path)[0], notes)
    notes = [note for note in built.notes if not note.endswith((": not attempted", "the published solution"))]
    begin = next(n for n, (cell, _) in enumerate(built.cells) if cell is None or cell.kind == "answer")
    runs = ready.run([source for _, source in built.cells], begin)

    parts = _parts(exercise, given)
    unsolved = {cell.part for cell in answers if _unsolved(built.answers[cell.id], cell.given if copy else None)}
    faults, passed, part = [], {}, 0
    expected = _expected(given)
    for number, ((cell, _), run) in enumerate(zip(built.cells, runs, strict=True)):
        part = cell.part or part if cell else part
        label = cell.id if cell else "your own cell"
        if cell is None:
            if not run["ok"]:
                notes.append(f"a cell of your own in part {part or 1} raises {run['error'][:200]}")
            continue
        same = run["ok"] and run["outputs"] == expected.get(cell.id, run["outputs"])
        passed[label] = same
        if not same:
            faults.append((number, _fault(part, cell, run, expected, built)))
    for cell in answers:
        if not any(other.kind == "check" and other.part == cell.part for other in exercise.cells):
            faults.append((len(built.cells), Fault(cell.part, cell.id, _NO_CHECK)))
    lost = [cell.id for (cell, _), run in zip(built.cells, runs, strict=True) if cell and run["error"] == fast.LOST]
    return Verdict(path, name, exercise.title, parts, _first(parts, faults, unsolved), notes, passed, lost)


def _unsolved(answer: str, given: str | None) -> bool:
    """Whether an answer is as it was given, or looks so where that is not known."""
    if given is None:
        return not answer.strip() or bool(shipped.MARK.search(answer))
    return answer.strip() in ("", given.strip())


def _parts(exercise: Any, given: dict[str, Any]) -> list[Part]:
    hints: dict[int, list[str]] = {}
    seen: list[str] = []
    for cell in given["cells"]:
        if cell.get("cell_type") == "markdown":
            seen += [text.strip() for text in _DETAILS.findall(cell["source"])]
        elif shipped.about(cell).get("kind") == "answer":
            hints[shipped.about(cell).get("part", 0)], seen = seen, []
    titled = [(int(part["part"]), part) for part in exercise.parts]
    return [Part(number, re.sub(r"^Part \d+:\s*", "", str(part.get("title", f"part {number}"))), part.get("points", 0),
                 part.get("minutes", 0), hints=hints.get(number, [])) for number, part in titled]


def _expected(given: dict[str, Any]) -> dict[str, list[list[str]]]:
    """The outputs by cell, as nbval compares them, where it would."""
    found = {}
    for number, cell in enumerate(given["cells"]):
        if cell.get("cell_type") == "code" and cell.get("execution_count") is not None:
            outputs = cell["outputs"]
            if not any(output.get("output_type") == "error" for output in outputs):
                found[shipped.name_of(cell, number)] = fast.comparable(outputs)
    return found


def _fault(part: int, cell: Any, run: fast.Run, expected: dict[str, list[list[str]]], built: Any) -> Fault:
    if run["ok"]:
        return _other_outputs(Fault(part, cell.id, "the check shows something else than it should"),
                              expected[cell.id], run["outputs"])
    told = run.get("explained")
    if told is None:
        return Fault(part, cell.id, "your code did not come back: an endless loop, or a call that ends Python")
    mine = [(built.cells[at][0], line, text) for at, line, text in told["lines"]
            if built.cells[at][0] is None or built.cells[at][0].kind == "answer"]
    where = (mine[-1][0].id if mine[-1][0] else "a cell of your own", *mine[-1][1:]) if mine else None
    message = told["message"].strip() or f"{told['kind']}, without a message"
    if told["kind"] == "AssertionError" and told["lines"]:
        return Fault(part, cell.id, message, told.get("expected", ""), told.get("got", ""), told.get("asserted", ""),
                     where)
    if told["kind"] == "NameError" and cell.kind == "check":
        message += "; the cell that defines it is missing, has another name in it, or fails above"
    line = "" if where or not told["lines"] else told["lines"][-1][2]
    return Fault(part, cell.id, f"{told['kind']}: {message}", asserted=line, where=where)


def _other_outputs(fault: Fault, expected: list[list[str]], got: list[list[str]]) -> Fault:
    more = {kind: text for kind, text in got if kind in ("stdout", "stderr") and kind not in dict(map(tuple, expected))}
    for kind, text in more.items():
        fault.message = {"stdout": "your code prints while the check runs; take the print out",
                         "stderr": "your code warns while the check runs"}[kind]
        fault.expected, fault.got = "nothing printed", " ".join(text.split())[:400]
        return fault
    if not got:
        fault.message = "the check shows nothing"
    pairs = [(one, dict(map(tuple, got)).get(kind, "nothing")) for kind, one in expected]
    rest = ("nothing more", got[-1][1] if got else "nothing")
    one, other = next(((one, other) for one, other in pairs if one != other), rest)
    fault.expected, fault.got = " ".join(one.split())[:400], " ".join(other.split())[:400]
    return fault


def _first(parts: list[Part], faults: list[tuple[int, Fault]], unsolved: set[int]) -> Fault | None:
    """The first fault in a part that is begun, else that of the first part that is not; the parts get their states."""
    by_part = {part.number: part for part in parts}
    ready: list[Fault] = []
    lost = False
    for _, fault in sorted(faults, key=lambda pair: pair[0]):
        part = by_part.get(fault.part)
        waits = re.match(r"NotImplementedError: part (\d+): your code here", fault.message)
        if part is None:
            ready.insert(0, fault)  # what is given fails: nothing else can be right
        elif lost:
            part.state = "not reached"
        elif part.state == "passes":
            if fault.part in unsolved:
                part.state = "not begun"
            elif waits and int(waits[1]) != fault.part:
                part.state = f"waits for part {waits[1]}"
            else:
                part.state = "to mend"
                ready.append(fault)
        lost = lost or fault.message.startswith("your code did not come back")
    if ready:
        return ready[0]
    return next((Fault(part.number, "", "not begun") for part in parts if part.state == "not begun"),
                next((fault for _, fault in faults), None))
