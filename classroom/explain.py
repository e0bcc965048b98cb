"""What a failed cell has to say to the person who wrote it: the line, what was expected, what came.

Runs in the process where the cell failed. Values are worked out in a fork of it, since looking at them may call the
reader's code again: the cells behind the failed one must not notice.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import select
import signal
import traceback
from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import Any

_LONGEST, _SECONDS = 400, 2


def explain(error: BaseException, sources: Sequence[str]) -> dict[str, Any]:
    """{"kind", "message", "lines": [[cell, line, text], ...]}; for an assertion also "asserted", "expected", "got".

    sources: all cells up to this one; cell is an index into them, line counts from 1. The last line is the innermost
    one that stands in a cell.
    """
    index = {source.strip("\n"): number for number, source in enumerate(sources)}
    lines, inner = [], None
    texts: dict[str, str] = {}  # an endless recursion has thousands of frames in one file
    for frame, number in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name not in texts:
            texts[name] = "".join(linecache.getlines(name))
        text = texts[name]
        cell = index.get(text.strip("\n"))
        if cell is not None:
            lines.append([cell, number, linecache.getline(frame.f_code.co_filename, number).strip()])
            inner = (frame, number, text)
    if isinstance(error, SyntaxError) and error.lineno and not lines:
        lines.append([len(sources) - 1, error.lineno, (error.text or "").strip()])
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    found: dict[str, Any] = {"kind": type(error).__name__, "message": message, "lines": lines[:1] + lines[1:][-3:]}
    if isinstance(error, AssertionError) and inner:
        found |= _apart(*inner)
    return found


def _apart(frame: Any, number: int, text: str) -> dict[str, str]:
    """The values of the assertion on that line, from a process of their own; {} if that does not work out."""
    wanted = [node for node in ast.walk(ast.parse(text))
              if isinstance(node, ast.Assert) and node.lineno <= number <= (node.end_lineno or number)]
    if not wanted:
        return {}
    asserted = {"asserted": ast.get_source_segment(text, wanted[-1].test) or ""}
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.setitimer(signal.ITIMER_REAL, _SECONDS)
            found = _values(wanted[-1].test, {**frame.f_globals, **frame.f_locals})
            os.write(writer, json.dumps(found).encode()[:60_000])
        finally:
            os._exit(0)
    os.close(writer)
    pieces = []
    while select.select([reader], [], [], _SECONDS + 1)[0] and (piece := os.read(reader, 65_536)):
        pieces.append(piece)
    os.close(reader)
    os.waitpid(child, 0)
    try:
        return asserted | json.loads(b"".join(pieces))
    except ValueError:
        return asserted


def _values(test: ast.expr, names: dict[str, Any]) -> dict[str, str]:
    """{"expected", "got"} for the part of a condition that does not hold."""
    def value(node: ast.expr) -> Any:
        return eval(compile(ast.fix_missing_locations(ast.Expression(node)), "<check>", "eval"), names)

    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        test = next((part for part in test.values if not value(part)), test)
    if isinstance(test, ast.Compare):
        left = test.left
        for operator, right in zip(test.ops, test.comparators, strict=True):
            if not value(ast.Compare(left, [operator], [right])):
                return _compared(operator, left, right, value)
            left = right
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return {"expected": f"not {ast.unparse(test.operand)}", "got": shown(value(test.operand))}
    used = dict.fromkeys(node.id for node in ast.walk(test) if isinstance(node, ast.Name) and node.id != "_")
    told = [f"{name} = {shown(names[name], _LONGEST // 2)}" for name in used
            if name in names and not isinstance(names[name], (FunctionType, ModuleType, type))]
    return {"expected": "that this holds", "got": "; ".join(told[:3]) or shown(value(test))}


def _compared(operator: ast.cmpop, left: ast.expr, right: ast.expr, value: Any) -> dict[str, str]:
    equal = isinstance(operator, (ast.Eq, ast.Is))
    if equal and isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
        left, right = right, left
    one, other = value(left), value(right)
    if isinstance(operator, (ast.In, ast.NotIn)):
        word = "a value with" if isinstance(operator, ast.In) else "a value without"
        return {"expected": f"{word} {shown(one)} in it", "got": shown(other)}
    sign = {ast.Eq: "", ast.Is: "", ast.NotEq: "anything but ", ast.IsNot: "anything but ", ast.Lt: "less than ",
            ast.LtE: "at most ", ast.Gt: "more than ", ast.GtE: "at least "}[type(operator)]
    return {"expected": sign + shown(other), "got": shown(one)}


def shown(value: Any, longest: int = _LONGEST) -> str:
    """A value in one line, not endless."""
    try:
        text = " ".join(repr(value).split())
    except Exception as error:
        return f"a {type(value).__name__} that cannot be shown ({type(error).__name__})"
    return text if len(text) <= longest else f"{text[: longest - 40]} ... {text[-30:]}"
