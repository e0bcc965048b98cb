"""The local model as an OpenAI-compatible server: each request in the style that it needs, answered by llama.cpp.

"local" puts each request into style.py's words; "local-raw" hands it to the model's own chat template unchanged, which
is what other programs know as a chat model.  Both have a second name, for who reaches them by an address: connect()
starts the first two itself.  Embeddings are the offline model's: this one has none.  A stream passes as it comes.
Chapter 12.
"""

from __future__ import annotations

import atexit
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from ..offline.requests import Answer
from ..offline.server import respond as offline
from ..serve import Server
from ..serve import make_server as _make
from . import engine
from .style import read, styled, task

NAMES = ("local", "local-raw", "smollm2", "smollm2-raw")
RAW_TOKENS = 100  # of a reply where no cap is given: this model does not always find an end
SLOW = 600  # seconds that one reply may take on a busy machine
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback is behind no proxy
_lock = threading.Lock()
_running: list[Server] = []


def respond(method: str, path: str, body: bytes) -> Answer:
    """The answer to one request: chat by the model, models by name, embeddings by the offline model."""
    end = path.rstrip("/").partition("?")[0]
    if method == "GET" and end.endswith("/models"):
        return Answer(200, {"object": "list", "data": [_named(name) for name in NAMES]})
    if method == "GET" and end.rpartition("/")[2] in NAMES:
        return Answer(200, _named(end.rpartition("/")[2]))
    if method != "POST" or not end.endswith("/chat/completions"):
        return offline(method, path, body)
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        return _refused(400, f"We could not parse the JSON body of your request: {error}")
    messages = request.get("messages") if isinstance(request, dict) else None
    if not isinstance(messages, list) or not messages or not all(isinstance(each, dict) for each in messages):
        return _refused(400, "'messages' must be a list of messages, at least one.")
    if request.get("model") not in NAMES:
        return _refused(404, f"The model `{request.get('model')}` does not exist here: use {', '.join(NAMES)}.")
    raw = request["model"].endswith("-raw")
    try:
        return _asked(request, raw)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        return _refused(400, f"This request cannot be read: {type(error).__name__}: {error}")


def _asked(request: dict[str, Any], raw: bool) -> Answer:
    sent = {"temperature": 0, "seed": 0, "max_tokens": RAW_TOKENS, **request} if raw else styled(request)
    # a form or a summary is read as a whole, so it cannot come in pieces
    streamed = bool(request.get("stream")) and (raw or task(request) == "answer")
    if request.get("stream") and not streamed:
        return _refused(400, "The local model streams answers alone, no summaries and facts: leave out 'stream'.")
    call = urllib.request.Request(f"{engine.start()}/v1/chat/completions", json.dumps(sent).encode(),
                                  {"content-type": "application/json"})
    try:
        reply = _direct.open(call, timeout=SLOW)
    except urllib.error.HTTPError as error:
        with error:
            return _passed_on(error.code, error.read())
    if streamed:
        return Answer(200, _lines(reply), stream=True)
    with reply:
        answer = json.load(reply)
    return Answer(200, {**(answer if raw else read(request, answer)), "model": request["model"]})


def _passed_on(status: int, body: bytes) -> Answer:
    """What llama.cpp refused, under the API's code for a context that is too long."""
    try:
        said = json.loads(body)["error"]
        message, kind = said["message"], said.get("type")
    except (ValueError, KeyError, TypeError, AttributeError):
        message, kind = body[:200].decode("utf-8", "replace"), None
    return _refused(status, f"llama.cpp: {message}",
                    code="context_length_exceeded" if kind == "exceed_context_size_error" else None)


def _lines(reply: Any) -> Iterator[str]:
    with reply:
        for line in reply:
            yield line.decode("utf-8", "replace")


def _named(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "memory-lab"}


def _refused(status: int, message: str, code: str | None = None) -> Answer:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return Answer(status, {"error": {"message": message, "type": kind, "param": None, "code": code}})


def make_server(port: int = 0) -> Server:
    """A server that is bound and not running yet: call serve_forever(), shutdown(), server_close().

    port: 0 takes one that is free; .url says which.  Raises SettingError for one that cannot be had, and where the
    extra `local` is not installed.
    """
    engine.start()
    return _make(port, respond)


def address() -> str:
    """The base_url of the local model in this process: started on first use, one a process, ended with it.

    Raises SettingError where the extra `local` is not installed.
    """
    with _lock:
        if not _running:
            server = make_server()
            threading.Thread(target=server.serve_forever, name="memory-lab local", daemon=True).start()
            _running.append(server)
            atexit.register(_end)
        return _running[0].url


def _end() -> None:
    while _running:
        server = _running.pop()
        server.shutdown()
        server.server_close()
