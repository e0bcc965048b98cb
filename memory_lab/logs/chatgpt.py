"""ChatGPT export (conversations.json): a tree of nodes, of which one branch is the conversation that was seen last."""

from __future__ import annotations

from typing import Any

from .draft import Draft, LoggedConversation, title, when
from .files import Source
from .repair import as_text, kind

NAME = "ChatGPT export"
# Content types whose words the model saw, and the fields that hold them.
FIELDS = {"text": ("parts",), "multimodal_text": ("parts",), "code": ("text",), "execution_output": ("text",),
          "tether_quote": ("title", "text"), "tether_browsing_display": ("result", "summary"),
          "system_error": ("name", "text"), "user_editable_context": ("user_profile", "user_instructions"),
          "model_editable_context": ("model_set_context",), "sonic_webpage": ("title", "snippet", "text"),
          "computer_output": ("text",)}
REASONING = ("thoughts", "reasoning_recap")  # never sent back to a model
_ANY = ("parts", "text", "result", "content")


def looks_like(data: Any) -> bool:
    """Whether some item holds a mapping of nodes with parents."""
    return any(_is_tree(item) for item in (data if isinstance(data, list) else [data]))


def read(source: Source) -> list[LoggedConversation]:
    """The branch that ends in current_node, of each conversation.  Raises LogError for a tree that is none."""
    if isinstance(source.data, dict):
        return [_conversation(source, source.data, None)]
    return [_conversation(source, item, index) for index, item in enumerate(source.data)]


def _is_tree(item: Any) -> bool:
    mapping = item.get("mapping") if isinstance(item, dict) else None
    return isinstance(mapping, dict) and ("current_node" in item or any(
        isinstance(node, dict) and ("message" in node or "parent" in node) for node in mapping.values()))


def _conversation(source: Source, item: Any, index: int | None) -> LoggedConversation:
    place = "conversation" if index is None else f"conversation {index + 1}"
    draft = Draft(title(item, place) if isinstance(item, dict) else place, source.where(index), NAME)
    if not _is_tree(item):
        raise draft.fail(f"expected a conversation with a mapping of nodes, found {kind(item)} without one.")
    mapping = item["mapping"]
    branch = _branch(draft, mapping, item.get("current_node"))
    for key in branch:
        _node(draft, key, mapping[key])
    on_branch = set(branch)
    beside = sum(1 for key, node in mapping.items() if key not in on_branch
                 and isinstance(node, dict) and node.get("message") is not None)
    if beside:
        draft.note("message on a superseded branch left out", beside)
    return draft.done()


def _branch(draft: Draft, mapping: dict[str, Any], current: Any) -> list[str]:
    """The node ids from the root to the current node."""
    if not isinstance(current, str) or current not in mapping:
        if not mapping:
            draft.note("no messages in it")
            return []
        draft.note("no current_node in the tree: its last leaf taken")
        current = [key for key, node in mapping.items()
                   if not (isinstance(node, dict) and node.get("children"))][-1:] or list(mapping)[-1:]
        current = current[0]
    branch, seen = [], set()
    while current is not None:
        if not isinstance(current, str) or current not in mapping:
            draft.note("parent that is not in the tree: the conversation begins behind it")
            break
        if current in seen:
            raise draft.fail(f"the node {current!r} is its own ancestor, so the tree has no beginning. "
                             "Export the conversation again.")
        if not isinstance(mapping[current], dict):
            raise draft.fail(f"the node {current!r} is {kind(mapping[current])}; expected an object.")
        seen.add(current)
        branch.append(current)
        current = mapping[current].get("parent")
    return branch[::-1]


def _node(draft: Draft, key: str, node: dict[str, Any]) -> None:
    message = node.get("message")
    if message is None:  # the root
        return
    if not isinstance(message, dict):
        raise draft.fail(f"the message of node {key!r} is {kind(message)}; expected an object.")
    author = message["author"] if isinstance(message.get("author"), dict) else {}
    content = message["content"] if isinstance(message.get("content"), dict) else {}
    metadata = message["metadata"] if isinstance(message.get("metadata"), dict) else {}
    role, recipient = author.get("role"), message.get("recipient")
    if role not in ("system", "user", "assistant", "tool"):
        raise draft.fail(f"the author's role in node {key!r} is {role!r:.60}; "
                         "expected system, user, assistant or tool.")
    form = content.get("content_type")
    if form in REASONING:
        draft.note(f"{form} left out (reasoning is not sent back)")
        return
    parts = _parts(draft, content, form, images=role == "user")
    text = "\n".join(part if isinstance(part, str) else "" for part in parts).strip()
    only_text = all(isinstance(part, str) for part in parts)
    if only_text and not text:
        draft.note(f"empty {role} node left out")
        return
    if metadata.get("is_visually_hidden_from_conversation"):
        if role != "system" and form != "user_editable_context":
            draft.note(f"hidden {role} node left out")
            return
        draft.note("hidden instructions kept (the model saw them)")
        role = "system"
    for attachment in metadata.get("attachments") if isinstance(metadata.get("attachments"), list) else ():
        name = attachment.get("name") if isinstance(attachment, dict) else None
        draft.note(f"attachment whose text is not in the export: {as_text(name)[:60]}")
    at = when(message.get("create_time"))
    if role == "tool":
        name = author.get("name")
        draft.result(text, name=name if isinstance(name, str) else None, at=at)
    elif role == "assistant" and isinstance(recipient, str) and recipient != "all":
        draft.call(recipient, text, ident=str(message.get("id") or key), at=at)
    else:
        body = text if only_text else [{"type": "text", "text": p} if isinstance(p, str) else p for p in parts]
        draft.add({"role": role, "content": body}, at)


def _parts(draft: Draft, content: dict[str, Any], form: Any, *, images: bool) -> list[Any]:
    """The strings of a content object, and image parts where the API takes them (in user messages)."""
    fields = FIELDS.get(form) if isinstance(form, str) else None
    if fields is None:
        draft.unknown[f"content type {form}"] += 1
        fields = _ANY
    values: list[Any] = []
    for field in fields:
        value = content.get(field)
        values += value if isinstance(value, list) else [value]
    parts = []
    for part in values:
        if part is None or part == "":
            continue
        if not isinstance(part, dict):
            parts.append(as_text(part))
            continue
        name = part.get("content_type")
        if name == "image_asset_pointer" and images:
            parts.append({"type": "image_url", "image_url": {"url": as_text(part.get("asset_pointer"))}})
        elif name == "image_asset_pointer":
            parts.append("[image]")
        elif name == "audio_transcription" and isinstance(part.get("text"), str):
            parts.append(part["text"])
        elif isinstance(name, str) and "audio" in name:
            draft.note(f"{name} left out (its words are in the transcription)")
        else:
            draft.unknown[f"part {name}"] += 1
            parts.append(part["text"] if isinstance(part.get("text"), str) else f"[{name}]")
    return parts
