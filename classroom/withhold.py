"""Modules that an exercise may not import, because they hold its answer.

A cutter's first cell calls `install("memory_lab.window")`; a kernel can be started with them withheld:

    CLASSROOM_WITHHOLD=memory_lab.window,statistics python -m classroom.withhold ipykernel_launcher -f FILE

Every way through the import system is refused: the module, its submodules, `from package import module`, a package that
loads the module lazily, and another module that needs it. This is a fence for honest people: code that wants to read
the file can. A grader hides the files themselves.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

VARIABLE = "CLASSROOM_WITHHOLD"


class WithheldError(ImportError):
    """Raised by importing a withheld module. Not ModuleNotFoundError: nobody should take it for absent."""


class _Fence:
    """A finder that stands before all others and finds nothing but fault."""

    def __init__(self, names: set[str]):
        self.names = names

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        held = next((held for held in self.names if name == held or name.startswith(held + ".")), None)
        if held is None:
            return None
        raise WithheldError(f"{held} is withheld in this exercise: it holds what you are asked to write. "
                            "Use only what the exercise gives you.", name=name)


def install(*names: str) -> None:
    """Nothing; from here on importing any of the names (dotted) raises WithheldError. Calls add up.

    A withheld module that is loaded already is unloaded with its whole package, since any part of it may hold a
    reference: call this before the package is imported. Raises ValueError for a name that is not a module's name.
    """
    bad = [name for name in names if not all(part.isidentifier() for part in name.split("."))]
    if bad:
        raise ValueError(f"not a module's name: {bad[0]!r}")
    fence = next((finder for finder in sys.meta_path if isinstance(finder, _Fence)), None)
    if fence is None:
        fence = _Fence(set())
        sys.meta_path.insert(0, fence)
    fence.names.update(names)
    for name in names:
        if any(loaded == name or loaded.startswith(name + ".") for loaded in sys.modules):
            top = name.partition(".")[0]
            for loaded in [m for m in sys.modules if m == top or m.startswith(top + ".")]:
                del sys.modules[loaded]


def uninstall() -> None:
    """Nothing; every module can be imported again."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Fence)]


def from_environment() -> list[str]:
    """The names that CLASSROOM_WITHHOLD gives (commas between them), installed."""
    names = [name.strip() for name in os.environ.get(VARIABLE, "").split(",") if name.strip()]
    install(*names)
    return names


def main() -> None:
    """Run a module as `python -m` would, behind the fence."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: python -m classroom.withhold MODULE [ARGUMENTS]")
    from_environment()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
