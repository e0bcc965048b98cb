"""MyST text to notebooks: what a cell is, and where a problem stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classroom.errors import CourseError
from classroom.source import course_files, read, text_hash

COURSE = Path(__file__).parent / "fixtures/pipeline/course"
SOLUTION = COURSE / "solutions/_src/01_mean.md"
CHAPTER = COURSE / "book/_src/01_mean.md"


def changed(tmp_path: Path, path: Path, old: str, new: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert old in text
    copy = tmp_path / path.relative_to(COURSE)
    copy.parent.mkdir(parents=True)
    copy.write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


def test_cells_say_what_they_are() -> None:
    cells = {cell["id"]: cell for cell in read(SOLUTION).notebook.cells}
    hidden = cells["01-mean-2c"]
    assert hidden.metadata.memory_lab == {"id": "01-mean-2c", "kind": "hidden-check", "points": 2, "part": 2}
    assert hidden.metadata.tags == ["hidden-check"]
    assert cells["01-mean-3a"].metadata.mystnb.image.alt.startswith("Five points")
    assert [c.metadata.memory_lab.kind for c in cells.values() if c.cell_type == "code"].count("scaffold") == 1


def test_ids_are_the_same_on_every_reading_and_unique() -> None:
    first, second = ([cell["id"] for cell in read(SOLUTION).notebook.cells] for _ in range(2))
    assert first == second
    assert len(set(first)) == len(first)


def test_equal_cells_get_different_ids(tmp_path: Path) -> None:
    cell = "```{code-cell} ipython3\n1\n```\n"
    copy = changed(tmp_path, CHAPTER, "An empty list has none:", f"{cell}\n{cell}\n{cell}")
    ids = [cell["id"] for cell in read(copy).notebook.cells]
    assert len(set(ids)) == len(ids)


def test_metadata_names_the_text_and_its_hash() -> None:
    metadata = read(SOLUTION).notebook.metadata
    assert metadata.memory_lab["source"] == "solutions/_src/01_mean.md"
    assert metadata.memory_lab["source_sha256"] == text_hash(SOLUTION)
    assert set(metadata) == {"kernelspec", "language_info", "memory_lab"}
    assert "version" not in metadata.language_info


def test_the_hash_is_of_the_text_not_of_its_line_ends(tmp_path: Path) -> None:
    windows = tmp_path / "x.md"
    windows.write_bytes(CHAPTER.read_bytes().replace(b"\n", b"\r\n"))
    assert text_hash(windows) == text_hash(CHAPTER)


def test_each_cell_knows_its_line() -> None:
    source = read(SOLUTION)
    text = SOLUTION.read_text(encoding="utf-8").split("\n")
    for cell, line in zip(source.notebook.cells, source.lines, strict=True):
        assert text[line - 1] == cell.source.split("\n")[0]


def test_files_come_in_order() -> None:
    assert course_files(COURSE) == [SOLUTION, CHAPTER]


@pytest.mark.parametrize(("path", "old", "new", "says"), [
    (CHAPTER, "memory_lab: {", "memory: {", "no `memory_lab:` in the front matter"),
    (CHAPTER, "number: 1", "number: one", "'number' must be int, not 'one'"),
    (CHAPTER, "number: 1", "number: 2", "named '01_mean', its front matter says '02_mean'"),
    (CHAPTER, "number: 1", "number: [", "01_mean.md: .*Notebook metadata|01_mean.md: .*pars"),
    (CHAPTER, "chapter: mean, ", "", "has no 'chapter'"),
    (CHAPTER, "chapter: mean", "chapter: mean, chapters: mean", "unknown key 'chapters'"),
    (SOLUTION, "difficulty: easy", "difficulty: nasty", "difficulty is easy, medium or hard"),
    (SOLUTION, "minutes: 30, ", "", "has no 'minutes'"),
    (CHAPTER, ":tags: [raises-exception]", ":tag: [raises-exception]",
     "01_mean.md:17: cell 4: unknown cell metadata 'tag'"),
    (CHAPTER, ":tags: [raises-exception]", ":tags: raises-exception",
     "a cell's metadata: 'raises-exception' is not of type"),
    (CHAPTER, ":tags: [raises-exception]", ":memory_lab: {id: 01-mean-1, kind: answer}",
     "only a code cell of a solution"),
    (CHAPTER, "```{code-cell} ipython3\nvalues", "- item\n\n  ```{code-cell} ipython3\n  values",
     "would be shown as text"),
    (CHAPTER, "```{code-cell}", "```{code cell}", "01_mean.md:8: cell 1: would be shown as text"),
    (SOLUTION, "id: 01-mean-1a, kind: check", "kind: check",
     r"01_mean.md:\d+: cell 5: a cell of kind 'check' needs an id"),
    (SOLUTION, "id: 01-mean-1a", "id: 01-mean-1b", "the id '01-mean-1b' is taken by cell 5"),
    (SOLUTION, "id: 01-mean-1a", "id: 01-mean-1", "looks like '01-mean-1a', not '01-mean-1'"),
    (SOLUTION, "id: 01-mean-1,", "id: 01-mean-1a,", "looks like '01-mean-1', not '01-mean-1a'"),
    (SOLUTION, "id: 01-mean-1a", "id: 02-mean-1a", "looks like '01-mean-1a', not '02-mean-1a'"),
    (SOLUTION, "kind: check}", "kind: chekc}", "kind is one of answer, check, hidden-check, scaffold, not 'chekc'"),
    (SOLUTION, "points: 2}", "point: 2}", "memory_lab is like"),
    (SOLUTION, ":memory_lab: {id: 01-mean-1a, kind: check}", ":tags: [check]", "tagged 'check'; say it with"),
    (CHAPTER, ":tags: [raises-exception]", ":tags: [7]", "7 is not of type 'string'"),
    (SOLUTION, '+++ {"tags": ["solution"]}', '+++ {"tags": }', "could not be read"),
])
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(CourseError) as caught:
        read(changed(tmp_path, path, old, new))
    assert re.search(says, str(caught.value)), caught.value
    assert all(re.match(r"(book|solutions)/_src/01_mean\.md:", line) for line in caught.value.problems)
