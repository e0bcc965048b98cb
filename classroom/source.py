"""An author's MyST text, read into a notebook whose cells say what they are.

    <root>/book/_src/05_summary.md, <root>/solutions/_src/05_summary.md        the slug is number and chapter
    <root>/book/_src/map.md                                                     a page that is no chapter has no number

A cell of a solution says what it is in one line, `:memory_lab: {id: 05-summary-2b, kind: hidden-check, points: 3}`.
Here that becomes the cell's metadata, its id and a tag; a cell without it is scaffold, its id a hash of its content.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classroom.errors import CourseError
from classroom.lean import without

if TYPE_CHECKING:
    from nbformat import NotebookNode

KINDS = ("answer", "check", "hidden-check", "scaffold")
LANGUAGE = {"codemirror_mode": {"name": "ipython", "version": 3}, "file_extension": ".py", "mimetype": "text/x-python",
            "name": "python", "nbconvert_exporter": "python", "pygments_lexer": "ipython3"}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_NAME = re.compile(r"(?:(\d\d)_)?([a-z][a-z0-9_]*)")
_CELL_KEYS = {"tags", "mystnb", "memory_lab"}
_FRONT: dict[str, type] = {
    "chapter": str, "number": int, "title": str, "minutes": int, "difficulty": str, "withhold": list,
}
_NEEDED = {"book": ("chapter", "title"), "solutions": tuple(_FRONT)}


@dataclass
class Source:
    """One text file, read. lines[i]: the line of the file (from 1) where the source of cell i begins."""

    path: Path
    root: Path
    notebook: NotebookNode
    lines: list[int]
    problems: list[str] = field(default_factory=list)

    @property
    def slug(self) -> str:
        return self.path.stem

    @property
    def role(self) -> str:
        return self.path.parent.parent.name

    @property
    def facts(self) -> dict[str, Any]:
        """The front matter's memory_lab, validated."""
        return self.notebook.metadata.memory_lab

    @property
    def target(self) -> Path:
        """Where its notebook is stored."""
        return self.path.parent.parent / f"{self.slug}.ipynb"

    def problem(self, text: str, cell: int | None = None, line: int = 0) -> None:
        """Record what is wrong; line: 0-based, inside the cell."""
        if cell is None:
            self.problems.append(f"{_relative(self.path, self.root)}: {text}")
            return
        name = self.notebook.cells[cell].metadata.get("memory_lab", {}).get("id") or f"cell {cell + 1}"
        self.problems.append(f"{_relative(self.path, self.root)}:{self.lines[cell] + line}: {name}: {text}")

    def stop(self) -> None:
        """Raise CourseError if anything was found."""
        if self.problems:
            raise CourseError(self.problems)


def course_files(root: Path) -> list[Path]:
    """The text files of a course, solutions first, each kind in the order of its numbers."""
    return [path for role in ("solutions", "book") for path in sorted((root / role / "_src").glob("*.md"))]


def text_hash(path: Path) -> str:
    """The SHA-256 of a text file, whatever its line ends."""
    return hashlib.sha256(path.read_text(encoding="utf-8").encode()).hexdigest()


def read(path: Path) -> Source:
    """The file as a notebook, nothing executed.

    Raises CourseError, naming file, line and cell, for front matter that is missing or wrong, unknown cell metadata, a
    bad or repeated id, an unknown kind, or a code cell that would be shown as text. See lint.py for exercises.
    """
    with without("jupyter_server", "rfc3987_syntax"):
        from jupytext.myst import MystMetadataParsingError, myst_to_notebook
        from nbformat import ValidationError
    from yaml import YAMLError

    root = path.parent.parent.parent
    text = path.read_text(encoding="utf-8")
    try:
        notebook = myst_to_notebook(text, add_source_map=True)
    except (MystMetadataParsingError, YAMLError, AttributeError) as error:
        raise CourseError([f"{_relative(path, root)}: {' '.join(str(error).split())}"]) from error
    except ValidationError as error:
        raise CourseError([f"{_relative(path, root)}: a cell's metadata: {error.message}"]) from error
    starts = notebook.metadata.pop("source_map")
    lines = _locate(text.splitlines(), [cell.source for cell in notebook.cells], starts)
    source = Source(path, root, notebook, lines)
    _front_matter(source)
    seen: dict[str, int] = {}
    for index, cell in enumerate(notebook.cells):
        _cell(source, index, cell, seen)
    source.stop()
    _metadata(source)
    return source


def _front_matter(source: Source) -> None:
    facts = source.notebook.metadata.get("memory_lab")
    if not isinstance(facts, dict):
        source.problem("no `memory_lab:` in the front matter (see classroom/AUTHORING.md)")
        source.stop()
    for key in sorted(set(facts) - set(_FRONT)):
        source.problem(f"unknown key {key!r} in the front matter's memory_lab; known are {', '.join(_FRONT)}")
    for key, kind in _FRONT.items():
        if key not in facts:
            if key in _NEEDED.get(source.role, ()):
                source.problem(f"the front matter's memory_lab has no {key!r}")
        elif type(facts[key]) is not kind:
            source.problem(f"the front matter's {key!r} must be {kind.__name__}, not {facts[key]!r}")
    if source.problems:
        source.stop()
    match = _NAME.fullmatch(source.slug)
    if not match or (int(match[1] or 0), match[2]) != (facts.get("number", 0), facts["chapter"]):
        stated = (f"{facts['number']:02d}_" if "number" in facts else "") + facts["chapter"]
        source.problem(f"the file is named {source.slug!r}, its front matter says {stated!r}")
    if facts.get("difficulty", "easy") not in ("easy", "medium", "hard"):
        source.problem(f"difficulty is easy, medium or hard, not {facts['difficulty']!r}")


def _cell(source: Source, index: int, cell: NotebookNode, seen: dict[str, int]) -> None:
    for key in sorted(set(cell.metadata) - _CELL_KEYS):
        source.problem(f"unknown cell metadata {key!r}; known are {', '.join(sorted(_CELL_KEYS))}", index)
    tags = cell.metadata.get("tags", [])
    about = cell.metadata.get("memory_lab")
    if cell.cell_type == "code" and source.role == "solutions":
        about = cell.metadata["memory_lab"] = {"kind": "scaffold"} if about is None else about
    elif about is not None:
        source.problem("only a code cell of a solution says what it is with memory_lab", index)
        return
    else:
        for number, line in enumerate(cell.source.split("\n") if cell.cell_type == "markdown" else ()):
            if re.match(r"\s*(`{3,}|~{3,}|:{3,})\s*\{code", line):
                source.problem("would be shown as text; begin a code cell at the margin, with ```{code-cell} ipython3",
                               index, number)
    if about is not None:
        _about(source, index, about, tags)
        kind = about["kind"] if isinstance(about, dict) and about.get("kind") in KINDS else "scaffold"
        if kind != "scaffold" and kind not in tags:
            cell.metadata["tags"] = [*tags, kind]
    name = about.get("id") if isinstance(about, dict) else None
    if name is None:
        name = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
        while name in seen:
            name += "-2"
    elif name in seen:
        source.problem(f"the id {name!r} is taken by cell {seen[name] + 1}; ids are unique", index)
    seen[name] = index
    cell["id"] = name


def _about(source: Source, index: int, about: Any, tags: list[str]) -> None:
    """The one line that says what a cell is."""
    if not isinstance(about, dict) or set(about) - {"id", "kind", "points"}:
        source.problem(f"memory_lab is like {{id: 05-summary-2b, kind: hidden-check, points: 3}}; not {about!r}", index)
        return
    kind = about.get("kind")
    if kind not in KINDS:
        source.problem(f"kind is one of {', '.join(KINDS)}, not {kind!r}", index)
        return
    worn = [tag for tag in tags if tag in KINDS and tag != kind]
    if worn:
        source.problem(f"tagged {worn[0]!r}; say it with `:memory_lab: {{id: ..., kind: {worn[0]}}}` instead", index)
    if kind == "scaffold":
        if set(about) != {"kind"}:
            source.problem("a scaffold cell has no id and no points", index)
        return
    prefix = source.slug.replace("_", "-")
    match = re.fullmatch(rf"{prefix}-(\d+)([a-z]?)", str(about.get("id", "")))
    if "id" not in about:
        source.problem(f"a cell of kind {kind!r} needs an id", index)
    elif not match or bool(match[2]) == (kind == "answer"):
        form = f"{prefix}-1" if kind == "answer" else f"{prefix}-1a"
        source.problem(f"the id of a cell of kind {kind!r} looks like {form!r}, not {about['id']!r}", index)
    else:
        about["part"] = int(match[1])


def _metadata(source: Source) -> None:
    metadata = source.notebook.metadata
    metadata.pop("jupytext", None)
    metadata.pop("jupyter", None)
    metadata["kernelspec"], metadata["language_info"] = dict(KERNEL), dict(LANGUAGE)
    metadata["memory_lab"].update(
        role={"book": "chapter", "solutions": "solution"}.get(source.role, source.role),
        source=_relative(source.path, source.root), source_sha256=text_hash(source.path))


def _locate(text: list[str], bodies: list[str], starts: list[int]) -> list[int]:
    """Where each body begins: the parser's start is the fence or the empty lines before it."""
    found = []
    for body, start in zip(bodies, starts, strict=True):
        wanted = body.split("\n")
        at = next((n for n in range(start, len(text)) if text[n : n + len(wanted)] == wanted), start)
        found.append(at + 1)
    return found


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
