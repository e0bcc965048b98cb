"""One client for every model: the offline one, a local one, or any endpoint that speaks the OpenAI API.

All calls of the package go through the real openai client; what is behind it differs:
    connect("offline")   a deterministic model in this process, without a key or a network (memory_lab.offline)
    connect("local")     a real small language model on this machine, extra `local` (memory_lab.local)
    connect()            what the environment or a .env file says; the offline model when it says nothing

Environment: OPENAI_API_KEY, OPENAI_BASE_URL, MEMORY_LAB_MODEL, and to name models apart MEMORY_LAB_SUMMARY_MODEL,
MEMORY_LAB_EXTRACTION_MODEL, MEMORY_LAB_EMBEDDING_MODEL. A .env file in the working directory may hold the same
names; a variable that is set wins over it. Chapter 4.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .errors import EndpointError, ModelOutputError, SettingError
from .messages import Message

OFFLINE_URL = "http://offline.invalid/v1"
LOCAL = ("local", "local-raw")
_EMBEDDING = {"offline": "offline-embedding", "api": "text-embedding-3-small"}


class Models(NamedTuple):
    """The model's name for each task; summary and extraction may be cheaper ones than the chat's."""

    chat: str
    summary: str
    extraction: str
    embedding: str


def models(model: str | None = None) -> Models:
    """The model names for a connection, from the environment; `model` is the chat's where nothing else is said.

    >>> models("offline")
    Models(chat='offline', summary='offline', extraction='offline', embedding='offline-embedding')
    """
    if model is not None and model.startswith("offline"):  # an explicit choice: the environment names other models
        return Models(model, model, model, _EMBEDDING["offline"])
    settings = _settings()
    chat_model = model or settings.get("MEMORY_LAB_MODEL") or "offline"
    if chat_model in LOCAL:  # served here, and so is nothing that the environment names for a task
        return Models(chat_model, chat_model, chat_model, _EMBEDDING["offline"])
    own = "offline" if chat_model.startswith("offline") else "api"
    return Models(chat_model, *(settings.get(f"MEMORY_LAB_{task}_MODEL") or default for task, default in (
        ("SUMMARY", chat_model), ("EXTRACTION", chat_model), ("EMBEDDING", _EMBEDDING[own]))))


def connect(model: str | None = None, *, layers: Sequence[Any] = (), **options: Any):
    """An openai.OpenAI client; its `models_` attribute names the model for each task.

    model: "offline" (or "offline-4k", "offline-8k" ...: a smaller window), "local" (memory_lab.local), the name of a
    model at the endpoint that the environment names, or None: what MEMORY_LAB_MODEL says, "offline" without it.
    layers: what each request passes through: a spending limit, a cache (memory_lab.endpoint).  options: what
    openai.OpenAI takes (timeout, max_retries).
    Raises SettingError for a model that needs a key or an address which are not set, and for "local" where the extra
    of that name is not installed.
    Cost: none; half a second for the first import of openai; a second to start the local model, once a process.  No
    request is sent.
    """
    import openai

    return _connect(openai.OpenAI, "Client", model, layers, options)


def connect_async(model: str | None = None):
    """An openai.AsyncOpenAI client, else as connect(); without layers and options."""
    import openai

    return _connect(openai.AsyncOpenAI, "AsyncClient", model)


def _connect(make, http_client: str, model: str | None, layers: Sequence[Any] = (), options: Any = None):
    names, options = models(model), options or {}
    http_class = _http_class(http_client, layers)
    if names.chat in LOCAL:
        from .local import address

        http = http_class(trust_env=False, timeout=600)  # loopback is behind no proxy
        own = {"api_key": "local", "base_url": address(), "http_client": http}
    elif names.chat.startswith("offline"):
        from .offline.server import MODELS, transport

        if names.chat not in MODELS:
            raise SettingError(f"no offline model {names.chat!r}: use one of {', '.join(MODELS)}.")
        http = http_class(transport=transport())
        own = {"api_key": "offline", "base_url": OFFLINE_URL, "http_client": http}
    else:
        settings = _settings()
        key, url = settings.get("OPENAI_API_KEY"), settings.get("OPENAI_BASE_URL")
        if not key and not url and "api_key" not in options:
            raise SettingError(f"the model {names.chat!r} needs OPENAI_API_KEY (and OPENAI_BASE_URL for an endpoint "
                               'other than OpenAI\'s), in the environment or in .env; without a key use "offline".')
        http = http_class() if layers else None  # openai's own
        own = {"api_key": key or "none", "base_url": url or None, "http_client": http}
    client = make(**{**own, **options})
    client.models_ = names
    return client


def _http_class(name: str, layers: Sequence[Any]):
    import httpx2

    if not layers:
        return getattr(httpx2, name)
    import openai

    from .endpoint.layers import layered

    return layered(openai.DefaultHttpxClient, layers)


def _settings() -> dict[str, str]:
    """The .env file of the working directory, under what is set in the environment."""
    path = Path(".env")
    return (read_env(path.read_text(encoding="utf-8")) if path.is_file() else {}) | dict(os.environ)


def read_env(text: str) -> dict[str, str]:
    """The variables of a .env file: NAME=value lines, an optional "export", quotes, # comments; nothing is expanded.

    >>> read_env('# mine\\nexport OPENAI_API_KEY="sk-1 # 2"\\nMEMORY_LAB_MODEL=gpt-4o-mini  # cheap\\n')
    {'OPENAI_API_KEY': 'sk-1 # 2', 'MEMORY_LAB_MODEL': 'gpt-4o-mini'}
    """
    found = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name.isidentifier():
            raise SettingError(f".env, line {number}: write NAME=value, not {line[:40]!r}.")
        if value[:1] in ("'", '"') and value[:1] in value[1:]:
            found[name] = value[1:].partition(value[0])[0]
        else:
            found[name] = value.partition(" #")[0].strip()
    return found


def _model(client: Any, model: str | None, task: str = "chat") -> str:
    named = getattr(client, "models_", None)  # openai's with_options() gives a copy without it
    offline = str(getattr(client, "base_url", "")).startswith(OFFLINE_URL)
    return model or getattr(named or models("offline" if offline else None), task)


def _body(messages: Sequence[Message], options: dict[str, Any]) -> dict[str, Any]:
    """The options with the messages put into the request's body as they are.

    openai's client walks each message against its types when they are given as an argument, a millisecond a message;
    ours are the API's dicts already. The request that is sent is the same.
    """
    extra = {**(options.get("extra_body") or {}), "messages": list(messages)}
    return {**options, "messages": (), "extra_body": extra}


def chat(client: Any, messages: Sequence[Message], *, model: str | None = None, **options: Any) -> str:
    """The model's reply as text.

    messages: n messages, oldest first.  options: what client.chat.completions.create takes (max_tokens, temperature).
    Raises ModelOutputError if the model gave no text (a tool call, a refusal, nothing); else openai's own errors.
    Cost: one model call.

    >>> from memory_lab.messages import user
    >>> chat(connect("offline"), [user("My order number is 4471-K."), user("What was my order number?")])
    'You said: "My order number is 4471-K."'
    """
    message = complete(client, messages, model=model, **options)
    content = message.get("content")
    if not content:
        refusal = message.get("refusal")
        got = "tool calls" if message.get("tool_calls") else f"a refusal: {refusal}" if refusal else "an empty reply"
        raise ModelOutputError(f"the model gave {got}, not text: use complete() where tools or refusals matter.")
    return content


def complete(client: Any, messages: Sequence[Message], *, model: str | None = None, **options: Any) -> Message:
    """The model's reply as a message to add to a memory: a plain dict, tool calls kept, keys that are null dropped.

    Content that is null stays where there are calls.  Raises as openai's client does.  Cost: one model call.
    """
    response = client.chat.completions.create(model=_model(client, model), **_body(messages, options))
    if not getattr(response, "choices", None):  # a web page comes as a str
        raise ModelOutputError("the endpoint answered without any choice: is it an endpoint of chat completions?")
    return as_message(response.choices[0].message)


def as_message(reply: Any) -> Message:
    """An openai reply object as the plain dict that goes back into the next request."""
    message = {key: value for key, value in reply.model_dump(exclude_none=True).items() if value not in ([], {})}
    message.setdefault("content", None)
    if message["content"] is None and not message.get("tool_calls") and not message.get("refusal"):
        message["content"] = ""
    return message


def stream(client: Any, messages: Sequence[Message], *, model: str | None = None, **options: Any) -> Iterator[str]:
    """The reply's text in pieces, as they come; their join is the reply.

    Closing the iterator early ends the request.  Text alone: for streamed tool calls use the client.
    Raises EndpointError where it breaks off before its end; else openai's own errors.  Cost: one model call.
    """
    import json

    name, finish = _model(client, model), None
    try:
        with client.chat.completions.create(model=name, stream=True, **_body(messages, options)) as chunks:
            for chunk in chunks:
                for choice in chunk.choices[:1]:
                    finish = choice.finish_reason or finish
                    if choice.delta.content:
                        yield choice.delta.content
    except json.JSONDecodeError as error:  # a piece of a chunk, which openai's client hands on
        raise EndpointError(f"the reply broke off ({error}): ask again") from error
    if finish is None:
        raise EndpointError("the reply broke off without an end: ask again")


def embed(client: Any, texts: Sequence[str], *, model: str | None = None, **options: Any) -> list[list[float]]:
    """One vector a text, in order; no call for no texts.

    The offline model's vectors have 256 dimensions, length 1, and are lexical.  Cost: one call.
    """
    if not texts:
        return []
    response = client.embeddings.create(model=_model(client, model, "embedding"), input=list(texts), **options)
    return [item.embedding for item in sorted(response.data, key=lambda item: item.index)]
