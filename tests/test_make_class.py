"""A class of 30, made varied and graded by the README's command: each student earns what they were made to earn."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from classroom import sandbox
from classroom.results import cell_text, file_name

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("school") / "class"
    subprocess.run([sys.executable, str(ROOT / "tools/make_class.py"), str(out)], check=True)
    return out


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_class_has_thirty_students_of_every_kind(made):
    expected = rows(made / "expected.csv")
    assert len(rows(made / "roster.csv")) == 30 and len(expected) == 60
    assert set(Counter(row["status"] for row in expected)) == {"graded", "not submitted", "timed out", "killed",
                                                               "unreadable"}
    assert {"0", "4", "7", "8", "10"} <= {row["points"] for row in expected}


def test_a_second_class_is_not_mixed_into_the_first(made):
    again = subprocess.run([sys.executable, str(ROOT / "tools/make_class.py"), str(made)], capture_output=True,
                           text=True, check=False)
    assert again.returncode == 1 and "is there already" in again.stderr


@pytest.mark.long
@pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")
def test_each_student_earns_what_they_were_made_to_earn(made, tmp_path):
    out = tmp_path / "grades"
    command = [sys.executable, "-m", "classroom.cli", "grade", str(made / "submissions"), "--out", str(out),
               "--roster", str(made / "roster.csv"), "--exercise", "1", "--exercise", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    book = {(row["student"], row["exercise"]): (row["points"], row["status"]) for row in rows(out / "grades.csv")}
    assert book == {(cell_text(row["student"]), row["exercise"]): (row["points"], row["status"])
                    for row in rows(made / "expected.csv")}
    summary = (out / "summary.html").read_text(encoding="utf-8")
    look, same = summary.split("<h2>Needs a look</h2>")[1].split("<h2>Graded all the same</h2>")
    cheats = ("Tess Copy", "Uma Calm", "Wes Equal", "Xan Import", "Yan Points", "Zed Loop", "Åsa Exit")
    assert all(name in look for name in cheats)
    assert not any(name in look for name in ("Tom Byte", "Ravi Iyer", "Maya Colon", "Sofia Rossi"))
    assert "the file is UTF-16" in same
    maya = (out / "feedback" / f"{file_name('Maya Colon')}.html").read_text(encoding="utf-8")
    assert "the answer does not run: SyntaxError" in maya and "NameError" not in maya
