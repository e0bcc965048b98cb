"""memory-lab chat through a pipe and through a terminal: commands, restarts, Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import select
import signal
import sys
import time

import pytest

from memory_lab import cli
from memory_lab.cli.chat import MEMORIES, shown
from memory_lab.cli.chat_commands import COMMANDS
from memory_lab.stores.sqlite import SqliteStore


@pytest.fixture
def chat(tmp_path, monkeypatch, capsys):
    """Runs one chat with those lines typed; gives what it printed."""
    monkeypatch.delenv("MEMORY_LAB_MODEL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def run(*lines, options=(), code=0):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert cli.main(["chat", "--model", "offline", *options]) == code
        captured = capsys.readouterr()
        return captured.out + captured.err

    return run


def test_a_chat_goes_on_where_it_ended(chat, tmp_path):
    chat("My order number is 4471-K.")
    out = chat("What is my order number?", "/quit", "never said")
    assert "restored 2 messages" in out
    assert "4471-K" in out
    assert "4471-K" not in chat("What is my order number?", options=["--session", "other"])
    with SqliteStore(tmp_path / "data/memory-lab/chats.sqlite") as store:
        assert store.list() == ["default", "other"]
        assert "never said" not in [message["content"] for message in store.load("default").messages]
        assert store.load("default").times[0].tzinfo is not None


def test_each_command_says_what_it_is_for(chat):
    out = chat("/help", "/nope")
    assert all(f"{name} " in out and work.__doc__ in out for name, work in COMMANDS.items())
    assert "No command /nope" in out


def test_what_the_model_sees_is_shown_with_its_tokens(chat):
    out = chat("My order number is 4471-K.", "/memory", "/facts", "/tokens")
    rows = [line.split() for line in out.splitlines()]
    parts = [int(row[0].replace(",", "")) for row in rows if row and row[0].replace(",", "").isdigit()]
    assert sum(parts[:-1]) - 3 <= parts[-1] <= sum(parts[:-1]) + 3, "the parts are the whole, but for a join"
    assert 'order number: "4471-K"' in out
    assert "derived by the memory" in out
    assert "of 3,000 allowed" in out
    assert f"The context has {parts[-1]:,} tokens" in out


def test_a_compaction_is_shown_and_taken_back(chat):
    lines = [f"My friend number {number} is called Robin{number} and likes tea with milk." for number in range(25)]
    options = ["--memory", "summary", "--token-limit", "400"]
    out = chat(*lines, "/diff", "/undo", "/undo", options=options)
    assert "tokens became" in out
    assert "sentences:" in out
    assert "was taken back" in out
    out = chat("/diff", options=options)
    assert "not taken: undone" in out or "tokens became" in out


def test_clear_and_save(chat, tmp_path):
    out = chat("Hello.", "/save talk.json", "/save talk.json", "/save", "/clear", "/tokens")
    assert [m["role"] for m in json.loads((tmp_path / "talk.json").read_text())] == ["user", "assistant"]
    assert (tmp_path / "talk.json").stat().st_mode & 0o077 == 0
    assert "is there already" in out
    assert "The log has 0 tokens in 0 messages" in out
    assert "restored" not in chat("/facts")
    assert "Nothing is kept" in chat("/save", options=["--store", "none"])


@pytest.mark.parametrize("memory", MEMORIES)
def test_every_memory_chats(chat, memory):
    assert "thank" in chat("My order number is 4471-K.", "/memory", "/facts", "/diff", "/undo",
                           options=["--memory", memory, "--store", "none"])


def test_folders_and_masks(chat, tmp_path):
    chat("My card is 4111 1111 1111 1111.", options=["--store", f"{tmp_path}/talks/", "--mask"])
    text = (tmp_path / "talks/default.jsonl").read_text()
    assert "[masked: card number]" in text
    assert "4111" not in text


@pytest.mark.parametrize(("options", "code", "says"), [
    (["--session", "../ann"], 1, "session id"), (["--memory", "buffer", "--token-limit", "9"], 2, "is not for buffer"),
    (["--memory", "elephant"], 2, "invalid choice"), (["--store", "/proc/none/chats"], 1, "may write there"),
    (["--model", "gpt-4o"], 2, "OPENAI_API_KEY")])
def test_bad_options_say_why(chat, monkeypatch, options, code, says):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert says in chat("Hi", options=options, code=code)


def test_a_message_that_fits_no_limit_is_kept_and_the_chat_goes_on(chat):
    out = chat("word " * 400, "/memory", "/retry", "/tokens", options=["--token-limit", "20"])
    assert out.count("no reply") == 2
    assert "in 1 messages" in out


def test_nothing_steers_the_terminal():
    assert shown("a\x1b[2Jb\x07\u202ec\n\t我👩‍👩‍👧") == "a?[2Jb?" + "?c\n\t我👩‍👩‍👧"


def test_in_a_terminal_ctrl_c_stops_a_reply_and_then_the_chat(tmp_path):
    """The reply is slowed down by a sitecustomize, so that the key is struck in the middle of it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import memory_lab.session.chat as chat, time\n"
        "def slow(*_, **__):\n"
        "    yield 'first part'\n"
        "    for _ in range(600):\n"  # a signal that comes just before a sleep begins is seen when it ends
        "        time.sleep(.1)\n"
        "chat.stream = slow\n")
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(PYTHONPATH=str(tmp_path), TERM="dumb")
        os.execv(sys.executable, [sys.executable, "-c", "import sys; from memory_lab.cli import main; sys.exit(main())",
                                  "chat", "--model", "offline", "--store", f"{tmp_path}/chats"])
    seen = b""

    def until(text):
        nonlocal seen
        end = time.monotonic() + 20
        while text not in seen:
            assert select.select([terminal], [], [], max(0, end - time.monotonic()))[0], seen
            seen += os.read(terminal, 4096)

    try:
        until(b"> ")
        os.write(terminal, b"Hello\n")
        until(b"first part")
        os.write(terminal, b"\x03")
        until(b"what came is kept")
        seen = seen.partition(b"what came is kept")[2]
        until(b"> ")
        with contextlib.suppress(OSError):  # reading ends with an error when the other side has gone
            for _ in range(5):
                os.write(terminal, b"\x03")
                # readline misses a key that comes between its prompt and its wait; a person would strike it again
                while select.select([terminal], [], [], 2)[0]:
                    seen += os.read(terminal, 4096)
            raise AssertionError(seen)
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.close(terminal)
    with SqliteStore(tmp_path / "chats") as store:
        assert [message["content"] for message in store.load("default").messages] == [
            "Hello", "first part [... interrupted]"]
