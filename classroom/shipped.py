"""An exercise as it was handed out, whatever became of the reader's file.

Kept in `.shipped` beside the notebooks: put there by a release, or by the first check, which takes it from the course's
stored solution (in a clone) or from the reader's file, if nothing is solved in it yet.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from pathlib import Path
from typing import Any

from classroom.errors import CourseError
from classroom.reading import UnreadableError, read_cells

FOLDER, BACKUPS = ".shipped", ".backups"
MARK = re.compile(r'raise NotImplementedError\("part \d+: your code here"\)')
_NAME = re.compile(r"\d\d_[a-z][a-z0-9_]*")


def load(path: Path) -> tuple[dict[str, Any], list[str]]:
    """A notebook as plain JSON, its texts joined, and what was odd. Raises UnreadableError, in a reader's words."""
    _, notes = read_cells(path)
    raw = path.read_bytes()
    try:
        body = json.loads(raw)
    except UnicodeDecodeError:
        body = json.loads(raw.decode("latin-1"))
    if not isinstance(body.get("cells"), list):
        raise UnreadableError("it is a notebook of an old format; open it in Jupyter and save it again")
    body["metadata"] = body["metadata"] if isinstance(body.get("metadata"), dict) else {}
    body["cells"] = [_joined(cell) for cell in body["cells"] if isinstance(cell, dict)]
    return body, notes


def _joined(cell: dict[str, Any]) -> dict[str, Any]:
    """Text that a notebook stores as a list of lines, as one."""
    def text(value: Any) -> Any:
        return "".join(map(str, value)) if isinstance(value, list) else value

    outputs = []
    for output in cell.get("outputs") or []:
        more = {"text": text(output.get("text", ""))}
        if isinstance(output.get("data"), dict):
            more["data"] = {mime: text(value) for mime, value in output["data"].items()}
        outputs.append(output | more)
    source = str(text(cell.get("source", ""))).replace("\r\n", "\n")
    metadata = cell.get("metadata") if isinstance(cell.get("metadata"), dict) else {}
    return cell | {"source": source, "outputs": outputs, "metadata": metadata}


def about(cell: dict[str, Any]) -> dict[str, Any]:
    """What a cell says of itself: id, kind, part."""
    told = cell["metadata"].get("memory_lab")
    return told if isinstance(told, dict) else {}


def facts(body: dict[str, Any]) -> dict[str, Any]:
    """What a notebook says of itself: title, parts, source, ..."""
    told = body["metadata"].get("memory_lab")
    return told if isinstance(told, dict) else {}


def slug(path: Path, body: dict[str, Any] | None = None) -> str:
    """The exercise that a file is: what it says of itself, else what its name says, else ""."""
    name = Path(str(facts(body or {"metadata": {}}).get("source", ""))).stem
    found = _NAME.match(name) or _NAME.match(path.stem)
    return found[0] if found else ""


def home(path: Path) -> Path:
    """The folder that `exercises` stands in, or else the notebook's own."""
    folder = path.resolve().parent
    return folder.parent if folder.name == "exercises" else folder


def find(path: Path, body: dict[str, Any] | None) -> Path | None:
    """Where the exercise of this file stands as shipped, or None. body: the file as it is now, if it can be read.

    A copy of the version that the file says it comes from, if there is one; else any.
    """
    name, version = slug(path, body), facts(body or {"metadata": {}}).get("source_sha256")
    if not name:
        return None
    places = dict.fromkeys([path.resolve().parent / FOLDER, home(path) / "exercises" / FOLDER,
                            Path.cwd() / "exercises" / FOLDER])
    stored = [place / f"{name}.ipynb" for place in places if (place / f"{name}.ipynb").is_file()]
    for copy in stored:
        if version in (None, _version(copy)):
            return copy
    target = path.resolve().parent / FOLDER / f"{name}.ipynb"
    if _from_solution(home(path) / "solutions" / f"{name}.ipynb", version, target):
        return target
    if body is not None and _untouched(body):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        return target
    return stored[0] if stored else None


def _version(path: Path) -> str | None:
    try:
        return facts(load(path)[0]).get("source_sha256")
    except UnreadableError:
        return None


def _from_solution(solution: Path, version: str | None, target: Path) -> bool:
    """Whether the exercise could be cut from the course's stored solution, and now stands in `target`."""
    if not solution.is_file() or version not in (None, _version(solution)):
        return False
    from classroom import exercise, published

    try:
        text = published.canonical(exercise.cut(published.read(solution)))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    except (OSError, ValueError, AttributeError):
        return False
    return True


def _untouched(body: dict[str, Any]) -> bool:
    """Whether a file shows nothing of its reader: each answer unsolved, each check with the outputs it came with."""
    kinds = {kind: [cell for cell in body["cells"] if about(cell).get("kind") == kind] for kind in ("answer", "check")}
    return (all(kinds.values())
            and all(MARK.search(cell["source"]) for cell in kinds["answer"])
            and all(cell.get("execution_count") and cell["outputs"] for cell in kinds["check"])
            and not any(output.get("output_type") == "error" for cell in body["cells"] for output in cell["outputs"]))


def name_of(cell: dict[str, Any], number: int) -> str:
    """A cell's id; number: its place, for a cell that has none."""
    return str(about(cell).get("id") or cell.get("id") or f"cell-{number}")


def exercise_of(name: str, body: dict[str, Any]) -> Any:
    """A notebook as the manifest's Exercise, for rebuild.py: what is given stands for the source. No hidden checks."""
    from classroom.manifest import Cell, Exercise

    cells = []
    for number, cell in enumerate(body["cells"]):
        if cell.get("cell_type") != "code":
            continue
        told = about(cell)
        kind = told.get("kind") if told.get("kind") in ("answer", "check") else "scaffold"
        own = name_of(cell, number)
        names = tuple(_bound(cell["source"])) if kind == "answer" else ()
        cells.append(Cell(own, kind, cell["source"], cell["source"], int(told.get("part") or 0), 0, names))
    told = facts(body)
    parts = told.get("parts") or [{"part": cell.part} for cell in cells if cell.kind == "answer"]
    return Exercise(name, int(told.get("number") or 0), str(told.get("title", "")), (), tuple(parts), tuple(cells))


def _bound(source: str) -> list[str]:
    """The names that a cell defines."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return []
    named = [node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    return named + [node.id for part in body if isinstance(part, ast.Assign) for node in part.targets
                    if isinstance(node, ast.Name)]


def reset(path: Path, stamp: str) -> tuple[Path, Path | None]:
    """(the file, as shipped again; where what it held is kept, or None). stamp: of the time, for the backup's name.

    Raises CourseError if nothing is known of how it was shipped.
    """
    body = None
    if path.is_file():
        try:
            body, _ = load(path)
        except UnreadableError:
            body = None
    source = find(path, body)
    if source is None:
        raise CourseError([f"{path}: how it was shipped is not known here; take it anew from where you got it"])
    kept = None
    if path.is_file():
        kept = path.parent / BACKUPS / f"{path.stem}.{stamp}.ipynb"
        number = 1
        while kept.exists():
            number += 1
            kept = kept.with_name(f"{path.stem}.{stamp}-{number}.ipynb")
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, kept)
    draft = path.with_name(f".{path.name}.draft")
    shutil.copyfile(source, draft)
    draft.replace(path)
    return path, kept
