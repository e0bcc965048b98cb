"""The offline model's HTTP face: what the OpenAI API would answer, errors included, to one request.

Speaks /chat/completions (plain and streamed), /embeddings and /models. Deterministic: ids are hashes of the request,
created is 0, temperature and seed are accepted and change nothing. `respond` knows no HTTP library, so that the same
model stands behind the client's own transport (transport below) and behind `memory-lab serve`.
"""

from __future__ import annotations

import json
from typing import Any

from ..errors import MessageError
from .chat import chat_answer, counter
from .requests import EMBEDDING_MODEL, EMBEDDING_WINDOW, MODELS, Answer, Refused, check_model


def respond(method: str, path: str, body: bytes, *, said: str | dict[str, Any] | None = None) -> Answer:
    """The answer to one request; never raises for what a client may send.

    said: a reply to give instead of the model's own, as text or as a message (for memory_lab.testing).
    """
    path = path.rstrip("/").partition("?")[0]
    try:
        if method == "GET" and path.endswith("/models"):
            return Answer(200, {"object": "list", "data": [_model(name) for name in (*MODELS, EMBEDDING_MODEL)]})
        if method == "GET" and "/models/" in path:
            name = path.rpartition("/")[2]
            check_model(name, (*MODELS, EMBEDDING_MODEL))
            return Answer(200, _model(name))
        for end, handler in (("/chat/completions", chat_answer), ("/embeddings", _embeddings)):
            if path.endswith(end):
                if method != "POST":
                    raise Refused(405, f"Not allowed to {method} on {end} (use POST).")
                return handler(_json(body), said) if handler is chat_answer else handler(_json(body))
        raise Refused(404, f"Unknown request URL: {method} {path}.", code="unknown_url")
    except Refused as refused:
        return refused.answer


def _json(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"We could not parse the JSON body of your request: {error}") from error
    if not isinstance(value, dict):
        raise Refused(400, "The body of your request must be a JSON object.")
    return value


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "memory-lab"}


def _embeddings(request: dict[str, Any]) -> Answer:
    from .embedding import DIMENSIONS, embed

    check_model(request.get("model"), (EMBEDDING_MODEL, "offline"))
    given = request.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise Refused(
            400, "Invalid 'input': a text, or a list of texts, none of them empty.", param="input", code="invalid_value"
        )
    size = request.get("dimensions", DIMENSIONS)
    if type(size) is not int or not 1 <= size <= DIMENSIONS:
        raise Refused(
            400, f"Invalid 'dimensions': an integer from 1 to {DIMENSIONS}.", param="dimensions", code="invalid_value"
        )
    try:
        used = [counter().text(text) for text in texts]
    except MessageError as error:
        raise Refused(400, f"Invalid 'input': {error}", param="input", code="invalid_value") from error
    if max(used) > EMBEDDING_WINDOW:
        raise Refused(
            400,
            f"This model's maximum context length is {EMBEDDING_WINDOW} tokens, however you requested {max(used)}.",
            param="input",
            code="context_length_exceeded",
        )
    data = [
        {"object": "embedding", "index": i, "embedding": _coded(embed(text, size), request.get("encoding_format"))}
        for i, text in enumerate(texts)
    ]
    return Answer(
        200,
        {
            "object": "list",
            "data": data,
            "model": request["model"],
            "usage": {"prompt_tokens": sum(used), "total_tokens": sum(used)},
        },
    )


def _coded(vector: list[float], form: str | None) -> list[float] | str:
    if form != "base64":
        return vector
    import base64
    import struct

    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def transport(answer=respond):
    """httpx2's transport with the offline model behind it, for a sync or an async client."""
    import httpx2

    def handle(request) -> Any:
        found = answer(request.method, request.url.path, request.content)
        if found.stream:
            return httpx2.Response(
                found.status,
                headers={"content-type": "text/event-stream"} | dict(found.headers),
                content="".join(found.body).encode(),
            )
        return httpx2.Response(found.status, json=found.body, headers=dict(found.headers))

    return httpx2.MockTransport(handle)
