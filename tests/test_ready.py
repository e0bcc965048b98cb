"""A process kept ready: the same answers as a fresh one, whatever became of the run before."""

from __future__ import annotations

from pathlib import Path

from classroom import fast
from classroom.ready import Ready


def shown(runs):
    return [run["outputs"][0][1] if run["outputs"] else run["error"] for run in runs]


def test_what_is_run_ahead_is_run_once_and_nothing_else_is_kept(tmp_path: Path) -> None:
    begin = "open('runs', 'a').write('x'); y = 1"
    with Ready(tmp_path) as ready:
        for n in range(3):
            assert shown(ready.run([begin, f"y += {n}", "y"], 1))[2] == str(1 + n)
        assert (tmp_path / "runs").read_text() == "x"
        assert shown(ready.run(["y = 5", "y"], 1))[1] == "5", "another beginning, another process"


def test_the_same_as_a_fresh_run(tmp_path: Path) -> None:
    cells = ["x = 2", "print(x)", "x * 21", "1 / 0"]
    fresh = fast.run([cells], tmp_path)[0]
    with Ready(tmp_path) as ready:
        for run, other in zip(ready.run(cells, 1), fresh, strict=True):
            assert {key: run[key] for key in ("ok", "error", "outputs")} == other


def test_code_that_writes_past_python_reads_input_or_dies_spoils_nothing(tmp_path: Path) -> None:
    with Ready(tmp_path, seconds=2) as ready:
        rude = ready.run(["1", "import os; os.write(1, b'[[]]\\n')", "input()", "2"], 1)
        assert [run["ok"] for run in rude] == [True, True, False, True]
        assert [run["ok"] for run in ready.run(["1", "while True: pass", "2"], 1)] == [True, False, False]
        assert [run["ok"] for run in ready.run(["import os; os._exit(1)", "2"], 1)] == [False, False]
        assert shown(ready.run(["1", "2"], 1)) == ["1", "2"]
