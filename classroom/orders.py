"""What a worker is told to run: a student's rebuilt notebook, or the solution, whose outputs are what is expected."""

from __future__ import annotations

import ast
import hashlib
from typing import Any

from classroom.errors import CourseError
from classroom.manifest import Exercise
from classroom.workers import Worker, each
from classroom.zygote import LIBRARIES

Times = tuple[float, float]


def order(exercise: Exercise, cells: list, seed: int, times: Times, **more: Any) -> dict[str, Any]:
    """What judge.py is told to do. cells: (manifest cell or None, source).  times: seconds, per cell and in all."""
    listed, extras = [], 0
    for cell, source in cells:
        extras += cell is None
        listed.append({"id": cell.id if cell else "", "kind": cell.kind if cell else "extra", "source": source,
                       "name": cell.id if cell else f"extra cell {extras}", "names": list(cell.names) if cell else [],
                       "points": cell.points if cell else 0})
    # The kernel knows `seed`; the witness draws other inputs, which no student's process ever learns from it.
    apart = int.from_bytes(hashlib.sha256(f"{seed} {exercise.slug} apart".encode()).digest()[:4], "big")
    beside = int.from_bytes(hashlib.sha256(f"{seed} {exercise.slug} beside".encode()).digest()[:4], "big")
    needed = libraries([cell.source for cell in exercise.cells])
    return {"slug": exercise.slug, "seed": beside, "witness_seed": apart, "cells": listed, "reference": False,
            "expected": {}, "libraries": needed, "cell_seconds": times[0], "seconds": times[1], **more}


def libraries(sources: list[str]) -> list[str]:
    """Which of zygote.LIBRARIES these cells need, by name: those that they import, all if they import memory_lab.

    >>> libraries(["import tqdm, os", "from numpy.random import rand"])
    ['numpy', 'tqdm']
    """
    named = set()
    for source in sources:
        try:
            parts = list(ast.walk(ast.parse(source)))
        except SyntaxError:  # a line of IPython's own
            parts = []
        named |= {alias.name for part in parts if isinstance(part, ast.Import) for alias in part.names}
        named |= {part.module or "" for part in parts if isinstance(part, ast.ImportFrom)}
    tops = {name.partition(".")[0] for name in named}
    return sorted(LIBRARIES if "memory_lab" in tops else tops & LIBRARIES.keys())


def reference(exercises: list[Exercise], workers: list[Worker], seed: int, times: Times) -> dict[str, Any]:
    """slug -> (outputs by check, what the witness saw by hidden check), from running each solution now."""
    tasks = [order(made, [(cell, cell.source) for cell in made.cells], seed, times, key=made.slug, reference=True)
             for made in exercises]
    found, problems = {}, []
    for task, result in each(workers, tasks):
        problems += [f"{task['slug']}: {cell['id']}: the solution fails here: {cell['error']}"
                     for cell in result["cells"] if not cell["passed"]]
        if result["status"] != "graded":
            problems.append(f"{task['slug']}: the solution's run: {result['status']}: {result['reason']}")
        found[task["slug"]] = (
            {cell["id"]: cell["outputs"] for cell in result["cells"] if "outputs" in cell},
            {cell["id"]: cell["witness"].get("value") for cell in result["cells"] if "witness" in cell})
    if problems:
        raise CourseError(problems)
    return found
