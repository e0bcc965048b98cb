"""Submissions that want points which their code did not earn. name -> Attack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.attacks.course import LEVELS, MEAN, MEDIAN, RIGHT, SLUG, code, notebook

STATES = ("graded", "timed out", "killed", "unreadable")


@dataclass
class Attack:
    """body: the submission. points: what its code earned. state: how it must end. word: in what the teacher reads."""

    body: Any
    points: int = 0
    state: str = "graded"
    word: str = ""
    more: dict[str, Any] = field(default_factory=dict)


def first(source: str, points: int = 0, *, answers: dict[str, str] | None = None, **more: Any) -> Attack:
    """An attack in a cell of its own, before everything else."""
    return Attack(notebook(answers, extra={"": source}), points, **more)


def answer(source: str, points: int = 0, **more: Any) -> Attack:
    """An attack in the first answer."""
    return Attack(notebook({"01-mean-1": source}), points, **more)


_ASSIGN = '''
import ast
class Assign(ast.NodeTransformer):
    """assert got == right becomes got = right; the rest of the check is as it was."""
    def visit_Assert(self, node):
        return ast.Pass()
    def visit_Call(self, node):
        self.generic_visit(node)
        if getattr(node.func, "id", "") == "mean":
            return ast.parse("(sum(%s)/max(1,len(%s)))" % ((ast.unparse(node.args[0]),) * 2)).body[0].value
        if getattr(node.func, "id", "") == "median":
            a = ast.unparse(node.args[0])
            return ast.parse("((sorted(%s)[(len(%s)-1)//2]+sorted(%s)[len(%s)//2])/2)" % ((a,) * 4)).body[0].value
        return node
get_ipython().ast_transformers.append(Assign())
'''
_ORACLE = '''
class Oracle:
    """Equal to everything, and afterwards worth what it was compared with."""
    worth = 0.0
    def __eq__(self, other): Oracle.worth = other; return True
    def __ne__(self, other): return True
    def __hash__(self): return 1
    def __sub__(self, other): Oracle.worth = other; return 0
    def __mul__(self, other): return self
    def __round__(self, *a): return round(float(self), *a)
    def __float__(self): return float(Oracle.worth)
    def __repr__(self): return repr(Oracle.worth)
mean = median = lambda values: Oracle()
levels = lambda values: [Oracle(), Oracle()]
'''
_FRAME = '''
import sys
def look(values):
    frame = sys._getframe(1)
    while frame:
        for name in ("unseen", "odd", "even"):
            if name in frame.f_globals:
                v = sorted(frame.f_globals[name]); n = len(v)
                frame.f_globals["abs"] = lambda x: 0
                frame.f_globals["round"] = lambda x, d=0: sum(v) / n
                return (v[(n - 1) // 2] + v[n // 2]) / 2
        frame = frame.f_back
mean = median = look
levels = lambda values: [look(values), look(values)]
'''
_SEED = '''
import os, random
seed = int(os.environ["CLASSROOM_SEED"])
unseen = [random.Random(seed).randrange(100) for _ in range(1)]
rng = random.Random(seed); unseen = [rng.randrange(100) for _ in range(7)]
odd = random.Random(seed + 1).sample(range(100), 5)
even = random.Random(seed + 3).sample(range(100), 6)
known = {tuple(unseen): sum(unseen) / 7}
mean = lambda values: known.get(tuple(values), -1)
median = lambda values: {5: sorted(odd)[2], 6: sum(sorted(even)[2:4]) / 2}.get(len(values), -1)
'''
_FORGE = '''
ip = get_ipython()
import time
kernel = ip.kernel
def forge(*a):
    parent = kernel.get_parent("shell")
    for kind, content in (("execute_result", {"data": {"text/plain": "0"}, "metadata": {}, "execution_count": 1}),
                          ("status", {"execution_state": "idle"})):
        kernel.session.send(kernel.iopub_socket, kind, content, parent=parent)
    kernel.session.send(kernel.shell_stream if hasattr(kernel, "shell_stream") else kernel.iopub_socket,
                        "execute_reply", {"status": "ok"}, parent=parent)
ip.events.register("pre_run_cell", forge)
'''
_WIRE = '''
import classroom.wire as wire
import json, base64
BAD = %s
wire.answer = lambda names, request: BAD
mean = median = levels = lambda *a: 0
'''
_TRACE = '''
import sys
def follow(frame, event, arg):
    for name in ("unseen", "odd", "even"):
        if name in frame.f_globals:
            frame.f_globals["sum"] = lambda v: 0
    return follow
sys.settrace(follow)
mean = median = lambda v: 0.0
levels = lambda v: [0.0, 0.0]
'''
CHEATS: dict[str, Attack] = {
    "input transformer empties cells": first(
        "get_ipython().input_transformers_cleanup.append(lambda lines: [])", word="rewrites later cells"),
    "input transformer cuts asserts": first(
        "get_ipython().input_transformers_post.append(lambda ls: [l for l in ls if 'assert' not in l])",
        word="rewrites later cells"),
    "syntax transformer drops asserts": first(
        "import ast\nclass T(ast.NodeTransformer):\n    def visit_Assert(self, n): return ast.Pass()\n"
        "get_ipython().ast_transformers.append(T())", word="rewrites later cells"),
    "syntax transformer writes the answers": first(_ASSIGN, word="rewrites later cells"),
    "syntax transformer that spares the probe": first(_ASSIGN.replace(
        "return ast.Pass()", "return node if 'mean' not in ast.unparse(node) and 'median' not in ast.unparse(node) "
        "and 'levels' not in ast.unparse(node) else ast.Pass()"), word="rewrites later cells"),
    "asserts caught, the probe's aside": first(
        "ip = get_ipython()\nold = ip.compile.cache\nimport ast\nclass T(ast.NodeTransformer):\n"
        "    def visit_Assert(self, n): return n if '1 == 2' in ast.unparse(n) else ast.Pass()\n"
        "ip.ast_transformers.append(T())", answers={"01-mean-1": "mean = lambda v: 2.8"},
        word="rewrites later cells"),
    "run_cell replaced": first(
        "from IPython.core.interactiveshell import ExecutionResult\nip = get_ipython()\n"
        "async def calm(*a, **k): return ExecutionResult(None)\nip.run_cell_async = calm\n"
        "ip.run_cell = lambda *a, **k: ExecutionResult(None)", word="replaces how cells run"),
    "errors not shown": first("get_ipython().showtraceback = lambda *a, **k: None\n"
                              "get_ipython()._showtraceback = lambda *a, **k: None", word="notebook's machinery"),
    "always equal": answer("class E(float):\n    def __eq__(self, o): return True\n    __hash__ = float.__hash__\n"
                           "    def __sub__(self, o): return 0\nmean = lambda v: E(1)", word="its own equality"),
    "worth what it is compared with": answer(_ORACLE, word="its own equality"),
    "list that is always equal": answer("class L(list):\n    def __eq__(self, o):\n        self[:] = o; return True\n"
                                        "    __hash__ = None\nmean = lambda v: L()\nlevels = lambda v: L([1, 2])",
                                        word="its own equality"),
    "shows something else than it is": answer("class R(float):\n    def __repr__(self): return '3.14'\n"
                                              "mean = lambda v: R(2)", word="what it shows"),
    "reads the caller's frame": answer(_FRAME, word="looks into the code that calls it"),
    "reads the seed": answer(_SEED, word="the grader's seed"),
    "follows the check with settrace": first(_TRACE, word="follows other code"),
    "replaces abs and round": first("import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.sorted = lambda v: [0] * 9\n"
                                    "mean = median = lambda v: 0", word="Python's own functions"),
    "replaces Random": first("import random\nclass Fixed(random.Random):\n    def randrange(self, *a): return 0\n"
                             "    def sample(self, p, k): return [0] * k\nrandom.Random = Fixed", word="",
                             answers={"01-mean-1": "mean = lambda v: 0", "01-mean-2": "median = lambda v: 0",
                                      "01-mean-3": "levels = lambda v: [0, 0]"}),
    "replaces the display hook": first("import sys\nsys.displayhook = lambda v: print('3.14')", word="what is shown"),
    "forges the kernel's messages": first(_FORGE, word="notebook's machinery"),
    "answers the judge with a pickle": first(
        _WIRE % "{'value': {'p': base64.b64encode(b'cos\\nsystem\\n').decode()}, 'after': []}", word="01-mean-1b"),
    "answers the judge with a module": first(
        _WIRE % "{'value': {'o': ['os', 'system', []]}, 'after': []}", word="01-mean-1b"),
    "answers the judge with a call of its own": first(
        _WIRE % "{'back': 0, 'arguments': [], 'keywords': {}}", answers={"01-mean-1": MEAN}, state="timed out"),
    "answers the judge with noise": first(
        "import classroom.wire as wire\nwire._Serving.say = lambda self, v: (self.lines.write('}{ \\x00 nonsense\\n'), "
        "self.lines.flush())", word="01-mean-1b", answers={"01-mean-1": MEAN}),
    "answers the judge without end": answer("def mean(values): return 'x' * 50_000_000", word="01-mean-1b"),
    "answers nested without end": answer(
        "def mean(values):\n    v = []\n    for _ in range(5000): v = [v]\n    return v", word="01-mean-1b"),
    "hangs up on the judge": answer(
        "import classroom.wire as wire\ndef mean(values):\n"
        "    if wire._NOW: wire._NOW[0].link.shutdown(2)\n    return 0", word="01-mean-1b"),
    "constants": Attack(notebook({"01-mean-1": "mean = lambda v: 2.8 if v else 0", "01-mean-2": "median = lambda v: "
                                  "3 if len(v) > 2 else 1.5", "01-mean-3": "levels = lambda v: [2.8, 3]"}), 0),
    "the withheld module": answer("from statistics import mean", word="withheld"),
    "the withheld module, fence down": answer(
        "import sys, importlib\nsys.meta_path[:] = [f for f in sys.meta_path if 'Fence' not in type(f).__name__]\n"
        "mean = importlib.import_module('statistics').mean", word="how modules are found"),
    "the withheld module, from its file": answer(
        "import importlib.util, os\np = os.path.join(os.path.dirname(os.__file__), 'statistics.py')\n"
        "s = importlib.util.spec_from_file_location('st', p); m = importlib.util.module_from_spec(s)\n"
        "s.loader.exec_module(m)\nmean = m.mean", word="withheld"),
    "the published solution": Attack(notebook({"01-mean-1": (
        'def mean(values):\n    """The sum over the count; 0 of nothing."""\n    if not values:\n        return 0\n'
        "    return sum(values) / len(values)\n")}), 2, word="word for word"),
    "checks deleted": Attack(notebook(edit=lambda b: b | {
        "cells": [cell for cell in b["cells"] if not cell["id"].endswith("a")]}), 0, word="missing"),
    "checks rewritten": Attack(notebook(edit=lambda b: [c.update(source="2.8") for c in b["cells"]
                                                        if c["id"].endswith("a") and c["cell_type"] == "code"] and b),
                               0, word="was changed"),
    "a check twice": Attack(notebook(RIGHT, edit=lambda b: b["cells"].append(
        next(dict(c) for c in b["cells"] if c["id"] == "01-mean-1a"))), 6, word="twice"),
    "metadata stripped": Attack(notebook({"01-mean-1": MEAN}, edit=lambda b: [
        c.update(metadata={}) or c.pop("id") for c in b["cells"]] and b), 2, word="its id is lost"),
    "points and kinds rewritten": Attack(notebook(edit=lambda b: [
        c["metadata"].update(memory_lab={"id": c["id"], "kind": "scaffold", "points": 9999}, tags=["raises-exception"])
        for c in b["cells"]] and b), 0),
    "hidden checks brought along": Attack(notebook(edit=lambda b: b["cells"].append(
        code("True", "01-mean-1b", metadata={"memory_lab": {"id": "01-mean-1b", "kind": "check", "points": 99}}))),
        0, word="01-mean-1b"),
    "tells nbval to look away": answer(
        "# NBVAL_SKIP\n# NBVAL_IGNORE_OUTPUT\n# NBVAL_RAISES_EXCEPTION\nmean = lambda v: 1", word="nbval"),
    "outputs forged": Attack(notebook(edit=lambda b: [c.update(outputs=[{
        "output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": "2.8"}}],
        execution_count=1) for c in b["cells"] if c["cell_type"] == "code"] and b), 0),
    "another kernel": Attack(notebook({"01-mean-1": MEAN}, edit=lambda b: b["metadata"].update(
        kernelspec={"name": "../../bin/sh", "language": "bash", "display_name": "x"})), 2, word="its kernel"),
    "a later cell mends an earlier check": Attack(notebook(
        {"01-mean-3": "mean = lambda v: sum(v) / len(v) if v else 0\nmedian = lambda v: sorted(v)[len(v) // 2]\n"
                      "levels = lambda v: [mean(v), median(v)]"}), 1),
    "half right": Attack(notebook({"01-mean-1": MEAN, "01-mean-2": "median = lambda v: sorted(v)[len(v) // 2]",
                                   "01-mean-3": LEVELS}), 4, word=""),
    "right, and noisy": Attack(notebook({
        "01-mean-1": "import warnings\n" + MEAN.replace("return", "print('debug'); warnings.warn('hm'); return"),
        "01-mean-2": MEDIAN, "01-mean-3": LEVELS}), 6),
    "a name for an exercise": Attack(notebook(RIGHT), 6, more={"name": f"{SLUG} (2).ipynb"}),
}
