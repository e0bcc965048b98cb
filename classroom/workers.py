"""The worker processes of a grading run: fed one task at a time, replaced when one dies, waited for only so long."""

from __future__ import annotations

import contextlib
import json
import queue
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from classroom.sandbox import Stage

_GRACE = 90  # seconds beyond a notebook's own limit, for the judge's side


class WorkerError(RuntimeError):
    """A worker that died or did not answer."""


class Worker:
    """One judge.py process, started when it is first needed."""

    def __init__(self, stage: Stage, slot: int, isolate: bool):
        self.stage, self.slot, self.isolate = stage, slot, isolate
        self.process: subprocess.Popen[bytes] | None = None
        self.rest = b""
        self.about: dict[str, Any] = {}

    def do(self, task: dict[str, Any]) -> dict[str, Any]:
        """The result. Raises WorkerError."""
        if not self.about:
            self._start()
        return self._exchange(task, task["seconds"] + _GRACE)

    def launch(self) -> None:
        """Nothing; the process is on its way. The stage need not be prepared yet."""
        self.process = subprocess.Popen([sys.executable, "-m", "classroom.judge"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.rest = b""

    def _start(self) -> None:
        if self.process is None:
            self.launch()
        packages = {name: str(path) for name, path in self.stage.packages.items()}
        job = {"folder": str(self.stage.folder), "binds": self.stage.binds, "packages": packages, "slot": self.slot,
               "isolate": self.isolate}
        self.about = self._exchange(job, 120)["ready"]

    def _exchange(self, order: dict[str, Any], seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        try:
            self.process.stdin.write((json.dumps(order) + "\n").encode())
            self.process.stdin.flush()
            while b"\n" not in self.rest:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                    raise WorkerError("the judge did not answer in time")
                piece = self.process.stdout.read1(1 << 20)
                if not piece:
                    told = self.process.stderr.read().decode(errors="replace").strip().splitlines()
                    raise WorkerError(f"the judge's process ended: {told[-1][:300] if told else 'no word'}")
                self.rest += piece
        except (OSError, WorkerError) as error:
            self.stop()
            raise error if isinstance(error, WorkerError) else WorkerError(str(error)) from error
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def stop(self) -> None:
        """Nothing; the process is gone, and with it its sandbox."""
        if self.process is None:
            return
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()
        self.process, self.about = None, {}


def each(workers: list[Worker], tasks: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(task, result) as each ends. A task whose worker died is tried once more, then it is a grader error."""
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    done: queue.SimpleQueue = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    over = threading.Event()

    def serve(worker: Worker) -> None:
        while not over.is_set():
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            done.put((task, _try(worker.do, task)))

    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        for _ in tasks:
            yield done.get()
    finally:
        over.set()


def _try(do: Callable[[dict[str, Any]], dict[str, Any]], task: dict[str, Any]) -> dict[str, Any]:
    why = ""
    for _ in range(2):
        try:
            return do(task)
        except WorkerError as error:
            why = str(error)
    return {"status": "grader error", "reason": why, "cells": [], "neutered": False, "seconds": 0.0}
