"""Chat messages, the plain dicts that client.chat.completions.create(messages=...) takes, and what belongs together.

    instructions  system and developer messages, wherever they stand
    unit          a call with the run of tool results directly behind it, or any other single message; indivisible
    turn          a run of one or more user messages and all units up to the next user message

What this file does not do: count tokens (tokens.py), remember (memory.py).  Chapters 1 and 3.

Copy with: errors.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from .errors import MessageError

Message = dict[str, Any]
ROLES = ("system", "developer", "user", "assistant", "tool")
INSTRUCTIONS = frozenset({"system", "developer"})
RULES = {  # name -> (who has the rule, what it asks)
    "shape": ("openai", "a message is a dict of JSON values with string keys, without nulls but for content"),
    "role": ("openai", f"role is one of {', '.join(ROLES)}"),
    "content": ("openai", "content is a string or a list of parts; null stands beside tool_calls or a refusal alone"),
    "name": ("openai", "a name is a string of 1 to 64 characters without white space or < | \\ / >"),
    "tool_calls": ("openai", "tool_calls is a list of {id, type, function: {name, arguments as text}} of an assistant"),
    "tool_call_id": ("openai", "a tool message names the call that it answers in tool_call_id"),
    "surrogate": ("openai", "text is valid Unicode: half of a surrogate pair cannot be encoded"),
    "empty": ("openai", "there is at least one message"),
    "orphan_result": ("openai", "a tool result stands in the run directly behind its call, once"),
    "missing_result": ("openai", "each call has its result in the run directly behind it"),
    "one_system": ("strict", "there is at most one system or developer message"),
    "system_first": ("strict", "instructions stand before all else"),
    "user_first": ("strict", "behind the instructions the user speaks first"),
    "alternation": ("strict", "user and assistant take turns"),
}
_NAME = re.compile(r"[^\s<|\\/>]{1,64}")


def _message(role: str, content: Any, **more: Any) -> Message:
    message = {"role": role, "content": content} | {key: value for key, value in more.items() if value is not None}
    check_message(message)
    return copy_message(message)


def system(content: str | list, *, name: str | None = None) -> Message:
    """A system message: what the operator asks of the model."""
    return _message("system", content, name=name)


def developer(content: str | list, *, name: str | None = None) -> Message:
    """A developer message: the newer API's word for a system message."""
    return _message("developer", content, name=name)


def user(content: str | list, *, name: str | None = None) -> Message:
    """A user message.

    >>> user("I am allergic to shellfish.")
    {'role': 'user', 'content': 'I am allergic to shellfish.'}
    """
    return _message("user", content, name=name)


def assistant(content: str | list | None = None, *, tool_calls: list | None = None, name: str | None = None) -> Message:
    """An assistant message: a reply, or the tool calls that the model asks for (see tool_call)."""
    return _message("assistant", content, tool_calls=tool_calls, name=name)


def tool(content: str | list, *, tool_call_id: str) -> Message:
    """The result of one tool call, as the text that the model reads."""
    return _message("tool", content, tool_call_id=tool_call_id)


def tool_call(id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    """One entry of an assistant's tool_calls.  arguments: JSON as text, as the API sends it."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def copy_message(value: Any) -> Any:
    """An equal message that shares no list or dict with the original.  Five times as fast as copy.deepcopy."""
    if type(value) is dict:
        return {key: item if type(item) is str else copy_message(item) for key, item in value.items()}
    return [copy_message(item) for item in value] if type(value) is list else value


def nesting(value: dict | list) -> tuple:
    """Where a message holds lists and dicts: ((key, the same for what is there), ...); () for a message of strings.

    >>> nesting({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]})
    (('content', ((0, (('image_url', ()),)),)),)
    """
    items = value.items() if type(value) is dict else enumerate(value)
    return tuple((key, nesting(item)) for key, item in items if type(item) is dict or type(item) is list)


def copy_nested(value: Any, inside: tuple) -> Any:
    """The same as copy_message for a value whose nesting is known.  Three times as fast for a tool call."""
    fresh = value.copy()
    for key, deeper in inside:
        fresh[key] = copy_nested(fresh[key], deeper) if deeper else fresh[key].copy()
    return fresh


def text_of(message: Message) -> str:
    """The words of a message: its content, or its text parts one per line; "" for null.  No names, no calls."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content or ""


def with_derived(front: list[Message], derived: str) -> list[Message]:
    """The instructions with derived text behind the last one, in the same message; alone where there is none."""
    if not front:
        return [system(derived)]
    last = front[-1]
    content = last["content"]
    if isinstance(content, str):
        joined = f"{content}\n\n{derived}" if content else derived
    else:
        joined = [*content, {"type": "text", "text": derived}]
    return [*front[:-1], {**last, "content": joined}]


def check_message(message: Any, index: int | None = None) -> None:
    """Nothing; raises MessageError if no list could make this message valid for the OpenAI API.

    index: its place, for the error's text.  An assistant message with neither words nor calls passes: models do send
    them, so they are logged, and the memories never send them back.
    """
    def refuse(rule: str, what: str) -> None:
        where = "message" if index is None else f"messages[{index}]"
        raise MessageError(f"{where}: {what} (rule {rule!r}: {RULES[rule][1]})", index=index, rule=rule)

    if type(message) is not dict:
        hint = "; call .model_dump(exclude_none=True) on it" if hasattr(message, "model_dump") else ""
        refuse("shape", f"is {type(message).__name__}, not a dict{hint}")
    role, content, calls = message.get("role"), message.get("content"), message.get("tool_calls")
    if role not in ROLES:
        refuse("role", f"role is {role!r}")
    _check_values(message, refuse)
    for key, value in message.items():
        if value is None and key != "content":
            refuse("shape", f"{key} is null; leave the key out")
    if content is None and role != "assistant":
        refuse("content", f"a {role} message has no content; use '' for an empty one")
    if content is not None and not isinstance(content, str) and not (isinstance(content, list) and content):
        refuse("content", f"content is {content!r}"[:80])
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if not (isinstance(part, dict) and isinstance(part.get("type"), str)) or \
                (part["type"] == "text" and not isinstance(part.get("text"), str)):
            refuse("content", f"content[{number}] is not a part with a type (and text, for type 'text')")
    if "name" in message and not (isinstance(message["name"], str) and _NAME.fullmatch(message["name"])):
        refuse("name", f"name is {message['name']!r}")
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        refuse("tool_call_id", f"tool_call_id is {message.get('tool_call_id')!r}")
    if "tool_calls" in message and (role != "assistant" or not isinstance(calls, list) or not calls):
        refuse("tool_calls", f"a {role} message with tool_calls {calls!r}"[:80])
    for number, call in enumerate(calls or ()):
        does = (call.get("function") or call.get("custom")) if isinstance(call, dict) else None
        if not isinstance(does, dict) or not all(isinstance(word, str) for word in (
                call.get("id"), does.get("name"), does.get("arguments", does.get("input")))):
            refuse("tool_calls", f"tool_calls[{number}] lacks an id, a name or arguments as text")


def _check_values(value: Any, refuse) -> None:
    """Refuse what JSON or UTF-8 cannot carry, at any depth."""
    if type(value) is str:
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:
                refuse("surrogate", f"lone surrogate {value[error.start]!r} at character {error.start} of "
                       f"{value[max(0, error.start - 20):error.start]!r}...; mend it with "
                       "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')")
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                refuse("shape", f"key {key!r} is not a string")
            _check_values(key, refuse)
            _check_values(item, refuse)
    elif type(value) is list:
        for item in value:
            _check_values(item, refuse)
    elif not (value is None or type(value) in (bool, int) or (type(value) is float and abs(value) < float("inf"))):
        refuse("shape", f"{value!r} of type {type(value).__name__} is not a JSON value"[:100])


def check_messages(messages: Sequence[Message], *, strict: bool = False) -> None:
    """Nothing; raises MessageError for the first rule that the list breaks, with its index and who has the rule.

    strict: also the rules that only stricter servers have.  All problems at once: rules.message_problems.

    >>> check_messages([user("hi"), tool("42", tool_call_id="a")])
    Traceback (most recent call last):
    memory_lab.errors.MessageError: messages[1]: result 'a' without its call before it (rule 'orphan_result' of the \
OpenAI API: a tool result stands in the run directly behind its call, once)
    """
    from .rules import message_problems  # only who validates needs that file

    for error in message_problems(messages, strict=strict):
        raise error


def turns(messages: Iterable[Message]) -> tuple[list[Message], list[list[Message]]]:
    """(instructions, turns): the messages sorted into what is always sent and what a window may cut between.

    Every turn begins with a user message, but for a first one that holds what was said before any.  Stray results and
    unanswered calls stay where they stand, so nothing is lost: the parts hold each message once, in order.  The dicts
    are those of the input, not copies.  Cost: one pass.

    >>> instructions, talk = turns([system("Be kind."), user("Hi"), assistant("Hello!"), user("Bye")])
    >>> len(instructions), [len(turn) for turn in talk]
    (1, [2, 1])
    """
    instructions, talk, speaker = [], [], None
    for message in messages:
        role = message["role"]
        if role in INSTRUCTIONS:
            instructions.append(message)
            continue
        if not talk or (role == "user" and speaker != "user"):
            talk.append([])
        talk[-1].append(message)
        speaker = role
    return instructions, talk
