"""Stand-ins for what a student wrote: here in the judge's process, while the thing itself stays in the student's."""

from __future__ import annotations

import base64
import builtins
import contextlib
import importlib
import pickle
import types
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from classroom import wire
from classroom.warm import KernelEnd


class Court(Protocol):
    """Where a stand-in's questions go."""

    callbacks: list[Any]

    def ask(self, request: dict[str, Any], back: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]: ...


class WitnessError(Exception):
    """The student's code raised something that only it knows, or answered nonsense."""


class Remote:
    """A stand-in for something in the student's process. Plain results come as plain values."""

    def __init__(self, court: Court, target: dict[str, Any], kind: str = ""):
        self.__dict__.update(_court=court, _target=target, _kind=kind)

    def _ask(self, do: str, *arguments: Any, **keywords: Any) -> Any:
        request = {**self._target, "do": do, "arguments": [wire.encode(item, self._send) for item in arguments],
                   "keywords": {name: wire.encode(item, self._send) for name, item in keywords.items()}}
        found = self._court.ask(request, self._back)
        try:
            if "error" in found:
                error = _rebuilt(*found["error"])
            else:
                value = wire.decode(found["value"], self._take)
                for item, after in zip(arguments, found["after"], strict=True):
                    _restore(item, wire.decode(after, self._take))
                error = None
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as wrong:
            raise WitnessError(f"an answer that is none: {wrong}") from wrong
        if error is not None:
            raise error
        return value

    def _send(self, value: Any) -> Any:
        if isinstance(value, Remote):
            if "held" in value._target:
                return {"h": value._target["held"]}
            return {"h": value._fetch()._target["held"]}
        if isinstance(value, types.FunctionType):
            kept = self._court.callbacks
            number = next((n for n, function in enumerate(kept) if function is value), len(kept))
            kept[number:] = kept[number:] or [value]
            return {"c": number}
        try:
            return {"p": base64.b64encode(pickle.dumps(value)).decode()}
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise wire.WireError(f"{type(value).__name__} cannot be handed to another process") from error

    def _back(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a call of one of the check's own functions, by the student's code, with plain values."""
        try:
            call = self._court.callbacks[request["back"]]
            arguments = [wire.decode(item, self._take) for item in request["arguments"]]
            keywords = {str(name): wire.decode(item, self._take) for name, item in request["keywords"].items()}
            return {"value": wire.encode(call(*arguments, **keywords), self._send)}
        except KernelEnd:
            raise
        except Exception as error:
            return {"error": [type(error).__name__, str(error)[:2000]]}

    def _take(self, tag: str, body: Any) -> Any:
        if tag == "h" and isinstance(body, list) and len(body) == 3 and type(body[0]) is int:
            return Remote(self._court, {"held": body[0]}, str(body[2]))
        raise wire.WireError(f"unknown tag {str(tag)[:20]!r}")

    def _fetch(self) -> Any:
        """The value itself if it is plain, else a stand-in by number."""
        return self._ask("value")

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._ask("call", *arguments, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__name__":
            raise AttributeError(name)
        return self._ask("get", name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._ask("set", name, value)

    def __len__(self) -> int:
        return self._ask("length")

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ask("items"))

    def __getitem__(self, key: Any) -> Any:
        return self._ask("item", key)

    def __contains__(self, item: Any) -> bool:
        return self._ask("has", item) is True

    def __bool__(self) -> bool:
        return self._ask("truth") is True

    def __str__(self) -> str:
        return str(self._ask("text"))


def _rebuilt(module: str, name: str, words: list[Any]) -> Exception:
    """The exception that the student's code raised, if it is one of Python's or the course's."""
    texts = [word if isinstance(word, (str, int, float)) else str(word) for word in words]
    kind: Any = None
    if module == "builtins":
        kind = getattr(builtins, name, None)
    elif module.partition(".")[0] == "memory_lab":
        with contextlib.suppress(ImportError):
            kind = getattr(importlib.import_module(module), name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        return WitnessError(f"{name}: {texts[0] if texts else ''}")
    error = kind.__new__(kind)
    error.args = tuple(texts)
    return error


def _restore(item: Any, after: Any) -> None:
    """What the student's code did to an argument, done to ours, in place."""
    if isinstance(item, list) and isinstance(after, list):
        for mine, theirs in zip(item, after, strict=False):
            _restore(mine, theirs)
        if item != after:
            item[:] = after
    elif isinstance(item, dict) and isinstance(after, dict):
        for key in item.keys() & after.keys():
            _restore(item[key], after[key])
        if item != after:
            item.clear()
            item.update(after)
