"""The course's own exercises: a solution earns all points, an unsolved exercise none, and each check is watched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from classroom import sandbox
from classroom.grade import Settings, grade
from classroom.manifest import from_course

ROOT = Path(__file__).parent.parent
pytestmark = [pytest.mark.long,
              pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")]


def test_solutions_earn_everything_and_unsolved_exercises_nothing(tmp_path):
    course = from_course(ROOT)
    for slug, made in course.exercises.items():
        body = json.loads((ROOT / "exercises" / f"{slug}.ipynb").read_text(encoding="utf-8"))
        for student in ("unsolved", "solved"):
            path = tmp_path / "class" / student / f"{slug}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(body), encoding="utf-8")
            answers = {cell.id: cell.source for cell in made.cells if cell.kind == "answer"}
            for cell in body["cells"]:
                cell["source"] = answers.get(cell["id"], cell["source"])
    rows = grade(tmp_path / "class", tmp_path / "out", course, Settings(seed=2, quiet=True, cell_seconds=30))
    found = {(row["student"], row["exercise"]): row["points"] for row in rows}
    assert found == {(student, slug): made.points * (student == "solved")
                     for student in ("unsolved", "solved") for slug, made in course.exercises.items()}
    assert json.loads((tmp_path / "out" / "grades.json").read_text())["unwatched"] == []
