"""Cells without a kernel: the same verdicts and outputs as a kernel gives, each variant in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom import fast


def run(*cells: str, folder: Path, **options) -> list[fast.Run]:
    return fast.run([cells], folder, **options)[0]


def test_values_prints_displays_and_errors(tmp_path: Path) -> None:
    runs = run("print('你好'); x = 1", "x + 1", "x;", "from IPython.display import HTML, display; display(HTML('<b>'))",
     "1/0",
               "def f(:", "import sys; print('careful', file=sys.stderr)", "%%time_no_such", "_", folder=tmp_path)
    assert [one["outputs"] for one in runs[:3]] == [[["stdout", "你好\n"]], [["text/plain", "2"]], []]
    assert ["text/html", "<b>"] in runs[3]["outputs"]
    assert runs[4] == {"ok": False, "error": "ZeroDivisionError: division by zero", "outputs": []}
    assert runs[5]["error"].startswith("SyntaxError")
    assert runs[6]["outputs"] == [["stderr", "careful\n"]]
    assert runs[8]["ok"], "a cell runs on after an error, as in a kernel"


def test_variants_share_nothing(tmp_path: Path) -> None:
    first, second = fast.run([["x = 1"], ["x"]], tmp_path)
    assert first[0]["ok"]
    assert second[0]["error"].startswith("NameError")


def test_what_variants_begin_with_runs_once_and_counts_for_each(tmp_path: Path) -> None:
    count = "open('runs', 'a').write('x')"
    seed = "import os; os.environ['CLASSROOM_SEED']"
    runs = fast.run([[count, "y = 1", seed], [count, "y = 2", seed]], tmp_path, seeds=[3, 4])
    assert (tmp_path / "runs").read_text() == "x"
    assert [variant[0]["outputs"] for variant in runs] == [[["text/plain", "1"]]] * 2
    assert [variant[2]["outputs"][0][1] for variant in runs] == ["'3'", "'4'"]


def test_a_shared_beginning_that_ends_the_process_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the quick run ended with 3"):
        fast.run([["import os; os._exit(3)", "1"], ["import os; os._exit(3)", "2"]], tmp_path)


def test_folder_seed_and_fixed_environment(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    (tmp_path / "beside.py").write_text("y = 2\n")
    runs = run("import beside; beside.y", "import os; os.environ['CLASSROOM_SEED']",
     "os.environ.get('SOME_API_KEY', 'none')",
               folder=tmp_path, seeds=[7])
    assert [one["outputs"][0][1] for one in runs] == ["2", "'7'", "'none'"]


@pytest.mark.parametrize("cell", ["while True: pass", "import os; os._exit(3)", "import os; os.kill(os.getpid(), 9)"])
def test_a_lost_process_is_told(tmp_path: Path, cell: str) -> None:
    runs = run("1", cell, "2", folder=tmp_path, timeout=2)
    assert [one["ok"] for one in runs] == [True, False, False]
    assert runs[1]["error"] == "TimeoutError: not reached"


def test_comparable_is_what_nbval_compares() -> None:
    def stream(text: str, name: str = "stdout") -> dict:
        return {"output_type": "stream", "name": name, "text": text}

    picture = {"output_type": "display_data", "data": {"image/png": "x", "text/plain": "<Figure>"}}
    outputs = [stream("a"), picture, stream("b"), stream("c", "stderr")]
    assert fast.comparable(outputs) == [["stderr", "c"], ["stdout", "ab"], ["text/plain", "<Figure>"]]
