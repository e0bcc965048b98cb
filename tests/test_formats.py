"""What other systems are handed: their columns, their JSON, nothing that a student could have written as markup."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from classroom import cli, manifest, sandbox
from classroom.formats import FORMATS, github, gradescope
from tests.attacks.course import POINTS, RIGHT, ROOT, SLUG, course, hand_in, notebook

EVIL = "x\n::error::owned %0A | <script> ::set-output"
DATA = Path(manifest.__file__).parent / "data"


def row(student: str, status: str = "graded", *, wrong: int = 0, reason: str = "keep the last one") -> dict:
    """A result: the first `wrong` parts fail."""
    made = course().exercises[SLUG]
    checks = [{"check": cell.id, "part": cell.part, "hidden": cell.kind == "hidden-check", "passed": cell.part > wrong,
               "points": cell.points * (cell.part > wrong), "max_points": cell.points,
               "reason": "" if cell.part > wrong else f"secret {reason}" if cell.kind == "hidden-check" else reason,
               "suspicious": False, "apart": ""} for cell in made.checks]
    earned = sum(check["points"] for check in checks) if status == "graded" else 0
    return {"student": student, "exercise": SLUG, "points": earned, "max_points": made.points, "status": status,
            "reason": reason if status != "graded" else "", "notes": ["for the teacher"], "seconds": 0.4, "code": {},
            "checks": checks}


ROWS = [row("Ann"), row("Bo", wrong=2), row("Cy", "not submitted", reason=""),
        row("Di", "unreadable", reason="it is empty"), row("Ed", "grader error", reason="boom")]


def lines(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_writes_what_it_says_and_says_no_secret(tmp_path: Path, name: str) -> None:
    written = FORMATS[name](tmp_path, course(), ROWS, None)
    assert written and all(path.is_file() for path in written)
    for path in written:
        if path.suffix != ".zip":
            text = path.read_text(encoding="utf-8")
            assert "secret" not in text and "for the teacher" not in text, path


def test_canvas_knows_its_own_columns_again(tmp_path: Path) -> None:
    title = course().exercises[SLUG].title
    roster = tmp_path / "roster.csv"
    roster.write_text(f"Student,ID,SIS User ID,SIS Login ID,Section,{title} (777),Final Score\n"
                      "    Points Possible,,,,,6,\nAnn,11,s1,ann@x,A,,\nBo,12,s2,bo@x,A,,\n")
    FORMATS["canvas"](tmp_path, course(), ROWS, roster)
    head, possible, ann, bo, cy, di, ed = lines(tmp_path / "canvas.csv")
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{title} (777)"]
    assert possible[0].strip() == "Points Possible" and possible[-1] == str(POINTS)
    assert ann == ["Ann", "11", "s1", "ann@x", "A", str(POINTS)]
    assert (bo[1], bo[-1]) == ("12", str(ROWS[1]["points"]))
    assert [cy[-1], di[-1], ed[-1]] == ["", "0", ""], "nothing handed in and a fault of ours change nothing"


def test_moodle_maps_by_mail_and_has_points_beside_feedback(tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("Name,Email address\nAnn,ann@x.org\nBo,bo@x.org\n")
    FORMATS["moodle"](tmp_path, course(), ROWS, roster)
    head, ann, bo, *_ = lines(tmp_path / "moodle.csv")
    assert head[0] == "Email address" and head[2] == f"{head[1]} (feedback)"
    assert ann == ["ann@x.org", str(POINTS), "all passed"]
    assert bo[2] == "parts to mend: 1, 2; keep the last one"
    FORMATS["moodle"](tmp_path, course(), [row("=cmd()")], None)
    assert lines(tmp_path / "moodle.csv")[1][0] == "'=cmd()"


def test_gradescope_scores_add_up_and_hidden_checks_stand_by_name_only() -> None:
    found = gradescope.results(course(), [ROWS[1]])
    assert found["score"] == sum(test["score"] for test in found["tests"]) == ROWS[1]["points"]
    assert sum(test["max_score"] for test in found["tests"]) == POINTS
    assert [test["status"] for test in found["tests"]] == ["failed", "failed", "passed"]
    assert "keep the last one" in found["tests"][0]["output"]
    assert json.dumps(gradescope.results(course(), [row("x", reason="\ud800", wrong=1)])).isascii()


def test_a_student_s_text_is_no_command_and_no_markup_on_github() -> None:
    rows = [row(EVIL, wrong=3, reason=EVIL)]
    found = github.annotations(course(), rows)
    assert all("\n" not in line and line.startswith(("::error file=", "::notice title=")) for line in found)
    assert all(line.count("::error") == 1 or line.startswith("::notice") for line in found if "%0A" not in line)
    assert "<script>" not in github.summary(course(), rows)
    assert all(line.startswith("|") or not line for line in github.summary(course(), rows).splitlines())


def test_the_step_summary_is_added_to(tmp_path: Path, monkeypatch, capsys) -> None:
    step = tmp_path / "step"
    step.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    FORMATS["github"](tmp_path, course(), ROWS, None)
    assert step.read_text().startswith("before\n| student |")
    assert "::error file=exercises/01_mean.ipynb," in capsys.readouterr().out


@pytest.mark.parametrize("name", ["github-workflow.yml", "github-grading.yml"])
def test_workflows_can_be_read_and_only_the_teacher_s_has_a_secret(name: str) -> None:
    text = (DATA / name).read_text()
    body = yaml.safe_load(text)
    assert body["permissions"] == {"contents": "read"} and body["jobs"]
    assert ("secrets." in text) == (name == "github-grading.yml")


@pytest.fixture(scope="module")
def box(tmp_path_factory) -> Path:
    """Gradescope's folders, with the zip unpacked as Gradescope does."""
    base = tmp_path_factory.mktemp("autograder")
    gradescope.autograder(base / "autograder.zip", course())
    with zipfile.ZipFile(base / "autograder.zip") as archive:
        archive.extractall(base / "source")
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    assert modes["run_autograder"] == modes["setup.sh"] == 0o755
    for name in ("submission", "results"):
        (base / name).mkdir()
    return base


def run(base: Path) -> dict:
    """What `run_autograder` runs, with the packages of this environment."""
    done = subprocess.run([sys.executable, "-m", "classroom.formats.gradescope", str(base)], cwd=base, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((base / "results" / "results.json").read_text())


def test_the_zip_has_all_that_pip_installs(box: Path) -> None:
    here, there = Path(manifest.__file__).parent.parent, box / "source" / "course"
    for package in ("classroom", "memory_lab"):
        mine = {path.relative_to(here) for path in (here / package).rglob("*.py")}
        assert mine == {path.relative_to(there) for path in (there / package).rglob("*.py")}
    assert (there / "pyproject.toml").is_file() and (there / "README.md").is_file()
    assert manifest.read(box / "source" / "manifest.json").points == POINTS
    assert not list(there.rglob("*.ipynb"))


@pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")
def test_the_zip_grades_by_itself(box: Path) -> None:
    hand_in(box, "submission", notebook(RIGHT))
    assert run(box)["score"] == POINTS
    hand_in(box, "submission", "<html>")
    found = run(box)
    assert found["score"] == 0 and "web page" in found["output"]


def test_a_crash_leaves_a_file_that_gradescope_can_read(box: Path) -> None:
    kept = (box / "source" / "manifest.json").read_bytes()
    (box / "source" / "manifest.json").write_text("{")
    try:
        found = run(box)
    finally:
        (box / "source" / "manifest.json").write_bytes(kept)
    assert found["score"] == 0 and found["tests"] == [] and "not your fault" in found["output"]


def test_the_scripts_are_sound_and_begin_with_a_valid_result(box: Path, tmp_path: Path) -> None:
    for name in ("setup.sh", "run_autograder"):
        assert subprocess.run(["bash", "-n", box / "source" / name], check=False).returncode == 0
    text = (box / "source" / "run_autograder").read_text().replace("/autograder/", f"{tmp_path}/")
    subprocess.run(["bash", "-c", text.replace("/opt/classroom", str(tmp_path / "missing"))], check=True,
                   capture_output=True)
    assert json.loads((tmp_path / "results" / "results.json").read_text())["score"] == 0


@pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")
def test_the_command_takes_formats(tmp_path: Path, capsys) -> None:
    hand_in(tmp_path / "class", "ann", notebook(RIGHT))
    out = tmp_path / "out"
    words = ["grade", str(tmp_path / "class"), "--out", str(out), "--root", str(ROOT), "--format", "canvas", "--format",
             "gradescope"]
    assert cli.main(words) == 0
    assert lines(out / "canvas.csv")[2][-1] == str(POINTS)
    assert json.loads(next((out / "gradescope").glob("*.results.json")).read_text())["score"] == POINTS
    assert "canvas: canvas.csv" in capsys.readouterr().out
