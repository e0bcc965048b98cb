"""The warm process of one worker (zygote.py, in its sandbox), from outside."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from classroom.sandbox import LIMITS, Stage, warm_environment


class KernelEnd(Exception):
    """The kernel is gone or was ended. status: a terminal state; reason: in a teacher's words."""

    def __init__(self, status: str, reason: str):
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass
class Warm:
    """The warm process of one worker. stage: what its kernels see."""

    stage: Stage
    slot: int = 0
    isolate: bool = True
    process: subprocess.Popen[bytes] | None = None
    number: int = 0
    loaded: set[str] = field(default_factory=set)
    _rest: bytes = b""

    def start(self) -> dict[str, Any]:
        """What the warm process says of itself, once it is warm. Cost: half a second."""
        self.launch()
        return self.await_event("warm")

    def launch(self) -> None:
        """Nothing; the warm process is on its way, and `await_event("warm")` waits for it."""
        command = self.stage.command(slot=self.slot)
        if not self.isolate:
            command = command[-3:]
        environment = warm_environment()
        if not self.isolate:
            environment = {**os.environ, **environment, "HOME": str(self.stage.folder)}
        log = open(self.stage.folder / f"warm-{self.slot}.log", "ab")  # noqa: SIM115
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                        env=environment, cwd=self.stage.folder)
        log.close()
        self.loaded, self._rest = set(), b""

    def await_event(self, name: str) -> dict[str, Any]:
        """The next event, which must be this one. Raises KernelEnd."""
        event = self.event(60)
        if event is None or event.get("event") != name:
            told = (self.stage.folder / f"warm-{self.slot}.log").read_text(errors="replace").strip().splitlines()
            self.stop()
            raise KernelEnd("grader error", f"the sandbox did not start: {' / '.join(told[-3:])[:500]}")
        return event

    def load(self, libraries: Iterable[str]) -> None:
        """Nothing; kernels from here on have these (zygote.LIBRARIES) before they start. Not while one runs."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        missing = set(libraries) - self.loaded
        if missing:
            self.tell(do="load", libraries=sorted(missing))
            self.await_event("loaded")
            self.loaded |= missing

    def tell(self, **order: Any) -> None:
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.process.stdin.write((json.dumps(order) + "\n").encode())
        self.process.stdin.flush()

    def event(self, seconds: float) -> dict[str, Any] | None:
        """The next event, or None if there is none in time."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._rest:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                return {"event": "ended", "status": None, "why": "sandbox"}
            self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    def stop(self) -> None:
        """Nothing; the process and every kernel of it are gone."""
        if self.process is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            self.process = None


def explain(event: dict[str, Any]) -> KernelEnd:
    """How a kernel ended, in a teacher's words, from what its parent saw of it."""
    status, why = event.get("status"), event.get("why")
    if why == "memory":
        return KernelEnd("killed", f"its processes took more than {LIMITS['memory'] >> 30} GB of memory")
    if status is not None and (status in (-signal.SIGXCPU, 256 - signal.SIGXCPU, 128 + signal.SIGXCPU)):
        return KernelEnd("killed", f"it used more than {LIMITS['cpu']} seconds of CPU time")
    if status in (-signal.SIGKILL, 256 - signal.SIGKILL):
        return KernelEnd("killed", "it was killed, or it killed itself")
    if status in (-signal.SIGSEGV, 256 - signal.SIGSEGV, -signal.SIGABRT, 256 - signal.SIGABRT):
        return KernelEnd("killed", "it crashed the interpreter")
    return KernelEnd("killed", f"it ended its own kernel (exit {status})")
