"""The teacher's page: its table says what the manifest says, and its commands and options exist."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from classroom import check, grade, manifest, release, similarity

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book/_ext"))
from points import rows  # noqa: E402  (the book's own folder, as Sphinx finds it)

PAGE = (ROOT / "book/teaching.md").read_text(encoding="utf-8")


def test_the_table_is_the_manifest_s() -> None:
    course = manifest.from_course(ROOT)
    *lines, total = rows(ROOT)
    assert [(int(line[0]), line[1], line[2], int(line[3])) for line in lines] == [
        (made.number, made.title, " + ".join(str(part["points"]) for part in made.parts), made.points)
        for made in course.exercises.values()]
    assert int(total[3]) == course.points
    assert int(total[4]) == sum(int(line[4]) for line in lines)
    assert "```{points}" in PAGE


def test_every_option_on_the_page_exists() -> None:
    known = set()
    for module in (grade, release, similarity, check):
        parser = argparse.ArgumentParser()
        module.add_arguments(parser)
        known |= {name for action in parser._actions for name in action.option_strings}
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE)) - {"--nbval"}
    assert named and named <= known, named - known


def test_the_limits_on_the_page_are_the_limits() -> None:
    from classroom.sandbox import LIMITS

    for number, unit in ((LIMITS["memory"] >> 30, "GB of memory"), (LIMITS["processes"], "processes"),
                         (LIMITS["file"] >> 20, "MB a file"), (LIMITS["output"] // 10**6, "MB of output")):
        assert f"{number} {unit}" in PAGE
    default = grade.Settings()
    assert f"{default.cell_seconds:g} seconds a cell" in PAGE
    assert f"{default.notebook_seconds:g} seconds a notebook" in PAGE


def test_every_state_and_every_format_is_explained() -> None:
    from classroom.feedback import _STATES
    from classroom.formats import FORMATS

    for word in ("graded", *_STATES, *FORMATS):
        assert f"`{word}`" in PAGE, word
