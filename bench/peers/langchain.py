"""langchain-core's trim_messages and LangChain's summarization middleware."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_lab import Message, TokenCounter

from .adapter import Adapter, Entrant, own_text
from .model import Model


class LangChain(Adapter):
    """A list of LangChain messages, instructions first, as its graphs keep in their state."""

    def __init__(self, system: str | None, limit: int):
        from langchain_core.messages import SystemMessage

        self.history: list[Any] = [] if system is None else [SystemMessage(system)]
        self.tokens = TokenCounter()
        self.limit = limit - self.tokens.base

    def native(self, message: Message) -> Any:
        from langchain_core.messages import convert_to_messages

        return convert_to_messages([message])[0]

    def plain(self, natives: list[Any]) -> list[Message]:
        from langchain_core.messages import convert_to_openai_messages

        return convert_to_openai_messages(natives)

    def count(self, natives: list[Any]) -> int:
        """Exact tokens of LangChain messages: its documentation recommends the model's own count for that."""
        return sum(map(self.tokens.message, self.plain(list(natives))))

    def put(self, native: Any) -> None:
        self.history.append(native)


class Trimmed(LangChain):
    def context(self) -> list[Any]:
        from langchain_core.messages import trim_messages

        return trim_messages(self.history, max_tokens=self.limit, token_counter=self.count, strategy="last",
                             start_on="human", end_on=("human", "tool"), include_system=True)


class Middleware(LangChain):
    """before_model() on the state, as an agent runs it before each call of its model."""

    def __init__(self, system: str | None, limit: int, model: Model):
        from langchain.agents.middleware import SummarizationMiddleware

        super().__init__(None, limit)
        self.system = system  # an agent keeps its prompt apart from the state
        front = 0 if system is None else self.tokens.message({"role": "system", "content": system})
        room = max(4, self.limit - front)
        self.chat = chat_model(model, own_text(limit))
        self.middleware = SummarizationMiddleware(self.chat, trigger=("tokens", max(1, room * 8 // 10)), keep=("tokens",
                                                  max(1, room * 3 // 10)), token_counter=self.count)

    def context(self) -> list[Any]:
        from langchain_core.messages import RemoveMessage, SystemMessage

        update = self.middleware.before_model({"messages": self.history}, None)
        if update:
            self.history = [message for message in update["messages"] if not isinstance(message, RemoveMessage)]
        return [*([] if self.system is None else [SystemMessage(self.system)]), *self.history]


def chat_model(model: Model, max_tokens: int) -> Any:
    """LangChain's chat model of this endpoint, whose answers are capped."""
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="offline", base_url=model.url, api_key="none", max_retries=0, max_tokens=max_tokens)


def _make(kind: Callable[..., LangChain], *, asks: bool = False) -> Callable[[str | None, int, Model], LangChain]:
    return lambda system, limit, model: kind(system, limit, model) if asks else kind(system, limit)


ENTRANTS = (
    Entrant("trim_messages", "langchain-core",
            "max_tokens, exact counter, strategy last, start_on human, end_on human or tool, include_system",
            _make(Trimmed), "a pure function over any list; also trims from the front, and in the middle of a message"),
    Entrant("SummarizationMiddleware", "langchain",
            "trigger at 80 % of the limit, keep 30 % (its documentation's fractions), exact counter",
            _make(Middleware, asks=True),
            "runs inside an agent without a line of code; async; any model; tries a failed summary again",
            summarises=True),
)
