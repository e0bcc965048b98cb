"""Semantic Kernel's two history reducers, which count messages and not tokens."""

from __future__ import annotations

from typing import Any

from memory_lab import Message

from .adapter import Adapter, Entrant, own_text
from .model import Model

TARGET, THRESHOLD = 10, 5  # messages: its samples keep 10


class Reducer(Adapter):
    """reduce() before each call of the model, as its samples do."""

    def __init__(self, reducer: Any, model: Model):
        self.reducer, self.run = reducer, model.run

    def native(self, message: Message) -> Any:
        import semantic_kernel.contents as sk

        role, content = message["role"], message["content"]
        if role == "tool":
            items = [sk.FunctionResultContent(id=message["tool_call_id"], function_name="look_up", result=content)]
        else:
            parts = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
            items = [sk.TextContent(text=part["text"]) if part["type"] == "text" else
                     sk.ImageContent(data_uri=part["image_url"]["url"]) for part in parts]
            items += [sk.FunctionCallContent(id=call["id"], name=call["function"]["name"],
                                             arguments=call["function"]["arguments"])
                      for call in message.get("tool_calls", ())]
        return sk.ChatMessageContent(role=role, items=items, name=message.get("name"))

    def put(self, native: Any) -> None:
        self.reducer.add_message(native)

    def context(self) -> list[Any]:
        self.run(self.reducer.reduce())
        return list(self.reducer.messages)

    def plain(self, natives: list[Any]) -> list[Message]:
        return list(map(_plain, natives))


def _plain(native: Any) -> Message:
    from semantic_kernel.contents import FunctionCallContent, FunctionResultContent, ImageContent

    role = native.role.value
    results = [item for item in native.items if isinstance(item, FunctionResultContent)]
    if results:
        return {"role": "tool", "content": results[0].result, "tool_call_id": results[0].id}
    calls = [{"id": item.id, "type": "function", "function": {"name": item.name, "arguments": item.arguments}}
             for item in native.items if isinstance(item, FunctionCallContent)]
    images = [{"type": "image_url", "image_url": {"url": item.data_uri}} for item in native.items
              if isinstance(item, ImageContent)]
    texts = [{"type": "text", "text": item.text} for item in native.items if item.content_type == "text"]
    content = [*texts, *images] if images else "\n".join(part["text"] for part in texts)
    message = {"role": role, "content": content or (None if calls else "")}
    return message | ({"tool_calls": calls} if calls else {}) | ({"name": native.name} if native.name else {})


def _sizes(limit: int) -> dict[str, int]:
    return {"target_count": TARGET, "threshold_count": THRESHOLD} if limit >= 500 else {
        "target_count": 2 + limit % 7, "threshold_count": limit % 3}


def _truncation(system: str | None, limit: int, model: Model) -> Reducer:
    from semantic_kernel.contents import ChatHistoryTruncationReducer

    return Reducer(ChatHistoryTruncationReducer(system_message=system, **_sizes(limit)), model)


def _summary(system: str | None, limit: int, model: Model) -> Reducer:
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
    from semantic_kernel.contents import ChatHistorySummarizationReducer

    service = OpenAIChatCompletion(ai_model_id="offline", async_client=model.awaited)
    return Reducer(ChatHistorySummarizationReducer(
        service=service, system_message=system, **_sizes(limit),
        execution_settings=OpenAIChatPromptExecutionSettings(max_tokens=own_text(limit))), model)


_SIZES = f"target_count {TARGET}, threshold_count {THRESHOLD} (its samples'); it has no limit in tokens"
ENTRANTS = (
    Entrant("ChatHistoryTruncationReducer", "semantic-kernel", _SIZES, _truncation,
            "is the chat history itself, anywhere in the library", limited=False),
    Entrant("ChatHistorySummarizationReducer", "semantic-kernel", _SIZES, _summary,
            "one summary or a row of them, its own instructions, async", limited=False, summarises=True),
)
