"""langmem's summarize_messages: a running summary with the ids that it covers."""

from __future__ import annotations

import warnings
from typing import Any

from memory_lab import Message

from .adapter import Entrant, own_text
from .langchain import LangChain, chat_model
from .model import Model


class RunningSummary(LangChain):
    def __init__(self, system: str | None, limit: int, model: Model):
        super().__init__(system, limit)
        self.full, self.summary, self.added = limit, None, 0
        self.chat = chat_model(model, own_text(limit))

    def native(self, message: Message) -> Any:
        native = super().native(message)
        self.added += 1
        native.id = f"m{self.added}"  # it asks for ids, as LangGraph gives them
        return native

    def context(self) -> list[Any]:
        from langmem.short_term import summarize_messages

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # it says so where it cannot trim what it summarises
            result = summarize_messages(self.history, running_summary=self.summary, model=self.chat,
                                        max_tokens=self.limit, max_summary_tokens=own_text(self.full),
                                        token_counter=self.count)
        self.summary = result.running_summary or self.summary
        return result.messages


ENTRANTS = (
    Entrant("summarize_messages", "langmem", "max_tokens, max_summary_tokens 30 % of it and as the model's cap, exact "
            "counter", RunningSummary, "keeps which ids a summary covers; the list of messages itself stays whole; "
            "async; the prompts are parameters", summarises=True),
)
