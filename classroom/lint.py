"""What a solutions file must have before anything of it runs: markers, parts, checks, points, hints; and, once it has
run, what no check may show.

A part is a section: a heading `## Part 2: Title`, a line `*3 points, 10 minutes*`, three hints of rising clarity
(`<details><summary>Hint 1</summary>`), one answer cell, then its visible checks, then its hidden ones.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass, field

from classroom import markers
from classroom.source import Source

_HEADING = re.compile(r"##\s+Part\s+(\d+)\b.*")
_STATED = re.compile(r"\*(\d+) points?, (\d+) minutes?\*")
_HINT = re.compile(r"<summary>\s*Hint\s+(\d+)\s*</summary>")
_HIDING_TAGS = ("raises-exception", "nbval-")


@dataclass
class Part:
    """One part of an exercise: cells by index into the notebook."""

    number: int
    cell: int
    title: str = ""
    points: int | None = None
    minutes: int = 0
    hints: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    checks: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)

    def public(self) -> dict[str, object]:
        """What the notebook's metadata says of the part."""
        return {"part": self.number, "title": self.title, "points": self.points, "minutes": self.minutes}


def lint(source: Source) -> list[Part]:
    """The parts of a solutions file, from now on in its metadata too. Raises CourseError with all problems found."""
    parts = _parts(source)
    for index, cell in enumerate(source.notebook.cells):
        _markers(source, index, cell)
    _withheld(source)
    if not parts:
        source.problem("no part: a solutions file has sections that begin with `## Part 1: Title`")
    for expected, part in enumerate(parts, 1):
        if part.number != expected:
            source.problem(f"part {part.number} stands where part {expected} should", part.cell)
        _part(source, part)
    minutes = sum(part.minutes for part in parts)
    if source.facts["minutes"] < minutes:
        source.problem(f"the front matter says {source.facts['minutes']} minutes, its parts take {minutes}")
    source.stop()
    source.facts["points"] = sum(part.points or 0 for part in parts)
    source.facts["parts"] = [part.public() for part in parts]
    return parts


def lint_shown(source: Source) -> None:
    """Nothing, for a solutions file that has run. Raises CourseError if a visible check shows a bare number.

    nbgrader takes that number for the points that the check gives, and stops where it is more than it may give.
    """
    for index, cell in enumerate(source.notebook.cells):
        if cell.metadata.get("memory_lab", {}).get("kind") == "check":
            for output in cell.outputs:
                text = output.get("data", {}).get("text/plain", "")
                if output.output_type == "execute_result" and _is_number(text):
                    source.problem(f"shows the bare number {text}, which nbgrader takes for points; show it in a list",
                                   index)
    source.stop()


def _is_number(text: str) -> bool:
    try:
        float(text)  # nbgrader's own question
    except ValueError:
        return False
    return True


def _parts(source: Source) -> list[Part]:
    parts: list[Part] = []
    slots = {"answer": "answers", "check": "checks", "hidden-check": "hidden"}
    for index, cell in enumerate(source.notebook.cells):
        if cell.cell_type == "markdown":
            for line in cell.source.split("\n"):
                text = line.strip()
                if match := _HEADING.fullmatch(text):
                    parts.append(Part(int(match[1]), index, text.lstrip("# ")))
                elif parts and (match := _STATED.fullmatch(text)):
                    parts[-1].points, parts[-1].minutes = int(match[1]), int(match[2])
                elif parts:
                    parts[-1].hints.extend(int(number) for number in _HINT.findall(text))
            continue
        about = cell.metadata.get("memory_lab", {})
        if about.get("kind") not in slots:
            continue
        if not parts or parts[-1].number != about["part"]:
            where = f"part {parts[-1].number}" if parts else "no part"
            source.problem(f"its id says part {about['part']}, it stands in {where}", index)
        else:
            getattr(parts[-1], slots[about["kind"]]).append(index)
    return parts


def _part(source: Source, part: Part) -> None:
    cells = source.notebook.cells

    def say(text: str, index: int = part.cell) -> None:
        source.problem(f"part {part.number}: {text}", index)

    if part.hints != [1, 2, 3]:
        say(f"needs exactly three hints, <summary>Hint 1</summary> to Hint 3; found {part.hints or 'none'}")
    if len(part.answers) != 1:
        say(f"needs one answer cell, has {len(part.answers)}")
    if not part.checks:
        say("its answer has no visible check")
    if not part.hidden:
        say("its answer has no hidden check, so it can earn no points")
    order = part.answers + part.checks + part.hidden
    if order != sorted(order):
        say("order: the answer, then visible checks, then hidden checks")
    total = 0
    for index in part.checks + part.answers:
        if "points" in cells[index].metadata.memory_lab:
            say("points stand on hidden checks alone", index)
    for index in part.hidden:
        points = cells[index].metadata.memory_lab.get("points")
        if type(points) is not int or points < 1:
            say(f"a hidden check needs points, a whole number from 1; found {points!r}", index)
        else:
            total += points
        if "CLASSROOM_SEED" not in cells[index].source:
            say('draws no input from its seed; read int(os.environ.get("CLASSROOM_SEED", "0"))', index)
    for index in part.checks + part.hidden:
        if not re.search(r"^\s*(assert\b|raise\b)", cells[index].source, re.MULTILINE):
            say("a check asserts, with the mistake as its message", index)
    if part.points is None or not part.minutes:
        say("does not state its points and minutes; write a line like *3 points, 10 minutes*")
    elif part.points != total:
        say(f"states {part.points} points, its hidden checks give {total}")


def _markers(source: Source, index: int, cell) -> None:
    kind = cell.metadata.get("memory_lab", {}).get("kind")
    tags = cell.metadata.get("tags", [])
    for tag in tags:
        if tag.startswith(_HIDING_TAGS):
            source.problem(f"the tag {tag!r} would let a wrong cell pass", index)
    if "solution" in tags and kind not in (None, "scaffold"):
        source.problem(f"tagged 'solution' but of kind {kind!r}; only text and scaffold can be so", index)
    if kind == "answer":
        regions, problems = markers.find(cell.source)
        for line, text in problems:
            source.problem(text, index, line)
        if not regions and not problems:
            source.problem(f"an answer cell without {markers.BEGIN} would publish its answer", index)
        return
    for line, text in enumerate(cell.source.split("\n")):
        if markers.looks_like_marker(text):
            source.problem(f"a solution marker outside an answer cell: {text.strip()!r}", index, line)


def _withheld(source: Source) -> None:
    for name in source.facts["withhold"]:
        try:
            known = importlib.util.find_spec(name) is not None
        except (ImportError, ValueError, AttributeError):
            known = False
        if not known:
            source.problem(f"withholds {name!r}, which is no module here; check the spelling")
