"""One raw message in the OpenAI form, made valid: what real logs get wrong is mended here and noted."""

from __future__ import annotations

import json
from typing import Any

from .draft import Draft, when

ROLES = {"system", "developer", "user", "assistant", "tool", "function"}
ALIASES = {"human": "user", "ai": "assistant", "bot": "assistant", "gpt": "assistant", "model": "assistant",
           "chatgpt": "assistant", "chatbot": "assistant", "observation": "tool", "tool_result": "tool"}
TIMES = ("timestamp", "created_at", "create_time", "created", "time", "date")
PARTS = ("text", "image_url", "input_audio", "file", "refusal")  # a tuple: a part's type may be unhashable
_USED = {"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", *TIMES}


def add_raw(draft: Draft, raw: Any, item: int) -> None:
    """Mends the raw message and adds it to the draft.  item: its index in the log, for errors."""
    if not isinstance(raw, dict):
        raise draft.fail(f"expected a message, an object with a role and a content, found {kind(raw)}.", item)
    role = _role(draft, raw, item)
    at = next((time for time in (when(raw.get(key)) for key in TIMES) if time), None)
    message = {"role": "tool" if role == "function" else role}
    message["content"] = _content(draft, raw, message["role"])
    name = raw.get("name")
    if role == "function":
        draft.note("deprecated function result read as a tool result")
    elif name not in (None, ""):
        message["name"] = _name(draft, name)
    if message["role"] == "assistant":
        calls = _calls(draft, raw, item)
        if calls:
            message["tool_calls"] = calls
        if isinstance(raw.get("refusal"), str) and raw["refusal"]:
            message["refusal"] = raw["refusal"]
    if message["role"] == "tool":
        ident = _result_id(draft, raw, item)
        if ident is None:
            draft.result(_plain(message["content"]), name=name if isinstance(name, str) else None, at=at)
            return
        message["tool_call_id"] = ident
    for key, value in raw.items():
        if key not in _USED and value not in (None, "", [], {}):
            draft.unknown[f"field {key} of {_an(message['role'])} message"] += 1
    draft.add(message, at, item)


def kind(value: Any) -> str:
    """Words for what a JSON value is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    names = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names[type(value)]


def as_text(value: Any) -> str:
    """A JSON value as the text that a model would read."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def decoded(value: Any) -> Any:
    """The JSON that a text holds, where it holds some; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def arguments_text(draft: Draft, value: Any) -> str:
    """Tool arguments as JSON text once, whatever they came as."""
    if value is None or value == "":
        draft.note("missing tool arguments read as {}")
        return "{}"
    if not isinstance(value, str):
        draft.note("tool arguments written as an object made JSON text")
        return as_text(value)
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):
        return value  # models do write broken JSON; the API takes any text
    if isinstance(inner, str) and inner.lstrip()[:1] == "{":
        draft.note("tool arguments encoded twice, decoded once")
        return inner
    return value


def _an(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _role(draft: Draft, raw: dict[str, Any], item: int) -> str:
    role = raw.get("role")
    if isinstance(role, str):
        plain = role.strip().lower()
        plain = ALIASES.get(plain, plain)
        if plain != role and plain in ROLES:
            draft.note(f"role {role!r} read as {plain!r}")
        if plain in ROLES:
            return plain
    found = f"the role {role!r:.60}" if "role" in raw else f"no role (fields: {', '.join(map(str, raw))[:80]})"
    raise draft.fail(f"{found}; expected one of {', '.join(sorted(ROLES))}. Rename it or take the message out.", item)


def _name(draft: Draft, name: Any) -> str:
    mended = "".join("_" if char.isspace() or char in '<|\\/>' else char for char in as_text(name))[:64]
    if mended != name:
        draft.note("name made one that the API takes")
    return mended


def _content(draft: Draft, raw: dict[str, Any], role: str) -> Any:
    content = raw.get("content")
    if content is None:
        if role == "assistant":
            if not any(raw.get(key) for key in ("tool_calls", "function_call", "refusal")):
                draft.note("assistant message without words or calls (memories never send it)")
            return None
        draft.note("null content read as empty" if "content" in raw else "missing content read as empty")
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict) and isinstance(content.get("type"), str):
        content = [content]
    if isinstance(content, list):
        parts = [_part(draft, part) for part in content]
        if not parts:
            draft.note("empty list of parts read as empty")
        return parts or ""
    draft.note(f"content that is {kind(content)} made text")
    return as_text(content)


def _part(draft: Draft, part: Any) -> dict[str, Any]:
    part = _renamed(part)
    if isinstance(part, dict) and part.get("type") in PARTS and \
            isinstance(part.get(part["type"]), str if part["type"] in ("text", "refusal") else (str, dict)):
        if part["type"] == "image_url" and isinstance(part["image_url"], str):
            return part | {"image_url": {"url": part["image_url"]}}
        return part
    if isinstance(part, str):
        draft.note("string among the parts read as a text part")
        return {"type": "text", "text": part}
    if isinstance(part, dict) and isinstance(part.get("type"), str) and part["type"] not in PARTS:
        draft.keep(f"part {part['type'][:60]}", part)
        return part
    name = str(part.get("type", "without a type"))[:60] if isinstance(part, dict) else kind(part)
    draft.unknown[f"part {name}"] += 1
    return {"type": "text", "text": f"[{name}] {as_text(part)}"}


def _renamed(part: Any) -> Any:
    """A part of the Responses API under the name that the chat API has for it."""
    name = part.get("type") if isinstance(part, dict) else None
    if name in ("input_text", "output_text"):
        return {"type": "text", "text": part.get("text")}
    if name == "input_image":
        return {"type": "image_url", "image_url": {"url": as_text(part.get("image_url") or part.get("file_id"))}}
    if name == "input_file":
        return {"type": "file", "file": {key: value for key, value in part.items() if key != "type"}}
    return part


def _calls(draft: Draft, raw: dict[str, Any], item: int) -> list[dict[str, Any]]:
    calls = raw.get("tool_calls")
    if isinstance(calls, dict):
        draft.note("tool_calls that is one object made a list")
        calls = [calls]
    if isinstance(calls, str) and calls:
        draft.note("tool_calls encoded as text, decoded")
        try:
            calls = json.loads(calls)
        except ValueError as error:
            raise draft.fail(f"tool_calls is text that is not JSON: {error}.", item) from error
    if not isinstance(calls, list | None):
        raise draft.fail(f"tool_calls is {kind(calls)}; expected a list of calls.", item)
    old = raw.get("function_call")
    if isinstance(old, dict):
        draft.note("deprecated function_call read as a tool call")
        calls = [*(calls or []), {"function": old}]
    made, seen = [], set()
    for number, call in enumerate(calls or ()):
        if not isinstance(call, dict):
            raise draft.fail(f"tool_calls[{number}] is {kind(call)}; expected an object.", item)
        custom = call.get("custom") if isinstance(call.get("custom"), dict) else None
        does = custom or (call["function"] if isinstance(call.get("function"), dict) else call)
        ident = call.get("id")
        if not isinstance(ident, str) or not ident:
            if not isinstance(old, dict):
                draft.note("tool call without an id given one")
            ident = f"call_{item}_{number}"
        if ident in seen:
            draft.note("id used twice in one message made two ids")
            ident = f"{ident}_{number}"
        seen.add(ident)
        name = does.get("name")
        if not isinstance(name, str) or not name:
            draft.unknown["tool call without a name"] += 1
            name = "unknown_tool"
        if custom:
            made.append({"id": ident, "type": "custom", "custom": {"name": name, "input": as_text(does.get("input"))}})
        else:
            arguments = arguments_text(draft, does.get("arguments", does.get("args")))
            made.append({"id": ident, "type": "function", "function": {"name": name, "arguments": arguments}})
    return made


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] if part["type"] == "text" else f"[{part['type']}]" for part in content)


def _result_id(draft: Draft, raw: dict[str, Any], item: int) -> str | None:
    """The id that the result names; of two results with one id, the second takes the renamed call's."""
    ident = raw.get("tool_call_id")
    if ident in (None, ""):
        if raw.get("role") != "function":
            draft.note("tool result without an id paired by order")
        return None
    ident = as_text(ident)
    if draft.is_open(ident):
        return draft.answer(None, ident)
    renamed = draft.renamed(ident)
    if renamed:
        return draft.answer(None, renamed)
    draft.note("tool result that no call explains kept as it is (memories leave it out)")
    return ident
