"""Formats that are recognised and not read yet, each with what to do instead."""

from __future__ import annotations

from typing import Any

from .repair import kind

# Tuples, not sets: what a log has in place of a type need not be hashable.
_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "compaction", "server_tool_use")
_ITEMS = ("function_call", "function_call_output", "reasoning", "computer_call", "web_search_call", "file_search_call")
_NOT_YET = "This format is not read yet: convert it to a list of {\"role\": ..., \"content\": ...} messages"


def why(data: Any) -> str | None:
    """Words for the known format that the data has and that is not read yet; None if it is none of them."""
    items = data[:50] if isinstance(data, list) else [data]
    for item in items:
        name = _name(item)
        if name:
            return f"this looks like {name}."
    return None


def describe(data: Any) -> str:
    """Words for data of no known kind."""
    first = data[0] if isinstance(data, list) and data else data
    keys = f" with the fields {', '.join(map(str, first))[:100]}" if isinstance(first, dict) and first else ""
    if isinstance(data, list):
        return f"a list whose first item is {kind(first)}{keys}" if data else "an empty list"
    return f"{kind(data)}{keys}"


def _name(item: Any) -> str | None:
    if isinstance(item, list):
        return next((name for name in map(_name, item[:5]) if name), None)
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("chat_messages"), list):
        return f"a Claude.ai export. {_NOT_YET}"
    if item.get("lc") == 1 or (isinstance(item.get("data"), dict) and item.get("type") in
                               ("human", "ai", "system", "tool", "function", "chat", "remove")):
        return f"a LangChain dump. {_NOT_YET} (langchain_core.messages.convert_to_openai_messages does it)"
    if "call_type" in item and ("request_id" in item or "spend" in item):
        return f"a row of LiteLLM spend logs. {_NOT_YET}, out of its field 'messages'"
    if item.get("object") == "chat.completion" or (isinstance(item.get("choices"), list) and "messages" not in item):
        return ("one answer of the chat completions API, without the conversation before it. "
                "Log the messages that were sent too, as {\"messages\": [...]}")
    if item.get("object") == "response" or item.get("type") in _ITEMS or any(
            isinstance(entry, dict) and entry.get("type") in _ITEMS for entry in _list(item, "input", "output")):
        return f"items of the OpenAI Responses API. {_NOT_YET}"
    if _anthropic(item) or any(_anthropic(message) for message in _list(item, "messages")):
        return f"messages of the Anthropic API. {_NOT_YET}"
    if "instruction" in item and "output" in item and "messages" not in item:
        return f"Alpaca training data. {_NOT_YET}"
    return None


def _list(item: dict[str, Any], *keys: str) -> list[Any]:
    return [entry for key in keys if isinstance(item.get(key), list) for entry in item[key]]


def _anthropic(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    if item.get("type") == "message" and item.get("role") == "assistant" and "stop_reason" in item:
        return True
    return "role" in item and any(isinstance(block, dict) and block.get("type") in _BLOCKS
                                  for block in _list(item, "content"))
