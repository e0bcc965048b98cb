"""The small course, its solutions and its unsolved exercise, as material for submissions."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from classroom import exercise, manifest
from classroom.build import load

ROOT = Path(__file__).parent.parent / "fixtures" / "pipeline" / "course"
SLUG = "01_mean"
POINTS = 6
MEAN = "def mean(values):\n    return sum(values) / len(values) if values else 0\n"
MEDIAN = ("def median(values):\n    s = sorted(values)\n    n = len(s)\n"
          "    return (s[(n - 1) // 2] + s[n // 2]) / 2\n")
LEVELS = "def levels(values):\n    return [mean(values), median(values)]\n"
RIGHT = {"01-mean-1": MEAN, "01-mean-2": MEDIAN, "01-mean-3": LEVELS}


@cache
def course() -> manifest.Manifest:
    return manifest.from_course(ROOT)


@cache
def _exercise() -> str:
    source = load([ROOT / "solutions" / "_src" / f"{SLUG}.md"])[0]
    return json.dumps(exercise.cut(source.notebook))


def notebook(answers: dict[str, str] | None = None, *, extra: dict[str, str] | None = None,
             edit: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, Any]:
    """A submission. answers: by id (others stay unsolved). extra: code cells to put behind an id ("" first)."""
    body = copy.deepcopy(json.loads(_exercise()))
    for cell in body["cells"]:
        if cell["id"] in (answers or {}):
            cell["source"] = answers[cell["id"]]
    for place, source in (extra or {}).items():
        at = 0 if not place else 1 + next(n for n, cell in enumerate(body["cells"]) if cell["id"] == place)
        body["cells"].insert(at, code(source, f"extra{at}"))
    if edit is not None:
        body = edit(body) or body
    return body


def code(source: str, name: str = "x", **more: Any) -> dict[str, Any]:
    cell = {"cell_type": "code", "id": name, "metadata": {}, "source": source, "outputs": [], "execution_count": None}
    return cell | more


def hand_in(folder: Path, student: str, body: Any, name: str = f"{SLUG}.ipynb") -> Path:
    """Write a submission. body: a notebook, text or bytes."""
    path = folder / student / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(body, bytes):
        path.write_bytes(body)
    else:
        path.write_text(body if isinstance(body, str) else json.dumps(body), encoding="utf-8")
    return path
