"""Sessions in a service: what many of them cost one process, and what a slow summariser costs a turn.

    .bench-venv/bin/python bench/run.py sessions [--quick]      as run.py says; no peer is needed, so .venv does as well

The model answers at once and the store is SQLite, so that what is measured is ours.  Seconds are of one machine: read
the ratios.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from timing import machine

TURNS = 100
WORDS = "I should like to see that town on a Sunday afternoon in spring, with my dog and my two cats."


class Model:
    """A client, plain or async, that answers at once; its summaries take `seconds`."""

    models_ = SimpleNamespace(chat="bench", summary="bench")

    def __init__(self, seconds: float = 0.0, *, awaited: bool = False):
        self.seconds = seconds
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._awaited if awaited else self._create))

    def _create(self, *, max_tokens: int | None = None, **_: Any) -> Any:
        if max_tokens is not None:  # summarize() alone sets it
            time.sleep(self.seconds)
        said = "Numbers: a summary of what was said."
        message = SimpleNamespace(content=said, model_dump=lambda **_: {"role": "assistant", "content": said})
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")], usage=None)

    async def _awaited(self, **request: Any) -> Any:
        return self._create(**request)


def memory(seconds: float = 0.0) -> Any:
    from memory_lab import SummaryMemory

    return SummaryMemory(token_limit=2000, trigger_tokens=1200, client=Model(seconds))


def many(sessions: int) -> dict[str, float]:
    """CPU seconds and memory of that many sessions of TURNS turns, all alive in this process."""
    from memory_lab.session import ChatSession
    from memory_lab.stores.sqlite import SqliteStore

    with tempfile.TemporaryDirectory() as folder, SqliteStore(Path(folder) / "chats", durable=False) as store:
        client = Model()
        ChatSession(memory(), client, store, "warm").send(WORDS)  # the vocabulary is read once
        before, start = _resident(), time.process_time()
        alive = [ChatSession(memory(), client, store, f"user-{number}") for number in range(sessions)]
        for turn in range(TURNS):
            for session in alive:
                session.send(f"{turn} {WORDS}")
        return {"sessions": sessions, "cpu_s": round(time.process_time() - start, 2),
                "resident_mb": round((_resident() - before) / 1e6, 1),
                "folds": sum(len(session.memory.compactions) for session in alive),
                "stored_mb": round(sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6, 1)}


def _resident() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


def slowest_turn(seconds: float, *, background: bool) -> dict[str, Any]:
    """Seconds of the turns of one chat whose summaries take that long, folded in the turn or beside it."""
    from memory_lab.session import AsyncChatSession, ChatSession

    times: list[float] = []
    if not background:
        session = ChatSession(memory(seconds), Model())
        for turn in range(TURNS):
            start = time.perf_counter()
            session.send(f"{turn} {WORDS}")
            times.append(time.perf_counter() - start)
    else:
        async def chat() -> None:
            async with AsyncChatSession(memory(seconds), Model(awaited=True)) as session:
                for turn in range(TURNS):
                    start = time.perf_counter()
                    await session.send(f"{turn} {WORDS}")
                    times.append(time.perf_counter() - start)
                    await asyncio.sleep(seconds / 10)  # a person types
        asyncio.run(chat())
    return {"background": background, "summary_s": seconds, "turns": TURNS, "slowest_s": round(max(times), 3),
            "waited": sum(taken >= seconds / 2 for taken in times)}


def run(*, quick: bool) -> dict[str, Any]:
    """All figures; each number of sessions in a process of its own."""
    sizes = (10, 20, 40) if quick else (250, 500, 1000)
    rows = [json.loads(subprocess.run([sys.executable, __file__, str(size)], capture_output=True, text=True,
                                      check=True).stdout) for size in sizes]
    seconds = 0.2 if quick else 2.0
    return {"date": date.today().isoformat(), "machine": machine(("openai", "tiktoken")), "turns": TURNS, "many": rows,
            "latency": [slowest_turn(seconds, background=background) for background in (False, True)]}


def markdown(result: dict[str, Any]) -> str:
    """The figures as a page."""
    lines = [f"# Sessions of {result['turns']} turns, one process, SQLite", "", f"Measured on {result['date']}.", "",
             "| sessions | CPU s | per session, ms | resident MB | per session, KB | stored MB | folds |",
             "|---|---|---|---|---|---|---|"]
    for row in result["many"]:
        number = row["sessions"]
        lines.append(f"| {number:,} | {row['cpu_s']} | {1000 * row['cpu_s'] / number:.1f} | {row['resident_mb']} | "
                     f"{1000 * row['resident_mb'] / number:.0f} | {row['stored_mb']} | {row['folds']:,} |")
    lines += ["", "| a summary takes | folding | slowest turn | turns that waited for it |", "|---|---|---|---|"]
    for row in result["latency"]:
        where = "beside the turns" if row["background"] else "in the turn"
        lines.append(f"| {row['summary_s']} s | {where} | {row['slowest_s']} s | {row['waited']} of {row['turns']} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":  # one size, in a process of its own
    print(json.dumps(many(int(sys.argv[1]))))
