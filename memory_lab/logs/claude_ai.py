"""Claude.ai export (conversations.json): messages with a sender, blocks, attachments, and the branches of an edit."""

from __future__ import annotations

from typing import Any

from . import anthropic
from .draft import Draft, LoggedConversation, left_out, title, when
from .files import Source
from .repair import add_raw, as_text, kind

NAME = "Claude.ai export"
SENDERS = {"human": "user", "user": "user", "assistant": "assistant"}
_MESSAGE = {"uuid", "sender", "text", "content", "created_at", "updated_at", "attachments", "files", "files_v2",
            "parent_message_uuid", "index", "truncated", "stop_reason"}
_BESIDE = {"chat_messages", "uuid", "name", "created_at", "updated_at", "account", "current_leaf_message_uuid"}
_FIRST = "00000000-0000-4000-8000-000000000000"  # the parent of a first message


def looks_like(data: Any) -> bool:
    """Whether some item holds a list of chat_messages."""
    return any(_is_talk(item) for item in (data if isinstance(data, list) else [data]))


def read(source: Source) -> list[LoggedConversation]:
    """The branch that was seen last, of each conversation.  Raises LogError for an item that is none."""
    if isinstance(source.data, dict):
        return [_conversation(source, source.data, None)]
    return [_conversation(source, item, index) for index, item in enumerate(source.data)]


def _is_talk(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("chat_messages"), list)


def _conversation(source: Source, item: Any, index: int | None) -> LoggedConversation:
    place = "conversation" if index is None else f"conversation {index + 1}"
    draft = Draft(title(item, place) if isinstance(item, dict) else place, source.where(index), NAME)
    if not _is_talk(item):
        raise draft.fail(f"expected a conversation with a list chat_messages, found {kind(item)} without one.")
    messages = item["chat_messages"]
    for number in _branch(draft, messages, item.get("current_leaf_message_uuid")):
        _message(draft, messages[number], number)
    if not messages:
        draft.note("no messages in it")
    left_out(draft, item, _BESIDE)
    return draft.done()


def _branch(draft: Draft, messages: list[Any], leaf: Any) -> list[int]:
    """Indices of the messages from the first to the leaf; all of them where the export names no parents."""
    known = {message["uuid"]: number for number, message in enumerate(messages)
             if isinstance(message, dict) and isinstance(message.get("uuid"), str)}
    if not any(isinstance(message, dict) and message.get("parent_message_uuid") for message in messages):
        return list(range(len(messages)))
    if not isinstance(leaf, str) or leaf not in known:
        leaf = messages[-1].get("uuid") if isinstance(messages[-1], dict) else None
    branch: list[int] = []
    while isinstance(leaf, str) and leaf in known and known[leaf] not in branch:
        branch.append(known[leaf])
        leaf = messages[known[leaf]].get("parent_message_uuid")
    if not branch or (leaf and leaf != _FIRST):
        draft.note("parents that do not lead to a first message: all messages taken as they stand")
        return list(range(len(messages)))
    if len(branch) < len(messages):
        draft.note("message on a superseded branch left out", len(messages) - len(branch))
    return branch[::-1]


def _message(draft: Draft, message: Any, number: int) -> None:
    if not isinstance(message, dict):
        raise draft.fail(f"expected a message, an object with a sender, found {kind(message)}.", number)
    sender = message.get("sender")
    role = SENDERS.get(sender.strip().lower()) if isinstance(sender, str) else None
    if role is None:
        raise draft.fail(f"the sender is {sender!r:.60}; expected one of {', '.join(SENDERS)}. "
                         "Rename it or take the message out.", number)
    at = when(message.get("created_at"))
    for key, value in message.items():
        if key not in _MESSAGE and value not in (None, "", [], {}):
            draft.unknown[f"field {key} of a message"] += 1
    parts, blocks = _attached(draft, message), message.get("content")
    said = False
    for block in blocks if isinstance(blocks, list) else ():
        name = block.get("type") if isinstance(block, dict) else None
        if name in ("thinking", "redacted_thinking", "token_budget", "flag"):
            draft.note(f"{name} left out (it is not sent back)")
        elif name == "tool_use" and role == "assistant":
            _send(draft, role, parts, at, number)
            draft.call(as_text(block.get("name") or "unknown_tool"), as_text(block.get("input") or {}), at=at,
                       ident=block["id"] if isinstance(block.get("id"), str) else None)
        elif name == "tool_result" and role == "assistant":
            _send(draft, role, parts, at, number)
            content = anthropic.result(block.get("content"))
            draft.result(content if isinstance(content, str) else as_text(content),
                         name=block["name"] if isinstance(block.get("name"), str) else None, at=at)
        else:
            said = said or name == "text"
            parts.append(anthropic.part(block))
    text = message.get("text")
    if not said and isinstance(text, str) and text.strip():  # older exports have the words here alone
        parts.append({"type": "text", "text": text})
    if parts or not blocks:
        _send(draft, role, parts or [""], at, number)


def _send(draft: Draft, role: str, parts: list[Any], at: Any, number: int) -> None:
    """Adds what was said so far, and empties the list."""
    if not parts:
        return
    plain = [part["text"] if isinstance(part, dict) and part.get("type") == "text" else part for part in parts]
    content = "\n".join(plain) if all(isinstance(part, str) for part in plain) else list(parts)
    parts.clear()
    if role == "assistant" and content == "":
        draft.note("empty assistant message left out")
        return
    add_raw(draft, {"role": role, "content": content} | ({"timestamp": at.isoformat()} if at else {}), number)


def _attached(draft: Draft, message: dict[str, Any]) -> list[Any]:
    """The texts of attachments, which the model read; files whose text is not in the export are noted."""
    parts: list[Any] = []
    for attachment in message["attachments"] if isinstance(message.get("attachments"), list) else ():
        words = attachment.get("extracted_content") if isinstance(attachment, dict) else None
        name = as_text(attachment.get("file_name")) if isinstance(attachment, dict) else kind(attachment)
        if isinstance(words, str) and words:
            parts.append({"type": "text", "text": f"[{name}]\n{words}"})
        else:
            draft.note(f"attachment whose text is not in the export: {name[:60]}")
    for file in message["files"] if isinstance(message.get("files"), list) else ():
        name = as_text(file.get("file_name")) if isinstance(file, dict) else kind(file)
        draft.note(f"attachment whose text is not in the export: {name[:60]}")
    return parts
