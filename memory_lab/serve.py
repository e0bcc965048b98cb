"""The offline model as an OpenAI-compatible server on this machine, so that other programs can be tested against it.

Chat (plain and streamed), embeddings and models, at http://127.0.0.1:PORT/v1, without a key.  It listens on loopback
alone and knows no user: it is for tests, not for a network.  Chapter 11.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .errors import SettingError
from .offline.requests import Answer
from .offline.server import respond

HOST = "127.0.0.1"
LARGEST = 32 * 1024 * 1024  # bytes of a request
OWN_NAMES = {"127.0.0.1", "localhost"}


class Server(ThreadingHTTPServer):
    """An HTTP server with a model behind it; one thread a connection.  respond: (method, path, body) -> Answer."""

    daemon_threads = True
    respond: Callable[[str, str, bytes], Answer]

    @property
    def url(self) -> str:
        """The base_url for a client."""
        return f"http://{HOST}:{self.server_address[1]}/v1"


def make_server(port: int = 0, answering: Callable[[str, str, bytes], Answer] = respond) -> Server:
    """A server that is bound and not running yet: call serve_forever(), shutdown(), server_close().

    port: 0 takes one that is free; .url says which.  answering: the model (default: the offline one).
    Raises SettingError for a port that cannot be had.
    """
    try:
        server = Server((HOST, port), Handler)
    except (OSError, OverflowError) as error:
        raise SettingError(f"port {port} cannot be used ({error}); give another, or 0 for any that is free") from error
    server.respond = answering
    return server


class Handler(BaseHTTPRequestHandler):
    """One connection: reads requests, writes what respond() says."""

    protocol_version = "HTTP/1.1"
    server_version = "memory-lab"
    timeout = 60  # seconds that a connection may be silent

    def do_GET(self) -> None:
        """Answer a GET."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answer a POST, whose body must have a length."""
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > LARGEST:
            self.close_connection = True  # what follows is not read
            self._send(_refused(411 if not length.isdecimal() else 413,
                                f"Send a content-length of at most {LARGEST} bytes."))
            return
        self._answer(self.rfile.read(int(length)))

    def _answer(self, body: bytes) -> None:
        # a page in a browser can reach loopback by a name of its own, and only the Host header tells
        if self.headers.get("host", "").rpartition(":")[0] not in OWN_NAMES:
            self._send(_refused(403, f"This server answers to {HOST} and localhost alone."))
            return
        try:
            answer = self.server.respond(self.command, self.path, body)
        except Exception as error:
            answer = _refused(500, f"The model failed: {type(error).__name__}: {error}")
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        if answer.stream:
            self.send_response(answer.status)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self._end(answer)
            for event in answer.body:
                data = event.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.write(b"0\r\n\r\n")
            return
        data = json.dumps(answer.body, ensure_ascii=False).encode()
        self.send_response(answer.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self._end(answer)
        self.wfile.write(data)

    def _end(self, answer: Answer) -> None:
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def handle(self) -> None:
        """Serve the connection to its end; a client that goes away is no fault of ours."""
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: requests hold what people wrote."""


def _refused(status: int, message: str) -> Answer:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return Answer(status, {"error": {"message": message, "type": kind, "param": None, "code": None}})
