"""Whole numbers of the command line, refused in words where they are none; and how many processes may share work."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable


def whole(things: str) -> Callable[[str], int]:
    """A type for argparse: text to a whole number of tokens, say, 1 or more; 32,000 and 32_000 are one.

    >>> whole("tokens")("32,000")
    32000
    """
    def number(text: str) -> int:
        found = int(text.replace(",", "").replace("_", ""))
        if found < 1:
            raise argparse.ArgumentTypeError(f"{text} is no number of {things}: give 1 or more")
        return found

    number.__name__ = f"number of {things}"  # argparse puts it into its message
    return number


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
