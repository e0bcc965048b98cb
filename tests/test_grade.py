"""A class graded end to end: states, tables, resuming, the command."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from classroom import cli, manifest, sandbox
from classroom.errors import CourseError
from classroom.grade import Settings, grade
from classroom.results import file_name
from tests.attacks.course import LEVELS, MEAN, MEDIAN, RIGHT, ROOT, SLUG, course, hand_in, notebook

needs_walls = pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")
WRONG = {"01-mean-1": "def mean(values):\n    return sum(values)\n", "01-mean-2": MEDIAN, "01-mean-3": LEVELS}
HALF = {"01-mean-1": MEAN, "01-mean-2": "median = lambda v: sorted(v)[len(v) // 2]", "01-mean-3": LEVELS}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("grades")
    for student, answers in (("right", RIGHT), ("wrong", WRONG), ("half", HALF), ("unsolved", {}), ('=cmd|"x', RIGHT)):
        hand_in(folder, student, notebook(answers))
    hand_in(folder, "torn", "{")
    roster = ["right", "wrong", "half", "unsolved", "torn", "Zoë, Łukasz"]
    rows = grade(folder, out, course(), Settings(seed=3, quiet=True), roster)
    return {row["student"]: row for row in rows}, out


@pytest.mark.parametrize(("student", "points", "status"), [
    ("right", 6, "graded"), ("wrong", 3, "graded"), ("half", 4, "graded"), ("unsolved", 0, "graded"),
    ("torn", 0, "unreadable"), ("Zoë, Łukasz", 0, "not submitted")])
def test_every_student_of_the_roster_ends_in_a_state(graded, student, points, status):
    assert (graded[0][student]["points"], graded[0][student]["status"]) == (points, status)


def test_the_gradebook_is_csv_that_no_spreadsheet_runs(graded):
    rows = list(csv.reader((graded[1] / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["student", "exercise", "points", "max_points", "status", "reason"]
    assert ["Zoë, Łukasz", SLUG, "0", "6", "not submitted", ""] in rows
    assert [row[0] for row in rows if "cmd" in row[0]] == ["'=cmd|\"x"]
    totals = list(csv.DictReader((graded[1] / "totals.csv").read_text(encoding="utf-8").splitlines()))
    assert next(row for row in totals if row["student"] == "half")["percent"] == "66.7"


def test_junit_counts_each_check(graded):
    suites = ElementTree.parse(graded[1] / "junit.xml").getroot()
    wrong = next(suite for suite in suites if suite.get("name") == f"wrong.{SLUG}")
    assert wrong.get("tests") == "7" and wrong.find("testcase/failure").get("message").startswith("you gave the sum")


def test_feedback_names_the_mistake_and_shows_own_code_but_no_hidden_check(graded):
    for kind in ("html", "md"):
        page = (graded[1] / "feedback" / f"{file_name('wrong')}.{kind}").read_text(encoding="utf-8")
        assert "you gave the sum" in page and "return sum" in page and "hidden: inputs that you have not seen" in page
        assert "wrong on numbers" not in page and "randrange" not in page and "CLASSROOM" not in page


def test_the_summary_has_a_figure_that_says_the_same_in_words(graded):
    page = (graded[1] / "summary.html").read_text(encoding="utf-8")
    assert 'role="img"' in page and "Median" in page and "01-mean-2c (hidden)" in page


@needs_walls
def test_the_same_seed_gives_the_same_book_and_another_seed_other_inputs(graded, tmp_path):
    folder = hand_in(tmp_path / "class", "half", notebook(HALF)).parent.parent
    again = grade(folder, tmp_path / "again", course(), Settings(seed=3, quiet=True))[0]
    assert {**again, "seconds": 0} == {**graded[0]["half"], "seconds": 0}


@needs_walls
@pytest.mark.long
def test_a_grader_that_is_killed_goes_on_where_it_was(tmp_path):
    folder = tmp_path / "class"
    for number in range(6):
        hand_in(folder, f"s{number}", notebook(RIGHT if number % 2 else HALF))
    command = [sys.executable, "-m", "classroom.cli", "grade", str(folder), "--root", str(ROOT), "--seed", "5"]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    killed = subprocess.Popen([*command, "--out", str(tmp_path / "a")], **silent)
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "a" / "results").glob("*.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "a" / "results").glob("*.json")}
    assert 2 <= len(before) < 6
    for out, more in (("a", ["--resume"]), ("b", [])):
        done = subprocess.run([*command, "--out", str(tmp_path / out), *more], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr
    for name in ("grades.csv", "totals.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert all((tmp_path / "a" / "results" / name).stat().st_mtime_ns == when for name, when in before.items())


@needs_walls
def test_a_resumed_run_grades_a_file_that_was_changed(tmp_path):
    folder = hand_in(tmp_path / "class", "s", notebook(HALF)).parent.parent
    assert grade(folder, tmp_path / "o", course(), Settings(quiet=True))[0]["points"] == 4
    hand_in(folder, "s", notebook(RIGHT))
    assert grade(folder, tmp_path / "o", course(), Settings(quiet=True, resume=True))[0]["points"] == 6


def test_without_walls_grading_goes_on_and_says_so(tmp_path, monkeypatch):
    missing = {"namespaces": False, "user": False, "limits": True, "processes": False}
    monkeypatch.setattr(sandbox, "layers", lambda: missing)
    folder = hand_in(tmp_path / "class", "s", notebook(HALF)).parent.parent
    assert grade(folder, tmp_path / "o", course(), Settings(quiet=True))[0]["points"] == 4
    assert json.loads((tmp_path / "o" / "grades.json").read_text())["walls"] == missing
    assert "MISSING" in (tmp_path / "o" / "summary.html").read_text()
    with pytest.raises(CourseError, match="wall"):
        grade(folder, tmp_path / "o", course(), Settings(quiet=True, require_isolation=True))


@needs_walls
def test_a_solution_that_fails_here_stops_the_run_before_a_student_is_graded(tmp_path):
    made = course().exercises[SLUG]
    cells = tuple(cell if cell.id != "01-mean-1" else manifest.Cell(**{**cell.__dict__, "source": "mean = sum"})
                  for cell in made.cells)
    broken = manifest.Manifest({SLUG: manifest.Exercise(**{**made.__dict__, "cells": cells})})
    folder = hand_in(tmp_path / "class", "s", notebook(RIGHT)).parent.parent
    with pytest.raises(CourseError, match="01-mean-1a: the solution fails here"):
        grade(folder, tmp_path / "o", broken, Settings(quiet=True))


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    assert cli.main(["grade", str(tmp_path / "none"), "--out", str(tmp_path / "o"), "--root", str(ROOT)]) == 1
    assert "no such folder" in capsys.readouterr().err
    assert cli.main(["grade", str(tmp_path), "--out", str(tmp_path / "o"), "--root", str(ROOT), "--exercise", "9"]) == 1
    assert "no exercise '9'" in capsys.readouterr().err


@needs_walls
@pytest.mark.long
def test_two_hundred_right_submissions_all_get_full_marks_three_times_under_load(tmp_path):
    for number in range(200):
        hand_in(tmp_path / "class", f"s{number:03d}", notebook(RIGHT))
    load = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        for turn in range(3):
            rows = grade(tmp_path / "class", tmp_path / f"o{turn}", course(), Settings(seed=turn, quiet=True))
            assert [row for row in rows if row["points"] != 6] == []
    finally:
        load.kill()
        load.wait()
    assert len(os.listdir(tmp_path / "o0" / "results")) == 200


@needs_walls
def test_a_conftest_above_the_judges_folder_is_not_run(tmp_path, monkeypatch):
    folder = hand_in(tmp_path / "class", "s", notebook(RIGHT)).parent.parent
    with tempfile.TemporaryDirectory() as above:  # where anybody may read, unlike tmp_path: the stage lies in it too
        os.chmod(above, 0o755)
        Path(above, "conftest.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
        monkeypatch.setenv("TMPDIR", above)
        monkeypatch.setattr(tempfile, "tempdir", None)
        assert grade(folder, tmp_path / "o", course(), Settings(quiet=True))[0]["points"] == 6
    assert not (tmp_path / "ran").exists()
