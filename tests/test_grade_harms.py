"""No submission reaches out of its sandbox, leaves anything behind, or stops the batch."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from classroom import sandbox
from classroom.grade import Settings, grade
from tests.attacks.course import RIGHT, course, hand_in, notebook
from tests.attacks.harms import HARMS, SLOW

pytestmark = pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")
MARK = f"mark{os.getpid()}"


def run(attacks, folder, out, port, cell_seconds):
    for number, attack in enumerate(attacks.values()):
        text = json.dumps(attack.body).replace("PORT", str(port)).replace("MARK", MARK)
        hand_in(folder, f"s{number:02d}", text)
    hand_in(folder, "z-last", notebook(RIGHT))
    os.environ["MY_SECRET"] = "sesame"
    try:
        rows = grade(folder, out, course(),
                     Settings(seed=12, quiet=True, cell_seconds=cell_seconds, notebook_seconds=90))
    finally:
        del os.environ["MY_SECRET"]
    return {row["student"]: row for row in rows}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        out = tmp_path_factory.mktemp("grades")
        rows = run(HARMS, tmp_path_factory.mktemp("class"), out, server.getsockname()[1], 30)
        try:
            server.accept()
            reached = True
        except BlockingIOError:
            reached = False
    return rows, out, reached


@pytest.fixture(scope="module")
def waited(tmp_path_factory):
    return run(SLOW, tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("grades"), 1, 3)


def judge(attack, row):
    said = json.dumps(row["notes"] + [check["reason"] for check in row["checks"]] + [row["reason"]])
    assert row["points"] in (attack.points if isinstance(attack.points, tuple) else (attack.points,)), said
    assert row["status"] in (attack.state if isinstance(attack.state, tuple) else (attack.state,)), said
    assert attack.word in said
    assert "LEAK" not in said and "GOT" not in said


@pytest.mark.parametrize("name", HARMS)
def test_a_harm_is_contained_and_named(graded, name):
    judge(HARMS[name], graded[0][f"s{list(HARMS).index(name):02d}"])


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_code_that_does_not_end_is_ended(waited, name):
    judge(SLOW[name], waited[f"s{list(SLOW).index(name):02d}"])


def test_the_honest_last_student_is_untouched(graded):
    assert (graded[0]["z-last"]["points"], graded[0]["z-last"]["status"]) == (6, "graded")


@pytest.mark.long
def test_the_honest_student_behind_endless_code_is_untouched(waited):
    assert (waited["z-last"]["points"], waited["z-last"]["status"]) == (6, "graded")


def test_nothing_reached_the_network(graded):
    assert not graded[2]


def test_no_process_is_left(graded):
    left = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            left += [path] if MARK.encode() in path.read_bytes() and path.parent.name != str(os.getpid()) else []
        except OSError:
            continue
    assert left == [] and not Path(f"/tmp/owned-{MARK}").exists()


def test_no_secret_of_the_grader_is_in_what_it_wrote(graded):
    assert not [path for path in graded[1].rglob("*") if path.is_file() and b"sesame" in path.read_bytes()]


def test_what_students_say_is_text_in_every_page_and_table(graded):
    pages = [path.read_text() for path in graded[1].rglob("*.html")]
    assert not [page for page in pages if "<script>" in page]
    assert any("&lt;script&gt;" in page for page in pages)
    assert not [line for line in (graded[1] / "grades.csv").read_text().splitlines() if ",=" in line or ',"=' in line]
