"""Many conversations at once: a share of them to each process, and one plan of settings from all of them.

    with Replays(talks, jobs=2) as replays:
        settings = ... recommend(replays.plans()) ...
        results = replays.run(settings, progress)

A process keeps the plans of its share, so that each message is counted once, whatever is tried later.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from typing import Any

from ..errors import MemoryLabError
from ..facts.rules import extract_rules
from ..logs import LoggedConversation
from ..masking import Redactor
from ..values import Value
from .measure import FULL, KnownCounts, LogReplay, replay_log
from .plan import Plan, plan
from .windows import NAMES, label, windows

Progress = Callable[[int], object]
DIED = ("a process that replays conversations has died (out of memory, perhaps; or a script started it outside of "
        "if __name__ == '__main__'): try --jobs 1.")


@dataclass(frozen=True)
class Settings:
    """What windows() takes."""

    names: tuple[str, ...] = NAMES
    token_limits: tuple[int, ...] = ()
    memory_limit: int | None = None
    max_turns: int = 10
    max_messages: int = 20

    def memories(self, count: KnownCounts | None = None,
                 read: Callable = extract_rules) -> dict[str, Callable[[], Any]]:
        return windows(self.names, token_limits=self.token_limits, memory_limit=self.memory_limit,
                       max_turns=self.max_turns, max_messages=self.max_messages, count=count, read=read,
                       check=count is None)

    def whole(self, made: Plan) -> set[str]:
        """The rows that send everything at each call of that plan, so that nobody need try them.

        They are windows that never were full, and a summary that never was due.
        """
        peak = max((call.full for call in made.calls), default=0)
        labels = {label("token_window", limit) for limit in self.token_limits if peak <= limit}
        if made.turns <= self.max_turns:
            labels |= {f"{name}({self.max_turns} turns)" for name in ("fixed_window", "sliding_window")}
        if self.memory_limit is not None and peak < self.memory_limit // 2:
            labels.add(label("summary", self.memory_limit))
        return labels


@dataclass
class Share:
    """Some of the conversations, in one process.  redact: what is shown of values is masked."""

    talks: Sequence[LoggedConversation]
    redact: bool = False
    _made: list[tuple[Plan, KnownCounts]] = field(default_factory=list)

    def plans(self) -> Iterator[Plan]:
        """The plan of each conversation, without its texts."""
        for talk in self.talks:
            count = KnownCounts()
            made = plan(talk.messages, count)
            self._made.append((made, count))
            yield _bare(made)

    def run(self, settings: Settings) -> Iterator[LogReplay]:
        """The replay of each conversation, without its texts; what was planned for it is let go."""
        while self._made:
            made, count = self._made.pop(0)
            talk = self.talks[-1 - len(self._made)]
            memories, same = settings.memories(count, made.facts), settings.whole(made)
            result = replay_log(talk.messages, {row: make for row, make in memories.items() if row not in same},
                                times=talk.times, count=count, name=talk.name, made=made)
            tried = result.strategies
            result.strategies = {row: replace(tried[FULL], name=row) if row in same else tried[row]
                                 for row in dict.fromkeys((FULL, *memories))}
            yield replace(result, plan=_bare(replace(made, shown=_shown(result, self.redact))))


def _bare(made: Plan) -> Plan:
    return replace(made, messages=(), finder=None, prohibitions=None, facts=None)


def _shown(result: LogReplay, redact: bool) -> dict[Value, str]:
    """How the values that the result speaks of were written; of a redacted one names and prohibitions by a number."""
    made, runs = result.plan, result.strategies.values()
    values = dict.fromkeys([reference.value for reference in (*made.references, *made.leans)])
    values |= dict.fromkeys(value for run in runs for value in run.gone)
    numbers: dict[str, int] = {}
    shown = {}
    for value in values:
        if redact and value.kind in ("name", "prohibition"):
            numbers[value.kind] = numbers.get(value.kind, 0) + 1
            shown[value] = f"{value.kind} {numbers[value.kind]}"
        else:
            shown[value] = made.written(value)
    return shown


class Replays:
    """The conversations with what is done to them, in `jobs` processes (1: in this one).

    Results come in the order of the conversations, with their messages.  An error in a process is raised here.
    Cost: each process imports the package (about a second) and holds its share.
    """

    def __init__(self, talks: Sequence[LoggedConversation], *, jobs: int = 1, redact: bool = False):
        self.talks = talks
        self._workers: list[Any] = []
        if jobs < 2 or len(talks) < 2:
            self._shares, self._local = [range(len(talks))], Share(talks, redact)
            return
        self._local = None
        self._shares = shares([sum(len(str(m.get("content"))) for m in talk.messages) for talk in talks], jobs)
        context = multiprocessing.get_context("spawn")  # a fork would copy what threads of this process have locked
        for share in self._shares:
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there,), daemon=True)
            process.start()
            there.close()
            here.send(([talks[index] for index in share], redact))
            self._workers.append((process, here))

    def __enter__(self) -> Replays:
        return self

    def __exit__(self, *_: object) -> None:
        for process, pipe in self._workers:
            pipe.close()
            process.terminate()
            process.join()

    def plans(self, progress: Progress | None = None) -> list[LogReplay]:
        """A replay of each conversation that holds the plan and nothing tried."""
        made = self._all("plans", (), progress)
        return [LogReplay(talk.name, each, {}) for talk, each in zip(self.talks, made, strict=True)]

    def run(self, settings: Settings, progress: Progress | None = None) -> list[LogReplay]:
        """The replays.  progress: called with the number of messages that are done.  After plans(), and once."""
        results = self._all("run", (settings,), progress)
        return [replace(result, plan=replace(result.plan, messages=talk.messages))
                for talk, result in zip(self.talks, results, strict=True)]

    def _all(self, method: str, arguments: tuple, progress: Progress | None) -> list[Any]:
        results: list[Any] = [None] * len(self.talks)
        if self._local is not None:
            for index, result in enumerate(getattr(self._local, method)(*arguments)):
                self._took(results, index, result, progress)
            return results
        for _, pipe in self._workers:
            pipe.send((method, arguments))
        waiting = {pipe: list(share) for (_, pipe), share in zip(self._workers, self._shares, strict=True)}
        while waiting:
            for pipe in wait(list(waiting)):
                index = waiting[pipe].pop(0)
                try:
                    result = pipe.recv()
                except (EOFError, OSError):
                    raise MemoryLabError(DIED) from None
                if isinstance(result, BaseException):
                    raise result
                self._took(results, index, result, progress)
            waiting = {pipe: rest for pipe, rest in waiting.items() if rest}
        return results

    def _took(self, results: list[Any], index: int, result: Any, progress: Progress | None) -> None:
        results[index] = result
        if progress:
            progress(len(self.talks[index].messages))


def shares(sizes: Sequence[int], jobs: int) -> list[list[int]]:
    """Places of the sizes for each job, in order, so that the sums are about equal; no share is empty.

    >>> shares([5, 9, 4], 2)
    [[0, 2], [1]]
    """
    parts: list[tuple[int, list[int]]] = [(0, []) for _ in range(min(jobs, len(sizes)))]
    for place in sorted(range(len(sizes)), key=lambda place: (-sizes[place], place)):
        least = min(range(len(parts)), key=lambda part: (parts[part][0], len(parts[part][1]), part))
        parts[least] = parts[least][0] + sizes[place], [*parts[least][1], place]
    return sorted(sorted(part) for _, part in parts)


def redacted(talks: Sequence[LoggedConversation]) -> None:
    """Nothing; each conversation in place without secrets, personal data, title and file name."""
    for number, talk in enumerate(talks, 1):
        redactor = Redactor()
        talk.messages = [redactor.message(message) for message in talk.messages]
        talk.name, talk.file = f"conversation {number}", ""
        talk.notes = [redactor.text(note.split(": ")[0] if note.startswith("attachment") else note)
                      for note in talk.notes]


def _work(pipe: Any) -> None:
    """What a process does until its pipe is closed."""
    try:
        share = Share(*pipe.recv())
        gc.freeze()  # what came will stay: no need to look through it for garbage again and again
        while True:
            method, arguments = pipe.recv()
            for result in getattr(share, method)(*arguments):
                pipe.send(result)
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
    except Exception as error:
        pipe.send(error)
