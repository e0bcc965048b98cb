"""The offline model on loopback for every memory of a comparison: it counts its calls and can be told to fail.

The offline model knows a request for a summary by its own words.  A real model needs no such help, so each peer's
prompt is put into those words here, with the same messages in it and the same cap; else the peers' summaries would be
worse than the peers are.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import threading
from collections.abc import Awaitable, Callable
from time import thread_time
from typing import Any

import openai

from memory_lab.client import models
from memory_lab.messages import Message, text_of
from memory_lab.offline.requests import Answer
from memory_lab.offline.server import respond
from memory_lab.serve import make_server

LONG = "Numbers: " + "the summary goes on, " * 600  # what a model writes that was told a limit and does not keep it
_XML = re.compile(r'<message type="(\w+)"[^>]*>(.*?)</message>', re.DOTALL)
_TRANSCRIPT = re.compile(r"^(user|assistant|tool|system): ", re.MULTILINE)
LANGCHAINS_SUMMARY = "Here is a summary of the conversation to date:"
_LANGMEMS_SUMMARY = re.compile(r"This is summary of the conversation so far: (.*)\n\nExtend this summary", re.DOTALL)
_NOTE = re.compile(r"^- (?:(?:User|Other|Assistant): )+", re.MULTILINE)  # else they pile up, fold after fold
_SPEAKERS = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant"}


class Model:
    """calls, tokens, seconds: of all requests so far.  read: the texts that it was given.  fault: None, error, long."""

    def __init__(self) -> None:
        self.fault: str | None = None
        self.reset()
        self._server = make_server(answering=self._answer)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = self._server.url
        self._loop = asyncio.new_event_loop()
        self.client, self.awaited = (_asking_once(kind, self.url) for kind in (openai.OpenAI, openai.AsyncOpenAI))

    def reset(self) -> None:
        """Nothing asked yet."""
        self.calls, self.tokens, self.seconds, self.read = 0, 0, 0.0, ""

    def run(self, awaitable: Awaitable[Any]) -> Any:
        """What an asynchronous library gives, on the one loop that its clients belong to."""
        return self._loop.run_until_complete(awaitable)

    def close(self) -> None:
        """Stop serving."""
        self.client.close()
        self.run(self.awaited.close())
        self.run(self._loop.shutdown_default_executor())
        self._loop.close()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, method: str, path: str, body: bytes) -> Answer:
        started = thread_time()
        self.calls += 1
        request = json.loads(body)
        self.read += squeezed(html.unescape("\n".join(map(text_of, request["messages"]))))
        if self.fault == "error":  # of a kind that no library tries again
            answer = Answer(400, {"error": {"message": "out of order", "type": "invalid_request_error", "param": None,
                                            "code": None}})
        else:
            request["messages"], said = in_its_words(request["messages"])
            said = LONG if self.fault == "long" else said
            answer = respond(method, path, json.dumps(request).encode(), said=said)
            self.tokens += (answer.body.get("usage") or {}).get("total_tokens", 0)
        self.seconds += thread_time() - started
        return answer


def squeezed(text: str) -> str:
    """The text with single spaces, to look for a message in a prompt."""
    return " ".join(text.split()) + " "


def in_its_words(messages: list[Message]) -> tuple[list[Message], str | None]:
    """(the request in the offline model's words, None), or (the request, what to say) where the form is the peer's.

    A prompt of no known peer goes through as it is: our own memories', and a probe's.
    """
    last = text_of(messages[-1])
    if "<existing_facts>" in last:
        return messages, _facts(messages[:-1])
    if "<message type=" in last:  # LangChain's middleware
        said = [(_SPEAKERS.get(kind, kind), html.unescape(text).strip()) for kind, text in _XML.findall(last)]
        own = [text.startswith(LANGCHAINS_SUMMARY) for _, text in said]
        return _asked([text.removeprefix(LANGCHAINS_SUMMARY) for (_, text), its in zip(said, own, strict=True) if its],
                      [line for line, its in zip(said, own, strict=True) if not its]), None
    if last.startswith('"Transcript so far: '):  # llama-index' summary buffer
        _, *parts = _TRANSCRIPT.split(last.removeprefix('"Transcript so far: ').removesuffix('"\n\n'))
        said = list(zip(parts[::2], parts[1::2], strict=True))
        return _asked([text for who, text in said if who == "system"], [s for s in said if s[0] != "system"]), None
    if found := _LANGMEMS_SUMMARY.search(last):
        return _asked([found[1]], _turns(messages[:-1])), None
    if last.startswith("Create a summary of the conversation above:"):  # langmem's first
        return _asked([], _turns(messages[:-1])), None
    if "Provide a concise and complete summarization" in last:  # Semantic Kernel: its summary is the first message
        own = messages[0]["role"] == "assistant" and text_of(messages[0]).lstrip().startswith(("- ", "•"))
        return _asked([text_of(messages[0])] if own else [], _turns(messages[own:-1])), None
    return messages, None


def _turns(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message["role"], text_of(message)) for message in messages if text_of(message).strip()]


def _asked(earlier: list[str], said: list[tuple[str, str]]) -> list[Message]:
    lines = "\n".join(f"{who}: {text.strip()}" for who, text in said)
    before = _NOTE.sub("- ", "\n".join(earlier).strip())
    notes = f"Summary so far:\n{before}\n\n" if before else ""
    return [{"role": "system", "content": "Summarise the conversation."},
            {"role": "user", "content": f"{notes}New messages:\n{lines}"}]


def _facts(messages: list[Message]) -> str:
    """What the offline model's own extraction finds in the user's messages, in the form that llama-index asks for."""
    from memory_lab.offline.extract import statements

    quotes = dict.fromkeys(found.quote for message in messages if message["role"] == "user"
                           for found in statements(text_of(message)))
    return "<facts>" + "".join(f"<fact>{html.escape(quote)}</fact>" for quote in quotes) + "</facts>"


def _asking_once(kind: Callable[..., Any], url: str) -> Any:
    """An openai client of this model that tries nothing again: a fault is to be seen."""
    made = kind(base_url=url, api_key="none", max_retries=0)
    made.models_ = models("offline")
    return made
