"""Folders, flat files, and zips as Canvas and Moodle make them."""

from __future__ import annotations

import io
import json
import stat
import zipfile

import pytest

from classroom.errors import CourseError
from classroom.submissions import collect, read_roster
from tests.attacks.course import RIGHT, SLUG, course, hand_in, notebook

BODY = json.dumps(notebook(RIGHT))


def found(folder, tmp_path, roster=None):
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    handed = collect(folder, course(), scratch, roster)
    return {one.student: one.path for one in handed.submissions}, handed.strays


def zipped(path, names, body=BODY):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, body)
    return path


@pytest.mark.parametrize(("name", "student"), [
    ("alice/01_mean.ipynb", "alice"),
    ("alice/week 1/01_mean.ipynb", "alice"),
    ("alice_01_mean.ipynb", "alice"),
    ("bob-lee-01_mean (3).ipynb", "bob-lee"),
    ("Ann Lee_12345_assignsubmission_file_/01_mean.ipynb", "Ann Lee"),
    ("Ann Lee_12345_assignsubmission_file_01_mean.ipynb", "Ann Lee"),
    ("leeann_12345_67890_01_mean-1.ipynb", "leeann"),
    ("leeann_LATE_12345_67890_01_mean.ipynb", "leeann"),
    ("Zoë/01_mean.ipynb", "Zoë"),
])
def test_a_name_says_who_it_was(tmp_path, name, student):
    path = tmp_path / "class" / name
    path.parent.mkdir(parents=True)
    path.write_text(BODY)
    assert list(found(tmp_path / "class", tmp_path)[0]) == [student]
    shown, strays = found(zipped(tmp_path / "all.zip", [name]), tmp_path)
    assert list(shown) == [student] and shown[student].read_text() == BODY and strays == []


@pytest.mark.parametrize("name", ["../../evil/01_mean.ipynb", "/etc/01_mean.ipynb", "a/../../01_mean.ipynb",
                                  "..\\..\\01_mean.ipynb", "C:\\x\\01_mean.ipynb"])
def test_a_zip_writes_nothing_outside_its_folder(tmp_path, name):
    shown, strays = found(zipped(tmp_path / "all.zip", [name, "alice/01_mean.ipynb"]), tmp_path)
    assert list(shown) == ["alice"] and "outside the zip" in strays[0]
    assert [path for path in tmp_path.rglob("*.ipynb") if "scratch" not in path.parts] == []


def test_a_link_in_a_zip_is_not_made(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        entry = zipfile.ZipInfo("alice/01_mean.ipynb")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
        archive.writestr("bob/01_mean.ipynb", BODY)
    shown, strays = found(tmp_path / "all.zip", tmp_path)
    assert list(shown) == ["bob"] and "a link" in strays[0]


def test_a_zip_that_unpacks_to_too_much_is_left_alone(tmp_path):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(6000):
            archive.writestr(f"{number}/01_mean.ipynb", b"")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "bomb.zip").write_bytes(held.getvalue())
    (tmp_path / "class" / "torn.zip").write_bytes(held.getvalue()[:5000])
    hand_in(tmp_path / "class", "alice", notebook(RIGHT))
    shown, strays = found(tmp_path / "class", tmp_path)
    assert list(shown) == ["alice"]
    assert any("too many files" in line for line in strays) and any("cannot be read" in line for line in strays)


def test_a_zip_for_each_student_is_a_folder_for_each_student(tmp_path):
    (tmp_path / "class").mkdir()
    zipped(tmp_path / "class" / "alice.zip", ["01_mean.ipynb"])
    assert list(found(tmp_path / "class", tmp_path)[0]) == ["alice"]


def test_a_roster_gives_the_names_and_a_row_to_everybody(tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("name,student\nAnn,ann.lee\nBo,bo\nCy,cy\n", encoding="utf-8-sig")
    hand_in(tmp_path / "class", "Ann_Lee", BODY)
    hand_in(tmp_path / "class", "stranger", BODY)
    (tmp_path / "class" / "bo_01_mean.ipynb").write_text(BODY)
    names = read_roster(roster)
    shown, strays = found(tmp_path / "class", tmp_path, names)
    assert {name: path is not None for name, path in shown.items()} == {
        "ann.lee": True, "bo": True, "cy": False, "stranger": True}
    assert "not on the roster" in strays[0]


def test_a_roster_that_is_none_is_refused(tmp_path):
    path = tmp_path / "roster.csv"
    for text, said in (("", "empty"), ("student\na\na\n", "twice")):
        path.write_text(text)
        with pytest.raises(CourseError, match=said):
            read_roster(path)


def test_a_file_is_known_by_its_cells_when_its_name_is_gone(tmp_path):
    hand_in(tmp_path / "class", "alice", BODY, "Untitled.ipynb")
    hand_in(tmp_path / "class", "bob", json.dumps({"cells": [], "nbformat": 4}), "Untitled.ipynb")
    shown, strays = found(tmp_path / "class", tmp_path)
    assert list(shown) == ["alice"] and "belongs to no exercise" in strays[0]


def test_the_slug_is_the_course_s():
    assert list(course().exercises) == [SLUG]
