"""What a request asks of a model, in figures: its prompt's tokens, and the most that the reply may have."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ..errors import MessageError
from ..tokens import TokenCounter

CAPS = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True)
class Call:
    """One request to a model.

    key: names it.  prompt: tokens, counted here.  most: tokens that the reply may have, of all its choices (0 for
    embeddings).  capped: by a limit of ours.  stream: it comes in pieces.  json: the reply is to be JSON.
    """

    model: str
    key: bytes
    prompt: int
    most: int
    capped: bool
    stream: bool
    json: bool

    @classmethod
    def of(cls, body: dict[str, Any], count: TokenCounter, max_tokens: int, capped: bool = False) -> Call:
        """The call that a body makes.  max_tokens: for a chat request that caps its reply by nothing."""
        text = json.dumps(body, sort_keys=True)
        most = 0 if "input" in body else cap(body) or max_tokens
        return cls(str(body.get("model")), hashlib.sha256(text.encode()).digest(), prompt_tokens(body, count),
                   most * (body.get("n") or 1), capped, bool(body.get("stream")), wants_json(body))


def cap(body: dict[str, Any]) -> int:
    """Tokens that one reply may have by the request's own words, 0 for no cap."""
    return next((body[name] for name in CAPS if type(body.get(name)) is int), 0)


def wants_json(body: dict[str, Any]) -> bool:
    """Whether the reply has to be JSON."""
    form = body.get("response_format")
    return isinstance(form, dict) and form.get("type", "text") != "text"


def prompt_tokens(body: dict[str, Any], count: TokenCounter) -> int:
    """Tokens of all that is sent; tools and forms, whose wording no API publishes, count as their JSON."""
    given = body.get("input")
    if given is not None:
        return sum(count.text(each) if isinstance(each, str) else len(each)
                   for each in ([given] if isinstance(given, str) else given))
    extra = [body[name] for name in ("tools", "response_format") if body.get(name)]
    tokens = sum(count.text(json.dumps(each, ensure_ascii=False)) for each in extra)
    try:
        return tokens + count(body.get("messages") or [])
    except MessageError:  # the endpoint will say what is wrong with it
        return tokens + len(json.dumps(body.get("messages")))
