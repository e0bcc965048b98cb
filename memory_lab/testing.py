"""A client for unit tests whose model says what the test tells it to, call by call.

    ScriptedModel(["first reply", {"role": "assistant", ...}, status_error(429), lambda request: ...])

It goes through the real openai client and the offline model's own transport, so that requests are validated, streamed
and logged as anywhere else; only the words are the test's. A call that no reply is queued for is an error, and so is a
reply that is never asked for: a test that passes has made exactly the calls that it claims.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .client import OFFLINE_URL, Models
from .messages import Message


class Status(NamedTuple):
    """An HTTP error to answer with. retry_after: seconds, for the header of that name."""

    status: int
    message: str = "scripted error"
    code: str | None = None
    retry_after: float | None = None


def status_error(
    status: int, message: str = "scripted error", *, code: str | None = None, retry_after: float | None = None
) -> Status:
    """A reply that is an API error: 429, 500, 400 with code="context_length_exceeded"."""
    return Status(status, message, code, retry_after)


Reply = str | Message | Status | BaseException | Callable[[dict[str, Any]], Any]


def _as_raised(error: Any) -> BaseException:
    """What the HTTP library would raise: openai's client knows no plain ConnectionError or TimeoutError."""
    import httpx2

    made = error() if isinstance(error, type) else error
    if isinstance(made, ConnectionError):
        return httpx2.ConnectError(str(made))
    return httpx2.ReadTimeout(str(made)) if isinstance(made, TimeoutError) else made


class ScriptedModel:
    """A scripted model; `client` and `async_client` are real openai clients to it, without retries.

    replies: in order; a str or a message dict is the reply, a Status an API error, an exception what the connection
    raises (openai's client makes its own of a ConnectionError or a TimeoutError), a callable gets the request's body
    and returns any of these.
    calls: the body of each chat request so far, oldest first.  queue(...) adds replies; done() raises AssertionError
    for replies left over, and as a context manager the end of the block does.
    An unexpected call raises AssertionError in the code under test, at the call. Embeddings are the offline model's.

    >>> model = ScriptedModel(["Hello!"])
    >>> from memory_lab.client import chat
    >>> chat(model.client, [{"role": "user", "content": "Hi"}])
    'Hello!'
    >>> [call["messages"][0]["content"] for call in model.calls]
    ['Hi']
    """

    def __init__(self, replies: Iterable[Reply] = (), *, name: str = "offline"):
        self.replies: list[Reply] = list(replies)
        self.calls: list[dict[str, Any]] = []
        self.name = name
        self.unexpected = 0

    def queue(self, *replies: Reply) -> ScriptedModel:
        """The model itself, with more replies at the end of its queue."""
        self.replies += replies
        return self

    @property
    def client(self):
        """A new openai.OpenAI client to this model."""
        import httpx2
        import openai

        return self._named(
            openai.OpenAI(
                api_key="scripted",
                base_url=OFFLINE_URL,
                max_retries=0,
                http_client=httpx2.Client(transport=self._transport()),
            )
        )

    @property
    def async_client(self):
        """A new openai.AsyncOpenAI client to this model."""
        import httpx2
        import openai

        return self._named(
            openai.AsyncOpenAI(
                api_key="scripted",
                base_url=OFFLINE_URL,
                max_retries=0,
                http_client=httpx2.AsyncClient(transport=self._transport()),
            )
        )

    def _named(self, client: Any) -> Any:
        client.models_ = Models(self.name, self.name, self.name, "offline-embedding")
        return client

    def done(self) -> None:
        """Nothing; raises AssertionError if replies are left, or a call came that none was queued for."""
        if self.unexpected:
            raise AssertionError(f"{self.unexpected} call(s) came with no reply queued (of {len(self.calls)} in all).")
        if self.replies:
            raise AssertionError(
                f"{len(self.replies)} queued reply(ies) were never asked for, the first: {self.replies[0]!s:.80}."
            )

    def __enter__(self) -> ScriptedModel:
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is None:
            self.done()

    def _transport(self):
        from .offline.server import Answer, respond, transport

        def answer(method: str, path: str, body: bytes) -> Answer:
            if not path.endswith("/chat/completions"):
                return respond(method, path, body)
            request = json.loads(body)
            self.calls.append(request)
            if not self.replies:
                self.unexpected += 1
                raise AssertionError(
                    f"unexpected call number {len(self.calls)}: no reply is queued. "
                    f"Its last message: {request['messages'][-1:]!s:.200}"
                )
            said = self.replies.pop(0)
            while callable(said) and not isinstance(said, type):
                said = said(request)
            if isinstance(said, BaseException) or (isinstance(said, type) and issubclass(said, BaseException)):
                raise _as_raised(said)
            if isinstance(said, Status):
                kind = "invalid_request_error" if said.status < 500 else "server_error"
                headers = {} if said.retry_after is None else {"retry-after": str(said.retry_after)}
                return Answer(
                    said.status,
                    {"error": {"message": said.message, "type": kind, "param": None, "code": said.code}},
                    headers=headers,
                )
            return respond(method, path, json.dumps(request | {"model": "offline"}).encode(), said=said)

        return transport(answer)
