"""A layer for endpoints that take a request only in a form of their own: what they refuse is put another way.

Each repair is tried only after an endpoint refused a request and named the matter; then it holds for that model, and
.made says so.  What a repair changes is the form: no message is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx2

from ..messages import text_of
from .layers import Forward, asked, with_body

Body = dict[str, Any]
REFUSED = (400, 422, 500)  # templates of local servers fail with 500
FIRST = ("system", "developer")


class Repair(NamedTuple):
    """words: what was done, for the user.  about: one of these stands in the refusal.  change: gives the other body, or
    the same one where there is nothing to repair."""

    words: str
    about: tuple[str, ...]
    change: Callable[[Body], Body]


def one_system(body: Body) -> Body:
    """All instructions as one system message, in order, at the front.

    >>> one_system({"messages": [{"role": "system", "content": "A"}, {"role": "developer", "content": "B"}]})
    {'messages': [{'role': 'system', 'content': 'A\\n\\nB'}]}
    """
    messages = body.get("messages") or []
    own = [message for message in messages if message["role"] in FIRST]
    if not own or (len(own) == 1 and messages[0] is own[0] and own[0]["role"] == "system"):
        return body
    joined = {"role": "system", "content": "\n\n".join(map(text_of, own))}
    return {**body, "messages": [joined, *(message for message in messages if message["role"] not in FIRST)]}


def no_system(body: Body) -> Body:
    """The instructions as the beginning of the first user message.

    >>> no_system({"messages": [{"role": "system", "content": "A"}, {"role": "user", "content": "B"}]})
    {'messages': [{'role': 'user', 'content': 'A\\n\\nB'}]}
    """
    messages = one_system(body).get("messages") or []
    if len(messages) < 2 or messages[0]["role"] != "system" or messages[1]["role"] != "user":
        return body
    content = messages[1]["content"]
    content = f"{text_of(messages[0])}\n\n{content}" if isinstance(content, str) else \
        [{"type": "text", "text": text_of(messages[0])}, *content]
    return {**body, "messages": [{**messages[1], "content": content}, *messages[2:]]}


def alternating(body: Body) -> Body:
    """Neighbours that the same side wrote as one message, where both are plain text.

    >>> alternating({"messages": [{"role": "user", "content": "A"}, {"role": "user", "content": "B"}]})
    {'messages': [{'role': 'user', 'content': 'A\\n\\nB'}]}
    """
    joined: list[dict[str, Any]] = []
    for message in body.get("messages") or []:
        last = joined[-1] if joined else {}
        plain = all(set(each) == {"role", "content"} and isinstance(each["content"], str) for each in (last, message))
        if plain and last["role"] == message["role"] in ("user", "assistant"):
            joined[-1] = {**last, "content": f"{last['content']}\n\n{message['content']}"}
        else:
            joined.append(message)
    return body if len(joined) == len(body.get("messages") or []) else {**body, "messages": joined}


def other_cap(body: Body) -> Body:
    """The reply's cap under its newer name."""
    if "max_tokens" not in body:
        return body
    rest = {name: value for name, value in body.items() if name != "max_tokens"}
    return {**rest, "max_completion_tokens": body["max_tokens"]}


def without(name: str) -> Callable[[Body], Body]:
    """A change that leaves out one setting."""
    return lambda body: {key: value for key, value in body.items() if key != name} if name in body else body


def form_in_words(body: Body) -> Body:
    """The form that the reply must have, asked for in words at the end of the instructions."""
    form = body.get("response_format")
    if not form:
        return body
    schema = form.get("json_schema", {}).get("schema")
    words = "Answer with one JSON object and nothing else" + (f", of this schema: {json.dumps(schema)}" if schema
                                                              else ".")
    rest = without("response_format")(body)
    return one_system({**rest, "messages": [*rest["messages"], {"role": "system", "content": words}]})


REPAIRS = (
    Repair("the reply's cap was sent as max_completion_tokens", ("max_completion_tokens",), other_cap),
    Repair("temperature was left out", ("temperature",), without("temperature")),
    Repair("stream_options were left out", ("stream_options", "include_usage"), without("stream_options")),
    Repair("the JSON form was asked for in words", ("response_format", "json_schema", "guided"), form_in_words),
    Repair("the system message was put into the first user message",
           ("system role not supported", "system messages are not supported", "does not support system"), no_system),
    Repair("system messages were joined into one", ("system message", "system prompt", "role", "developer"),
           one_system),
    Repair("neighbouring messages of one side were joined", ("alternat",), alternating),
)


class Quirks:
    """A layer that repairs what an endpoint refuses for its form.  made: the repairs that helped, in words.

    One more request for each repair that is tried, once a model.  A refusal that no repair helps is handed on as it is.
    """

    def __init__(self):
        self.made: list[str] = []
        self._known: dict[Any, list[Repair]] = {}

    def __call__(self, request: httpx2.Request, forward: Forward) -> httpx2.Response:
        """The response to the request, or to the first form of it that is taken."""
        body = asked(request)
        if body is None or "messages" not in body:
            return forward(request)
        known = self._known.get(body.get("model"), [])
        for repair in known:
            body = repair.change(body)
        response = first = forward(with_body(request, body) if known else request)
        tried: list[Repair] = []
        while response.status_code in REFUSED:
            response.read()
            repair = self._helpful(response.text.lower(), body, [*known, *tried])
            if repair is None:
                return first
            tried, body = [*tried, repair], repair.change(body)
            response = forward(with_body(request, body))
        if tried and response.status_code < 400:
            self._known[body.get("model")] = [*known, *tried]
            self.made += [each.words for each in tried if each.words not in self.made]
        return response

    def _helpful(self, refusal: str, body: Body, done: list[Repair]) -> Repair | None:
        return next((repair for repair in REPAIRS if repair not in done and repair.change(body) is not body
                     and any(word in refusal for word in repair.about)), None)
