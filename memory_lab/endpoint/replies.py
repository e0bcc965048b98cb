"""What an answer's bytes say, plain or streamed: its text, its calls, its usage, and whether it is whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple


class Reply(NamedTuple):
    """text, refusal: "" for none.  calls: the tool calls' names and arguments, as text.  finish: the API's word for why
    it ended ("" where it did not say).  usage: as reported, None where it was not, or makes no sense.  vectors: it has
    embeddings.  streamed: it came in pieces."""

    text: str = ""
    refusal: str = ""
    calls: str = ""
    finish: str = ""
    usage: dict[str, int] | None = None
    vectors: bool = False
    streamed: bool = False

    @property
    def said(self) -> str:
        """All that the model wrote."""
        return self.text + self.refusal + self.calls

    @property
    def whole(self) -> bool:
        """Whether it came to its end.  Only a stream can break off and still be read."""
        return bool(self.finish) or not self.streamed


def read_reply(data: bytes) -> Reply | None:
    """The reply that the bytes of an answer are; None for what is none, such as a web page.

    >>> read_reply(b'{"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}').text
    'Hi'
    >>> read_reply(b'<html>') is None
    True
    """
    try:
        if data.lstrip()[:1] != b"{":
            return _joined(list(_events(data)), True)
        body = json.loads(data)
        if body.get("data") is not None:
            return Reply(usage=_usage(body.get("usage")), vectors=True) if body["data"] else None
        return _joined([body], False)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.decode("utf-8", "replace").split("\n"):
        if line.startswith("data:") and line[5:].strip() != "[DONE]":
            try:
                yield json.loads(line[5:])
            except ValueError:  # it broke off inside of it
                return


def _joined(parts: list[dict[str, Any]], streamed: bool) -> Reply | None:
    """One reply of one answer, or of a stream's chunks."""
    text, refusal, calls, finish, usage, choices = "", "", "", "", None, 0
    for part in parts:
        usage = _usage(part.get("usage")) or usage
        for choice in part.get("choices") or ():
            choices += 1
            message = choice.get("message") or choice.get("delta") or {}
            text += message.get("content") or ""
            refusal += message.get("refusal") or ""
            for call in message.get("tool_calls") or ():
                function = call.get("function") or {}
                calls += (function.get("name") or "") + (function.get("arguments") or "")
            finish = choice.get("finish_reason") or finish
    return Reply(text, refusal, calls, finish, usage, streamed=streamed) if choices else None


def _usage(given: Any) -> dict[str, int] | None:
    """Its tokens by name, cached ones included; None for what does not add up."""
    if not isinstance(given, dict):
        return None
    details = given.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    prompt, completion = given.get("prompt_tokens"), given.get("completion_tokens") or 0
    if not all(type(number) is int and number >= 0 for number in (prompt, completion)) or not prompt + completion:
        return None
    cached = cached if type(cached) is int and 0 <= cached <= prompt else 0
    return {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached}


def is_json(text: str) -> bool:
    """Whether the text is a JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def code_of(data: bytes) -> str:
    """The error's code in an answer's bytes, behind a comma; "" where there is none.

    >>> code_of(b'{"error": {"message": "Too long.", "code": "context_length_exceeded"}}')
    ', context_length_exceeded'
    """
    try:
        code = json.loads(data)["error"]["code"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return f", {code}" if isinstance(code, str) and code else ""
