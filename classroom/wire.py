"""Values between the judge and a student's process, as JSON: nothing is unpickled that a student's code can write.

Plain values go by value, each as exactly its plain type: a list whose `__eq__` is always true arrives as a list. Other
objects of the student's stay where they are and are named by a number. Where a value cannot go, WireError says so.
Both halves read this file; `answer` runs in the student's process.
"""

from __future__ import annotations

import ast
import base64
import builtins
import dataclasses
import datetime
import importlib
import json
import pickle
import socket
from collections.abc import Callable
from typing import Any

DEEPEST = 60
_HELD: dict[int, Any] = {}
_BUILT = ("memory_lab",)  # packages whose dataclasses and named tuples are rebuilt from their fields


class WireError(ValueError):
    """A value that cannot be sent, or is not what was agreed."""


def encode(value: Any, other: Callable[[Any], Any], depth: int = 0) -> Any:
    """The value as JSON values. other: what stands for an object that is not plain. Raises WireError."""
    if depth > DEEPEST:
        raise WireError(f"nested more than {DEEPEST} deep")
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    again, home = depth + 1, type(value).__module__
    ours = home.partition(".")[0] in _BUILT
    if ours and _is_named_tuple(type(value)):
        fields = [[name, encode(item, other, again)] for name, item in zip(value._fields, value, strict=True)]
        return {"o": [home, type(value).__qualname__, fields]}
    if isinstance(value, dict):
        return {"d": [[encode(k, other, again), encode(v, other, again)] for k, v in dict.items(value)]}
    for tag, kind in (("l", list), ("t", tuple), ("s", set), ("f", frozenset)):
        if isinstance(value, kind):
            return {tag: [encode(item, other, again) for item in kind.__iter__(value)]}
    if isinstance(value, bytes):
        return {"b": base64.b64encode(value).decode()}
    if isinstance(value, datetime.datetime):
        return {"dt": value.isoformat()}
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return encode(value.tolist(), other, again)
    if ours and dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [[f.name, encode(getattr(value, f.name), other, again)] for f in dataclasses.fields(value) if f.init]
        return {"o": [home, type(value).__qualname__, fields]}
    return other(value)


def decode(value: Any, other: Callable[[str, Any], Any], depth: int = 0) -> Any:
    """The value that `encode` was given. other: what to make of a tag that is not plain. Raises WireError."""
    if depth > DEEPEST:
        raise WireError(f"nested more than {DEEPEST} deep")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise WireError("not a value")
    (tag, body), again = next(iter(value.items())), depth + 1
    try:
        if tag == "d":
            return {decode(k, other, again): decode(v, other, again) for k, v in body}
        if tag in ("l", "t", "s", "f"):
            kind = {"l": list, "t": tuple, "s": set, "f": frozenset}[tag]
            return kind([decode(item, other, again) for item in body])
        if tag == "b":
            return base64.b64decode(body)
        if tag == "dt":
            return datetime.datetime.fromisoformat(body)
        if tag == "o":
            kind = _known(body[0], body[1])
            return kind(**{name: decode(item, other, again) for name, item in body[2]})
    except (TypeError, ValueError, AttributeError, ImportError) as error:
        raise WireError(f"not a value: {error}") from error
    return other(tag, body)


def plain_numbers(value: Any) -> Any:
    """The value with every whole float as an integer: 3.0 and 3 are one answer.

    >>> plain_numbers([3.0, (True, 2.5), {"a": -0.0}])
    [3, (True, 2.5), {'a': 0}]
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {plain_numbers(k): plain_numbers(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        kind = tuple if _is_named_tuple(type(value)) else type(value)
        return kind(map(plain_numbers, value))
    return value


def canonical(text: str) -> str:
    """A plain value's text in its one form, whatever its layout; a whole float is that integer. Other text as it is.

    >>> canonical("[ 1.0,2, 'a']"), canonical("<object>")
    ("[1, 2, 'a']", '<object>')
    """
    if len(text) > 1_000_000:
        return text
    try:
        return repr(plain_numbers(ast.literal_eval(text)))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return text


def _known(module: str, name: str) -> type:
    """A dataclass or a named tuple of the course's package, and no other thing."""
    if module.partition(".")[0] not in _BUILT:
        raise WireError(f"{module} is not a module of the course")
    kind = getattr(importlib.import_module(module), name)
    if not isinstance(kind, type) or not (dataclasses.is_dataclass(kind) or _is_named_tuple(kind)):
        raise WireError(f"{name} is not a dataclass")
    return kind


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


# ---- in the student's process


class _Serving:
    """The socket to the judge, while a check runs there."""

    def __init__(self, path: str):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(path)
        self.lines = self.link.makefile("rw", encoding="utf-8", newline="\n")

    def say(self, value: dict[str, Any]) -> None:
        self.lines.write(json.dumps(value) + "\n")
        self.lines.flush()


_NOW: list[_Serving] = []


def serve(path: str, names: dict[str, Any]) -> None:
    """Answer the judge's questions until it hangs up. names: the notebook's names."""
    _NOW[:] = [_Serving(path)]
    for line in _NOW[0].lines:
        _NOW[0].say(answer(names, json.loads(line)))


def answer(names: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """What a question of the judge's gives: {"value", "after"} or {"error"}."""
    try:
        target = names[request["name"]] if "name" in request else _HELD[request["held"]]
        arguments = [decode(item, _receive) for item in request["arguments"]]
        keywords = {name: decode(item, _receive) for name, item in request["keywords"].items()}
        value = _DO[request["do"]](target, *arguments, **keywords)
        return {"value": encode(value, _hold), "after": [encode(item, _hold) for item in arguments]}
    except BaseException as error:  # an exit or an interrupt of the student's code is an answer too
        words = [encode(item, lambda item: str(item)[:2000]) for item in error.args[:3]]
        return {"error": [type(error).__module__, type(error).__qualname__, words]}


def _hold(value: Any) -> dict[str, Any]:
    _HELD[id(value)] = value
    return {"h": [id(value), callable(value), type(value).__name__]}


def _receive(tag: str, body: Any) -> Any:
    if tag == "h":
        return _HELD[body]
    if tag == "p":  # from the judge to the student, never back
        return pickle.loads(base64.b64decode(body))
    if tag == "c":  # a function of the check's: calling it asks the judge
        return lambda *arguments, **keywords: _ask_back(body, arguments, keywords)
    raise WireError(f"unknown tag {tag!r}")


def _ask_back(number: int, arguments: Any, keywords: Any) -> Any:
    request = {"back": number, "arguments": [encode(item, _hold) for item in arguments],
               "keywords": {name: encode(item, _hold) for name, item in keywords.items()}}
    _NOW[0].say(request)
    found = json.loads(next(_NOW[0].lines))
    if "error" in found:
        name, text = found["error"]
        kind = getattr(builtins, name, RuntimeError)
        raise (kind if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError)(text)
    return decode(found["value"], _receive)


_DO: dict[str, Callable[..., Any]] = {
    "call": lambda target, *a, **k: target(*a, **k),
    "get": getattr,
    "set": setattr,
    "length": len,
    "items": lambda target: list(target),
    "item": lambda target, key: target[key],
    "has": lambda target, item: item in target,
    "truth": bool,
    "text": str,
    "value": lambda target: target,
}
