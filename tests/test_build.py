"""The whole pipeline on a small course: bytes, staleness, what stops it, and nbval as the reference."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from classroom import fast, published
from classroom.build import stale
from classroom.cli import COMMANDS

COURSE = Path(__file__).parent / "fixtures/pipeline/course"
NBVAL = Path(__file__).resolve().parents[1] / "tools/nbval.cfg"
MADE = ["book/01_mean.ipynb", "exercises/01_mean.ipynb", "exercises/README.md", "solutions/01_mean.ipynb"]


def command(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def build(root: Path, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return command("classroom.build", "--root", root, *words, **environment)


def contents(root: Path) -> dict[str, bytes]:
    return {name: (root / name).read_bytes() for name in MADE if (root / name).exists()}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """The fixture course, built once; tests that change it take a copy."""
    root = tmp_path_factory.mktemp("made") / "course"
    shutil.copytree(COURSE, root)
    done = build(root)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("\n")[:-1] == [f"wrote {name}" for name in MADE]
    return root


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


def test_a_second_run_gives_the_same_bytes_elsewhere_and_otherwise(made: Path, copy: Path) -> None:
    for name in MADE:
        (copy / name).unlink()
    done = build(copy, "--jobs", 1, TZ="Asia/Tokyo", PYTHONHASHSEED="77", LC_ALL="C", MPLBACKEND="svg",
     CLASSROOM_SEED="5")
    assert done.returncode == 0, done.stderr
    assert contents(copy) == contents(made)


def test_what_is_stored_passes_as_published(made: Path) -> None:
    assert stale(made) == []
    for name in MADE:
        if name.endswith(".ipynb"):
            notebook = published.read(made / name)
            assert published.output_problems(notebook, name) == []
            assert published.canonical(notebook) == (made / name).read_text(encoding="utf-8")
            assert str(made) not in str(notebook)
    assert "ZeroDivisionError: division by zero" in str(published.read(made / "book/01_mean.ipynb"))


def test_one_file_makes_its_notebooks_alone_whatever_is_wrong_elsewhere(copy: Path) -> None:
    before = contents(copy)
    (copy / "solutions/01_mean.ipynb").unlink()
    (copy / "solutions/_src/02_other.md").write_text("not yet written", encoding="utf-8")
    done = build(copy, copy / "solutions/_src/01_mean.md")
    assert done.returncode == 0, done.stderr
    assert "book" not in done.stdout
    assert contents(copy) == before


@pytest.mark.parametrize(("spoil", "says"), [
    (lambda c: edit(c / "book/_src/01_mean.md", "An empty list", "Emptiness"),
     "book/01_mean.ipynb is stale: book/_src/01_mean.md was changed"),
    (lambda c: edit(c / "solutions/_src/01_mean.md", "Sort first", "Sort"), "solutions/01_mean.ipynb is stale"),
    (lambda c: edit(c / "exercises/01_mean.ipynb", "Sort first", "Sort"),
     "exercises/01_mean.ipynb is not what solutions/01_mean.ipynb is cut to"),
    (lambda c: edit(c / "solutions/01_mean.ipynb", "Sort first", "Sort"), "exercises/01_mean.ipynb is not what"),
    (lambda c: (c / "exercises/01_mean.ipynb").unlink(), "exercises/01_mean.ipynb is not what"),
    (lambda c: (c / "book/01_mean.ipynb").unlink(), "book/01_mean.ipynb is missing"),
    (lambda c: (c / "book/_src/01_mean.md").unlink(), "book/01_mean.ipynb has no text in _src"),
    (lambda c: edit(c / "exercises/README.md", "| 6 |", "| 7 |"), "exercises/README.md is stale"),
])
def test_a_change_without_regeneration_is_one_clear_line(copy: Path, spoil, says: str) -> None:
    spoil(copy)
    found = stale(copy)
    assert len(found) == 1
    assert found[0].startswith(says)
    assert build(copy, "--check").returncode == 1


def test_a_course_without_texts_is_said_to_be_so(tmp_path: Path) -> None:
    done = build(tmp_path)
    assert (done.returncode, "no book/_src/*.md or solutions/_src/*.md" in done.stderr) == (1, True)


CHAPTER = "book/_src/01_mean.md: cell "


@pytest.mark.parametrize(("old", "new", "says"), [
    ("sum(values) / len(values))", "sum(value))",
     CHAPTER + '2 (values = [3, 1, 4, 1, 5]): NameError: name \'value\' is not defined'),
    ("sum([]) / len([])", "import os; os._exit(1)", "the kernel died"),
    (':mystnb: {image: {alt: "Five points, the highest at 5, and a level line at their mean, 2.8."}}\n', "",
     CHAPTER + "5: needs alt text"),
])
def test_a_bad_cell_stops_its_notebook_and_is_named(copy: Path, old: str, new: str, says: str) -> None:
    before = contents(copy)
    edit(copy / "book/_src/01_mean.md", old, new)
    done = build(copy, copy / "book/_src/01_mean.md")
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert contents(copy) == before, "a notebook that is wrong must not replace one that was right"


def test_a_bad_marker_stops_the_build_before_anything_runs(copy: Path) -> None:
    before = contents(copy)
    edit(copy / "solutions/_src/01_mean.md", "### BEGIN SOLUTION", "### Begin Solution")
    done = build(copy)
    assert done.returncode == 1
    assert "01-mean-1: '### Begin Solution' looks like a marker" in done.stderr
    assert contents(copy) == before


def nbval(root: Path, *names: str) -> subprocess.CompletedProcess[str]:
    return command("pytest", "--nbval", "--nbval-sanitize-with", NBVAL, "--rootdir", root, "-q", "-p",
     "no:cacheprovider",
                   "--color=no", "--tb=no", *(root / name for name in names))


def test_nbval_passes_book_and_solution_and_agrees_with_the_quick_run(made: Path) -> None:
    done = nbval(made, "book", "solutions")
    assert done.returncode == 0, done.stdout
    cells = [cell for cell in published.read(made / "solutions/01_mean.ipynb").cells if cell.cell_type == "code"]
    runs = fast.run([[cell.source for cell in cells]], made / "solutions")[0]
    assert [run["outputs"] for run in runs] == [fast.comparable(cell.outputs) for cell in cells]


def test_nbval_on_an_exercise_is_a_self_check(copy: Path) -> None:
    untouched = nbval(copy, "exercises/01_mean.ipynb")
    failed = [line for line in untouched.stdout.split("\n") if line.startswith("FAILED")]
    assert len(failed) == 3, "its three visible checks, and nothing else"
    exercise = published.read(copy / "exercises/01_mean.ipynb")
    solved = {cell["id"]: cell.source for cell in published.read(copy / "solutions/01_mean.ipynb").cells}
    for cell in exercise.cells:
        cell["source"] = solved[cell["id"]]
    (copy / "exercises/01_mean.ipynb").write_text(published.canonical(exercise), encoding="utf-8")
    done = nbval(copy, "exercises/01_mean.ipynb")
    assert done.returncode == 0, done.stdout


def test_the_command_knows_build_and_imports_it_only_when_called(made: Path) -> None:
    assert "build" in COMMANDS
    assert command("classroom.cli", "build", "--root", made, "--check").returncode == 0
    light = "import sys, classroom.cli; sys.exit(bool({'jupytext', 'nbformat', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", light], check=False).returncode == 0
