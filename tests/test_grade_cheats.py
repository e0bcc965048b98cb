"""No submission earns a point that its code did not earn, and each trick is reported."""

from __future__ import annotations

import json

import pytest

from classroom import sandbox
from classroom.grade import Settings, grade
from tests.attacks.cheats import CHEATS
from tests.attacks.course import RIGHT, course, hand_in, notebook

pytestmark = pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The whole class in one run: every cheat between two honest students."""
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("grades")
    for number, attack in enumerate(CHEATS.values()):
        hand_in(folder, f"s{number:02d}", attack.body, attack.more.get("name", "01_mean.ipynb"))
    hand_in(folder, "a-first", notebook(RIGHT))
    hand_in(folder, "z-last", notebook(RIGHT))
    rows = grade(folder, out, course(), Settings(seed=11, quiet=True, cell_seconds=4))
    return {row["student"]: row for row in rows}, out


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_earns_what_its_code_earned_and_is_reported(graded, name):
    attack, row = CHEATS[name], graded[0][f"s{list(CHEATS).index(name):02d}"]
    said = json.dumps(row["notes"] + [check["reason"] for check in row["checks"]] + [row["reason"]])
    assert row["points"] == attack.points, said
    assert row["status"] == attack.state, row["reason"]
    assert attack.word in said


@pytest.mark.parametrize("student", ["a-first", "z-last"])
def test_honest_students_before_and_after_are_untouched(graded, student):
    assert (graded[0][student]["points"], graded[0][student]["status"]) == (6, "graded")


def test_every_hidden_check_is_watched(graded):
    assert json.loads((graded[1] / "grades.json").read_text())["unwatched"] == []
