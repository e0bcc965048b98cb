"""A solution cut down to its exercise.

Answer cells lose what stands between the markers, cells tagged `solution` or `hidden-check` go, everything else stays
as it was executed: `pytest --nbval exercises/NN_slug.ipynb` compares the outputs of the visible checks.
An answer cell has no output and no execution count: nbval then runs it, fails if it raises, and compares nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classroom import markers

if TYPE_CHECKING:
    from nbformat import NotebookNode

_DROPPED = {"solution", "hidden-check"}


def kind(cell: NotebookNode) -> str | None:
    """What a cell is: one of source.KINDS, or None for text."""
    return cell.metadata.get("memory_lab", {}).get("kind")


def cut(solution: NotebookNode) -> NotebookNode:
    """The exercise of a solution notebook (executed or not), a new notebook. Raises ValueError for wrong markers."""
    exercise = copy.deepcopy(solution)
    exercise.cells = [unsolved(cell) for cell in exercise.cells if not _DROPPED & set(cell.metadata.get("tags", []))]
    exercise.metadata.memory_lab["role"] = "exercise"
    exercise.metadata.pop("widgets", None)
    shares = _shares(exercise)
    for cell in exercise.cells:
        if cell.cell_type == "code":
            cell.metadata["nbgrader"] = _nbgrader(cell, shares.get(cell["id"], 0))
    return exercise


def unsolved(cell: NotebookNode) -> NotebookNode:
    """The cell as a student first sees it: itself, or a new answer cell without its solution."""
    if kind(cell) != "answer":
        return cell
    empty = copy.deepcopy(cell)
    empty["source"] = markers.cut(cell.source, f"part {cell.metadata.memory_lab['part']}: your code here")
    empty["outputs"], empty["execution_count"] = [], None
    return empty


def _shares(exercise: NotebookNode) -> dict[str, int]:
    """Points by cell id for a school that runs nbgrader on the exercise as it is: a part's, over its visible checks."""
    shares: dict[str, int] = {}
    for part in exercise.metadata.memory_lab.get("parts", []):
        checks = [cell["id"] for cell in exercise.cells
                  if kind(cell) == "check" and cell.metadata.memory_lab["part"] == part["part"]]
        for index, name in enumerate(checks):
            shares[name] = part["points"] // len(checks) + (index < part["points"] % len(checks))
    return shares


def _nbgrader(cell: NotebookNode, points: int) -> dict[str, Any]:
    answer, check = kind(cell) == "answer", kind(cell) == "check"
    about = {"schema_version": 3, "grade_id": cell["id"], "grade": check, "solution": answer, "locked": not answer,
             "task": False}
    return about | ({"points": points} if check else {})


def readme(exercises: Iterable[dict[str, Any]]) -> str:
    """exercises/README.md from each exercise's memory_lab metadata, in the order of their numbers."""
    rows = ["| exercise | chapter | module withheld | points | minutes | difficulty |", "|---|---|---|---:|---:|---|"]
    points = minutes = 0
    for facts in sorted(exercises, key=lambda facts: facts["number"]):
        slug = Path(facts["source"]).stem
        withheld = ", ".join(f"`{name}`" for name in facts["withhold"]) or "none"
        rows.append(f"| [{slug}]({slug}.ipynb) {facts['title']} | {facts['number']} `{facts['chapter']}` | {withheld} "
                    f"| {facts['points']} | {facts['minutes']} | {facts['difficulty']} |")
        points, minutes = points + facts["points"], minutes + facts["minutes"]
    return _README.format(rows="\n".join(rows), points=points, minutes=minutes)


_README = """# Exercises

Generated from `solutions/_src` by `make notebooks`; do not edit these files here, work on a copy.
Fill in the cells that raise `NotImplementedError`. Each part has three hints, to be opened one at a time, and a check
behind it that names the mistake. From the project's folder, in its environment:

    classroom check exercises/NAME.ipynb            the first thing to mend; --watch after each save, --hint for a hint
    pytest --nbval --nbval-sanitize-with tools/nbval.cfg exercises/NAME.ipynb      the same, cell by cell

Importing a withheld module says so: it holds the answer. Visible checks guide; points are earned on inputs that you
have not seen.

{rows}

{points} points in all, about {minutes} minutes.
"""
