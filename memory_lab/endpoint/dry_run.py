"""A layer that sends nothing: the offline model answers in the endpoint's place, to know the cost beforehand."""

from __future__ import annotations

import json

import httpx2

from ..offline.requests import EMBEDDING_MODEL
from ..offline.server import respond
from .layers import Forward, asked


class DryRun:
    """The innermost layer of a dry run: it never calls what is behind it.

    Replies are the offline model's: as short as it is, where another may be wordy.  Spending has the worst case too.
    """

    def __call__(self, request: httpx2.Request, forward: Forward) -> httpx2.Response:
        """The offline model's answer, under the name that was asked."""
        body = asked(request)
        content = request.content
        if body is not None:
            name = EMBEDDING_MODEL if "input" in body else "offline"
            content = json.dumps({**body, "model": name}).encode()
        answer = respond(request.method, request.url.path, content)
        if answer.stream:
            return httpx2.Response(answer.status, headers={"content-type": "text/event-stream"}, request=request,
                                   content="".join(answer.body).encode())
        return httpx2.Response(answer.status, json=answer.body, request=request)
