"""llama-index: ChatMemoryBuffer, ChatSummaryMemoryBuffer, and Memory with a block of extracted facts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from memory_lab import Message, TokenCounter

from .adapter import Adapter, Entrant, own_text
from .model import Model

warnings.filterwarnings("ignore", module=r"llama_index\..*")


class LlamaIndex(Adapter):
    """Instructions stay outside and are counted in, as its chat engines do."""

    def __init__(self, system: str | None):
        self.system = system
        self.front = [] if system is None else [{"role": "system", "content": system}]
        self.front_tokens = TokenCounter()(self.front)

    def native(self, message: Message) -> Any:
        from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock

        content = message["content"]
        if isinstance(content, list):
            content = [TextBlock(text=part["text"]) if part["type"] == "text" else
                       ImageBlock(url=part["image_url"]["url"], detail=part["image_url"].get("detail"))
                       for part in content]
        more = {key: value for key, value in message.items() if key not in ("role", "content")}
        return ChatMessage(role=message["role"], content=content, additional_kwargs=more)

    def plain(self, natives: list[Any]) -> list[Message]:
        return [*self.front, *map(_plain, natives)]


def _plain(native: Any) -> Message:
    parts = [{"type": "text", "text": block.text} if block.block_type == "text" else
             {"type": "image_url", "image_url": {"url": str(block.url), "detail": block.detail}}
             for block in native.blocks]
    texts = [part.get("text") for part in parts]
    more = {key: value for key, value in native.additional_kwargs.items() if key != "session_id"}
    content = parts if None in texts else "\n".join(texts)
    return {"role": native.role.value, "content": content or (None if "tool_calls" in more else ""), **more}


class Buffer(LlamaIndex):
    def __init__(self, system: str | None, limit: int, _: Model):
        from llama_index.core.memory import ChatMemoryBuffer

        super().__init__(system)
        self.memory = ChatMemoryBuffer.from_defaults(token_limit=limit)

    def put(self, native: Any) -> None:
        self.memory.put(native)

    def context(self) -> list[Any]:
        return self.memory.get(initial_token_count=self.front_tokens)


class SummaryBuffer(Buffer):
    def __init__(self, system: str | None, limit: int, model: Model):
        from llama_index.core.memory import ChatSummaryMemoryBuffer

        LlamaIndex.__init__(self, system)
        llm = _llm()(endpoint=model.client, cap=own_text(limit))
        self.memory = ChatSummaryMemoryBuffer.from_defaults(
            llm=llm, token_limit=max(1, limit - own_text(limit)), count_initial_tokens=True)


class Blocks(LlamaIndex):
    def __init__(self, system: str | None, limit: int, model: Model):
        from llama_index.core.memory import FactExtractionMemoryBlock, Memory

        super().__init__(system)
        self.model, llm = model, _llm()(endpoint=model.client, cap=own_text(limit))
        facts = FactExtractionMemoryBlock(name="facts", llm=llm, max_facts=50, priority=1)
        self.memory = Memory.from_defaults(token_limit=max(1, limit - self.front_tokens), memory_blocks=[facts],
                                           async_database_uri="sqlite+aiosqlite:///:memory:")

    def put(self, native: Any) -> None:
        self.model.run(self.memory.aput(native))

    def context(self) -> list[Any]:
        return self.model.run(self.memory.aget())

    def close(self) -> None:
        engine = getattr(self.memory.sql_store, "_async_engine", None)
        if engine is not None:
            self.model.run(engine.dispose())


@lru_cache
def _llm() -> Callable[..., Any]:
    """A llama-index LLM over the openai client: llama-index-llms-openai asks for openai<3, which is not here."""
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
    from llama_index.core.llms import CustomLLM

    class Endpoint(CustomLLM):
        endpoint: Any
        cap: int

        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(context_window=128_000, num_output=self.cap, is_chat_model=True, model_name="offline")

        def chat(self, messages: Any, **_: Any) -> ChatResponse:
            reply = self.endpoint.chat.completions.create(model="offline", messages=list(map(_plain, messages)),
                                                          max_tokens=self.cap)
            return ChatResponse(message=ChatMessage(role="assistant", content=reply.choices[0].message.content))

        async def achat(self, messages: Any, **options: Any) -> ChatResponse:
            return self.chat(messages, **options)

        def complete(self, prompt: str, **options: Any) -> CompletionResponse:
            return CompletionResponse(text=self.chat([ChatMessage(role="user", content=prompt)]).message.content)

        def stream_complete(self, prompt: str, **options: Any) -> Any:
            raise NotImplementedError("no memory streams")

    return Endpoint


ENTRANTS = (
    Entrant("ChatMemoryBuffer", "llama-index-core", "token_limit, its default tokenizer, instructions counted in",
            Buffer, "chat stores for many databases; the same memory in every chat engine of the library"),
    Entrant("ChatSummaryMemoryBuffer", "llama-index-core", "token_limit 70 % of the limit, the model's cap the rest, "
            "count_initial_tokens", SummaryBuffer, "as the buffer, with a summary of what left it", summarises=True),
    Entrant("Memory, fact block", "llama-index-core", "token_limit, default ratio and flush size, "
            "FactExtractionMemoryBlock, in-memory SQLite", Blocks, "one block a concern, mixed freely (static, facts, "
            "vectors); everything stays in SQL", summarises=True),
)
