"""Questions to a student's process, a line of JSON each, over a socket of their own: a cell would take 3 ms each.

While it is open the kernel does nothing but answer. The student's code can write to this socket what it likes: a line
is an answer to the question asked, and no more.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from classroom.kernel import Kernel

LONGEST = 2_000_000  # bytes of an answer


class ChannelError(Exception):
    """No answer, or one that is none."""


class Channel:
    """Open for one check. seconds: for all of it."""

    def __init__(self, kernel: Kernel, seconds: float):
        self.kernel, self.rest = kernel, b""
        self.deadline = min(time.monotonic() + seconds, kernel.deadline)
        path = kernel.folder / "w"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(path))
            path.chmod(0o777)
            door.listen(1)
            door.setblocking(False)
            seen = f"{kernel.seen}/w"
            self.request = kernel.execute_cell_input(
                f"__import__('classroom.wire').wire.serve({seen!r}, get_ipython().user_ns)")
            while not select.select([door], [], [], 0.005)[0]:
                self._on_time("the student's process does not answer")
                if kernel.replied(self.request):
                    raise ChannelError("the student's process runs no cells")
            self.link, _ = door.accept()
        self.link.setblocking(False)

    def ask(self, question: dict[str, Any], back: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        """The answer. back: answers what the other side asks meanwhile. Raises ChannelError, KernelEnd."""
        self._send(question)
        while True:
            found = self._line()
            if "back" not in found:
                return found
            self._on_time("the student's code did not end in time")
            self._send(back(found))

    def close(self) -> None:
        """Nothing; the kernel goes on with its cells. Raises KernelEnd."""
        self.link.close()
        if self.kernel.end is None:
            self.kernel.await_reply(self.request)

    def _send(self, value: dict[str, Any]) -> None:
        left = (json.dumps(value) + "\n").encode()
        while left:
            try:
                left = left[self.link.send(left) :]
            except BlockingIOError:
                self._wait(self.link, "the student's process does not listen", write=True)
            except OSError as error:
                raise ChannelError(f"the student's process hung up: {error}") from error

    def _line(self) -> dict[str, Any]:
        while b"\n" not in self.rest:
            if len(self.rest) > LONGEST:
                raise ChannelError("an answer that is too long")
            self._wait(self.link, "the student's code did not end in time")
            try:
                piece = self.link.recv(1 << 18)
            except OSError as error:
                raise ChannelError(f"the student's process hung up: {error}") from error
            if not piece:
                raise ChannelError("the student's process hung up")
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ChannelError(f"an answer that is none: {error}") from error
        if not isinstance(found, dict):
            raise ChannelError("an answer that is none")
        return found

    def _wait(self, link: socket.socket, why: str, *, write: bool = False) -> None:
        while not any(select.select([] if write else [link], [link] if write else [], [], 0.05)):
            self._on_time(why)

    def _on_time(self, why: str) -> None:
        """When time is over the student's code is interrupted once; two seconds later its kernel is ended."""
        self.kernel.poll()
        if time.monotonic() < self.deadline:
            return
        if self.kernel.late or time.monotonic() > self.kernel.deadline:
            self.kernel.finish("timed out", why)
        self.kernel.late = True
        self.kernel.interrupt()
        self.deadline = time.monotonic() + 2

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.close()
