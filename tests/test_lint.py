"""What an exercise must have: each failure made from the good fixture by one change, and named with its place."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_output

from classroom.errors import CourseError
from classroom.lint import lint, lint_shown
from classroom.source import read

FIXTURE = Path(__file__).parent / "fixtures/pipeline/course/solutions/_src/01_mean.md"
TEXT = FIXTURE.read_text(encoding="utf-8")
FENCE = "```{code-cell} ipython3\n:memory_lab: {id: 01-mean-3"
CHECK_3A = TEXT[TEXT.index(FENCE + "a") : TEXT.index(FENCE + "b")]
HIDDEN_3B = TEXT[TEXT.index(FENCE + "b") :]
SOLUTION_1 = TEXT[TEXT.index("    ### BEGIN SOLUTION") : TEXT.index("```", TEXT.index("    ### END SOLUTION"))]
END_1 = TEXT[TEXT.index("    ### END SOLUTION") : TEXT.index(", kind: check")]
DEF = TEXT[: TEXT.index("def mean")].count("\n") + 1
HINT_3 = "<details><summary>Hint 3</summary>\n\n`sum(values)` divided by `len(values)`.\n\n</details>\n"


def written(tmp_path: Path, text: str):
    path = tmp_path / "solutions/_src/01_mean.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return read(path)


def test_the_parts_are_found_and_told() -> None:
    source = read(FIXTURE)
    parts = lint(source)
    assert [(part.number, part.points, part.minutes, len(part.checks), len(part.hidden)) for part in parts] == [
        (1, 2, 10, 1, 1), (2, 3, 10, 1, 2), (3, 1, 10, 1, 1)]
    assert source.facts["points"] == 6
    assert source.facts["parts"][1] == {"part": 2, "title": "Part 2: The median", "points": 3, "minutes": 10}


@pytest.mark.parametrize(("old", "new", "place", "says"), [
    ("    ### BEGIN SOLUTION\n    if", "    ### begin solution\n    if", f"{DEF + 2}: 01-mean-1",
     "looks like a marker"),
    (END_1, END_1.partition("\n")[2], f"{DEF + 2}: 01-mean-1", "never closed"),
    (SOLUTION_1, "    return 0\n", f"{DEF}: 01-mean-1", "without ### BEGIN SOLUTION would publish"),
    ("[mean(DATA)]\n```", "### BEGIN SOLUTION\n[mean(DATA)]\n```", r"\d+: 01-mean-1a", "outside an answer cell"),
    ("Sort first.", "### BEGIN SOLUTION", r"\d+: cell \d+", "outside an answer cell"),
    (HINT_3, "", r"\d+: cell \d+", "exactly three hints"),
    ("Hint 3", "Hint 2", r"\d+: cell \d+", "exactly three hints"),
    ("Hint 1</summary>", "A hint</summary>", r"\d+: cell \d+", r"exactly three hints.*found \[2, 3\]"),
    (CHECK_3A, "", r"\d+: cell \d+", "part 3: its answer has no visible check"),
    (HIDDEN_3B, "", r"\d+: cell \d+", "part 3: its answer has no hidden check"),
    ("hidden-check, points: 2}", "hidden-check}", r"\d+: 01-mean-1b", "needs points"),
    ("hidden-check, points: 2}", "hidden-check, points: 0}", r"\d+: 01-mean-1b", "needs points"),
    ("hidden-check, points: 2}", "hidden-check, points: 4}", r"\d+: cell \d+",
     "states 2 points, its hidden checks give 4"),
    ("1a, kind: check}", "1a, kind: check, points: 1}", r"\d+: 01-mean-1a", "points stand on hidden checks alone"),
    ("*2 points, 10 minutes*", "*2 points*", r"\d+: cell \d+", "does not state its points and minutes"),
    ("minutes: 30", "minutes: 20", "", "says 20 minutes, its parts take 30"),
    ("## Part 2:", "## Part 3:", r"\d+: 01-mean-2", "its id says part 2, it stands in part 3"),
    ("## Part 2: The median", "## The median", r"\d+: 01-mean-2", "its id says part 2, it stands in part 1"),
    ("id: 01-mean-2, kind: answer}", "id: 01-mean-2x, kind: check}", r"\d+: cell \d+", "needs one answer cell, has 0"),
    ("withhold: [statistics]", "withhold: [statistcs]", "", "withholds 'statistcs', which is no module"),
    ("1a, kind: check}", "1a, kind: check}\n:tags: [raises-exception]", r"\d+: 01-mean-1a",
     "would let a wrong cell pass"),
    ("1a, kind: check}", "1a, kind: check}\n:tags: [nbval-skip]", r"\d+: 01-mean-1a", "would let a wrong cell pass"),
    ("1a, kind: check}", "1a, kind: check}\n:tags: [solution]", r"\d+: 01-mean-1a", "tagged 'solution'"),
    ('os.environ.get("CLASSROOM_SEED", "0")', "0", r"\d+: 01-mean-1b", "no input from its seed"),
    ('assert len(levels(DATA)) == 2, "two heights"\n', "", r"\d+: 01-mean-3a", "a check asserts"),
])
def test_each_mistake_is_named_with_its_place(tmp_path: Path, old: str, new: str, place: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(CourseError) as caught:
        lint(written(tmp_path, TEXT.replace(old, new, 1)))
    wanted = re.compile(rf"solutions/_src/01_mean\.md:{place}.*{says}")
    assert any(map(wanted.search, caught.value.problems)), caught.value


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = TEXT.replace(HINT_3, "").replace("points: 2}", "points: 4}").replace("minutes: 30", "minutes: 1")
    with pytest.raises(CourseError) as caught:
        lint(written(tmp_path, text))
    assert len(caught.value.problems) >= 3


def test_checks_come_in_order(tmp_path: Path) -> None:
    text = TEXT.replace(CHECK_3A, "") + "\n" + CHECK_3A
    with pytest.raises(CourseError, match="part 3: order: the answer, then visible checks, then hidden"):
        lint(written(tmp_path, text))


def test_a_file_without_parts_is_no_exercise(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="no part"):
        lint(written(tmp_path, TEXT[: TEXT.index("## Part 1")]))


@pytest.mark.parametrize(("shown", "number"), [
    ("3", True), ("-2.5", True), ("1e-3", True), ("nan", True), ("[3]", False), ("True", False), ("'3'", False),
    ("None", False),
])
def test_a_visible_check_shows_no_bare_number(shown: str, number: bool) -> None:
    source = read(FIXTURE)
    check = next(cell for cell in source.notebook.cells if cell.metadata.get("memory_lab", {}).get("kind") == "check")
    check.outputs = [new_output("execute_result", data={"text/plain": shown})]
    if number:
        with pytest.raises(CourseError, match=rf"01_mean\.md:\d+: 01-mean-1a: shows.* {re.escape(shown)},"):
            lint_shown(source)
    else:
        lint_shown(source)


def test_a_hidden_check_or_a_printed_word_may_be_a_number() -> None:
    source = read(FIXTURE)
    kinds = {cell.metadata.get("memory_lab", {}).get("kind"): cell for cell in source.notebook.cells}
    kinds["hidden-check"].outputs = [new_output("execute_result", data={"text/plain": "3"})]
    kinds["check"].outputs = [new_output("stream", name="stdout", text="3")]
    lint_shown(source)


def test_no_stored_check_shows_a_bare_number() -> None:
    for path in sorted((Path(__file__).parents[1] / "solutions").glob("*.ipynb")):
        source = read(path.parent / "_src" / f"{path.stem}.md")
        stored = {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}
        for cell in source.notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = stored[cell["id"]].outputs
        lint_shown(source)
