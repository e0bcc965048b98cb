"""Imports that leave out what they would load and never use."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def without(*names: str) -> Iterator[None]:
    """Nothing; imports inside take these modules for absent. One that is loaded already stays.

    For an optional part of a library that costs more than the library: where a Jupyter server is installed,
    `import nbformat` builds a grammar of web addresses (1.6 s), and `import jupytext` loads the server (0.4 s).

    >>> with without("wave"):
    ...     import wave
    Traceback (most recent call last):
    ModuleNotFoundError: import of wave halted; None in sys.modules
    """
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for name in hidden:
            if sys.modules.get(name) is None:
                sys.modules.pop(name, None)
