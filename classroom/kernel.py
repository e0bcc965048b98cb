"""A sandboxed kernel in the place of nbval's: the same calls, with limits on time and output, and a death that shows.

The student's code knows the key of these sockets and may send what it likes on them: messages are JSON, are counted and
cut, and decide nothing that witness.py does not see for itself.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from queue import Empty
from typing import Any

from classroom import wire
from classroom.link import FloodError, Link
from classroom.sandbox import LIMITS, warm_environment
from classroom.warm import KernelEnd, Warm, explain

_KEPT_TEXT = 20_000  # characters of printed text per cell, for the feedback
_IN_CELL = re.compile(r"\(\d+\.py, line (\d+)\)")  # IPython names a cell by a number that nobody knows
_FIXED = {"TZ": "UTC", "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": "0", "NO_COLOR": "1", "HOME": "/stage/student",
          "MPLBACKEND": "module://matplotlib_inline.backend_inline"}


@dataclass
class Kernel:
    """One kernel. cell_seconds, seconds: on the wall, per cell and for all cells. libraries: see Warm.load."""

    warm: Warm
    slug: str
    seed: int
    cell_seconds: float = 30
    seconds: float = 120
    libraries: Sequence[str] = ()
    printed: str = ""
    error: tuple[str, str] | None = None
    late: bool = False
    end: KernelEnd | None = None
    language: str = "python"
    _messages: deque = field(default_factory=deque)
    _link: Link | None = None

    def launch(self) -> None:
        """Nothing; the kernel is on its way. Raises KernelEnd."""
        self.warm.number += 1
        self.folder = folder = self.warm.stage.sockets(self.warm.slot, self.warm.number)
        self.seen = "/connection" if self.warm.isolate else str(folder)
        self._link = Link(folder)
        home = "/stage/student" if self.warm.isolate else str(folder / "home")
        environment = {**warm_environment(), **_FIXED, "HOME": home, "CLASSROOM_SEED": str(self.seed),
                       "IPYTHONDIR": f"{home}/.ipython", "MATPLOTLIBRC": f"{home}/matplotlibrc",
                       "TMPDIR": "/stage" if self.warm.isolate else "/tmp"}
        files = {"connection.json": json.dumps(self._link.address(self.seen)),
                 "matplotlibrc": "svg.hashsalt: classroom\n"}
        binds = [[self._inside(source), target] for source, target in self.warm.stage.binds.get(self.slug, [])]
        data, beside = self.warm.stage.folder / self.slug / "data", []
        if data.is_dir():
            binds.append([self._inside(str(data)), "/data"])
            beside = sorted(f"/data/{path.name}" if self.warm.isolate else str(path) for path in data.iterdir())
        self._empty_events()
        try:
            self.warm.load(self.libraries)
        except KernelEnd as end:
            self.end = end
            raise
        self.warm.tell(do="start", isolate=self.warm.isolate, sockets=self._inside(str(folder)), data=beside,
                       environment=environment, binds=binds, files=files,
                       limits={**LIMITS, "own_user": self.warm.isolate})
        self.deadline = time.monotonic() + self.seconds

    def connect(self) -> None:
        """Nothing; the kernel answers. Raises KernelEnd."""
        if self._link is None:
            self.launch()
        patience = time.monotonic() + 30
        while not self._link.up():
            self.poll()
            if time.monotonic() > patience:
                self.finish("grader error", "the kernel did not start")
            time.sleep(0.004)
        self._link.open()
        self._handshake()

    def _inside(self, path: str) -> str:
        return path.replace(str(self.warm.stage.folder), "/stage", 1) if self.warm.isolate else path

    def _empty_events(self) -> None:
        while self.warm.process is not None and self.warm.event(0):
            if self.warm.process.poll() is not None:
                self.warm.stop()
                self.warm._rest = b""

    def _handshake(self) -> None:
        """Ask until the answer comes on both channels: a subscription takes a moment to be known."""
        for _ in range(200):
            message = self._link.send("shell", "kernel_info_request", {})
            try:
                self._reply(message, 10)
                until = time.monotonic() + 0.02
                while time.monotonic() < until:
                    self._receive(5)
                    if any(m["parent_header"].get("msg_id") == message for m in self._messages):
                        self._messages.clear()
                        return
            except Empty:
                break
        self.finish("grader error", "the kernel did not answer")

    # ---- what nbval calls

    def execute_cell_input(self, source: str, allow_stdin: bool | None = None) -> str:
        """The id of the request."""
        self._link.output, self.printed, self.error = 0, "", None
        content = {"code": source, "silent": False, "store_history": False, "user_expressions": {},
                   "allow_stdin": False, "stop_on_error": False}
        return self._link.send("shell", "execute_request", content)

    def await_reply(self, message: str, timeout: float | None = None) -> dict[str, Any]:
        """The reply. Raises KernelEnd if the kernel dies or does not stop when it is told to."""
        try:
            return self._reply(message, min(self.cell_seconds, self.deadline - time.monotonic()))
        except Empty:
            self.late = True
        if time.monotonic() < self.deadline:
            self.interrupt()
            with contextlib.suppress(Empty):
                return self._reply(message, 2)
        return self.finish("timed out", "it did not end in time, and did not stop when told to")

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        """The next message about a cell that nbval should compare: values and errors, no printed text, no figures."""
        until = time.monotonic() + (timeout or 5)
        while True:
            while self._messages:
                message = self._messages.popleft()
                kind, content = message["msg_type"], message["content"]
                if kind == "stream":
                    self.printed = (self.printed + str(content.get("text", "")))[:_KEPT_TEXT]
                elif kind in ("status", "execute_result", "error"):
                    if kind == "error":
                        said = _IN_CELL.sub(r"(line \1)", str(content.get("evalue"))[:4000])
                        self.error = (str(content.get("ename"))[:200], said)
                        message["content"] = {"ename": self.error[0], "evalue": self.error[1], "traceback": []}
                    elif kind == "execute_result":
                        shown = content.get("data") if isinstance(content.get("data"), dict) else {}
                        message["content"] = {"data": {"text/plain": wire.canonical(str(shown.get("text/plain")))},
                                              "metadata": {}, "execution_count": 0}
                    return message
            if time.monotonic() > until:
                self.finish("killed", "its output broke off: it printed too much at once, or cut the connection")
            self._receive(50)
            self.poll()

    def await_idle(self, message: str, timeout: float) -> None:
        while True:
            found = self.get_message("iopub", timeout)
            if found["parent_header"].get("msg_id") == message and found["content"].get("execution_state") == "idle":
                return

    def interrupt(self) -> None:
        self._link.send("control", "interrupt_request", {})

    def is_alive(self) -> bool:
        with contextlib.suppress(KernelEnd):
            self.poll()
        return self.end is None

    def stop(self) -> None:
        """Nothing; the kernel and all its processes are gone."""
        if self.end is None:
            self._kill("done")
            self.end = KernelEnd("graded", "")
        if self._link is not None:
            self._link.close()

    # ---- besides

    def replied(self, message: str) -> bool:
        """Whether the reply to a request is there already; it is then taken."""
        return any(found["parent_header"].get("msg_id") == message for found in self._receive(0))

    def _reply(self, message: str, seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while True:
            for found in self._receive(50):
                if found["parent_header"].get("msg_id") == message and found["msg_type"].endswith("_reply"):
                    return found
            self.poll()
            if time.monotonic() > until:
                raise Empty

    def _receive(self, milliseconds: int) -> list[dict[str, Any]]:
        """Messages on the shell channel; those on iopub go to the queue."""
        try:
            messages = self._link.receive(milliseconds)
        except FloodError as error:
            self.finish("killed", str(error))
        self._messages += [message for part, message in messages if part == "iopub"]
        return [message for part, message in messages if part == "shell"]

    def poll(self) -> None:
        """Nothing, while the kernel lives; else raises KernelEnd."""
        if self.end is not None:
            raise self.end
        event = self.warm.event(0)
        if event is not None and event.get("event") == "ended":
            self.end = explain(event)
            raise self.end

    def _kill(self, why: str) -> None:
        with contextlib.suppress(OSError, KernelEnd):
            self.warm.tell(do="kill", why=why)
        for _ in range(50):
            event = self.warm.event(0.2)
            if event is not None and event.get("event") == "ended":
                return
        self.warm.stop()

    def finish(self, status: str, reason: str) -> Any:
        """End the kernel. Raises KernelEnd."""
        self._kill(status)
        self.end = KernelEnd(status, reason)
        raise self.end
