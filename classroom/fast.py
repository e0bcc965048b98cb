"""A notebook's cells without a kernel: each run in a process forked from a warm one, results as JSON.

A kernel takes most of a second to start, a fork a tenth of that, so many variants of one notebook (each answer left
unsolved in turn) cost little more than one, and a process that is kept ready (ready.py) answers at once.
nbval stays the reference: tests hold both to the same outputs.
No sandbox: it is for the reader's own code and the course's, never for a submission.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
Run = dict[str, Any]
LOST = "TimeoutError: not reached"
_NOT_COMPARED = ("image/", "application/vnd.jupyter.widget-view")


def run(
    variants: Sequence[Sequence[str]], folder: Path, *, seeds: Sequence[int] = (), timeout: float = 60,
) -> list[list[Run]]:
    """What each cell of each variant did: [[{"ok", "error", "outputs"}, ...], ...].

    variants: lists of cell sources; each list runs from top to bottom in a process of its own, on after an error, as
    nbval does.  folder: the working directory.  seeds: CLASSROOM_SEED for each variant (default 0).  timeout: seconds
    per variant; a cell that was not reached by then has the error "TimeoutError: not reached".  error: "Name: text", or
    None.  outputs: as `comparable` gives them.
    Cost: half a second, the cells with which all variants begin (run once, with seed 0, before the fork), then for each
    variant a few hundredths and its other cells. Raises RuntimeError if those first cells end the process.
    """
    from classroom.execute import environment

    job = json.dumps({"variants": [list(cells) for cells in variants], "timeout": timeout,
                      "seeds": list(seeds) or [0] * len(variants)})
    with tempfile.TemporaryDirectory(prefix="classroom-") as scratch:
        done = subprocess.run([sys.executable, "-m", "classroom.fast"], input=job, capture_output=True, cwd=folder,
                              encoding="utf-8", env=environment(scratch), check=False)
    if done.returncode:
        raise RuntimeError(f"the quick run ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout)


def comparable(outputs: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Outputs as nbval compares them, [[kind, text], ...] sorted: streams joined, images and widgets left out."""
    texts: dict[str, str] = {}
    found = []
    for output in outputs:
        if output["output_type"] == "stream":
            texts[output["name"]] = texts.get(output["name"], "") + output["text"]
        elif output["output_type"] == "error":
            found.append(["error", f"{output['ename']}: {output['evalue']}"])
        else:
            for mime, value in output["data"].items():
                if not mime.startswith(_NOT_COMPARED):
                    found.append([mime, value if isinstance(value, str) else json.dumps(value, sort_keys=True)])
    return sorted(found + [[name, text] for name, text in texts.items()])


def _serve() -> None:
    """Take jobs from stdin, a line of JSON each; answer each with a line of results.

    What the variants of the first job begin with (its "begin" cells, else those that are the same in all) runs once,
    for all jobs; each variant then runs in a fork.
    """
    jobs, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)  # a cell that asks for input, or writes past sys.stdout, does not meet the jobs
    os.dup2(nothing, 1)
    shell = _shell()
    begun: list[Run] | None = None
    for line in jobs:
        job = json.loads(line)
        variants, timeout, told = job["variants"], job["timeout"], job.get("explain", False)
        if begun is None:
            rows = list(zip(*variants, strict=False)) if len(variants) > 1 else []
            shared = job.get("begin", next((n for n, row in enumerate(rows) if len(set(row)) > 1), len(rows)))
            signal.setitimer(signal.ITIMER_REAL, timeout)  # its default action ends the process
            begun = [_cell(shell, variants[0][: n + 1], told) for n in range(shared)]
            signal.setitimer(signal.ITIMER_REAL, 0)
        results = [_fork(shell, begun, cells, seed, timeout, told)
                   for cells, seed in zip(variants, job["seeds"], strict=True)]
        print(json.dumps(results), file=answers, flush=True)


def _fork(shell: Any, begun: list[Run], cells: Sequence[str], seed: int, timeout: float, told: bool) -> list[Run]:
    """What the cells did, those of `begun` before the fork and the others in it."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as sink:
        child = os.fork()
        if child == 0:
            os.environ["CLASSROOM_SEED"] = str(seed)
            try:
                signal.setitimer(signal.ITIMER_REAL, timeout)
                for number in range(len(begun), len(cells)):
                    sink.write(json.dumps(_cell(shell, cells[: number + 1], told)) + "\n")
                    sink.flush()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        sink.seek(0)
        runs = begun + [json.loads(line) for line in sink]
    lost = {"ok": False, "error": LOST, "outputs": []}
    return runs + [lost] * (len(cells) - len(runs))


def _shell() -> Any:
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import CapturingDisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell

    class Hook(DisplayHook):
        """Keeps the value that a cell ends with beside what it displayed."""

        def write_output_prompt(self) -> None:
            pass

        def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
            self.shell.display_pub.outputs.append({"data": format_dict, "metadata": md_dict or {}})

        def finish_displayhook(self) -> None:
            self._is_active = False

    InteractiveShell.displayhook_class = Hook
    InteractiveShell.display_pub_class = CapturingDisplayPublisher
    InteractiveShell.history_load_length = 0
    shell = InteractiveShell.instance(colors="nocolor")
    shell.history_manager.enabled = False
    # the error object is all that is wanted; IPython's page on an endless recursion takes ten seconds to write
    shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
    shell.InteractiveTB.structured_traceback = shell.SyntaxTB.structured_traceback = lambda *_, **__: []
    sys.path.insert(0, "")
    return shell


def _cell(shell: Any, cells: Sequence[str], told: bool) -> Run:
    """Run the last of these cells; told: explain its error."""
    import contextlib
    import io

    out, err = io.StringIO(), io.StringIO()
    shell.display_pub.outputs.clear()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        result = shell.run_cell(cells[-1], store_history=True)
    error = result.error_before_exec or result.error_in_exec
    outputs = [{"output_type": "display_data", "data": item["data"]} for item in shell.display_pub.outputs]
    outputs += [{"output_type": "stream", "name": name, "text": text.getvalue()}
                for name, text in (("stdout", out), ("stderr", err)) if text.getvalue()]
    run = {"ok": error is None, "error": error and f"{type(error).__name__}: {error}", "outputs": comparable(outputs)}
    if error is not None and told:
        from classroom.explain import explain

        run["explained"] = explain(error, cells)
    return run


if __name__ == "__main__":
    _serve()
