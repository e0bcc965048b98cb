"""Wrong answers made out of right ones: each function of a solution changed in one way that readers make."""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
Change = Callable[[ast.FunctionDef], object]


def _body(text: str) -> Change:
    def change(function: ast.FunctionDef) -> None:
        first = function.args.args[0].arg if function.args.args else "None"
        function.body = ast.parse(text.replace("FIRST", first)).body
    return change


def _before(text: str) -> Change:
    def change(function: ast.FunctionDef) -> None:
        first = function.args.args[0].arg if function.args.args else "None"
        function.body = ast.parse(text.replace("FIRST", first)).body + function.body
    return change


def _numbers(by: int, which: int | None = None) -> Change:
    def change(function: ast.FunctionDef) -> None:
        found = [node for node in ast.walk(function) if isinstance(node, ast.Constant) and type(node.value) is int]
        for node in found if which is None else found[which : which + 1]:
            node.value += by
    return change


def _swap(pairs: dict[type, type]) -> Change:
    def change(function: ast.FunctionDef) -> None:
        for node in ast.walk(function):
            if isinstance(node, ast.Compare):
                node.ops = [pairs.get(type(op), type(op))() for op in node.ops]
            elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.UnaryOp)) and type(node.op) in pairs:
                node.op = pairs[type(node.op)]()
    return change


def _returned(form: str) -> Change:
    def change(function: ast.FunctionDef) -> None:
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                node.value = ast.parse(form.replace("VALUE", f"({ast.unparse(node.value)})"), mode="eval").body
    return change


CHANGES: dict[str, Change] = {
    "returns nothing": _body("return None"),
    "an empty list": _body("return []"),
    "zero": _body("return 0"),
    "what came in": _body("return FIRST"),
    "raises": _body("raise KeyError('role')"),
    "calls itself without end": _body("def again(n):\n    return again(n + 1)\nreturn again(0)"),
    "numbers one more": _numbers(1),
    "numbers one less": _numbers(-1),
    "first number one more": _numbers(1, 0),
    "edges of comparisons": _swap({ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}),
    "comparisons turned": _swap({ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}),
    "and for or": _swap({ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add}),
    "turned round": _returned("VALUE[::-1]"),
    "as a tuple": _returned("tuple(VALUE)"),
    "changes what came in": _before("FIRST.clear() if hasattr(FIRST, 'clear') else None"),
    "prints": _before("print('here')"),
    "warns": _before("import warnings\nwarnings.warn('careful')"),
    "ends early": _body("import sys\nsys.exit(1)"),
}
TEXTS = {"no Python": "def f(:\n    pass", "empty": "", "another name": "def another():\n    return 1",
         "needs a module that is not there": "import no_such_module_here"}


def exercise(slug: str) -> dict[str, Any]:
    return json.loads((ROOT / "exercises" / f"{slug}.ipynb").read_text(encoding="utf-8"))


def solutions(slug: str) -> dict[str, str]:
    """The right answers, by id, without markers."""
    body = json.loads((ROOT / "solutions" / f"{slug}.ipynb").read_text(encoding="utf-8"))
    return {cell["id"]: re.sub(r"(?m)^ *### (BEGIN|END) SOLUTION\n?", "", "".join(cell["source"]))
            for cell in body["cells"] if cell["metadata"].get("memory_lab", {}).get("kind") == "answer"}


def filled(slug: str, answers: dict[str, str]) -> dict[str, Any]:
    """The exercise with these answers in it."""
    body = exercise(slug)
    for cell in body["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    return body


def wrong(slug: str) -> Iterator[tuple[str, dict[str, str]]]:
    """(what was changed, all answers changed so)."""
    right = solutions(slug)
    for name, change in CHANGES.items():
        yield name, {cell: _changed(source, change) for cell, source in right.items()}
    for name, text in TEXTS.items():
        yield name, dict.fromkeys(right, text)


def _changed(source: str, change: Change) -> str:
    tree = copy.deepcopy(ast.parse(source))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            change(node)
            break
    return ast.unparse(ast.fix_missing_locations(tree))
