"""Messages of the Anthropic API: blocks in place of parts, results in user messages, thinking that stays with its call.

Also the sessions of tools that write one such message a line under "message" (Claude Code).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .repair import as_text

NAME = "Anthropic messages"
# A tuple, not a set: what a log has in place of a type need not be hashable.
BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "compaction", "server_tool_use", "document",
          "container_upload", "search_result")
_CARRIED = ("type", "id", "model", "stop_sequence", "stop_details", "usage", "container", "context_management")


def is_item(item: Any) -> bool:
    """Whether an item is a message that only the Anthropic API has: by its blocks, or as one whole answer."""
    if not isinstance(item, dict) or not isinstance(item.get("role"), str):
        return False
    if item.get("type") == "message" and "stop_reason" in item:
        return True
    content = item.get("content")
    return isinstance(content, list) and any(
        isinstance(block, dict) and (block.get("type") in BLOCKS or _is_image(block)) for block in content)


def convert(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The raw messages in the OpenAI form that a message stands for: first the results that it brings, then its words.

    A block that the OpenAI form has no word for stays in the message as an opaque part.
    """
    blocks = item["content"] if isinstance(item.get("content"), list) else []
    rest: dict[str, Any] = {key: value for key, value in item.items()
                            if key not in (*_CARRIED, "content", "stop_reason")}
    parts, calls = [], []
    for block in blocks:
        name = block.get("type") if isinstance(block, dict) else None
        if name == "tool_result":
            yield {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": result(block.get("content"))}
        elif name == "tool_use":
            calls.append({"id": block.get("id"), "type": "function",
                          "function": {"name": block.get("name"), "arguments": as_text(block.get("input") or {})}})
        else:
            parts.append(part(block))
    if calls:
        rest["tool_calls"] = calls
    if not blocks and not isinstance(item.get("content"), list):
        yield rest | {"content": item.get("content")}
    elif parts or calls:
        yield rest | {"content": parts or None}
    elif item.get("stop_reason") == "refusal":
        details = item.get("stop_details") if isinstance(item.get("stop_details"), dict) else {}
        yield rest | {"content": None, "refusal": as_text(details.get("explanation") or "refused")}
    elif not blocks:
        yield rest | {"content": None if item.get("role") == "assistant" else ""}


def part(block: Any) -> Any:
    """A block as a part of the OpenAI form where there is one; else the block itself."""
    name = block.get("type") if isinstance(block, dict) else None
    if name == "text":
        return {"type": "text", "text": as_text(block.get("text") or "")}
    if name == "compaction":  # a summary that stands for all before it: words that the model reads
        return {"type": "text", "text": as_text(block.get("content") or "")}
    if name in ("image", "document"):
        source = block.get("source") if isinstance(block.get("source"), dict) else {}
        if source.get("type") == "text":
            return {"type": "text", "text": as_text(source.get("data") or "")}
        where = source.get("url") or source.get("file_id") or f"data:{source.get('media_type')};base64,"
        if source.get("type") == "base64":
            where += as_text(source.get("data") or "")
        return ({"type": "image_url", "image_url": {"url": as_text(where)}} if name == "image" else
                {"type": "file", "file": {"file_data": as_text(where)}})
    return block


def result(content: Any) -> Any:
    """What a tool_result holds: its text, or parts where some of it is no text."""
    if not isinstance(content, list):
        return "" if content is None else content
    parts = [part(block) for block in content]
    if all(isinstance(each, dict) and each.get("type") == "text" for each in parts):
        return "\n".join(as_text(each["text"]) for each in parts)
    return parts


def _is_image(block: dict[str, Any]) -> bool:
    return block.get("type") == "image" and isinstance(block.get("source"), dict)
