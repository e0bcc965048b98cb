"""The course's notebooks, made from its text: `make notebooks`.

    python -m classroom.build [TEXT ...] [--check] [--jobs N] [--root FOLDER]

book/_src/NN_slug.md makes book/NN_slug.ipynb; solutions/_src/NN_slug.md makes solutions/NN_slug.ipynb,
exercises/NN_slug.ipynb and a line of exercises/README.md. Everything is read and linted before anything runs, and a
notebook is written only when all of it is right. --check runs nothing: it names every notebook whose text has changed
since it was made.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from classroom import exercise, published
from classroom.errors import CourseError
from classroom.lint import lint, lint_shown
from classroom.proof import leaks
from classroom.source import Source, course_files, read, text_hash

MAKE = "run `make notebooks`"


def load(paths: Iterable[Path]) -> list[Source]:
    """The text files, read, linted, their withheld modules fenced off. Raises CourseError with the problems of all."""
    sources, problems = [], []
    for path in paths:
        try:
            source = read(path)
            if source.role == "solutions":
                lint(source)
                _fence(source)
                problems.extend(leaks(source))
            sources.append(source)
        except CourseError as error:
            problems.extend(error.problems)
    if problems:
        raise CourseError(problems)
    return sources


def _fence(source: Source) -> None:
    """The visible first cell of an exercise with withheld modules; the solution runs behind it too."""
    import nbformat

    names = source.facts["withhold"]
    if not names:
        return
    code = f"import classroom.withhold\n\nclassroom.withhold.install({', '.join(map(repr, names))})".replace("'", '"')
    cell = nbformat.v4.new_code_cell(code, id="withhold", metadata={"memory_lab": {"kind": "scaffold"}})
    first = next((n for n, cell in enumerate(source.notebook.cells) if cell.cell_type == "code"), 0)
    source.notebook.cells.insert(first, cell)
    source.lines.insert(first, source.lines[first])


async def _make(source: Source, slots: asyncio.Semaphore) -> dict[Path, str]:
    """What one text file becomes: texts by path, nothing written yet."""
    from classroom.execute import execute

    name = source.facts["source"]
    async with slots:
        await execute(source.notebook, source.target.parent, name)
    texts = {source.target: published.canonical(source.notebook)}
    problems = published.output_problems(source.notebook, name)
    if problems:
        raise CourseError(problems)
    if source.role == "solutions":
        lint_shown(source)
        texts[_exercise_path(source)] = published.canonical(exercise.cut(source.notebook))
    return texts


def _exercise_path(source: Source) -> Path:
    return source.root / "exercises" / source.target.name


def _is_solution(path: Path) -> bool:
    return path.parent.parent.name == "solutions"


async def _make_all(sources: list[Source], jobs: int) -> list[Path]:
    slots = asyncio.Semaphore(jobs)
    written, problems = [], []
    for finished in asyncio.as_completed([_make(source, slots) for source in sources]):
        try:
            texts = await finished
        except CourseError as error:
            problems.extend(error.problems)
            continue
        for path, text in texts.items():
            _write(path, text)
            written.append(path)
    if problems:
        raise CourseError(problems)
    return sorted(written)


def _write(path: Path, text: str) -> None:
    """Whole or not at all, also when the build is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def readme(root: Path) -> str:
    """exercises/README.md as the stored solutions have it."""
    stored = [published.read(path) for path in sorted((root / "solutions").glob("*.ipynb"))]
    return exercise.readme(notebook.metadata.memory_lab for notebook in stored)


def build(root: Path, paths: Sequence[Path] = (), *, jobs: int = 2) -> list[Path]:
    """The files written, sorted. Raises CourseError; notebooks that were right are written all the same.

    Cost: a kernel start (about a second) and the cells of each notebook, `jobs` at a time.
    """
    root = root.resolve()
    written = asyncio.run(_make_all(load([path.resolve() for path in paths] or course_files(root)), jobs))
    if any(map(_is_solution, course_files(root))):
        _write(root / "exercises" / "README.md", readme(root))
        written.append(root / "exercises" / "README.md")
    return sorted(written)


def stale(root: Path) -> list[str]:
    """One line for each stored file that is not what its text makes; empty when all is well. Runs no kernel."""
    root, found, expected = root.resolve(), [], set()
    for path in course_files(root):
        target = path.parent.parent / f"{path.stem}.ipynb"
        text, name = path.relative_to(root), target.relative_to(root)
        expected.add(target)
        if _is_solution(path):
            expected.add(root / "exercises" / target.name)
        if not target.exists():
            found.append(f"{name} is missing: {text} was never run; {MAKE}")
        elif published.read(target).metadata.get("memory_lab", {}).get("source_sha256") != text_hash(path):
            found.append(f"{name} is stale: {text} was changed since it was made; {MAKE}")
        elif _is_solution(path):
            cut = root / "exercises" / target.name
            fresh = published.canonical(exercise.cut(published.read(target)))
            if not cut.exists() or cut.read_text(encoding="utf-8") != fresh:
                found.append(f"{cut.relative_to(root)} is not what {name} is cut to; {MAKE}, and never edit it by hand")
    for folder in ("book", "solutions", "exercises"):
        for path in sorted((root / folder).glob("*.ipynb")):
            if path not in expected:
                found.append(f"{path.relative_to(root)} has no text in _src; remove it or write its text")
    if not found and any(map(_is_solution, course_files(root))):
        listed = root / "exercises" / "README.md"
        if not listed.exists() or listed.read_text(encoding="utf-8") != readme(root):
            found.append(f"exercises/README.md is stale; {MAKE}")
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `build`."""
    parser.add_argument("text", nargs="*", type=Path, help="files in book/_src or solutions/_src (default: all)")
    parser.add_argument("--check", action="store_true", help="run nothing; name what is stale and exit with 1")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (default 2)")
    parser.add_argument("--root", type=Path, default=Path(), help="the course's folder (default: this one)")


def run(arguments: argparse.Namespace) -> int:
    """The exit status: 0, or 1 with what is wrong on stderr."""
    if not course_files(arguments.root):
        print(f"no book/_src/*.md or solutions/_src/*.md under {arguments.root.resolve()}", file=sys.stderr)
        return 1
    try:
        if arguments.check:
            found = stale(arguments.root)
            lines = found or ["every notebook is what its text says"]
            print(*lines, sep="\n", file=sys.stderr if found else sys.stdout)
            return bool(found)
        for path in build(arguments.root, arguments.text, jobs=max(1, arguments.jobs)):
            print(f"wrote {path.relative_to(arguments.root.resolve())}")
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `python -m classroom.build`."""
    parser = argparse.ArgumentParser(prog="classroom.build", description="Make the course's notebooks from its text.")
    add_arguments(parser)
    return run(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
