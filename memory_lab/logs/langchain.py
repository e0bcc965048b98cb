"""LangChain messages: constructor dumps ("lc": 1), {type, data} dicts, and the plain dump of a message object."""

from __future__ import annotations

from typing import Any

from .repair import as_text

NAME = "LangChain dump"
ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function",
         "developer": "developer"}
CLASSES = {"HumanMessage": "human", "AIMessage": "ai", "SystemMessage": "system", "ToolMessage": "tool",
           "FunctionMessage": "function", "ChatMessage": "chat", "RemoveMessage": "remove"}
_PLAIN = ("additional_kwargs", "response_metadata", "example", "tool_calls", "invalid_tool_calls")
_META = ("type", "id", "additional_kwargs", "response_metadata", "example", "usage_metadata", "invalid_tool_calls",
         "artifact", "status", "tool_call_chunks", "chunk_position", "lc_attributes")


def is_item(item: Any) -> bool:
    """Whether an item is a message of LangChain's, in one of the three forms."""
    return _fields(item) is not None


def convert(item: dict[str, Any]) -> dict[str, Any]:
    """The raw message in the OpenAI form.  Its role is the item's own word where it is none that is known."""
    name, fields = _fields(item) or ("", item)
    role = as_text(fields.get("role")) if name == "chat" else ROLES.get(name, name)
    raw = {key: value for key, value in fields.items() if key not in _META and value is not None}
    raw |= {"role": role, "content": fields.get("content")}
    more = fields.get("additional_kwargs") if isinstance(fields.get("additional_kwargs"), dict) else {}
    calls = [_call(call) for key in ("tool_calls", "invalid_tool_calls") for call in _listed(fields.get(key))]
    calls = calls or _listed(more.get("tool_calls"))
    raw.pop("tool_calls", None)
    if role == "assistant":
        if calls:
            raw["tool_calls"] = calls
            if isinstance(raw["content"], list):  # Anthropic's blocks say the same calls once more
                raw["content"] = [part for part in raw["content"]
                                  if not (isinstance(part, dict) and part.get("type") in ("tool_use", "tool_call"))]
            raw["content"] = raw["content"] or None
        elif isinstance(more.get("function_call"), dict):
            raw["function_call"] = more["function_call"]
        if isinstance(more.get("refusal"), str):
            raw["refusal"] = more["refusal"]
    return raw


def _fields(item: Any) -> tuple[str, dict[str, Any]] | None:
    """(the message's type, its fields) of a dump."""
    if not isinstance(item, dict):
        return None
    if item.get("lc") == 1 and isinstance(item.get("kwargs"), dict) and isinstance(item.get("id"), list):
        last = as_text(item["id"][-1]) if item["id"] else ""
        name = CLASSES.get(last.removesuffix("Chunk"))
        return (name, item["kwargs"]) if name else None
    name = item.get("type")
    if not isinstance(name, str) or "role" in item:
        return None
    name = CLASSES.get(name.removesuffix("Chunk"), name)
    name = name.removesuffix("MessageChunk").lower() if name.endswith("MessageChunk") else name
    if name not in (*ROLES, "chat", "remove"):
        return None
    if isinstance(item.get("data"), dict) and "content" in item["data"]:
        return name, item["data"]
    plain = "content" in item and (name in ("human", "ai") or any(key in item for key in _PLAIN))
    return (name, item) if plain else None


def _call(call: Any) -> Any:
    if not isinstance(call, dict) or "function" in call:
        return call
    return {"id": call.get("id"), "type": "function",
            "function": {"name": call.get("name"), "arguments": as_text(call.get("args") or {})}}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
