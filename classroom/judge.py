"""One worker of a grading run: nbval on rebuilt notebooks, one after another, each with a sandboxed kernel of its own.

    python -m classroom.judge        (started by grade.py; a job, then tasks, as JSON lines on stdin; results on stdout)

A worker is one pytest session: to start one takes longer than to run a notebook in it. Its loop takes a notebook from
stdin, nbval collects the cells and runs them, and what they left behind goes with the kernel, before the next.

A check passes if nbval says passed (not skipped, not an expected failure), the probe in front of it failed as it must,
and witness.py saw the same value as in the solution's run.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import secrets
import sys
import tempfile
import time
import warnings
from pathlib import Path
from queue import Empty
from typing import Any, TextIO

import pytest

from classroom import rebuild
from classroom.kernel import Kernel
from classroom.lean import without
from classroom.sandbox import Stage
from classroom.warm import KernelEnd, Warm
from classroom.witness import Witness

_TEXT = 2000
_UNUSED = ("cacheprovider", "logging", "unraisableexception", "threadexception", "faulthandler", "doctest", "unittest",
           "debugging", "junitxml", "pastebin", "stepwise", "tmpdir", "monkeypatch", "recwarn", "setupplan", "warnings")
_PYTEST = ["--nbval", "-p", "nbval.plugin", *(word for name in _UNUSED for word in ("-p", f"no:{name}")),
           "--capture=no", "--color=no", "--noconftest", "-c", os.devnull]


class _Late(Exception):
    """The check did not end in time while the witness asked."""


class _Neutered(Exception):
    """The kernel does not run what it is given."""


class Court:
    """A pytest plugin for one notebook. task: see grade.py.  result: what came of it, JSON values."""

    def __init__(self, task: dict[str, Any], kernel: Kernel):
        self.task, self.kernel = task, kernel
        self.witness = Witness(kernel, task["witness_seed"])
        self.cells: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}
        self.neutered = False
        self.status, self.reason, self.late = "graded", "", []

    def start(self, *_: Any, **__: Any) -> Kernel:
        """What nbval takes for its own kernel."""
        self.kernel.connect()
        return self.kernel

    def hear(self, session: pytest.Session, path: Path) -> None:
        """Nothing; nbval has run the notebook, as far as its kernel lived."""
        hook = session.config.hook
        [file] = hook.pytest_collect_file(file_path=path, parent=session)
        collected = hook.pytest_make_collect_report(collector=file)
        if not collected.passed:
            raise RuntimeError(f"nbval does not read the notebook: {collected.longrepr}")
        items = collected.result
        for item, cell in zip(items, self.task["cells"], strict=True):
            item.user_properties += [("cell", cell["id"]), ("kind", cell["kind"]), ("points", cell["points"])]
            item.told = cell
        for item, following in zip(items, [*items[1:], None], strict=True):
            hook.pytest_runtest_protocol(item=item, nextitem=following)

    # ---- hooks of pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        cell, self.state = item.told, {}
        self.kernel.late = False
        if cell["kind"] == "scaffold" and cell["id"] not in ("", "withhold"):
            self.witness.scaffold(cell["source"])
        if cell["kind"] == "hidden-check" and self.kernel.is_alive():
            self._probe()
            if self.neutered:
                raise _Neutered("a cell that must fail passed: this notebook keeps its checks from running")
            self.state["witness"] = self.witness.check(cell["source"])
            if self.kernel.late:
                raise _Late("it did not end in time")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if report.when == "call" or report.failed:
            self._note(item, report, call)
        return report

    def _note(self, item: Any, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        cell, kernel = item.told, self.kernel
        error = call.excinfo.value if call.excinfo else None
        end = error if isinstance(error, KernelEnd) else None
        if end and self.status == "graded" and end.status != "graded":
            self.status, self.reason = end.status, f"{cell['name']}: {end.reason}"
        if kernel.late:
            self.late.append(cell["name"])
        passed = report.outcome == "passed" and not hasattr(report, "wasxfail") and report.when == "call"
        about = {"id": cell["id"], "kind": cell["kind"], "passed": passed, "seconds": round(report.duration, 3),
                 "printed": kernel.printed[:_TEXT], "error": None, **self.state}
        if not passed:
            about["error"] = kernel.error or [type(error).__name__, str(error)[:_TEXT]]
            if "outputs differ" in str(error):
                about["error"] = ["shown", _shown(getattr(item, "test_outputs", None))]
        if self.task["reference"] and cell["kind"].endswith("check"):
            about["outputs"] = json.loads(json.dumps(item.test_outputs or []))
        self.cells.append(about)
        if kernel.end is None:
            with contextlib.suppress(KernelEnd, Empty):
                if cell["kind"] == "answer":
                    self.witness.answered(cell["names"])
                elif cell["kind"] == "check":
                    self.witness.helpers(cell["source"])

    def _probe(self) -> None:
        """A cell that must fail, with a word that nobody could know."""
        word = secrets.token_hex(8)
        message = self.kernel.execute_cell_input(f"assert 1 == 2, {word!r}")
        self.kernel.await_reply(message)
        with contextlib.suppress(Empty):
            self.kernel.await_idle(message, 5)
        if self.kernel.error != ("AssertionError", word):
            self.neutered = True
        self.kernel.error = None

    def result(self) -> dict[str, Any]:
        if self.status == "graded" and self.late:
            self.status, self.reason = "timed out", f"in {', '.join(dict.fromkeys(self.late))}"
        return {"key": self.task["key"], "status": self.status, "reason": self.reason, "cells": self.cells,
                "neutered": self.neutered}


def _shown(outputs: Any) -> str:
    texts = [str(output.get("data", {}).get("text/plain", "")) for output in outputs or []]
    return " ".join(texts)[:_TEXT]


def judge(task: dict[str, Any], warm: Warm, session: pytest.Session) -> dict[str, Any]:
    """The result of one notebook. Never raises for anything that a submission does."""
    import nbval.plugin

    begun = time.monotonic()
    kernel = Kernel(warm, task["slug"], task["seed"], task["cell_seconds"], task["seconds"], task["libraries"])
    court = Court(task, kernel)
    nbval.plugin.RunningKernel = court.start
    body = rebuild.notebook([(cell["id"], cell["source"]) for cell in task["cells"]], task["expected"])
    path = session.config.rootpath / f"{task['slug']}.ipynb"
    path.write_text(json.dumps(body), encoding="utf-8")
    session.config.pluginmanager.register(court)
    try:
        with contextlib.suppress(KernelEnd):
            kernel.launch()  # it starts while nbval collects
        court.hear(session, path)
    finally:
        session.config.pluginmanager.unregister(court)
        kernel.stop()
    return {**court.result(), "seconds": round(time.monotonic() - begun, 3)}


class Sitting:
    """A pytest plugin: the session's loop, a task a line until stdin closes."""

    def __init__(self, warm: Warm, answers: TextIO):
        self.warm, self.answers = warm, answers

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.config.pluginmanager.unregister(name="terminalreporter")  # it would keep every report
        self.say({"ready": self.warm.await_event("warm")})
        gc.collect()
        gc.freeze()  # what is there now is not looked through again
        for line in sys.stdin:
            self.say(judge(json.loads(line), self.warm, session))
        return True

    def say(self, value: dict[str, Any]) -> None:
        print(json.dumps(value), file=self.answers, flush=True)


def main() -> int:
    """Serve tasks until stdin closes. The exit status: 0, or 1 if the session broke."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["MPLBACKEND"] = "agg"
    warnings.simplefilter("ignore")  # nobody reads stderr while we run
    line = sys.stdin.readline()
    if not line:  # started ahead, and not needed
        return 0
    job = json.loads(line)
    stage = Stage(Path(job["folder"]), job["binds"], {name: Path(path) for name, path in job["packages"].items()})
    warm = Warm(stage, job["slot"], job["isolate"])
    with tempfile.TemporaryDirectory(prefix="judge-") as scratch:
        os.chdir(scratch)
        try:
            warm.launch()  # it warms up meanwhile
            with without("rfc3987_syntax"):
                import nbval.plugin  # noqa: F401
            code = pytest.main([*_PYTEST, "--rootdir", scratch, "--confcutdir", scratch, scratch],
                               plugins=[Sitting(warm, answers)])
        finally:
            warm.stop()
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else 1


if __name__ == "__main__":
    sys.exit(main())
