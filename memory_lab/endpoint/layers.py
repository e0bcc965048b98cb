"""An http client whose requests pass through layers: functions that see each request and its response.

A layer is called with (request, forward): it may change the request, answer it itself, or look at what forward gives.
The openai client's own retries stand outside of all layers, so a layer sees each attempt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import httpx2

Forward = Callable[[httpx2.Request], httpx2.Response]
Layer = Callable[[httpx2.Request, Forward], httpx2.Response]
PATHS = ("/chat/completions", "/embeddings")
CAPPED = "memory_lab.capped"  # in a request's extensions: a layer further in has limited the reply's length
_FORMS = ("content-encoding", "content-length", "transfer-encoding")  # of bytes that are unpacked by now


def layered(make: type[httpx2.Client], layers: Sequence[Layer]) -> type[httpx2.Client]:
    """The http client class, whose requests pass through the layers, the first outermost."""

    class Layered(make):
        def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            def step(number: int, request: httpx2.Request) -> httpx2.Response:
                if number == len(layers):
                    return super(Layered, self).send(request, **options)
                return layers[number](request, partial(step, number + 1))

            return step(0, request)

    return Layered


def asked(request: httpx2.Request) -> dict[str, Any] | None:
    """The body of a request that a model is asked with; None for every other request."""
    if request.method != "POST" or not request.url.path.endswith(PATHS):
        return None
    body = json.loads(request.content)
    return body if isinstance(body, dict) else None


def with_body(request: httpx2.Request, body: dict[str, Any]) -> httpx2.Request:
    """The request with another body."""
    headers = {name: value for name, value in request.headers.items() if name not in _FORMS}
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return httpx2.Request(request.method, request.url, headers=headers, content=content, extensions=request.extensions)


def watched(response: httpx2.Response, done: Callable[[bytes], None]) -> httpx2.Response:
    """The response; done(the body's bytes) is called once, when all have come, or it breaks off, or nobody reads on.

    A stream is passed on as it comes.
    """
    if response.is_closed:  # read already, or no stream at all
        done(response.content)
        return response
    headers = {name: value for name, value in response.headers.items() if name not in _FORMS}
    return httpx2.Response(response.status_code, headers=headers, stream=_Watched(response, done),
                           request=response.request)


class _Watched(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, done: Callable[[bytes], None]):
        self._response, self._done, self._pieces = response, done, []

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._response.iter_bytes():
            self._pieces.append(piece)
            yield piece

    def close(self) -> None:
        self._response.close()
        done, self._done = self._done, None
        if done is not None:
            done(b"".join(self._pieces))
