"""Each solution passes all its checks, each unsolved exercise fails them, and no exercise gives its solution away."""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom.build import load
from classroom.errors import CourseError
from classroom.proof import prove
from classroom.source import Source, course_files

ROOT = Path(__file__).resolve().parents[1]
FIXTURE = Path(__file__).parent / "fixtures/pipeline/course"
TEXT = (FIXTURE / "solutions/_src/01_mean.md").read_text(encoding="utf-8")
CHECK_1A = TEXT[TEXT.index("assert mean(DATA)") : TEXT.index("```", TEXT.index("assert mean(DATA)"))]
PAIRS = [path for root in (FIXTURE, ROOT) for path in course_files(root) if path.parent.parent.name == "solutions"]


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: f"{path.parents[2].name}-{path.stem}")
def test_solution_passes_exercise_fails_nothing_leaks(path: Path) -> None:
    problems = prove(load([path])[0])
    assert not problems, "\n".join(problems)


def changed(tmp_path: Path, old: str, new: str) -> Source:
    assert old in TEXT
    path = tmp_path / "solutions/_src/01_mean.md"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    return load([path])[0]


@pytest.mark.parametrize(("old", "new", "says"), [
    (CHECK_1A, 'assert DATA, "no data"\n2.8\n', "01-mean-1a: passes while its own part is unsolved"),
    ("    return sum(values) / len(values)\n", "    return sum(values)\n",
     "01-mean-1a: fails in the solution (seed 0): AssertionError: you gave the sum"),
    ("[median(DATA), median([1, 2])]\n", "None\n", "01-mean-2a: shows nothing"),
    ("[odd, float(median(odd))]", "[1, 2]", "01-mean-2b: shows the same for every seed"),
    ("[odd, float(median(odd))]", "median", "01-mean-2b: must show one plain value"),
    ("[odd, float(median(odd))]", "print(odd)", "01-mean-2b: must show one plain value"),
    ("[median(DATA), median([1, 2])]\n", '[median(DATA), os.environ["CLASSROOM_SEED"]]\n',
     "01-mean-2a: shows something else"),
    ("    return [mean(values), median(values)]", "    import statistics\n    return list(values)",
     "statistics is withheld in this exercise"),
])
def test_a_broken_pair_is_found(tmp_path: Path, old: str, new: str, says: str) -> None:
    problems = prove(changed(tmp_path, old, new))
    assert any(says in problem for problem in problems), problems


@pytest.mark.parametrize(("old", "new"), [
    ("Give that slice to `mean`.", "`ordered, n = sorted(values), len(values)`"),
    ("import random\n", "import random\n# return sum(values) / len(values)\n"),
])
def test_a_line_of_the_solution_in_hint_comment_or_code_is_found(tmp_path: Path, old: str, new: str) -> None:
    says = r"01_mean\.md: 01-mean-\d: the exercise shows a line of the solution"
    with pytest.raises(CourseError, match=says) as caught:
        changed(tmp_path, old, new)
    assert len(caught.value.problems) == 1
