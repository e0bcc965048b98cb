"""The same class on a Dask cluster of real worker processes: the same gradebook, whoever dies."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from classroom import cli, cluster, desk, sandbox
from classroom.errors import CourseError
from classroom.grade import Settings, grade
from classroom.orders import order
from classroom.workers import WorkerError
from tests.attacks.course import LEVELS, MEAN, MEDIAN, RIGHT, ROOT, SLUG, course, hand_in, notebook

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("dask"),
              pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")]

PLAIN = {"dashboard_address": ":0", "silence_logs": "CRITICAL"}  # a free port: there may be another cluster
SLOW = "import time\ntime.sleep(1)\n" + MEAN
CLASS = {
    "right": RIGHT, "unsolved": {}, "slow": {**RIGHT, "01-mean-1": SLOW},
    "sum": {**RIGHT, "01-mean-1": "def mean(values):\n    return sum(values)\n"},
    "half": {"01-mean-1": SLOW, "01-mean-2": "median = lambda v: sorted(v)[len(v) // 2]", "01-mean-3": LEVELS},
    "ends": {"01-mean-1": "import os\nos._exit(3)\n", "01-mean-2": MEDIAN},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("class")
    for student, answers in CLASS.items():
        hand_in(made, student, notebook(answers))
    return made


@pytest.fixture(scope="module")
def here(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("here")
    grade(folder, out, course(), Settings(seed=4, quiet=True))
    return book(out)


@pytest.fixture
def dask():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **PLAIN) as made:
        yield made


def book(out):
    return {name: (out / name).read_bytes() for name in ("grades.csv", "totals.csv", "junit.xml")}


def until(true, seconds=60):
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return found


def orders(scheduler):
    """The orders that are being judged, with their workers."""
    return [(state.address, task.key) for state in list(scheduler.workers.values()) for task in list(state.processing)
            if task.key.startswith("grade-")]


def test_the_gradebook_is_the_same_and_nothing_is_left_on_the_workers(dask, folder, here, tmp_path, capfd):
    command = ["grade", str(folder), "--out", str(tmp_path), "--root", str(ROOT), "--seed", "4"]
    assert cli.main([*command, "--scheduler", dask.scheduler_address]) == 0, capfd.readouterr().err
    assert book(tmp_path) == here
    assert b"ends,01_mean,0,6,killed" in here["grades.csv"] and b"half,01_mean,4,6" in here["grades.csv"]
    with distributed.Client(dask) as client:
        assert set(client.run(lambda: len(desk._DESKS)).values()) == {0}
        ran = client.run(lambda dask_worker: dask_worker.state.executed_count)
        assert len(ran) == 2 and min(ran.values()) >= 1, "both had a share"


def test_a_worker_that_is_killed_loses_no_submission(dask, folder, here, tmp_path):
    settings = Settings(seed=4, quiet=True, scheduler=dask.scheduler_address)
    with ThreadPoolExecutor() as threads, distributed.Client(dask) as client:
        pids = client.run(os.getpid)
        run = threads.submit(grade, folder, tmp_path, course(), settings)
        until(lambda: run.done() or len(list((tmp_path / "results").glob("*.json"))) >= 1)
        stages = [path for found in client.run(_stages).values() for path in found]
        before = orders(dask.scheduler)
        worker, killed = until(lambda: run.done() or [one for one in orders(dask.scheduler) if one not in before])[0]
        os.kill(pids[worker], signal.SIGKILL)
        rows = run.result(120)
    assert [step.finish for step in dask.scheduler.story(killed)].count("processing") == 2, "it was in the middle"
    assert book(tmp_path) == here
    assert len(rows) == len(CLASS) == len({row["student"] for row in rows})
    assert stages
    until(lambda: not any(path.exists() for path in stages))


def _stages():
    return [made.stage.folder for made in desk._DESKS.values()]


def test_a_lost_scheduler_is_a_reason_and_not_a_hang(folder, tmp_path):
    made = distributed.LocalCluster(n_workers=1, threads_per_worker=1, **PLAIN)
    with made, cluster.connect(made.scheduler_address) as far:
        far.workers(1, {}, None)
        made.close()
        for _ in range(2):
            with pytest.raises(WorkerError, match="lost; --resume goes on"):
                far.do({"seconds": 1})


def test_no_scheduler_no_worker_and_no_address_are_said_at_once(folder, tmp_path, capsys):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # not listening: refused
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        command = ["grade", str(folder), "--out", str(tmp_path / "o"), "--root", str(ROOT), "--scheduler", address]
        assert cli.main(command) == 1
    assert f"--scheduler {address}: no Dask scheduler answers there" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    with pytest.raises(CourseError, match="the address is the one that `dask scheduler` prints"), cluster.connect("x"):
        pass


def test_another_service_at_the_address_is_no_scheduler():
    with socket.create_server(("127.0.0.1", 0)) as web, ThreadPoolExecutor() as threads:
        def serve():
            for _ in range(2):
                with web.accept()[0] as caller:
                    caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        threads.submit(serve)
        with pytest.raises(CourseError, match="no Dask scheduler answers there"), \
                cluster.connect(f"tcp://127.0.0.1:{web.getsockname()[1]}"):
            pass


def test_without_workers_or_with_other_code_nothing_is_graded(monkeypatch):
    monkeypatch.setattr(cluster, "_HELLO", 2)
    with distributed.LocalCluster(n_workers=0, **PLAIN) as made:
        with pytest.raises(CourseError, match="no worker; start some"), cluster.connect(made.scheduler_address):
            pass
        made.scale(1)
        monkeypatch.setattr(cluster, "_HELLO", 60)
        monkeypatch.setattr(desk, "tools", lambda: "another release")
        with pytest.raises(CourseError, match="another Python, classroom or memory_lab"), \
                cluster.connect(made.scheduler_address):
            pass


def test_data_lies_beside_the_notebook_and_each_judge_has_a_user_of_its_own(tmp_path):
    for name in ("numbers.txt", "data/more/one.md", "answers.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"this is {name}")
    made, slots = course().exercises[SLUG], []
    script = "import os\nprint(sorted(os.listdir()), open('data/more/one.md').read())"
    for _ in range(2):
        far = cluster.Cluster(SimpleNamespace(nthreads=lambda: {"here": 4}), "nowhere")
        assert far.workers(9, {SLUG: []}, tmp_path) == [far] * 4
        told = json.dumps(order(made, [(None, script)], 1, (10, 30), key=["s", SLUG]))
        found = json.loads(desk.work(far.setting, told))
        seen = found["cells"][0]["printed"]
        assert "'numbers.txt'" in seen and "this is data/more/one.md" in seen and "answers.md" not in seen
        slots.append(desk._DESKS[far.name].free[0].slot)
    assert len(set(slots)) == 2
    for name in list(desk._DESKS):
        folder = desk._DESKS[name].stage.folder
        desk.leave(name)
        assert not folder.exists()


def test_a_worker_without_walls_is_refused():
    walls = {"namespaces": False, "user": True, "limits": True, "processes": True}
    assert "missing: namespaces" in desk.unfit({"tools": "a", "walls": walls}, "a")[0]
    assert desk.unfit({"tools": "a", "walls": dict.fromkeys(walls, True)}, "a") == []


def test_only_text_travels(monkeypatch):
    sent = []

    class Client:
        def submit(self, run, *values, key):
            sent.append((run, values))
            raise WorkerError("far enough")

    far = cluster.Cluster(Client(), "nowhere")
    far.setting = "{}"
    with pytest.raises(WorkerError, match="far enough"):
        far.do({"seconds": 1, "cells": [{"source": "raise SystemExit"}]})
    (run, values), = sent
    assert run is pickle.loads(pickle.dumps(desk.work)) and all(type(value) is str for value in values)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CourseError, match=r"memory-lab\[dask\]"), cluster.connect("tcp://127.0.0.1:1"):
        pass
