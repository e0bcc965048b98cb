"""The coach as a reader meets it: a small course, a folder, a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from classroom import cli
from tests.attacks.course import LEVELS, MEAN, MEDIAN, RIGHT, code, notebook

WRONG = "def mean(values):\n    return sum(values)\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A reader's folder with the exercise as shipped, seen by nobody yet."""
    (tmp_path / "exercises").mkdir()
    write(tmp_path, shipped())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@cache
def _shipped() -> str:
    """The exercise with the outputs that its checks came with."""
    from classroom.ready import Ready

    body, solved = notebook(), notebook(RIGHT)
    cells = [cell for cell in solved["cells"] if cell["cell_type"] == "code"]
    with Ready(Path.cwd()) as ready:
        runs = dict(zip([cell["id"] for cell in cells], ready.run([cell["source"] for cell in cells], 0), strict=True))
    for number, cell in enumerate(body["cells"]):
        if cell["cell_type"] == "code" and cell["metadata"]["memory_lab"]["kind"] != "answer":
            cell["execution_count"] = number
            cell["outputs"] = [{"output_type": "execute_result", "data": {kind: text}, "metadata": {}}
                               for kind, text in runs[cell["id"]]["outputs"]]
    return json.dumps(body)


def shipped() -> dict:
    return json.loads(_shipped())


def write(folder: Path, body: dict | str | bytes) -> Path:
    path = folder / "exercises" / "01_mean.ipynb"
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def solve(folder: Path, answers: dict[str, str], edit=None) -> None:
    """Write answers into the file that is there."""
    path = folder / "exercises" / "01_mean.ipynb"
    body = json.loads(path.read_text())
    for cell in body["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    if edit:
        edit(body)
    write(folder, body)


def said(capsys, *words: str) -> tuple[int, str]:
    status = cli.main(["check", *words])
    out = capsys.readouterr()
    return status, out.out + out.err


def test_unsolved_then_wrong_then_right(folder: Path, capsys) -> None:
    status, text = said(capsys)
    assert status == 1 and "Next, Part 1" in text and "not begun" in text
    solve(folder, {"01-mean-1": WRONG})
    status, text = said(capsys)
    assert status == 1 and "Mend Part 1" in text and "expected" in text and "got" in text
    solve(folder, {"01-mean-1": MEAN})
    status, text = said(capsys)
    assert status == 1 and "Next, Part 2" in text
    solve(folder, RIGHT)
    status, text = said(capsys, "exercises/01_mean.ipynb")
    assert status == 0 and "All parts pass" in text
    assert "\x1b" not in text
    assert said(capsys, "--progress") == (0, "  01_mean  done\n1 of 1 exercises done\n")
    assert said(capsys, "--next")[1] == "All exercises are done.\n"


def test_a_later_part_that_is_begun_comes_before_one_that_is_not(folder: Path, capsys) -> None:
    said(capsys)
    solve(folder, {"01-mean-2": "def median(values):\n    return 0"})
    assert "Mend Part 2" in said(capsys)[1]
    solve(folder, {"01-mean-2": MEDIAN, "01-mean-3": LEVELS})
    assert "waits for part 1" in said(capsys)[1]


def test_a_hint_at_a_time_and_how_many_is_remembered(folder: Path, capsys) -> None:
    texts = [said(capsys, "--hint")[1] for _ in range(4)]
    assert [f"hint {number} of 3" in text for number, text in enumerate(texts, 1)] == [True, True, True, False]
    assert "all hints" in texts[3] and "Hint 1" in texts[3]
    assert "4 hints" in said(capsys, "--progress")[1]


def test_an_error_in_the_readers_code_is_shown_with_its_line(folder: Path, capsys) -> None:
    said(capsys)
    solve(folder, {"01-mean-1": "def mean(values):\n    total = 1\n    return total / nothing\n"})
    text = said(capsys)[1]
    assert "NameError" in text and "01-mean-1, line 3: return total / nothing" in text
    solve(folder, {"01-mean-1": "def mean(values:\n    return 1"})
    assert "SyntaxError" in said(capsys)[1]


@pytest.mark.parametrize("text", ["while True: pass", "import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"])
def test_code_that_does_not_come_back(folder: Path, capsys, text: str) -> None:
    said(capsys)
    solve(folder, {"01-mean-1": text})
    status, text = said(capsys, "--seconds", "2")
    assert status == 1 and "did not come back" in text and "not reached" in text


def test_checks_that_were_changed_or_deleted_are_as_shipped(folder: Path, capsys) -> None:
    said(capsys)  # keeps the exercise as shipped

    def weaken(body: dict) -> None:
        for cell in body["cells"]:
            if cell["id"] == "01-mean-1a":
                cell["source"] = "3"
        body["cells"] = [cell for cell in body["cells"] if cell["id"] != "01-mean-2a"]

    solve(folder, {"01-mean-1": WRONG}, weaken)
    status, text = said(capsys)
    assert status == 1 and "Mend Part 1" in text
    assert "01-mean-1a: the given cell was changed" in text and "01-mean-2a: the given cell is missing" in text


def test_a_deleted_check_is_named_where_nothing_was_kept(folder: Path, capsys) -> None:
    solve(folder, RIGHT, lambda body: body.update(cells=[c for c in body["cells"] if c["id"] != "01-mean-2a"]))
    status, text = said(capsys)
    assert status == 1 and "its check is missing" in text


def test_lost_ids_and_metadata_are_found_again(folder: Path, capsys) -> None:
    said(capsys)

    def strip(body: dict) -> None:
        body["metadata"].pop("memory_lab")
        for cell in body["cells"]:
            cell.pop("id")
            cell["metadata"] = {}

    solve(folder, RIGHT, strip)
    status, text = said(capsys)
    assert status == 0 and "its id is lost" in text


def test_a_cell_of_ones_own_that_fails_is_a_note(folder: Path, capsys) -> None:
    said(capsys)
    solve(folder, RIGHT, lambda body: body["cells"].append(code("1/0", "mine")))
    status, text = said(capsys)
    assert status == 0 and "a cell of your own" in text and "ZeroDivisionError" in text


@pytest.mark.parametrize(("body", "word"), [
    ("", "empty"), ("hello", "no notebook"), ("<html></html>", "web page"), ('{"cells": [', "cut off"),
    ("[]", "no notebook"),
    ('{"cells": []}', "no exercise of this course"), (b"\x00\x01\x02\xff", "binary"),
    ('<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n', ""), ('{"worksheets": [{"cells": []}]}', "old format"),
    ('{"cells": [{"cell_type": "code", "source": "1"}], "metadata": 3}', "no exercise of this course"),
])
def test_a_file_that_is_no_exercise(folder: Path, capsys, body: str | bytes, word: str) -> None:
    write(folder, body)
    status, text = said(capsys, "exercises/01_mean.ipynb")
    assert status == 2 and word in text and "Traceback" not in text


@pytest.mark.parametrize("encode", [lambda text: b"\xef\xbb\xbf" + text.encode(), lambda text: text.encode("utf-16"),
                                    lambda text: json.dumps(json.loads(text), indent=1).replace("\n", "\r\n").encode()])
def test_a_file_in_another_coding_is_read(folder: Path, capsys, encode) -> None:
    said(capsys)
    solve(folder, RIGHT)
    path = folder / "exercises" / "01_mean.ipynb"
    path.write_bytes(encode(path.read_text()))
    assert said(capsys)[0] == 0


@pytest.mark.parametrize("words", [["nowhere.ipynb"], ["--exercise", "9"], ["--reset", "9"],
                                   ["exercises/01_mean.ipynb", "--exercise", "1"]])
def test_wrong_use(folder: Path, capsys, words: list[str]) -> None:
    assert said(capsys, *words)[0] == 2


def test_reset_gives_the_exercise_back_and_keeps_what_was_there(folder: Path, capsys) -> None:
    path = folder / "exercises" / "01_mean.ipynb"
    before = path.read_bytes()
    said(capsys)
    write(folder, "rubbish {")
    status, text = said(capsys, "--reset", "1")
    assert status == 0 and path.read_bytes() == before
    kept = list((folder / "exercises" / ".backups").iterdir())
    assert [one.read_text() for one in kept] == ["rubbish {"] and kept[0].name in text


def test_reset_of_what_nobody_kept_says_so_and_leaves_the_file(folder: Path, capsys) -> None:
    solve(folder, RIGHT)
    before = (folder / "exercises" / "01_mean.ipynb").read_bytes()
    status, text = said(capsys, "--reset", "1")
    assert status == 2 and "not known" in text
    assert (folder / "exercises" / "01_mean.ipynb").read_bytes() == before


@pytest.mark.parametrize("body", ["{", "[]", '{"format": 1, "exercises": {"x": 3}}', '{"format": 9}', "\x00"])
def test_a_damaged_progress_file_is_set_aside(folder: Path, capsys, body: str) -> None:
    (folder / ".memory_lab_progress.json").write_text(body)
    status, text = said(capsys, "--progress")
    assert status == 0 and "could not be read" in text
    assert (folder / ".memory_lab_progress.json.damaged").read_text() == body
    assert "could not" not in said(capsys)[1]


def test_watch_checks_after_each_save_and_ends_quietly(folder: Path) -> None:
    work = subprocess.Popen([sys.executable, "-m", "classroom.cli", "check", "--watch", "--exercise", "1"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                            env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent), "PYTHONUNBUFFERED": "1"})

    def until(word: str) -> str:
        text = ""
        while word not in text:
            line = work.stdout.readline()
            assert line, text
            text += line
        return text

    assert "Next, Part 1" in until("watching")
    solve(folder, {"01-mean-1": WRONG})
    assert "Mend Part 1" in until("watching")
    write(folder, '{"cells": [')  # half a save
    until("watching")
    write(folder, shipped())
    solve(folder, RIGHT)
    text = until("All parts pass")
    assert "All parts pass" in text
    until("watching")
    time.sleep(0.1)
    work.send_signal(signal.SIGINT)
    _, errors = work.communicate(timeout=20)
    assert work.returncode == 0 and "Traceback" not in errors
