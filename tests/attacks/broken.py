"""Files that something went wrong with. name -> Broken: a file, and what must come of it."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

from tests.attacks.course import MEAN, RIGHT, SLUG, code, notebook


@dataclass
class Broken:
    """body: bytes, text or a notebook. points and state: what it must end in. word: in its reason or notes."""

    body: Any
    points: int = 6
    state: str = "graded"
    word: str = ""
    name: str = f"{SLUG}.ipynb"


def _text(**more: Any) -> str:
    return json.dumps(notebook(RIGHT, **more), ensure_ascii=False, indent=1)


def _cells(change: Any) -> dict[str, Any]:
    """The solved notebook with each cell changed."""
    return notebook(RIGHT, edit=lambda body: [change(cell) for cell in body["cells"]] and body)


def _old() -> dict[str, Any]:
    body = notebook(RIGHT)
    cells = [{"cell_type": "code", "input": cell["source"], "language": "python", "outputs": [], "prompt_number": 1}
             for cell in body["cells"] if cell["cell_type"] == "code"]
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}


def _zip() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("x.ipynb", "{}")
    return held.getvalue()


_BIG = {"output_type": "stream", "name": "stdout", "text": "x" * 20_000_000}
_CONFLICT = '{"cells": [\n<<<<<<< HEAD\n{"cell_type": "code"}\n=======\n{}\n>>>>>>> theirs\n]}'
BROKEN: dict[str, Broken] = {
    "byte order mark": Broken(b"\xef\xbb\xbf" + _text().encode(), word="BOM"),
    "UTF-16": Broken(_text().encode("utf-16"), word="UTF-16"),
    "UTF-16 cut off": Broken(_text().encode("utf-16")[:1001], 0, "unreadable", "utf-16"),
    "Latin-1": Broken(_text().replace("資料", "é").encode("utf-8").replace("é".encode(), b"\xe9"), word=""),
    "CRLF": Broken(_text().replace("\n", "\r\n")),
    "CRLF in sources": Broken(_cells(lambda cell: cell.update(source=cell["source"].replace("\n", "\r\n")))),
    "sources as lists": Broken(_cells(lambda cell: cell.update(source=cell["source"].splitlines(keepends=True)))),
    "empty": Broken(b"", 0, "unreadable", "empty"),
    "spaces": Broken(b" \n\n", 0, "unreadable", "empty"),
    "cut off": Broken(_text()[:2000], 0, "unreadable", "cut off"),
    "conflict markers": Broken(_CONFLICT, 0, "unreadable", "conflict markers"),
    "a web page": Broken("<!DOCTYPE html><html><body>Sign in</body></html>", 0, "unreadable", "web page"),
    "a script": Broken(MEAN, 0, "unreadable", "no JSON"),
    "a zip by another name": Broken(_zip(), 0, "unreadable", "archive"),
    "a picture": Broken(b"\x89PNG\r\n\x1a\n\x00\x00\x00\xff\xfe", 0, "unreadable", "binary"),
    "JSON, no notebook": Broken("[1, 2]", 0, "unreadable", "no notebook"),
    "JSON, no cells": Broken('{"nbformat": 4}', 0, "unreadable", "no cells"),
    "cells that are none": Broken(
        '{"cells": [1, null, "x", {"cell_type": "code", "source": 5}]}', 0, "graded", "no cell"),
    "nested without end": Broken("[" * 100_000, 0, "unreadable", "nested"),
    "nested metadata": Broken(
        _text().replace('"nbformat": 4', '"deep": ' + "[" * 900 + "]" * 900 + ', "nbformat": 4')),
    "two thousand cells more": Broken(notebook(RIGHT, edit=lambda body: body["cells"].extend(
        code("", f"e{n}") for n in range(2100))), 0, "unreadable", "2000 cells"),
    "format 3": Broken(_old(), word="format 3"),
    "format 5": Broken(_text().replace('"nbformat": 4', '"nbformat": 5')),
    "no format": Broken(notebook(RIGHT, edit=lambda body: body.pop("nbformat") and body)),
    "ids missing": Broken(_cells(lambda cell: cell.pop("id"))),
    "ids and metadata missing": Broken(
        _cells(lambda cell: (cell.pop("id"), cell.update(metadata={}))), word="id is lost"),
    "all ids the same": Broken(_cells(lambda cell: cell.update(id="x"))),
    "ids are numbers": Broken(_cells(lambda cell: cell.update(id=7, metadata=None)), word="id is lost"),
    "an answer twice": Broken(notebook(RIGHT, edit=lambda body: body["cells"].append(
        next(dict(cell) for cell in notebook()["cells"] if cell["id"] == "01-mean-1"))), word="twice"),
    "Colab": Broken(notebook(RIGHT, edit=lambda body: [cell.update(id=f"aB{n}_", metadata={
        "id": f"aB{n}", "colab": {"base_uri": "https://localhost:8080/"}}) for n, cell in enumerate(body["cells"])]
        and body["metadata"].update(colab={"provenance": []}, accelerator="GPU")), word="id is lost"),
    "VS Code": Broken(_cells(lambda cell: cell["metadata"].update(vscode={"languageId": "python"}))),
    "nbgrader's ids alone": Broken(_cells(lambda cell: (cell.pop("id"), cell["metadata"].pop("memory_lab", None)))),
    "another kernel": Broken(notebook(RIGHT, edit=lambda body: body["metadata"].update(
        kernelspec={"name": "ir", "language": "R"})), word="its kernel"),
    "metadata is a list": Broken(notebook(RIGHT, edit=lambda body: body | {"metadata": []})),
    "much output": Broken(notebook(RIGHT, edit=lambda body: body["cells"][2].update(outputs=[_BIG] * 3))),
    "renamed": Broken(notebook(RIGHT), word="renamed", name="Homework final FINAL.ipynb"),
    "a copy's name": Broken(notebook(RIGHT), name="01_mean (1).ipynb"),
    "upper case": Broken(notebook(RIGHT), name="01_MEAN.IPYNB"),
    "NUL in a source": Broken(notebook({**RIGHT, "01-mean-3": "levels = 'a\x00b'"}), 5),
    "a lone surrogate": Broken(_text().replace("sum(values) / len(values) if values else 0\\n",
        "sum(values) / len(values) if values else 0  # \\ud800\\n"), word="half a character"),
    "no Python": Broken(notebook({**RIGHT, "01-mean-3": "public static void main"}), 5, word="SyntaxError"),
    "an import that is missing": Broken(notebook({**RIGHT, "01-mean-3": "import pandas\n"}), 5, word="pandas"),
    "an import in a given cell": Broken(notebook(
        {**RIGHT, "01-mean-1": "mean = lambda v: math.fsum(v) / len(v) if v else 0"}, edit=lambda body: [
            cell.update(source="import math\n" + cell["source"]) for cell in body["cells"]
            if cell["cell_type"] == "code" and "DATA = [" in cell["source"]] and body), word="was changed"),
    "cells out of order": Broken(notebook(RIGHT, edit=lambda body: body["cells"].reverse())),
    "a folder of that name": Broken(notebook(RIGHT), name="01_mean.ipynb/01_mean.ipynb"),
}
