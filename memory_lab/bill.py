"""What a memory costs in money: a chat is replayed, every token of it is counted, and a price table says the rest.

    bill(make_memory, conversation)                 one memory's Bill
    bill_table({name: bill}, models, prices)        money for a thousand turns, beside what was remembered

A cheap prompt is half the matter: a memory that folds pays for its own calls, and a memory that moves the beginning of
the prompt pays the full price for what a prompt cache would have given away.  Chapter 11.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from .conversations import Conversation
from .evaluate import replay
from .memory import BaseMemory
from .messages import text_of
from .prices import Prices, cost
from .recall import Replay
from .report import Table, percent

CACHE_FROM, CACHE_STEP = 1024, 128  # OpenAI's prompt cache: no shorter beginning counts, and only whole steps of it do


class Metered:
    """An OpenAI client that adds up the usage of its chat calls.  usage: of all of them, in the API's form."""

    def __init__(self, client: Any):
        self.models_, self._create = client.models_, client.chat.completions.create
        self.usage = {"prompt_tokens": 0, "completion_tokens": 0}
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))

    def create(self, **request: Any) -> Any:
        """The client's answer."""
        response = self._create(**request)
        for name in self.usage:
            self.usage[name] += getattr(response.usage, name)
        return response


class Bill(NamedTuple):
    """turns: of the chat, one a prompt.  chat: usage of its prompts and replies.  own: of the memory's own calls.

    replay: all the rest.
    """

    turns: int
    chat: dict[str, Any]
    own: dict[str, Any]
    replay: Replay

    def per_thousand(self, model: str, prices: Prices, *, own_model: str | None = None, cache: bool = True) -> float:
        """Money for a thousand turns in chats like this one.  own_model: whose prices the memory's own calls pay
        (default: the same).  cache=False: as if there were no prompt cache.  Raises SettingError without a price."""
        chat = self.chat if cache else self.chat | {"prompt_tokens_details": None}
        return 1000 * (cost(chat, model, prices) + cost(self.own, own_model or model, prices)) / self.turns


def cacheable(tokens: int) -> int:
    """How many of the tokens that two prompts begin with alike a provider's cache serves.

    >>> [cacheable(tokens) for tokens in (1000, 1024, 1200, 1300)]
    [0, 1024, 1152, 1280]
    """
    return tokens - tokens % CACHE_STEP if tokens >= CACHE_FROM else 0


def bill(make_memory: Callable[..., BaseMemory], conversation: Conversation, *, client: Any = None) -> Bill:
    """The tokens that a chat with that memory takes.

    make_memory: called with the system text and client=..., as a strategy is constructed.  client: who makes the
    memory's own calls (default: the offline model; it fills a summary's limit, as a real one should not).
    The replies are the conversation's.  Cached is what two prompts, one after the other, begin with alike, by the
    provider's rule (cacheable); a real cache forgets a chat after some minutes of silence, so this is the best case.
    Cost: a replay, and the memory's own calls; no probe is asked.
    """
    if client is None:
        from .client import connect

        client = connect("offline")
    metered = Metered(client)
    memory = make_memory(conversation.system, client=metered)
    found = replay(memory, conversation, answer=False)
    said = sum(memory.count.text(text_of(message)) for message in conversation.messages
               if message["role"] == "assistant")
    chat = {"prompt_tokens": found.prompt_tokens, "completion_tokens": said,
            "prompt_tokens_details": {"cached_tokens": sum(map(cacheable, found.cached))}}
    return Bill(len(found.prompts), chat, metered.usage, found)


def bill_table(bills: Mapping[str, Bill], models: Sequence[str], prices: Prices, caption: str = "") -> Table:
    """One row a memory: its tokens a turn, and money for a thousand turns with each of the models.

    prompt, own: tokens a turn of the prompts, and of the memory's own calls, in and out.  cached: the share of the
    prompts that a prompt cache serves; "no cache" is the first model's money if it serves nothing.  in context: planted
    facts that are in the context when they are asked for.
    """
    rows = []
    for name, found in bills.items():
        asked, prompt = found.replay.answerable, found.replay.prompt_tokens
        rows.append([name, f"{prompt / found.turns:,.0f}",
                     percent(found.chat["prompt_tokens_details"]["cached_tokens"], prompt),
                     f"{sum(found.own.values()) / found.turns:,.0f}",
                     *(f"{found.per_thousand(model, prices):.2f}" for model in models),
                     f"{found.per_thousand(models[0], prices, cache=False):.2f}",
                     f"{sum(bool(each.in_context) for each in asked)}/{len(asked)}"])
    return Table(["memory", "prompt", "cached", "own", *models, "no cache", "in context"], rows,
                 caption or f"{prices.currency} per 1,000 turns, prices of {prices.date}")
