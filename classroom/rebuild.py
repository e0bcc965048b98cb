"""A submission read, matched with the manifest, and rebuilt: only answers and extra cells are the student's.

Any file is read, however broken; what cannot be read is a reason, never an exception. Everything that differs from the
release is a note for the teacher.
"""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass, field
from typing import Any

from classroom.manifest import Cell, Exercise
from classroom.reading import Found


@dataclass
class Rebuilt:
    """cells: (manifest cell or None for an extra one, source to run), in order. notes: differences from the release."""

    cells: list[tuple[Cell | None, str]]
    notes: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)


def match(exercise: Exercise, found: list[Found]) -> tuple[dict[str, Found], list[str]]:
    """Which cell of the submission stands for which of the manifest's, by id, else by name and likeness."""
    wanted = {cell.id: cell for cell in exercise.cells}
    matched: dict[str, Found] = {}
    notes = []
    for cell in found:
        name = next((name for name in cell.ids if name in wanted), None)
        if name is None:
            continue
        if name in matched:
            notes.append(f"{name}: stands twice; the last one with code in it counts")
            if wanted[name].kind == "answer" and cell.source.strip() in ("", wanted[name].given.strip()):
                continue
        matched[name] = cell
    taken = {cell.index for cell in matched.values()}
    for cell in exercise.cells:
        if cell.id in matched or not cell.given.strip():
            continue
        scored = [(_likeness(cell, other), -other.index, other) for other in found if other.index not in taken
                  and not any(name in wanted for name in other.ids)]
        best = max(scored, default=None, key=lambda score: score[:2])
        if best is not None and best[0] >= 0.5:
            matched[cell.id] = best[2]
            taken.add(best[2].index)
            if cell.kind == "answer":
                notes.append(f"{cell.id}: its id is lost; found by what it defines")
    return matched, notes


def _likeness(cell: Cell, other: Found) -> float:
    if cell.kind == "answer":
        defined = set(re.findall(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*=", other.source, re.MULTILINE))
        if set(cell.names) & {name for pair in defined for name in pair if name}:
            return 1.0
    return difflib.SequenceMatcher(None, cell.given, other.source[:20_000], autojunk=False).ratio() - 0.2


def rebuild(exercise: Exercise, found: list[Found], notes: list[str] | None = None) -> Rebuilt:
    """The notebook to run: the manifest's cells in its order, with the student's answers and extra cells in place."""
    matched, more = match(exercise, found)
    built = Rebuilt([], [*(notes or []), *more])
    place = {cell.index: name for name, cell in matched.items()}
    extra: dict[str, list[str]] = {"": []}
    last, seen = "", set(place.values())
    behind = _behind(exercise)
    unsolved = {cell.given.strip() for cell in exercise.cells if cell.kind == "answer"} | {""}
    for cell in found:
        if cell.index in place:
            last = behind.get(place[cell.index], place[cell.index])
        elif cell.source.strip() not in unsolved:
            extra.setdefault(last, []).append(cell.source)
    given = [cell for cell in exercise.cells if cell.kind != "hidden-check"]
    for source in extra[""]:
        built.cells.append((None, source))
    for cell in exercise.cells:
        theirs = matched.get(cell.id)
        if cell.kind == "answer":
            source = theirs.source if theirs else ""
            built.answers[cell.id] = source
            built.cells.append((cell, source))
            _note_answer(built, cell, theirs)
        else:
            built.cells.append((cell, cell.source))
            if cell in given and cell.id not in seen:
                built.notes.append(f"{cell.id}: the given cell is missing; put back")
            elif theirs and theirs.source.strip() != cell.given.strip():
                built.notes.append(f"{cell.id}: the given cell was changed; " + (
                    "the released check is used" if cell.kind == "check" else "yours runs behind the released one"))
                if cell.kind == "scaffold" and cell.id != "withhold":
                    built.cells.append((None, theirs.source))
        built.cells += [(None, source) for source in extra.get(cell.id, [])]
    if len([cell for cell in matched if cell in {c.id for c in given}]) == 0:
        built.notes.append("no cell of the exercise was found in it")
    return built


def _behind(exercise: Exercise) -> dict[str, str]:
    """visible check -> the last hidden check of its part: what a student adds behind a check comes behind those too."""
    hidden = {cell.part: cell.id for cell in exercise.cells if cell.kind == "hidden-check"}
    shown = {cell.part: cell.id for cell in exercise.cells if cell.kind == "check"}
    return {shown[part]: hidden[part] for part in shown if part in hidden}


def _note_answer(built: Rebuilt, cell: Cell, theirs: Found | None) -> None:
    if theirs is None:
        built.notes.append(f"{cell.id}: the answer cell is missing")
    elif theirs.source.strip() == cell.given.strip():
        built.notes.append(f"{cell.id}: not attempted")
    elif _tree(theirs.source) == _tree(cell.source):
        built.notes.append(f"{cell.id}: word for word the published solution")


def _tree(source: str) -> str | None:
    """The code without comments and layout, or None if it is no Python."""
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def notebook(cells: list[tuple[str, str]], expected: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The notebook that nbval runs. cells: (id, source).  expected: id -> outputs; others are run and not compared."""
    made = []
    for number, (name, source) in enumerate(cells, 1):
        compared = name in expected
        made.append({"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": source,
                     "outputs": expected.get(name, []), "execution_count": number if compared else None})
    return {"nbformat": 4, "nbformat_minor": 5, "cells": made,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}
