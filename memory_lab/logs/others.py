"""Messages that are nearly OpenAI's: Gemini, Bedrock, the Vercel AI SDK, Assistants, Cohere, LibreChat.

Each has a role, or words for one, and its text, calls and results somewhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .repair import as_text

CALLS = ("tool-call", "tool_call", "function_call", "functionCall")
RESULTS = ("tool-result", "tool_result", "function_response", "functionResponse")


def is_item(item: Any) -> bool:
    """Whether an item is a message whose words or calls stand where the OpenAI form has none."""
    if not isinstance(item, dict):
        return False
    if isinstance(item.get("isCreatedByUser"), bool) and "role" not in item:
        return True
    if not isinstance(item.get("role"), str):
        return False
    if isinstance(item.get("content"), list):
        return any(_odd(part) for part in item["content"])
    return "content" not in item and (isinstance(item.get("parts"), list) or any(
        isinstance(item.get(key), str) for key in ("message", "text")))


def convert(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The raw messages in the OpenAI form that an item stands for: words and calls, then the results of the calls."""
    raw = {key: value for key, value in item.items()
           if key not in ("parts", "content", "message", "text", "isCreatedByUser", "sender")}
    if "role" not in item:
        raw["role"] = "user" if item["isCreatedByUser"] else "assistant"
    parts = next((item[key] for key in ("parts", "content") if isinstance(item.get(key), list)), None)
    if parts is None:
        words = next((item[key] for key in ("content", "message", "text") if isinstance(item.get(key), str)), "")
        yield raw | {"content": words}
        return
    content, calls, results = [], [], []
    for part in parts:
        call, result = _call(part), _result(part)
        calls += [call] if call else []
        results += [result] if result else []
        if not call and not result:
            content.append(_plain(part))
    if raw["role"] not in ("tool", "function") and (content or calls or not results):
        yield raw | {"content": content or None} | ({"tool_calls": calls} if calls else {})
        content = []
    yield from results
    if content:
        yield raw | {"content": content}


def _odd(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    if "type" not in part:
        return True
    return bool(_call(part) or _result(part)) or isinstance(part.get("text"), dict)


def _plain(part: Any) -> Any:
    """A part with a type, where it has a text; else as it is."""
    if isinstance(part, dict):
        text = part.get("text")
        if isinstance(text, dict) and isinstance(text.get("value"), str):
            text = text["value"]
        if isinstance(text, str) and part.get("type", "text") == "text":
            return {"type": "text", "text": text}
        if "type" not in part and len(part) == 1:  # {"inlineData": {...}}: its one key is its type
            return {"type": str(next(iter(part))), **part}
    return part


def _call(part: Any) -> dict[str, Any] | None:
    """The tool call that a part is."""
    if not isinstance(part, dict):
        return None
    kind = part.get("type")
    does = next((part[key] for key in ("functionCall", "function_call", "toolUse", "toolInvocation")
                 if isinstance(part.get(key), dict)), part)
    tool = isinstance(kind, str) and kind.startswith("tool-") and kind not in RESULTS and "toolCallId" in part
    if does is part and not tool and kind not in CALLS:
        return None
    name = does.get("name") or does.get("toolName") or (kind.removeprefix("tool-") if tool else None)
    given = next((does[key] for key in ("args", "input", "arguments") if does.get(key) is not None), {})
    return {"id": _ident(does) or name, "type": "function", "function": {"name": name, "arguments": as_text(given)}}


def _result(part: Any) -> dict[str, Any] | None:
    """The tool message that a part is, or that it holds beside its call."""
    if not isinstance(part, dict):
        return None
    does = next((part[key] for key in ("functionResponse", "function_response", "toolResult", "toolInvocation")
                 if isinstance(part.get(key), dict)), part)
    said = next((does[key] for key in ("output", "result", "response", "content") if does.get(key) is not None), None)
    if does is part and part.get("type") not in RESULTS and not ("toolCallId" in part and said is not None):
        return None
    if said is None:
        return None
    if isinstance(said, list) and said and all(isinstance(each, dict) and isinstance(each.get("text"), str)
                                               for each in said):
        said = "\n".join(each["text"] for each in said)
    return {"role": "tool", "tool_call_id": _ident(does) or does.get("name"), "content": as_text(said)}


def _ident(does: dict[str, Any]) -> Any:
    return next((does[key] for key in ("id", "toolCallId", "toolUseId", "tool_call_id") if does.get(key)), None)
