"""What the class gets, and what the teacher keeps."""

from __future__ import annotations

import json
import shutil
import zipfile

import pytest

from classroom import cli, manifest
from classroom.build import build
from classroom.errors import CourseError
from classroom.release import release
from tests.attacks.course import ROOT, SLUG, course


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    root = tmp_path_factory.mktemp("course") / "c"
    shutil.copytree(ROOT, root)
    build(root)
    (root / "exercises" / "data").mkdir()
    (root / "exercises" / "data" / "numbers.csv").write_text("1,2\n")
    (root / "requirements.txt").write_text("nbval\n")
    return root


@pytest.fixture(scope="module")
def released(built, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    release(built, out)
    return out


def test_the_zip_holds_exercises_data_requirements_and_instructions(released):
    with zipfile.ZipFile(released / "class.zip") as archive:
        assert archive.namelist() == ["README.md", "exercises/.shipped/01_mean.ipynb", "exercises/01_mean.ipynb",
                                      "exercises/README.md", "exercises/data/numbers.csv", "requirements.txt"]
        assert "01_mean Three ways to the middle | 6 | 30" in archive.read("README.md").decode()


def test_the_zip_gives_nothing_away(released):
    with zipfile.ZipFile(released / "class.zip") as archive:
        text = "".join(archive.read(name).decode() for name in archive.namelist())
    for secret in ("BEGIN SOLUTION", "hidden-check", "CLASSROOM_SEED", "return sum(values)", "01-mean-1b"):
        assert secret not in text


def test_the_same_course_makes_the_same_zip(built, released, tmp_path):
    release(built, tmp_path, proof=False)
    assert (tmp_path / "class.zip").read_bytes() == (released / "class.zip").read_bytes()
    assert (tmp_path / "manifest.json").read_bytes() == (released / "manifest.json").read_bytes()


def test_the_manifest_is_the_teacher_s_alone_and_reads_back_as_it_was(released):
    assert (released / "manifest.json").stat().st_mode & 0o077 == 0
    again = manifest.read(released / "manifest.json")
    assert again.exercises == course().exercises and again.sha256 == course().sha256
    assert [(cell.id, cell.points) for cell in again.exercises[SLUG].checks if cell.points] == [
        ("01-mean-1b", 2), ("01-mean-2b", 1), ("01-mean-2c", 2), ("01-mean-3b", 1)]


@pytest.mark.parametrize(("change", "said"), [
    (lambda body: body.update(format=99), "format 99"),
    (lambda body: body["exercises"][0]["cells"][4].update(points=100), "was changed since the release"),
    (lambda body: body.pop("exercises"), "no manifest"),
])
def test_a_manifest_that_was_changed_is_refused(released, tmp_path, change, said):
    body = json.loads((released / "manifest.json").read_text())
    change(body)
    (tmp_path / "manifest.json").write_text(json.dumps(body))
    with pytest.raises(CourseError, match=said):
        manifest.read(tmp_path / "manifest.json")


def test_an_exercise_that_was_edited_by_hand_is_not_released(built, tmp_path):
    root = tmp_path / "c"
    shutil.copytree(built, root)
    path = root / "exercises" / "01_mean.ipynb"
    path.write_text(path.read_text().replace("The mean", "The means"))
    with pytest.raises(CourseError, match="is not what"):
        release(root, tmp_path / "out", proof=False)
    assert not (tmp_path / "out").exists()


def test_the_command_writes_both_files(built, tmp_path, capsys):
    assert cli.main(["release", str(tmp_path / "out"), "--root", str(built), "--no-proof"]) == 0
    assert "class.zip" in capsys.readouterr().out
