"""The judge's end of a kernel's sockets: messages read, counted, and thrown away if they are none."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import Any

OUTPUT = 10_000_000  # bytes of messages per cell
_WIDEST = 100_000_000  # bytes of one message, before it is counted
_PARTS = ("shell", "iopub", "stdin", "control", "hb")
_MOST_BAD = 1000


class FloodError(Exception):
    """More than anybody needs to send."""


class Link:
    """folder: where the kernel's socket files are."""

    def __init__(self, folder: Path):
        from jupyter_client.session import Session

        self.folder, self.key = folder, secrets.token_hex(16)
        self.session = Session(key=self.key.encode(), signature_scheme="hmac-sha256", packer="json")
        self.ports = {part: number for number, part in enumerate(_PARTS, 1)}
        self.sockets: dict[str, Any] = {}
        self.output = self.bad = 0

    def address(self, seen: str) -> dict[str, Any]:
        """The connection file of the kernel, which sees the folder as `seen`."""
        ports = {f"{part}_port": number for part, number in self.ports.items()}
        return {"transport": "ipc", "ip": f"{seen}/k", "key": self.key, **ports}

    def up(self) -> bool:
        """Whether the kernel takes connections: a socket's file is there a moment before that."""
        for part in _PARTS[:4]:
            with socket.socket(socket.AF_UNIX) as caller:
                try:
                    caller.connect(str(self._file(part)))
                except OSError:
                    return False
        return True

    def open(self) -> None:
        """Connect, once and never again: a path that a student's code may replace later is not followed."""
        import zmq

        context = zmq.Context.instance()  # its threads serve one kernel after another; sockets are a kernel's own
        options = ((zmq.LINGER, 0), (zmq.RECONNECT_IVL, -1), (zmq.MAXMSGSIZE, _WIDEST), (zmq.RCVHWM, 2000))
        for part in ("shell", "control", "iopub"):
            made = context.socket(zmq.SUB if part == "iopub" else zmq.DEALER)
            for option, value in options:
                made.setsockopt(option, value)
            if part == "iopub":
                made.setsockopt(zmq.SUBSCRIBE, b"")
            made.connect(f"ipc://{self._file(part)}")
            self.sockets[part] = made

    def _file(self, part: str) -> Path:
        return self.folder / f"k-{self.ports[part]}"

    def send(self, part: str, kind: str, content: dict[str, Any]) -> str:
        """The id of the request."""
        return self.session.send(self.sockets[part], kind, content)["header"]["msg_id"]

    def receive(self, milliseconds: int) -> list[tuple[str, dict[str, Any]]]:
        """(shell or iopub, message), those that are there. Raises FloodError."""
        import zmq

        found = []
        watched = {self.sockets[part]: part for part in ("shell", "iopub")}
        for ready in zmq.select(list(watched), [], [], milliseconds / 1000)[0]:
            while True:
                try:
                    pieces = ready.recv_multipart(zmq.NOBLOCK)
                except zmq.Again:
                    break
                self.output += sum(map(len, pieces))
                if self.output > OUTPUT:
                    raise FloodError(f"it printed more than {OUTPUT // 1_000_000} MB in one cell")
                message = self._read(pieces)
                if message is not None:
                    found.append((watched[ready], message))
        return found

    def _read(self, pieces: list[bytes]) -> dict[str, Any] | None:
        try:
            message = self.session.deserialize(self.session.feed_identities(pieces)[1])
            parts = message["parent_header"], message["content"]
            if all(isinstance(part, dict) for part in parts) and isinstance(message["msg_type"], str):
                return message
        except Exception:  # whatever a student's code sent
            pass
        self.bad += 1
        if self.bad > _MOST_BAD:
            raise FloodError("it sent messages that are none")
        return None

    def close(self) -> None:
        if self.sockets:
            for made in self.sockets.values():
                made.close(0)
            self.sockets = {}
