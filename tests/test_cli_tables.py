"""memory-lab tables: text, Markdown and JSON of the same numbers, and which conversations are taken."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from memory_lab.cli import main
from memory_lab.errors import LogError
from memory_lab.strategies import STRATEGIES
from memory_lab.tables import BEGIN, END, headline, measure, measure_apart


def shown(capsys, *words):
    code = main(["tables", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_default_is_each_group_then_table_000_then_the_headline(capsys):
    code, out, _ = shown(capsys, "--no-answers")
    captions = [lines.split("\n")[0] for lines in out.strip().split("\n\n")][::2]
    assert code == 0
    assert captions[0].startswith("The Kyoto trip") and captions[-1].startswith("6 chats with planted facts")
    assert "300 turns" not in out and "right" not in out  # no model was asked, so nothing was answered


def test_named_conversations_alone_are_shown_once_each(capsys):
    words = ["--conversation", "short_chat", "tools", "--conversation", "short_chat"]
    code, out, _ = shown(capsys, "--no-answers", *words)
    assert code == 0
    captions = [line for line in out.split("\n") if "(" in line and "pop(0)" not in line]
    assert captions == ["Short chats: 5, 15 and 20 turns (short_chat)", "Tool calls (tools)"]
    assert all(out.count(f"{name} ") == 2 for name in STRATEGIES)


def test_text_markdown_and_json_hold_the_same_numbers(capsys):
    words = ["--conversation", "short_chat"]
    text, markdown, plain = (shown(capsys, *words, *shape)[1] for shape in ([], ["--markdown"], ["--json"]))
    (table,) = json.loads(plain)
    measured = table["strategies"]["buffer"]["conversations"][0]
    assert measured["conversation"] == "short_chat" and measured["prompt_tokens"] == sum(measured["prompts"])
    assert f"{measured['prompt_tokens']:,}" in text and f"| buffer | {measured['prompt_tokens']:,} |" in markdown
    assert measured["context_recall"] == 1 and "answer_recall" in measured
    assert {"question", "answer", "verdict"} <= measured["probes"][0].keys()
    assert "seconds" not in plain


def test_without_answers_json_claims_none(capsys):
    plain = shown(capsys, "--conversation", "short_chat", "--no-answers", "--json")[1]
    measured = json.loads(plain)[0]["strategies"]["buffer"]["conversations"][0]
    assert "answer_recall" not in measured and {each["verdict"] for each in measured["probes"]} == {None}


def test_the_same_twice(capsys):
    words = ["--conversation", "kyoto_es"]
    assert shown(capsys, *words) == shown(capsys, *words)


def test_readme_gets_the_headline(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("memory_lab.tables.STRATEGIES", {"buffer": STRATEGIES["buffer"]})  # quicker
    page = tmp_path / "README.md"
    page.write_text(f"{BEGIN}\nold\n{END}\n", encoding="utf-8")
    code, out, _ = shown(capsys, "--readme", str(page))
    assert code == 0 and "was replaced" in out
    assert page.read_text(encoding="utf-8") == f"{BEGIN}\n{headline().markdown()}\n{END}\n"
    assert "up to date" in shown(capsys, "--readme", str(page))[1]


def test_processes_share_the_work_and_change_no_figure():
    names = ["short_chat", "five_facts", "medium_chat"]
    apart, inline = measure_apart(names, 2, answer=False)
    assert inline is None
    assert str(apart.table()) == str(measure(names, answer=False).table())
    assert [replay.conversation for replay in apart["buffer"]] == names
    with pytest.raises(LogError, match="no_such"):
        measure_apart(["short_chat", "no_such"], 2)


@pytest.mark.long
def test_answers_are_the_same_from_one_process_and_from_two():
    run = "import sys\nfrom memory_lab.cli import main\nif __name__ == '__main__': sys.exit(main())"
    one, two = (subprocess.run([sys.executable, "-c", run, "tables", "--json", "--jobs", jobs], check=True,
                               capture_output=True, text=True).stdout for jobs in ("1", "2"))
    assert one == two and '"verdict": "correct"' in one


@pytest.mark.parametrize(("words", "code", "says"), [
    (["--jobs", "0"], 2, "no number of processes"),
    (["--conversation", "no_such"], 1, "no conversation is called 'no_such'"),
    (["--conversation", "tools", "--all"], 2, "leave out --all"),
    (["--readme", "x.md", "--no-answers"], 2, "leave out --model and --no-answers"),
    (["--readme", "no/such/file.md"], 1, "cannot be read"),
    (["--model", "offline-3k", "--conversation", "tools"], 2, "no offline model 'offline-3k'"),
    (["--json", "--markdown"], 2, "not allowed with"),
])
def test_what_cannot_be_done_is_said_in_one_line(capsys, words, code, says):
    got, out, err = shown(capsys, *words)
    assert (got, out) == (code, "") and says in err


def test_help_imports_nothing_heavy():
    code = ("import sys\nfrom memory_lab.cli import main\nmain(['tables', '--help'])\n"
            "print(sorted({'openai', 'tiktoken', 'matplotlib', 'numpy', 'opencc'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
