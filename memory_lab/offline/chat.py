"""One answer of /chat/completions: checked, counted, said, cut to its limit, and streamed if so asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..errors import MessageError
from ..messages import check_messages
from ..tokens import TokenCounter
from .requests import MODELS, Answer, Refused, check_model, check_options, output_cap


def _id(prefix: str, request: Any) -> str:
    canonical = json.dumps(request, sort_keys=True, ensure_ascii=False)
    return prefix + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@lru_cache
def counter() -> TokenCounter:
    """The one counter that bills all requests."""
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


def chat_answer(request: dict[str, Any], scripted: str | dict[str, Any] | None = None) -> Answer:
    """The answer to a request of /chat/completions.  Raises Refused for what the API would refuse."""
    from .model import reply

    check_model(request.get("model"), tuple(MODELS))
    messages = request.get("messages")
    if not isinstance(messages, list):
        raise Refused(
            400, "Missing required parameter: 'messages', a list.", param="messages", code="missing_required_parameter"
        )
    try:
        check_messages(messages)
        prompt = prompt_tokens(request)
    except MessageError as error:
        raise Refused(400, f"Invalid 'messages': {error}", param="messages", code="invalid_value") from error
    cap = output_cap(request)
    check_options(request)
    window = MODELS[request["model"]]
    if prompt + (cap or 1) > window:
        wanted = (
            f"you requested {prompt + cap} tokens ({prompt} in the messages, {cap} in the completion)"
            if cap
            else f"your messages resulted in {prompt} tokens"
        )
        raise Refused(
            400,
            f"This model's maximum context length is {window} tokens. However, {wanted}. "
            "Please reduce the length of the messages.",
            param="messages",
            code="context_length_exceeded",
        )
    room = cap or window - prompt
    if isinstance(scripted, dict):
        message, used = {"role": "assistant", "content": None} | scripted, counter().message(scripted)
        finish = "tool_calls" if message.get("tool_calls") else "stop"
    else:
        from .model import Reply

        message, finish, used = _message(
            request, reply(request, room, counter()) if scripted is None else Reply(scripted), room
        )
    head = {"id": _id("chatcmpl-", request), "created": 0, "model": request["model"], "system_fingerprint": "offline"}
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": used,
        "total_tokens": prompt + used,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
    if request.get("stream"):
        wants_usage = bool((request.get("stream_options") or {}).get("include_usage"))
        return Answer(200, list(_events(head, message, finish, usage if wants_usage else None)), stream=True)
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return Answer(200, head | {"object": "chat.completion", "choices": [choice], "usage": usage})


def _message(request: dict[str, Any], said, room: int) -> tuple[dict[str, Any], str, int]:
    """The message, why it ended, and its tokens: cut after `room` tokens, never inside a character."""
    if said.calls:
        calls = [
            {
                "id": _id("call_", [request["messages"], i]),
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for i, (name, arguments) in enumerate(said.calls)
        ]
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
        yield event({"content": text[start : start + size]})
    yield event({}, finish)
    if usage:
        yield event(None, None, usage)
    yield "data: [DONE]\n\n"
