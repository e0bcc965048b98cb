"""What `make bench ARGS=peers` stored: the memories of other libraries beside ours, as tables.

    peers = load_peers()                     bench/results/peers.json of the repository, or a file of your own
    peers.table()                            recall, tokens, model calls, seconds, laws broken: one row a memory
    peers.laws()                             which law each memory breaks
    peers.smallest("trim_messages")          the smallest history that breaks each
    peers.better()                           settings, and what each does better than ours

Nothing is measured here and no other library is needed.  Chapter 12.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import LogError, SettingError
from .report import Table, percent

STORED = Path(__file__).resolve().parents[1] / "bench" / "results" / "peers.json"
LAWS = {  # of shared/design.md, those that can be seen from outside of a memory
    1: "asking twice gives the same context",
    2: "within the token limit, and a context wherever one is possible",
    3: "no instruction is lost, and they keep their order",
    4: "behind the instructions a user speaks first, and the newest user message is there",
    5: "the API takes the list: calls with their results, results with their calls",
    6: "what else goes out was said, by whom it says, in the order in which it was said",
    8: "no character is broken, and any text is taken",
    10: "a fault of the model raises nothing and sends nothing over the limit",
    11: "no message is skipped by a summary that covers later ones",
}


@dataclass(frozen=True)
class Peers:
    """result: the stored JSON.  rows of the tables: our memories first, then each library's."""

    result: Mapping[str, Any]

    @property
    def date(self) -> str:
        """The day of the run."""
        return self.result["date"]

    @property
    def versions(self) -> Mapping[str, str]:
        """Package -> version of the run."""
        return self.result["machine"]["versions"]

    def broken(self, name: str) -> dict[int, Mapping[str, Any]]:
        """Law -> {valid, messages, history, system, limit, fault} of the smallest history on which a memory breaks it.

        valid: the API itself would take the history; where it is False, what came in was broken already.
        Raises SettingError for a memory that was not measured.
        """
        return {found["law"]: found for found in self._row(name)["laws"]["broken"]}

    def table(self, names: Sequence[str] | None = None, caption: str = "") -> Table:
        """One row a memory.

        in context, right: of all answerable probes, those whose value is in the context, and those that the offline
        model answered rightly.  tokens: of all prompts; share: against the limit of each, all prompts together.  over:
        prompts over the limit (a dash where the library takes none in tokens).  refused: prompts that the API would
        refuse.  own calls, own tokens: of the memory, to the model.  time: CPU time as a multiple of the first row's,
        without the model's.  laws broken: of those in LAWS; in brackets on histories that the API would take.
        """
        header = ["memory", "library", "in context", "right", "tokens", "peak", "over", "refused", "own calls",
                  "own tokens", "time", "laws broken"]
        return Table(header, [self._cells(self._row(name)) for name in names or self.names], caption)

    @property
    def names(self) -> list[str]:
        """The memories, in the order of the tables."""
        return [row["name"] for row in self.result["rows"]]

    def _row(self, name: str) -> Mapping[str, Any]:
        if name not in self.names:
            raise SettingError(f"{name!r} was not measured: take one of {', '.join(self.names)}")
        return next(row for row in self.result["rows"] if row["name"] == name)

    def _cells(self, row: Mapping[str, Any]) -> list[str]:
        broken = row["laws"]["broken"]
        valid = sum(found["valid"] for found in broken)
        return [row["name"], self._library(row), f"{row['in_context']}/{row['probes']}", percent(
            row["right"], row["probes"]), f"{row['prompt_tokens']:,}", f"{row['peak']:,}",
            f"{row['over']}/{row['prompts']}" if row["limited"] else "-", f"{row['refused']}", f"{row['own_calls']}",
            f"{row['own_tokens']:,}", f"{row['ratio']:,.1f}", f"{len(broken)}" + f" ({valid})" * bool(broken)]

    def _library(self, row: Mapping[str, Any]) -> str:
        return "memory_lab" if row["ours"] else f"{row['package']} {self.versions[row['package']]}"

    def laws(self, names: Sequence[str] | None = None, caption: str = "") -> Table:
        """One row a memory, one column a law: "broken"; "by bad input" where only a history that the API would refuse
        breaks it; a dash where the law asks nothing of it (no summary, no limit in tokens)."""
        rows = []
        for name in names or self.names:
            row, broken = self._row(name), self.broken(name)
            cells = [("broken" if broken[law]["valid"] else "by bad input") if law in broken else
                     "-" if self._asks_nothing(row, law) else "" for law in LAWS]
            rows.append([name, *cells, f"{len(broken)}"])
        return Table(["memory", *map(str, LAWS), "sum"], rows, caption)

    @staticmethod
    def _asks_nothing(row: Mapping[str, Any], law: int) -> bool:
        return (law in (10, 11) and not row["summarises"]) or (law == 2 and not row["limited"])

    def smallest(self, *names: str, caption: str = "") -> Table:
        """One row a broken law: the smallest history found, oldest message first, texts shortened.

        Raises SettingError for a memory that was not measured.
        """
        rows = [[name, f"{law}", _told(found), "yes" if found["valid"] else "no"]
                for name in names or self.names for law, found in self.broken(name).items()]
        return Table(["memory", "law", "smallest history", "taken by the API"], rows, caption)

    def better(self, caption: str = "") -> Table:
        """One row a peer: its settings in this run, and what it does better than our memories."""
        return Table(["memory", "settings", "better than ours"], [
            [row["name"], row["settings"], row["better"]] for row in self.result["rows"] if not row["ours"]], caption)

    def page(self) -> str:
        """bench/results/peers.md: every table, and how they were made."""
        machine, rows = self.result["machine"], self.result["rows"]
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        kept = max(row["laws"]["tried"] for row in rows)
        return "\n".join([
            "# Memories of other libraries beside ours", "",
            f"Measured on {self.date} (`make bench ARGS=peers` does it again), {machine['processor']}, "
            f"{machine['cores']} cores, Python {machine['python']}; {versions}; at commit {machine['commit']}.", "",
            f"{len(self.result['conversations'])} shipped conversations, a limit of {self.result['token_limit']} "
            "tokens for a whole context, the offline model for all (bench/peers/model.py puts each peer's prompt into "
            "the words that it knows, and caps each summary at 30 % of the limit). Each memory is held behind `add` "
            "and `messages` alone. Times: CPU time as a multiple of TokenWindowMemory's beside it in the same process, "
            f"the median of {self.result['repeats']}, without the model's; over 10,000 messages see windows.md.", "",
            self.table().markdown(), "",
            "In context is the column to compare: right depends on how the offline model reads a summary or facts in "
            "each library's form, and it knows ours best. Tokens: of all prompts. Over: prompts over the limit; a dash "
            "where the library takes no limit in tokens. Refused: prompts that the API would refuse. Laws broken: in "
            "brackets, those that a history breaks which the API itself takes.", "",
            "## Laws", "",
            *[f"- {law}: {words}." for law, words in LAWS.items()], "",
            "7 (a state for each message) is left out, for no peer has one, and 9 (cost), for windows.md measures it. "
            "The rest is more lenient than for our own memories in tests/test_laws.py: see bench/peers/laws.py.", "",
            self.laws().markdown(), "",
            "\"By bad input\": only on a history that the API itself would refuse (a result without its call, a call "
            "without its result), which real logs do hold. Some of it is a choice, and documented as one: LangChain's "
            "middleware lets an error of the model through (10) and promises no limit, only a trigger (2).", "",
            "## The smallest history that breaks each", "",
            f"Found and shrunk by hypothesis among the hostile histories of tests/histories.py: {self.result['tried']} "
            f"for each law and memory, then shrunk; up to {kept:,} looked at for one memory. None found is no proof "
            "that there is none.", "", self.smallest().markdown(), "",
            "## Settings, and what each does better", "", self.better().markdown(), "",
            "## Not run", "", *[f"- {name}: {why}." for name, why in self.result["not_run"].items()], ""])


def _told(found: Mapping[str, Any]) -> str:
    """A history in one line: who, and what."""
    said = [f"{message['role']} {_words(message)}" for message in found["history"]]
    front = [f"system {found['system']!r}"] if found["system"] is not None else []
    fault = [f"(the model's fault: {found['fault']})"] if found["fault"] else []
    return f"limit {found['limit']}: " + ", ".join([*front, *said, *fault])


def _words(message: Mapping[str, Any]) -> str:
    content, calls = message["content"], message.get("tool_calls", ())
    text = "" if content is None else _quoted(content) if isinstance(content, str) else " + ".join(
        _quoted(part["text"]) if part["type"] == "text" else part["type"] for part in content)
    named = f" for {message['tool_call_id']}" if "tool_call_id" in message else ""
    called = " ".join(f"calls {call['id']}" for call in calls)
    return " ".join(part for part in (text, called) if part) + named or "nothing"


def _quoted(text: str) -> str:
    if text.isascii() and text.isprintable() and len(text) <= 40:
        return f'"{text}"'
    from .tokens import TokenCounter

    return f"({TokenCounter().text(text):,} tokens)"


def load_peers(path: str | Path | None = None) -> Peers:
    """The stored comparison.  path: default bench/results/peers.json of the repository.

    Raises LogError for a file that is not there or is not one of bench/peers.

    >>> peers = load_peers()
    >>> [len(peers.broken(row["name"])) for row in peers.result["rows"] if row["ours"]]
    [0, 0, 0, 0]
    """
    path = STORED if path is None else Path(path)
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        return Peers({key: result[key] for key in ("date", "machine", "token_limit", "repeats", "tried",
                                                   "conversations", "rows", "not_run")})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LogError(f"{path}: no results of bench/peers ({type(error).__name__}: {error}); run that") from error
