"""`classroom release OUT`: the class's zip, and the teacher's manifest that grades what comes back.

    OUT/class.zip        exercises with their data, requirements, instructions: nothing of a solution or a hidden check
    OUT/manifest.json    the teacher's alone: checks, points, order, hashes, solutions
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from pathlib import Path

from classroom import exercise, manifest, markers, published
from classroom.build import load, stale
from classroom.errors import CourseError
from classroom.proof import prove
from classroom.source import course_files

_PACKAGES = ("memory_lab", "classroom")
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same course makes the same zip
_INSTRUCTIONS = """# How to work on these exercises

1. Install what they need, with Python 3.11 or newer: `pip install -r requirements.txt -c constraints.txt .`
2. Open a notebook of `exercises/` in Jupyter, VS Code or Colab. Work from top to bottom.
3. Write your code into the cells that raise `NotImplementedError`. You may add cells. Cells behind an answer check it
   and name the mistake. Do not change them: yours are not used, ours are.
4. Check a notebook: `classroom check exercises/NAME.ipynb`, with `--watch` after each save, with `--hint` for a hint.
   `pytest --nbval exercises/NAME.ipynb` says the same cell by cell.
5. Hand in the notebook with its name unchanged. Only your code counts, not the outputs that are stored in it.

Points are earned on inputs that you have not seen. Your code is run without a network, with {memory} GB of memory, and
is stopped after a while. Importing a module that holds the answer is refused.

| exercise | points | minutes |
|---|---:|---:|
{rows}
"""


def release(root: Path, out: Path, *, proof: bool = True) -> list[Path]:
    """The files written. Raises CourseError, with all problems, for a course that is not fit to be released.

    proof: run each solution and each unsolved exercise (some seconds each). Without it only the text is checked.
    """
    root = root.resolve()
    course = manifest.from_course(root)
    sources = load([path for path in course_files(root) if path.parent.parent.name == "solutions"])
    problems = [line for line in stale(root) if not line.startswith("book/")]
    if proof and not problems:
        for source in sources:
            problems += prove(source)
    texts = {}
    for source in sources:
        stored = root / "exercises" / f"{source.slug}.ipynb"
        if stored.exists():
            texts[f"exercises/{stored.name}"] = stored.read_bytes()
            texts[f"exercises/.shipped/{stored.name}"] = stored.read_bytes()  # what the coach resets to
            problems += _gives_away(published.read(stored), source)
    if problems:
        raise CourseError(problems)
    texts |= _beside(root)
    rows = "\n".join(f"| {source.slug} {source.facts['title']} | {source.facts['points']} | {source.facts['minutes']} |"
                     for source in sources)
    texts["README.md"] = _INSTRUCTIONS.format(rows=rows, memory=2).encode()
    out.mkdir(parents=True, exist_ok=True)
    _zip(out / "class.zip", texts)
    manifest.save(course, out / "manifest.json")
    return [out / "class.zip", out / "manifest.json"]


def _gives_away(stored, source) -> list[str]:
    """What an exercise file shows that it must not: solution lines, hidden checks, wrong nbgrader keys."""
    name, found = f"exercises/{source.slug}.ipynb", []
    whole = json.dumps(stored, ensure_ascii=False)
    for cell in source.notebook.cells:
        kind = exercise.kind(cell)
        if kind == "hidden-check" and cell["id"] in whole:
            found.append(f"{name}: names the hidden check {cell['id']}")
        if kind == "answer":
            found += [f"{name}: {cell['id']}: shows a line of the solution: {line}"
                      for line in markers.solution_lines(cell.source) if json.dumps(line)[1:-1] in whole]
    for cell in stored.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade_id") != cell["id"]:
            found.append(f"{name}: {cell['id']}: nbgrader's grade_id is missing or another")
    return found


def _beside(root: Path) -> dict[str, bytes]:
    """Requirements, the packages that the exercises import, and the data that stand beside the exercises."""
    found = {}
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml", "LICENSE", "LICENSE-text"):
        if (root / name).exists():
            found[name] = (root / name).read_bytes()
    for path in sorted(path for package in _PACKAGES for path in (root / package).rglob("*")):
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    for path in sorted((root / "exercises").rglob("*")):
        inner = path.relative_to(root).as_posix()
        if path.is_file() and not path.is_symlink() and path.suffix != ".ipynb" and "/." not in f"/{inner}":
            found[inner] = path.read_bytes()
    return found


def _zip(path: Path, texts: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(texts):
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, texts[name])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `release`."""
    parser.add_argument("out", type=Path, help="the folder for class.zip and manifest.json")
    parser.add_argument("--root", type=Path, default=Path(), help="the course's folder (default: this one)")
    parser.add_argument("--no-proof", action="store_true", help="do not run solutions and exercises first")


def run(arguments: argparse.Namespace) -> int:
    """The exit status: 0, or 1 with what is wrong on stderr."""
    try:
        for path in release(arguments.root, arguments.out, proof=not arguments.no_proof):
            print(f"wrote {path}")
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
