"""CPU seconds of a growing chat: every message added, one context built for each turn."""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import process_time
from typing import Any


@dataclass(frozen=True)
class Growing:
    """One memory, ready to start.  natives: the chat in its own form.  add: takes one of them.  context: what to send.

    newest: how many of the newest messages a context holds.  close: called after the last turn, outside the clock.
    """

    natives: Sequence[Any]
    add: Callable[[Any], Any]
    context: Callable[[], Any]
    newest: Callable[[Any], int]
    close: Callable[[], Any] = lambda: None


def sampled_turns(turns: int, samples: int | None) -> list[int]:
    """The numbers (from 1) of the turns whose contexts are built: all, or `samples` evenly spaced, both ends in."""
    if samples is None or samples >= turns:
        return list(range(1, turns + 1))
    return sorted({1 + round(place * (turns - 1) / (samples - 1)) for place in range(samples)})


def trapezium(places: Sequence[int], values: Sequence[float]) -> float:
    """The sum over all whole numbers from places[0] to places[-1] of what is known at places, straight in between.

    >>> trapezium([1, 3, 5], [10.0, 30.0, 50.0])  # 10 + 20 + 30 + 40 + 50
    150.0
    """
    steps = zip(places, places[1:], values, values[1:], strict=False)
    return sum((right - left) * (a + b) / 2 for left, right, a, b in steps) + (values[0] + values[-1]) / 2


def grow(growing: Growing, asks: Sequence[bool], samples: int | None = None) -> tuple[float, int]:
    """(CPU seconds for the whole chat, newest messages that the last context holds).

    asks: for each message, whether a context is built behind it.  samples: build that many and extrapolate; every
    message is added all the same.
    """
    chosen = set(sampled_turns(sum(asks), samples))
    add, context, turn, sent, places, costs = growing.add, growing.context, 0, None, [], []
    gc.collect()
    start = process_time()
    if samples is None:  # without a look at the clock for each context
        for message, asked in zip(growing.natives, asks, strict=True):
            add(message)
            if asked:
                sent = context()
        seconds = process_time() - start
    else:
        for message, asked in zip(growing.natives, asks, strict=True):
            add(message)
            turn += asked
            if asked and turn in chosen:
                before = process_time()
                sent = context()
                costs.append(process_time() - before)
                places.append(turn)
        seconds = process_time() - start - sum(costs) + trapezium(places, costs)
    newest = growing.newest(sent)
    growing.close()
    return seconds, newest


def machine(distributions: Sequence[str]) -> dict[str, Any]:
    """Where and with what a run was made: processor, cores, system, versions, commit."""
    with open("/proc/cpuinfo", encoding="utf-8") if os.path.exists("/proc/cpuinfo") else open(os.devnull) as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return {"processor": (models or [platform.processor() or platform.machine()])[0], "cores": os.cpu_count(),
            "system": platform.platform(), "python": platform.python_version(), "commit": commit.stdout.strip(),
            "versions": {name: version(name) for name in distributions}}


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
