"""A worker's end of a grading run on a Dask cluster (cluster.py): orders in, judged there, results out, all as text."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from classroom import sandbox
from classroom.workers import Worker, WorkerError

_IDLE = 600  # seconds after which what a grader that was killed has left on a worker goes


def work(setting: str, order: str) -> str:
    """The judge's result, or {"error": why there is none}, as JSON text."""
    try:
        return json.dumps(_desk(json.loads(setting)).do(json.loads(order)))
    except (WorkerError, OSError) as error:
        return json.dumps({"error": f"{socket.gethostname()}: {error}"})


class _Desk:
    """What a worker process of the cluster keeps for one run: a stage, and a judge for each thread that needs one."""

    def __init__(self, setting: dict[str, Any]):
        problems = unfit(about(), setting["tools"])  # of a worker that came after the others had been inspected
        if problems:
            raise WorkerError(problems[0])
        with contextlib.ExitStack() as ends:
            self.stage = ends.enter_context(sandbox.Stage.temporary())
            # its stdin ends when this process ends, even by SIGKILL: then the folder goes
            guard = subprocess.Popen(["sh", "-c", 'cat; rm -rf -- "$1"', "sh", str(self.stage.folder)],
                                     stdin=subprocess.PIPE, start_new_session=True)
            ends.callback(guard.communicate)
            files = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="grade-")))
            for name, text in setting["data"].items():
                path = files / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(base64.b64decode(text))
            self.stage.prepare(setting["withhold"], data=files if setting["data"] else None)
            self.ends = ends.pop_all()
        self.free: list[Worker] = []
        self.busy, self.used = 0, time.monotonic()

    def do(self, task: dict[str, Any]) -> dict[str, Any]:
        with _LOCK:
            self.busy += 1
            worker = self.free.pop() if self.free else self._hire()
        try:
            return worker.do(task)
        finally:
            with _LOCK:
                self.busy, self.used = self.busy - 1, time.monotonic()
                self.free.append(worker)

    def _hire(self) -> Worker:
        """A judge with a slot, and so a user, that no other worker process of this machine has."""
        for slot in range(1000):
            mark = socket.socket(socket.AF_UNIX)
            try:
                mark.bind(f"\0classroom-slot-{slot}")  # the system frees it when this process ends, however it does
            except OSError:
                mark.close()
                continue
            self.ends.callback(mark.close)
            worker = Worker(self.stage, slot, True)
            self.ends.callback(worker.stop)
            return worker
        raise WorkerError("no user is free for another kernel")


_LOCK = threading.Lock()
_DESKS: dict[str, _Desk] = {}


def _desk(setting: dict[str, Any]) -> _Desk:
    with _LOCK:
        for name, desk in list(_DESKS.items()):
            if name != setting["name"] and not desk.busy and time.monotonic() - desk.used > _IDLE:
                _DESKS.pop(name).ends.close()
        if setting["name"] not in _DESKS:
            _DESKS[setting["name"]] = _Desk(setting)
        return _DESKS[setting["name"]]


def leave(name: str) -> None:
    """Nothing; what the run of this name has here is gone."""
    with _LOCK:
        desk = _DESKS.pop(name, None)
    if desk:
        desk.ends.close()


def about() -> dict[str, Any]:
    """What decides whether this process may grade: its code and its walls."""
    return {"tools": tools(), "walls": sandbox.layers()}


def unfit(found: dict[str, Any], wanted: str) -> list[str]:
    """Why a worker may not grade, if so. found: its `about()`.  wanted: the grader's `tools()`."""
    missing = [name for name, holds in found["walls"].items() if not holds]
    return ([f"a wall around the students' code is missing: {', '.join(missing)}"] * bool(missing)
            + ["another Python, classroom or memory_lab than the grader's"] * (found["tools"] != wanted))


def tools() -> str:
    """A hash of what decides a result: Python's version and the code of both packages."""
    said = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for package in ("classroom", "memory_lab"):
        spec = importlib.util.find_spec(package)
        for home in (spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(Path(home).rglob("*.py")):
                said.update(path.relative_to(home).as_posix().encode() + path.read_bytes())
    return said.hexdigest()
