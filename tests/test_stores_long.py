"""Stores and sessions under force: many writers at once, kills at any moment, many sessions."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from redis_server import redis_server
from summarisers import Summariser

from memory_lab import SummaryMemory
from memory_lab.session import ChatSession
from memory_lab.stores import open_store
from memory_lab.stores.jsonl import JsonLinesStore
from memory_lab.stores.sqlite import SqliteStore

PROCESSES, THREADS, APPENDS = 4, 20, 2000
WRITER = """
import sys, threading
from memory_lab.stores import open_store
where, process, threads, each = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
store, lines = open_store(where), []
def write(thread):
    for number in range(each):
        text = f"{process} {thread} {number}"
        lines.append(f"{store.append('all', [{'role': 'user', 'content': text}])} {text}")
running = [threading.Thread(target=write, args=(thread,)) for thread in range(threads)]
for thread in running: thread.start()
for thread in running: thread.join()
print("\\n".join(lines))
"""


@pytest.fixture(params=["sqlite", "jsonl", "redis"])
def where(request, tmp_path):
    if request.param == "redis":
        with redis_server() as url:
            yield url
    else:
        yield str(tmp_path / "chats") + ("/" if request.param == "jsonl" else "")


def written(where, processes, threads, each):
    """(version, text) of each append, as its writer was told."""
    running = [subprocess.Popen([sys.executable, "-c", WRITER, where, str(process), str(threads), str(each)],
                                stdout=subprocess.PIPE, text=True) for process in range(processes)]
    told = []
    for process in running:
        out, _ = process.communicate(timeout=500)
        assert process.returncode == 0
        told += [(int(version), text) for version, text in (line.split(" ", 1) for line in out.splitlines())]
    return sorted(told)


def check_writers(where, processes, threads, each):
    told, saved = written(where, processes, threads, each), open_store(where).load("all")
    total = processes * threads * each
    assert [version for version, _ in told] == list(range(1, total + 1)), "no gap, none twice"
    assert [message["content"] for message in saved.messages] == [text for _, text in told]
    for process in range(processes):
        for thread in range(threads):
            start = f"{process} {thread} "
            own = [text for _, text in told if text.startswith(start)]
            assert own == [f"{start}{number}" for number in range(each)]


def test_two_processes_and_their_threads_write_one_session(where):
    check_writers(where, 2, 3, 5)


@pytest.mark.long
def test_four_processes_of_twenty_threads_append_two_thousand(where):
    check_writers(where, PROCESSES, THREADS, APPENDS // PROCESSES // THREADS)


class Echo:
    """A client that answers at once."""

    models_ = SimpleNamespace(chat="fake")

    def __init__(self):
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    def _create(self, **_):
        message = SimpleNamespace(model_dump=lambda **_: {"role": "assistant", "content": "Noted."})
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])


def memory():
    return SummaryMemory(token_limit=300, trigger_tokens=80, trigger_messages=0, target_tokens=20,
                         client=Summariser())


def killed(make, name, first, delay):
    """What a process acknowledged before it was killed: texts of messages, in order."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reader)
            session = ChatSession(memory(), Echo(), make(), name)
            for number in range(first, first + 10_000):
                session.send(f"{number} something that is worth a few tokens")
                os.write(writer, b"%d\n" % number)
        finally:
            os._exit(1)
    os.close(writer)
    select.select([reader], [], [], 10)  # it is under way
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status), "it was still at work"
    with open(reader, "rb") as pipe:
        lines = pipe.read().decode().split("\n")[:-1]
    return [int(line) for line in lines]


def check_kills(make, kills, seed):
    chance, folds = random.Random(seed), 0
    for kill in range(kills):
        name = f"session-{kill // 10}"
        acknowledged = [] if kill % 10 == 0 else acknowledged  # noqa: F821
        acknowledged += killed(make, name, 1000 * (kill % 10), chance.random() * 0.03)
        store = make()
        session = ChatSession(memory(), Echo(), store, name)
        said = [int(m["content"].split()[0]) for m in session.memory.log if m["role"] == "user"]
        assert set(acknowledged) <= set(said), f"kill {kill}: an acknowledged message is gone"
        assert said == sorted(set(said)), f"kill {kill}: doubled or out of order"
        assert not [notice for notice in session.notices if "cannot be used" in notice]
        covered = session.memory._progress.covered
        assert len(covered) == len(set(covered))
        folds += bool(covered)
        if hasattr(store, "close"):
            store.close()
    assert folds > kills / 2, "compactions were under way"


@pytest.mark.parametrize("kind", [SqliteStore, JsonLinesStore])
def test_a_few_kills_lose_nothing_that_was_acknowledged(tmp_path, kind):
    check_kills(lambda: kind(Path(tmp_path) / "chats"), 5, 1)


@pytest.mark.long
@pytest.mark.parametrize("kind", [SqliteStore, JsonLinesStore])
def test_two_hundred_kills_lose_nothing_that_was_acknowledged(tmp_path, kind):
    check_kills(lambda: kind(Path(tmp_path) / "chats"), 200, 2)


class Counted(JsonLinesStore):
    """Counts its operations."""

    def __init__(self, folder):
        super().__init__(folder, durable=False)
        self.appends = self.states = 0

    def append(self, *words, **more):
        self.appends += 1
        return super().append(*words, **more)

    def save_state(self, *words):
        self.states += 1
        super().save_state(*words)


def test_a_turn_costs_two_appends_however_long_the_chat_and_however_many(tmp_path):
    store = Counted(tmp_path)
    for name in range(5):
        session = ChatSession(memory(), Echo(), store, f"user-{name}")
        for number in range(40):
            session.send(f"{number} something that is worth a few tokens")
        folds = sum(fold.error is None for fold in session.memory.compactions)
        assert store.appends == 80 * (name + 1)
        assert store.states == folds * (name + 1)
