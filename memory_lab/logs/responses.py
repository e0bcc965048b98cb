"""Items of the OpenAI Responses API: a list in which a reasoning item, its calls and their outputs stand side by side.

A reasoning item is of use only together with the call or message that it led to, so all items of one answer become one
assistant message: reasoning and what ran at the provider's as opaque parts, calls as tool calls, paired by call_id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .repair import as_text

NAME = "OpenAI Responses items"
# What a client answers with an output of the same call_id; the field that holds what is asked.
CALLS = {"function_call": "arguments", "custom_tool_call": "input", "computer_call": "action", "shell_call": "action",
         "local_shell_call": "action", "apply_patch_call": "operation"}
OUTPUTS = tuple(f"{name}_output" for name in CALLS)
# What stays beside an answer and is sent back with it.
BESIDE = ("reasoning", "item_reference", "compaction", "web_search_call", "file_search_call", "code_interpreter_call",
          "image_generation_call", "mcp_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response")
TYPES = (*CALLS, *OUTPUTS, *BESIDE)
_PARTS = ("input_text", "output_text", "input_image", "input_file")


def is_item(item: Any) -> bool:
    """Whether an item is one that only the Responses API has."""
    if not isinstance(item, dict):
        return False
    if item.get("type") in TYPES:
        return "role" not in item
    parts = item.get("content")
    return "role" in item and isinstance(parts, list) and any(
        isinstance(part, dict) and part.get("type") in _PARTS for part in parts)


class Answer:
    """The assistant message that is being put together from items.

    take() gives the raw messages that an item completes, as (item number, message); rest() the one that is left.
    """

    def __init__(self) -> None:
        self._raw: dict[str, Any] | None = None
        self._number = 0

    def take(self, number: int, item: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
        """item: an item of any type, or a message with a role."""
        kind, role = item.get("type"), item.get("role")
        kind = kind if isinstance(kind, str) else ""  # what a log has in place of a type need not be hashable
        if role is not None and role != "assistant":
            yield from self.rest()
            yield number, {key: value for key, value in item.items() if key not in ("type", "id", "status", "phase")}
        elif kind in OUTPUTS:
            yield from self.rest()
            yield number, {"role": "tool", "tool_call_id": item.get("call_id") or item.get("id"),
                           "content": _output(item.get("output"))}
        elif role == "assistant":
            if self._raw is not None and self._said:
                yield from self.rest()
            raw, content = self._open(number), item.get("content")
            raw["content"] += content if isinstance(content, list) else [] if content in (None, "") else [content]
            raw |= {key: value for key, value in item.items()
                    if key not in ("type", "id", "status", "role", "content", "phase")}
            self._said = True
        elif kind in CALLS:
            self._open(number).setdefault("tool_calls", []).append(_call(kind, item))
        else:
            self._open(number)["content"].append(dict(item))

    def joined(self, raws: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        """The raw messages of another form, the first answer among them with the parts that wait for one.

        A result goes before those parts: it must stay behind its call.
        """
        for number, raw in raws:
            role = raw.get("role") if isinstance(raw, dict) else None
            if role == "assistant" and self._raw is not None and isinstance(raw.get("content"), str | list | None):
                words, said = raw.get("content"), self._raw["content"]
                raw = raw | {"content": said + (words if isinstance(words, list) else [words] if words else [])}
                self._raw = None
            elif role not in ("tool", "function"):
                yield from self.rest()
            yield number, raw

    def rest(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The message so far, if there is one; a new one is begun after it."""
        if self._raw is not None:
            raw, self._raw = self._raw, None
            raw["content"] = raw["content"] or None
            yield self._number, raw

    def _open(self, number: int) -> dict[str, Any]:
        if self._raw is None:
            self._raw, self._number, self._said = {"role": "assistant", "content": []}, number, False
        return self._raw


def _call(kind: str, item: dict[str, Any]) -> dict[str, Any]:
    ident = item.get("call_id") or item.get("id")
    if kind == "custom_tool_call":
        return {"id": ident, "type": "custom", "custom": {"name": item.get("name"), "input": item.get("input") or ""}}
    name = item.get("name") if kind == "function_call" else kind
    arguments = as_text(item.get(CALLS[kind]) or {})
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": arguments}}


def _output(output: Any) -> Any:
    """An output's text, or its parts; a screenshot is an image."""
    if isinstance(output, dict) and output.get("type") == "computer_screenshot":
        return [{"type": "image_url", "image_url": {"url": as_text(output.get("image_url") or output.get("file_id"))}}]
    if isinstance(output, list) and all(isinstance(part, dict) and part.get("type") in _PARTS for part in output):
        return output
    return as_text(output) if output is not None else ""
