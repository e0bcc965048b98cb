"""A solution cut to its exercise: what goes, what stays, and what a school's nbgrader reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat import v4

from classroom import exercise
from classroom.build import load
from classroom.published import canonical

FIXTURE = Path(__file__).parent / "fixtures/pipeline/course/solutions/_src/01_mean.md"


@pytest.fixture
def solution():
    """The fixture's solution as if it had been executed: a count and an output on every code cell."""
    notebook = load([FIXTURE])[0].notebook
    for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        cell["execution_count"] = count
        cell["outputs"] = [v4.new_output("stream", name="stdout", text=f"output {count}\n")]
    return notebook


def by_id(notebook) -> dict:
    return {cell["id"]: cell for cell in notebook.cells}


def test_hidden_checks_and_text_for_the_solution_go(solution) -> None:
    cut = exercise.cut(solution)
    assert {exercise.kind(cell) for cell in cut.cells} == {None, "scaffold", "answer", "check"}
    assert "what everybody forgets" in str(solution)
    assert "what everybody forgets" not in str(cut)


def test_checks_keep_outputs_and_counts_and_answers_lose_them(solution) -> None:
    before, cut = by_id(solution), exercise.cut(solution)
    for cell in cut.cells:
        if exercise.kind(cell) == "answer":
            assert (cell.outputs, cell.execution_count) == ([], None)
            assert "raise NotImplementedError" in cell.source
            compile(cell.source, cell["id"], "exec")
        elif cell.cell_type == "code":
            reference = before[cell["id"]]
            assert (cell.outputs, cell.execution_count) == (reference.outputs, reference.execution_count)


def test_the_solution_is_left_as_it_was(solution) -> None:
    before = canonical(solution)
    exercise.cut(solution)
    assert canonical(solution) == before


def test_the_fence_stands_before_all_other_code(solution) -> None:
    first = next(cell for cell in exercise.cut(solution).cells if cell.cell_type == "code")
    assert first.source.endswith('classroom.withhold.install("statistics")')


def test_metadata_says_exercise_and_its_points(solution) -> None:
    facts = exercise.cut(solution).metadata.memory_lab
    assert (facts.role, facts.points, facts.withhold, len(facts.parts)) == ("exercise", 6, ["statistics"], 3)
    assert solution.metadata.memory_lab.role == "solution"


def test_nbgrader_reads_answers_checks_and_all_points(solution) -> None:
    cells = [cell for cell in exercise.cut(solution).cells if cell.cell_type == "code"]
    for cell in cells:
        about = cell.metadata.nbgrader
        assert about["schema_version"] == 3
        assert about["grade_id"] == cell["id"]
        assert (about["solution"], about["grade"], about["locked"], about["task"]) == {
            "answer": (True, False, False, False), "check": (False, True, True, False),
            "scaffold": (False, False, True, False)}[exercise.kind(cell)]
        assert ("points" in about) == about["grade"]
    assert sum(cell.metadata.nbgrader.get("points", 0) for cell in cells) == 6


def test_points_are_whole_when_spread_over_checks(solution) -> None:
    notebook = exercise.cut(solution)
    extra = next(cell for cell in notebook.cells if cell["id"] == "01-mean-2a").copy()
    extra["id"] = "01-mean-2b"
    notebook.cells.append(extra)
    shares = exercise._shares(notebook)
    assert (shares["01-mean-2a"], shares["01-mean-2b"]) == (2, 1)


def test_wrong_markers_are_not_cut_over(solution) -> None:
    by_id(solution)["01-mean-1"]["source"] += "\n### END SOLUTION"
    with pytest.raises(ValueError, match="without ### BEGIN SOLUTION"):
        exercise.cut(solution)


def test_readme_lists_exercises_in_order_with_sums() -> None:
    facts = {"source": "solutions/_src/02_b.md", "title": "B", "number": 2, "chapter": "b", "withhold": [], "points": 3,
             "minutes": 10, "difficulty": "hard"}
    other = facts | {"source": "solutions/_src/01_a.md", "number": 1, "chapter": "a", "title": "A", "withhold": ["x.y"]}
    text = exercise.readme([facts, other])
    rows = [line for line in text.split("\n") if line.startswith("| [")]
    assert rows == ["| [01_a](01_a.ipynb) A | 1 `a` | `x.y` | 3 | 10 | hard |",
                    "| [02_b](02_b.ipynb) B | 2 `b` | none | 3 | 10 | hard |"]
    assert "6 points in all, about 20 minutes." in text
