"""The command memory-lab: what it imports, its exit codes, and replay from a file to tables, JSON and a figure."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_lab import cli
from memory_lab.cli import main
from memory_lab.cli import replay as replay_command
from memory_lab.errors import ModelOutputError

FIXTURES = Path(__file__).parent / "fixtures" / "logs"
RUN = "import sys; from memory_lab.cli import main; sys.exit(main())"
HEAVY = ("openai", "tiktoken", "matplotlib", "numpy", "opencc", "tqdm", "regex")


def chat(*turns):
    return [{"role": role, "content": text} for turn in turns
            for role, text in zip(("user", "assistant"), turn, strict=True)]


ORDER = chat(("My order is A-1023 for Maria.", "Noted."), *[("And so on.", "Yes.")] * 12,
             ("Where is A-1023?", "On its way."))


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "order.json"
    path.write_text(json.dumps(ORDER))
    return path


def memory_lab(*words, code=RUN, **more):
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True,
                          encoding="utf-8", timeout=120, check=False, **more)


@pytest.mark.parametrize("words", [["--help"], ["--version"], [], ["replay", "--help"]])
def test_help_imports_nothing_heavy(words):
    code = f"""import sys
from memory_lab.cli import main
main({words!r})
print("LOADED", sorted(set({HEAVY!r}) & set(sys.modules)))"""
    done = memory_lab(code=code)
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_help_names_every_command(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in cli.COMMANDS)
    for name in cli.COMMANDS:
        assert main([name, "--help"]) == 0
        assert "usage: memory-lab" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "complaint"), [
    ([], ""), (["dance"], "invalid choice: 'dance'"), (["replay"], "required: FILE"),
    (["replay", "LOG", "--strategy", "bufer"], "unknown strategy bufer: use buffer"),
    (["replay", "LOG", "--token-limit", "0"], "0 is no number of tokens"),
    (["replay", "LOG", "--token-limit", "many"], "invalid number of tokens value: 'many'"),
    (["replay", "LOG", "--max-turns", "0"], "max_turns"),
    (["replay", "LOG", "--strategy", "buffer", "--token-limit", "9"], "--token-limit is for token_window"),
    (["replay", "LOG", "--out", "LOG/deeper"], "no folder can be made there")])
def test_wrong_usage_is_2_and_says_why(log, capsys, words, complaint):
    assert main([word.replace("LOG", str(log)) for word in words]) == 2
    assert complaint in capsys.readouterr().err


def test_a_bad_file_is_1_and_one_line(tmp_path, capsys):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"role": "user", "content": "Hi"}\n{"role": \n')
    assert main(["replay", str(bad)]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"memory-lab: {bad}, line 2, column ") and shown.err.count("\n") == 1


def test_replay_prints_the_tables(log, capsys):
    assert main(["replay", str(log)]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    lines = shown.out.splitlines()
    assert lines[0] == f"{log}: OpenAI messages (JSON or JSONL), 1 conversation, 28 messages, 14 turns, 14 model calls"
    assert [line.split("(")[0].split(" ")[0] for line in lines[4:9]] == [
        "buffer", "pop_oldest", "fixed_window", "sliding_window", "token_window"]
    assert "Recommended token_limit: " in shown.out and "A-1023" in shown.out


def test_repairs_and_unknown_items_are_shown(capsys):
    assert main(["replay", str(FIXTURES / "chatgpt.json")]) == 0
    shown = capsys.readouterr().out
    assert "read with care: message on a superseded branch left out: 2" in shown
    assert "not understood: content type hologram, 1 time" in shown


def test_json_and_out_hold_the_same(log, tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert main(["replay", str(log), "--out", str(out), "--json", "--token-limit", "40", "4,000"]) == 0
    printed, stored = json.loads(capsys.readouterr().out), json.loads((out / "replay.json").read_text())
    figure = stored.pop("figure")
    assert printed == stored
    assert sorted(path.name for path in out.iterdir()) == ["replay.alt.txt", "replay.json", "replay.png"]
    assert (out / figure["file"]).read_bytes().startswith(b"\x89PNG")
    assert (out / "replay.alt.txt").read_text() == figure["alt"] + "\n"
    labels = [row["strategy"] for row in stored["strategies"]]
    assert {"token_window(40)", "token_window(4,000)"} < set(labels)
    assert f"token_window({stored['recommendation']['token_limit']:,})" in labels


def test_strategies_and_limits_are_chosen(log, capsys):
    assert main(["replay", str(log), "--strategy", "sliding-window", "--max-turns", "3"]) == 0
    shown = capsys.readouterr().out
    assert "sliding_window(3 turns)" in shown and "token_window(" not in shown and "pop_oldest" not in shown
    assert "\nbuffer " in shown  # what everything is compared with


def test_a_log_without_a_call_is_no_error(tmp_path, capsys):
    path = tmp_path / "greeting.json"
    path.write_text('[{"role": "assistant", "content": "Welcome!"}]')
    assert main(["replay", str(path), "--out", str(tmp_path / "out")]) == 0
    assert "never called" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["replay.json"]


@pytest.mark.parametrize(("error", "code", "words"), [
    (KeyboardInterrupt(), 130, "stopped"), (ModelOutputError("no\nJSON"), 1, "memory-lab: no JSON\n")])
def test_what_stops_a_command(log, capsys, monkeypatch, error, code, words):
    def stop(args):
        raise error
    monkeypatch.setattr(replay_command, "run", stop)
    assert main(["replay", str(log)]) == code
    assert words in capsys.readouterr().err


def test_a_real_interrupt_leaves_no_traceback(log):
    code = """import os, signal, sys
from memory_lab.cli import main, replay
replay.run = lambda args: os.kill(os.getpid(), signal.SIGINT)
sys.exit(main())"""
    done = memory_lab("replay", log, code=code)
    assert done.returncode == 130 and done.stderr == "\nmemory-lab: stopped\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_reader_that_leaves_is_no_error(log):
    command = [sys.executable, "-c", RUN, "replay", str(log)]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_without_chinese_still_gets_its_table(tmp_path):
    path = tmp_path / "zh.json"
    path.write_text(json.dumps([{"title": "订单", "messages": chat(
        ("读《红楼梦》", "好"), *[("And so on.", "Yes.")] * 12, ("《红楼梦》呢?", "好"))}]))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = memory_lab("replay", path, env=environment)
    assert done.returncode == 0 and "???" in done.stdout
    done = memory_lab("replay", path, "--json", env=environment)
    assert json.loads(done.stdout)["losses"][0]["value"] == "红楼梦"


def test_a_progress_bar_only_for_who_watches_a_long_log(tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    path = tmp_path / "long.json"
    path.write_text(json.dumps(ORDER * 30))
    for stream, shown in ((io.StringIO(), False), (Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert main(["replay", str(path)]) == 0
        assert ("messages" in stream.getvalue()) is shown
