"""A hidden check run where the student's code is not: here, against stand-ins for what the student wrote.

A check that runs in the student's kernel can be read and rewritten there (`assert got == right` is two names away from
`got = right`). So each hidden check runs twice: under nbval in the kernel, which finds what an honest mistake does, and
here, where a call of the student's function is a question to that kernel, with the inputs alone, answered in plain
values. The check's code, its seed and its right answers never go there. Points need both.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

from classroom import wire
from classroom.channel import Channel, ChannelError
from classroom.kernel import Kernel
from classroom.stand_in import Remote, WitnessError
from classroom.warm import KernelEnd

_DEFINE = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


class Witness:
    """The judge's side of one notebook. seconds: for one check."""

    def __init__(self, kernel: Kernel, seed: int, seconds: float = 60):
        self.kernel, self.seed, self.seconds = kernel, seed, seconds
        self.channel: Channel | None = None
        self.callbacks: list[Any] = []
        self.fresh: list[str] = []
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def scaffold(self, source: str) -> None:
        """Run a cell that the course gives. Its output is not looked at."""
        with contextlib.suppress(Exception), _quiet():  # what is missing now, the check will miss
            self._run(ast.parse(source))

    def helpers(self, source: str) -> None:
        """Take the imports and definitions of a visible check: a hidden check behind it may use them."""
        with contextlib.suppress(Exception):
            tree = ast.parse(source)
            tree.body = [part for part in tree.body if isinstance(part, _DEFINE)]
            self._run(tree)

    def answered(self, names: list[str]) -> None:
        """From here on these names stand for what the student's answer cell left in them."""
        self.names |= {name: Remote(self, {"name": name}) for name in names}
        self.fresh += names

    def ask(self, request: dict[str, Any], back: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        if self.channel is None:
            raise WitnessError("asked outside a check")
        return self.channel.ask(request, back)

    def _settle(self) -> None:
        """A plain value that an answer cell left in a name stands for itself."""
        for name in self.fresh:
            try:
                value = self.names[name]._fetch()
            except (KernelEnd, ChannelError):
                raise
            except Exception:  # a name that the student's answer does not define
                continue
            self.names[name] = self.names[name] if isinstance(value, Remote) else value
        self.fresh.clear()

    def check(self, source: str) -> dict[str, Any]:
        """{"value": JSON text} or {"error": "Name: text"} or {"unfit": why}. Raises KernelEnd."""
        os.environ["CLASSROOM_SEED"] = str(self.seed)
        try:
            with Channel(self.kernel, self.kernel.cell_seconds) as self.channel, _alarm(self.seconds), _quiet():
                self._settle()
                value = self._run(ast.parse(source))
                while isinstance(value, Remote):
                    fetched = value._fetch()
                    if isinstance(fetched, Remote):
                        raise wire.WireError(f"shows a {fetched._kind}, which is no plain value")
                    value = fetched
                return {"value": json.dumps(wire.encode(_settled(value), self._never))}
        except KernelEnd:
            raise
        except (wire.WireError, SyntaxError) as error:
            return {"unfit": str(error)[:2000]}
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"[:2000]}
        finally:
            self.channel = None
            os.environ.pop("CLASSROOM_SEED", None)

    def _run(self, tree: ast.Module) -> Any:
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<check>", "exec"), self.names)
        return eval(compile(ast.Expression(last.value), "<check>", "eval"), self.names) if last else None

    @staticmethod
    def _never(value: Any) -> Any:
        raise wire.WireError(f"shows a {getattr(value, '_kind', '') or type(value).__name__}, which is no plain value")


def _settled(value: Any) -> Any:
    """The value to compare: numbers in one form, dicts and sets in one order."""
    value = wire.plain_numbers(value)
    if isinstance(value, dict):
        return {key: _settled(value[key]) for key in sorted(value, key=repr)}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_settled, value))
    return sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise WitnessError("the check did not end in time")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
