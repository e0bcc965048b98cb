"""A broken file is graded or named; none stops the batch."""

from __future__ import annotations

import json

import pytest

from classroom import sandbox
from classroom.grade import Settings, grade
from tests.attacks.broken import BROKEN
from tests.attacks.course import RIGHT, course, hand_in, notebook

pytestmark = pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("grades")
    for number, broken in enumerate(BROKEN.values()):
        hand_in(folder, f"s{number:02d}", broken.body, broken.name)
    hand_in(folder, "two", notebook(RIGHT), "01_mean (1).ipynb")
    hand_in(folder, "two", notebook())
    (folder / "link").mkdir()
    (folder / "link" / "01_mean.ipynb").symlink_to(folder / "two" / "01_mean.ipynb")
    hand_in(folder, "text", "hello", "notes.txt")
    roster = [f"s{n:02d}" for n in range(len(BROKEN))] + ["two", "link", "text", "nobody"]
    rows = grade(folder, out, course(), Settings(seed=13, quiet=True, cell_seconds=5), roster)
    return {row["student"]: row for row in rows}, json.loads((out / "grades.json").read_text())


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_graded_or_named(graded, name):
    broken, row = BROKEN[name], graded[0][f"s{list(BROKEN).index(name):02d}"]
    said = f"{row['status']}: {row['reason']} {row['notes']}"
    assert row["status"] == broken.state, said
    assert row["points"] == broken.points, said
    assert broken.word in said


def test_of_two_files_the_later_copy_counts_and_that_is_said(graded):
    assert graded[0]["two"]["points"] == 6 and "2 files" in graded[0]["two"]["notes"][0]


@pytest.mark.parametrize("student", ["nobody", "link", "text"])
def test_who_handed_in_nothing_that_counts_has_a_row(graded, student):
    assert (graded[0][student]["status"], graded[0][student]["points"]) == ("not submitted", 0)


def test_a_link_is_not_followed_and_named(graded):
    assert any("a link" in line for line in graded[1]["strays"])
