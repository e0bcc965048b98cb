"""The offline model's HTTP face: what the OpenAI API would answer, errors included, to one request.

Speaks /chat/completions (plain and streamed), /embeddings and /models. Deterministic: ids are hashes of the request,
created is 0, temperature and seed are accepted and change nothing. `respond` knows no HTTP library, so that the same
model stands behind the client's own transport (transport below) and behind `memory-lab serve`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from ..errors import MessageError
from ..messages import check_messages
from ..tokens import TokenCounter

MODELS = {"offline": 128_000, "offline-4k": 4_096, "offline-8k": 8_192, "offline-16k": 16_384, "offline-32k": 32_768}
EMBEDDING_MODEL = "offline-embedding"
EMBEDDING_WINDOW = 8_191


class Answer(NamedTuple):
    """status: HTTP's; body: the JSON value, or for a stream the list of server-sent events as text."""

    status: int
    body: Any
    stream: bool = False
    headers: dict[str, str] = {}


class _Refused(Exception):
    def __init__(self, status: int, message: str, *, param: str | None = None, code: str | None = None):
        super().__init__(message)
        kind = "server_error" if status >= 500 else "invalid_request_error"
        self.answer = Answer(status, {"error": {"message": message, "type": kind, "param": param, "code": code}})


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
            _known(name, (*MODELS, EMBEDDING_MODEL))
            return Answer(200, _model(name))
        for end, handler in (("/chat/completions", _chat), ("/embeddings", _embeddings)):
            if path.endswith(end):
                if method != "POST":
                    raise _Refused(405, f"Not allowed to {method} on {end} (use POST).")
                return handler(_json(body), said) if handler is _chat else handler(_json(body))
        raise _Refused(404, f"Unknown request URL: {method} {path}.", code="unknown_url")
    except _Refused as refused:
        return refused.answer


def _json(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _Refused(400, f"We could not parse the JSON body of your request: {error}") from error
    if not isinstance(value, dict):
        raise _Refused(400, "The body of your request must be a JSON object.")
    return value


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "memory-lab"}


def _known(name: Any, models) -> None:
    if name not in models:
        raise _Refused(404, f"The model `{name}` does not exist offline: use one of {', '.join(models)}.",
                       param="model", code="model_not_found")


def _id(prefix: str, request: Any) -> str:
    canonical = json.dumps(request, sort_keys=True, ensure_ascii=False)
    return prefix + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@lru_cache
def counter() -> TokenCounter:
    return TokenCounter()


@lru_cache(maxsize=50_000)
def _plain_message(role: str, content: str, name: str | None) -> int:
    message = {"role": role, "content": content}
    return counter().message(message | {"name": name} if name else message)


def prompt_tokens(request: dict[str, Any]) -> int:
    """Tokens of the request's messages, and of its tools as JSON (an estimate: the API does not publish their form)."""
    count = counter()
    total = count.base
    for message in request["messages"]:
        content = message.get("content")
        if isinstance(content, str) and not message.get("tool_calls"):
            total += _plain_message(message["role"], content, message.get("name"))
        else:
            total += count.message(message)
    return total + (count.text(json.dumps(request["tools"], ensure_ascii=False)) if request.get("tools") else 0)


def _chat(request: dict[str, Any], scripted: str | dict[str, Any] | None = None) -> Answer:
    from .model import reply

    _known(request.get("model"), tuple(MODELS))
    messages = request.get("messages")
    if not isinstance(messages, list):
        raise _Refused(400, "Missing required parameter: 'messages', a list.", param="messages", code="missing_required_parameter")
    try:
        check_messages(messages)
        prompt = prompt_tokens(request)
    except MessageError as error:
        raise _Refused(400, f"Invalid 'messages': {error}", param="messages", code="invalid_value") from error
    cap = _cap(request)
    _check_options(request)
    window = MODELS[request["model"]]
    if prompt + (cap or 1) > window:
        wanted = f"you requested {prompt + cap} tokens ({prompt} in the messages, {cap} in the completion)" if cap else \
            f"your messages resulted in {prompt} tokens"
        raise _Refused(400, f"This model's maximum context length is {window} tokens. However, {wanted}. "
                            "Please reduce the length of the messages.", param="messages", code="context_length_exceeded")
    room = cap or window - prompt
    if isinstance(scripted, dict):
        message, used = {"role": "assistant", "content": None} | scripted, counter().message(scripted)
        finish = "tool_calls" if message.get("tool_calls") else "stop"
    else:
        from .model import Reply

        message, finish, used = _message(request, reply(request, room, counter()) if scripted is None else Reply(scripted), room)
    head = {"id": _id("chatcmpl-", request), "created": 0, "model": request["model"], "system_fingerprint": "offline"}
    usage = {"prompt_tokens": prompt, "completion_tokens": used, "total_tokens": prompt + used,
             "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
             "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0,
                                           "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}
    if request.get("stream"):
        wants_usage = bool((request.get("stream_options") or {}).get("include_usage"))
        return Answer(200, list(_events(head, message, finish, usage if wants_usage else None)), stream=True)
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return Answer(200, head | {"object": "chat.completion", "choices": [choice], "usage": usage})


def _cap(request: dict[str, Any]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        value = request.get(name)
        if value is not None:
            if type(value) is not int or value < 1:
                raise _Refused(400, f"Invalid '{name}': an integer of 1 or more, not {value!r}.", param=name, code="invalid_value")
            return value
    return None


def _check_options(request: dict[str, Any]) -> None:
    if request.get("n") not in (None, 1):
        raise _Refused(400, "Invalid 'n': the offline model gives one choice.", param="n", code="unsupported_value")
    temperature = request.get("temperature")
    if temperature is not None and (isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 <= temperature <= 2):
        raise _Refused(400, f"Invalid 'temperature': a number from 0 to 2, not {temperature!r}.", param="temperature", code="invalid_value")
    form = request.get("response_format")
    if form is not None:
        if not isinstance(form, dict) or form.get("type") not in ("text", "json_object", "json_schema"):
            raise _Refused(400, "Invalid 'response_format': its type is text, json_object or json_schema.", param="response_format", code="invalid_value")
        schema = form.get("json_schema")
        if form["type"] == "json_schema" and not (isinstance(schema, dict) and schema.get("name") and isinstance(schema.get("schema"), dict)):
            raise _Refused(400, "Invalid 'response_format': json_schema needs a name and a schema.", param="response_format", code="invalid_value")
    tools = request.get("tools")
    if tools is not None and not (isinstance(tools, list) and tools and all(
            isinstance(tool, dict) and tool.get("type") == "function" and isinstance((tool.get("function") or {}).get("name"), str) for tool in tools)):
        raise _Refused(400, "Invalid 'tools': a list of {type: function, function: {name, ...}}.", param="tools", code="invalid_value")
    choice = request.get("tool_choice")
    if choice is not None and not tools and choice != "none":
        raise _Refused(400, "Invalid 'tool_choice': only with 'tools'.", param="tool_choice", code="invalid_value")
    if isinstance(choice, dict) and (choice.get("function") or {}).get("name") not in {tool["function"]["name"] for tool in tools}:
        raise _Refused(400, "Invalid 'tool_choice': no such function in 'tools'.", param="tool_choice", code="invalid_value")


def _message(request: dict[str, Any], said, room: int) -> tuple[dict[str, Any], str, int]:
    """The message, why it ended, and its tokens: cut after `room` tokens, never inside a character."""
    if said.calls:
        calls = [{"id": _id("call_", [request["messages"], i]), "type": "function", "function": {"name": name, "arguments": arguments}}
                 for i, (name, arguments) in enumerate(said.calls)]
        used = sum(counter().text(name) + counter().text(arguments) for name, arguments in said.calls)
        return {"role": "assistant", "content": None, "tool_calls": calls, "refusal": None}, "tool_calls", used
    text, finish = said.content or "", "length" if said.cut else "stop"
    stops = request.get("stop") or []
    for stop in [stops] if isinstance(stops, str) else stops:
        text = text.partition(stop)[0]
    used = counter().text(text)
    if used > room:
        text, finish = _head(text, room), "length"
        used = counter().text(text)
    return {"role": "assistant", "content": text, "refusal": None}, finish, used


def _head(text: str, room: int) -> str:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if counter().text(text[:middle]) <= room else (low, middle - 1)
    return text[:low]


def _events(head: dict[str, Any], message: dict[str, Any], finish: str, usage: dict[str, Any] | None) -> Iterator[str]:
    def event(delta: dict[str, Any] | None, reason: str | None = None, used: dict[str, Any] | None = None) -> str:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}]
        chunk = head | {"object": "chat.completion.chunk", "choices": choices} | ({"usage": used} if usage else {})
        return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"

    yield event({"role": "assistant", "content": "" if message["content"] is not None else None})
    for index, call in enumerate(message.get("tool_calls", ())):
        yield event({"tool_calls": [{"index": index, **call}]})
    text = message["content"] or ""
    size = 4 if len(text) < 4_000 else 400  # characters a chunk: enough chunks to see a stream, few enough to be quick
    for start in range(0, len(text), size):
        yield event({"content": text[start:start + size]})
    yield event({}, finish)
    if usage:
        yield event(None, None, usage)
    yield "data: [DONE]\n\n"


def _embeddings(request: dict[str, Any]) -> Answer:
    from .embedding import DIMENSIONS, embed

    _known(request.get("model"), (EMBEDDING_MODEL, "offline"))
    given = request.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise _Refused(400, "Invalid 'input': a text, or a list of texts, none of them empty.", param="input", code="invalid_value")
    size = request.get("dimensions", DIMENSIONS)
    if type(size) is not int or not 1 <= size <= DIMENSIONS:
        raise _Refused(400, f"Invalid 'dimensions': an integer from 1 to {DIMENSIONS}.", param="dimensions", code="invalid_value")
    try:
        used = [counter().text(text) for text in texts]
    except MessageError as error:
        raise _Refused(400, f"Invalid 'input': {error}", param="input", code="invalid_value") from error
    if max(used) > EMBEDDING_WINDOW:
        raise _Refused(400, f"This model's maximum context length is {EMBEDDING_WINDOW} tokens, however you requested {max(used)} tokens.",
                       param="input", code="context_length_exceeded")
    data = [{"object": "embedding", "index": i, "embedding": _coded(embed(text, size), request.get("encoding_format"))} for i, text in enumerate(texts)]
    return Answer(200, {"object": "list", "data": data, "model": request["model"], "usage": {"prompt_tokens": sum(used), "total_tokens": sum(used)}})


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
            return httpx2.Response(found.status, headers={"content-type": "text/event-stream"} | found.headers, content="".join(found.body).encode())
        return httpx2.Response(found.status, json=found.body, headers=found.headers)

    return httpx2.MockTransport(handle)
