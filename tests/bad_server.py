"""An endpoint on loopback that fails as it is told to, call by call, and is the offline model else.

    with BadServer([status(429, retry_after=1), cut(40), spoilt(usage=None)]) as server:
        client = server.client()

A script's entry is what to do with one request: a function of (the handler, the request's body).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memory_lab.offline.requests import EMBEDDING_MODEL
from memory_lab.offline.server import respond

Act = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class BadServer:
    """calls: the bodies so far.  script: what is still to be done.  always: done where the script is over."""

    def __init__(self, script: list[Act] = (), always: Act | None = None):
        self.script, self.always, self.calls, self.keys = list(script), always or well, [], []
        self.over = threading.Event()

    def __enter__(self) -> BadServer:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.over = owner.over
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                owner.calls.append(body)
                owner.keys.append(self.headers.get("authorization"))
                (owner.script.pop(0) if owner.script else owner.always)(self, body)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.05,))
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"


def answered(path: str, body: dict[str, Any]):
    """What the offline model says, under whatever name it is asked."""
    name = EMBEDDING_MODEL if "input" in body else "offline"
    return respond("POST", path, json.dumps({**body, "model": name}).encode())


def send(handler: BaseHTTPRequestHandler, code: int, data: bytes, kind: str = "application/json",
         **headers: Any) -> None:
    handler.send_response(code)
    for name, value in {"content-type": kind, "content-length": len(data), **headers}.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()
    handler.wfile.write(data)


def well(handler, body) -> None:
    """The answer as it should be."""
    answer = answered(handler.path, body)
    if answer.stream:
        send(handler, answer.status, "".join(answer.body).encode(), "text/event-stream")
    else:
        send(handler, answer.status, json.dumps(answer.body).encode())


def status(code: int, message: str = "scripted", error_code: str | None = None, **headers: Any) -> Act:
    """An error; headers: such as retry_after."""
    error = {"error": {"message": message, "type": "scripted", "param": None, "code": error_code}}
    return lambda handler, body: send(handler, code, json.dumps(error).encode(), **headers)


def raw(data: bytes, kind: str = "application/json") -> Act:
    """These bytes."""
    return lambda handler, body: send(handler, 200, data, kind)


def slow(handler, body) -> None:
    """No answer before the server ends."""
    handler.over.wait()
    handler.close_connection = True


def cut(share: float, *, clean: bool = False) -> Act:
    """The first part of the answer, then the connection's end; clean: as if that were all of it."""
    def act(handler, body) -> None:
        answer = answered(handler.path, body)
        whole = ("".join(answer.body) if answer.stream else json.dumps(answer.body)).encode()
        part = whole[:int(len(whole) * share)]
        if clean:
            part = part[:part.rfind(b"\n\n") + 2]
        kind = "text/event-stream" if answer.stream else "application/json"
        # said, not just done: a client that does not know of the end may send its next request into it
        send(handler, 200, part, kind, connection="close", **{"content-length": len(part if clean else whole)})
    return act


def spoilt(**changes: Any) -> Act:
    """The answer with other fields; message: with other fields of the message."""
    def act(handler, body) -> None:
        answer = answered(handler.path, body).body
        answer["choices"][0]["message"] |= changes.get("message", {})
        rest = {name: value for name, value in changes.items() if name != "message"}
        send(handler, 200, json.dumps({**answer, **rest}).encode())
    return act


def without_usage(handler, body) -> None:
    """The answer of an endpoint that never says how many tokens there were, and takes no stream_options for it."""
    if "stream_options" in body:
        status(400, "Unrecognized request argument: stream_options")(handler, body)
    elif body.get("stream"):
        well(handler, body)
    else:
        spoilt(usage=None)(handler, body)


def one_system_message(handler, body) -> None:
    """The answer, but to a second system message."""
    roles = [message["role"] for message in body["messages"]]
    if roles.count("system") + roles.count("developer") > 1:
        status(400, "Conversation roles must alternate: only one system message is allowed")(handler, body)
    else:
        well(handler, body)
