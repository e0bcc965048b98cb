"""The one form in which an executed notebook is stored, and what it may not contain.

The same run gives the same bytes: nothing of when, where or in which process it ran is left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classroom.exercise import kind

if TYPE_CHECKING:
    from nbformat import NotebookNode

_WIDGETS = "application/vnd.jupyter.widget-state+json"
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")
_ROOTS = "home|root|tmp|work|usr|opt|var|private|Users|mnt|srv"
_PATH = re.compile(rf"(?<![\w.:/~-])(?:/(?:{_ROOTS})/[\w.]|[A-Z]:\\\w+\\)")
_FILE_NAME = re.compile(r"\S+\.(?:png|svg|jpe?g|gif|webp)", re.IGNORECASE)


def canonical(notebook: NotebookNode) -> str:
    """The text to store: sorted JSON; streams joined, tracebacks cut to their last line, widget ids counted."""
    import nbformat

    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell["outputs"] = _outputs(cell.outputs)
    text = nbformat.writes(notebook, version=4) + "\n"
    state = notebook.metadata.get("widgets", {}).get(_WIDGETS, {}).get("state", {})
    for number, model in enumerate(state):
        text = text.replace(model, f"{number:032d}")
    # Widget ids were keys: sort again with their new names.
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1, sort_keys=True) + "\n" if state else text


def _outputs(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Neighbouring pieces of one stream arrive as the clock has it: they are one text."""
    joined: list[NotebookNode] = []
    for output in outputs:
        output.pop("transient", None)
        if output.output_type == "error":
            output["traceback"] = [f"{output.ename}: {output.evalue}"]
        same = joined and output.output_type == "stream" and joined[-1].get("name") == output.name
        if same:
            joined[-1]["text"] += output.text
        else:
            joined.append(output)
    return joined


def read(path: Path) -> NotebookNode:
    """A stored notebook."""
    import nbformat

    return nbformat.read(path, as_version=4)


def output_problems(notebook: NotebookNode, name: str) -> list[str]:
    """What a reader or nbval would stumble on in an executed notebook, one line each, naming the cell."""
    found = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        where = f"{name}: {cell.metadata.get('memory_lab', {}).get('id') or f'cell {index + 1}'}"
        unsolved = kind(cell) == "answer" and notebook.metadata.memory_lab["role"] == "exercise"
        if unsolved and (cell.outputs or cell.execution_count is not None):
            found.append(f"{where}: an unsolved answer cell has no outputs and no execution_count")
        elif not unsolved and cell.execution_count is None and cell.source.strip():
            found.append(f"{where}: has no execution_count, so nbval would compare nothing")
        found.extend(f"{where}: {text}" for text in _cell_problems(cell))
    return found


def _cell_problems(cell: NotebookNode) -> Iterator[str]:
    images = sum(any(mime.startswith("image/") for mime in output.get("data", {})) for output in cell.outputs)
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    if images > 1:
        yield f"draws {images} figures; one a cell, since a cell has one alt text"
    if images and (not isinstance(alt, str) or len(alt.split()) < 3 or _FILE_NAME.fullmatch(alt.strip())):
        yield f'needs alt text that says what the figure shows: `:mystnb: {{image: {{alt: "..."}}}}`, found {alt!r}'
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            yield f"writes to stderr: {output.text.strip().splitlines()[-1][:120] if output.text.strip() else ''!r}"
        for text in _texts(output):
            if match := _ADDRESS.search(text):
                yield f"shows an address, {match[0]}, which differs on every run"
            if match := _PATH.search(text):
                yield f"shows a path of this machine: {text[match.start() : match.start() + 60].split()[0]}"
            if any("alt=" not in tag for tag in re.findall(r"<img\b[^>]*>", text)):
                yield "shows an <img> without alt"


def _texts(output: NotebookNode) -> Iterator[str]:
    data: dict[str, Any] = output.get("data", {})
    yield from (str(value) for mime, value in data.items() if mime.startswith("text/"))
    yield from (str(output[key]) for key in ("text", "evalue") if key in output)
