"""The recall/token tables of the shipped conversations: the headline table of README and book, and one a group.

    headline()      the strategies over the Kyoto trip in four languages and the order number's two lengths
    measure_apart() the groups, in several processes
    table_000()     the published sliding-window experiment beside ours: same questions, asked in the chat

All of it is measured when it is asked for; nothing here is a stored number but the published ones.  Chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from .conversations import load
from .errors import LogError, SettingError
from .evaluate import tradeoff
from .facts import FactTableMemory
from .memory import BaseMemory
from .report import Tradeoff
from .strategies import STRATEGIES

KYOTO = ("kyoto_en", "kyoto_es", "kyoto_zh_hans", "kyoto_zh_hant")
ORDER = ("order_number", "order_number_50")
HEADLINE = (*KYOTO, *ORDER)
GROUPS = {
    "The Kyoto trip in four languages": KYOTO,
    "The order number, 20 and 50 turns": ORDER,
    "Short chats: 5, 15 and 20 turns": ("short_chat", "five_facts", "medium_chat"),
    "Facts that change": ("updates", "updates_zh"),
    "Prohibitions, and what holds for one time only": ("prohibitions", "prohibitions_es"),
    "Tool calls": ("tools",),
    "300 turns": ("long_300",),
}
LONG = ("long_300",)
FACTS_BY_MODEL = {"facts by model, 500 tokens": partial(FactTableMemory, token_limit=500, extractor="model")}
# source 000: input tokens of all calls, their share, right answers (its grader missed 1000 for 一千 in the last row)
PUBLISHED_000 = {"buffer": "13,262; 4/4", "sliding window, 2 turns": "2,382 (18 %); 0/4",
                 "summary, 500 tokens": "5,999 (45 %); 3/4"}
BEGIN, END = "<!-- headline -->", "<!-- /headline -->"


def measure(names: Sequence[str], *, client: Any = None, model: str | None = None, answer: bool = True,
            by_model: bool = False) -> Tradeoff:
    """The strategies over the shipped conversations of these names; else as evaluate.tradeoff.

    client: it answers, and it writes the memories' own summaries and facts (default: the offline model).
    by_model: one more row, a fact table whose facts the client's extraction model finds.
    Raises LogError for an unknown name.  Cost: about 0.1 s a strategy and short conversation.
    """
    strategies = {**STRATEGIES, **(FACTS_BY_MODEL if by_model else {})}
    return tradeoff(with_client(strategies, client), [load(name) for name in names], client=client, model=model,
                    answer=answer)


def measure_apart(names: Sequence[str], processes: int, *, answer: bool = True) -> tuple[Tradeoff, Tradeoff | None]:
    """measure() of these names and table_000(), by the offline model in up to so many processes; None without answers.

    The same figures as in one process.  Raises LogError for an unknown name.
    Cost: as measure(), shared out by conversations; each process loads the offline model first (two seconds).
    """
    talks = {name: load(name) for name in names}  # refuses an unknown one before any process starts
    longest = sorted(names, key=lambda name: -len(talks[name].probes) * len(talks[name].messages))
    spawn = get_context("spawn")  # fork does not go with threads
    with ProcessPoolExecutor(min(processes, len(names)), mp_context=spawn) as pool:
        jobs = {name: pool.submit(measure, [name], answer=answer) for name in longest}
        inline = pool.submit(table_000) if answer else None
        parts = [jobs[name].result() for name in names]
        rows = {strategy: tuple(part.replays[strategy][0] for part in parts) for strategy in STRATEGIES}
        return Tradeoff(rows, {}), inline.result() if inline else None


def with_client(strategies: Mapping[str, Callable[..., BaseMemory]], client: Any) -> dict[str, Callable]:
    """The strategies, each of which makes a memory whose own model calls go to the client; None changes nothing."""
    return {name: make if client is None else partial(make, client=client) for name, make in strategies.items()}


def headline(measured: Tradeoff | None = None) -> Tradeoff:
    """The headline table: each strategy over the Kyoto trip in four languages and the order number's 20 and 50 turns.

    measured: a result of measure() that holds them (default: measured now, answers from the offline model).

    >>> headline(measure(HEADLINE, answer=False)).table().rows[0][:2]
    ['buffer', '77,623']
    """
    measured = measure(HEADLINE) if measured is None else measured
    probes = [probe for name in HEADLINE for probe in load(name).probes]
    said = sum(probe.answerable for probe in probes)
    return measured.only(HEADLINE, f"6 chats with planted facts: {said} questions about what was said, "
                                   f"{len(probes) - said} about what never was")


def table_000(*, client: Any = None, model: str | None = None) -> Tradeoff:
    """Source 000's table beside ours: the four questions are asked in the chat, and their prompts count.

    What differs: its dialogue and its model are not public, so ours is another Kyoto trip of about that size, answered
    by the model given (default: offline); its summary kept two turns, ours is that of STRATEGIES.
    """
    strategies = with_client({name: STRATEGIES[name] for name in PUBLISHED_000}, client)
    result = tradeoff(strategies, [load("kyoto_zh_hant")], client=client, model=model, inline=True,
                      published=PUBLISHED_000)
    return result.only(["kyoto_zh_hant"], "Source 000 beside ours: four facts, traditional Chinese, asked in the chat")


def groups(measured: Tradeoff) -> list[Tradeoff]:
    """One table a group of conversations, of those that were measured."""
    known = {replay.conversation for row in measured.replays.values() for replay in row}
    found = {title: [name for name in names if name in known] for title, names in GROUPS.items()}
    return [measured.only(names, f"{title} ({', '.join(names)})") for title, names in found.items() if names]


def into_readme(path: Path, table: Callable[[], str]) -> bool:
    """Whether the file was changed: the table now stands between its headline markers.

    table: makes the words, once it is known that the file has a place for them.
    Raises LogError if there is no such file or it has no such place, SettingError if it cannot be written.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LogError(f"{path} cannot be read: {error}") from error
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise LogError(f"{path} has no lines {BEGIN} and {END}: write both where the table is to stand")
    new = f"{before}{BEGIN}\n{table()}\n{END}{after}"
    if new == text:
        return False
    try:
        path.write_text(new, encoding="utf-8")
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error}") from error
    return True
