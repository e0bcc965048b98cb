"""Tool results, which fill most of an agent's context: the newest stay whole, older ones shrink to a stub.

    ToolClearing          a part that any memory can carry: class My(ToolClearing, SummaryMemory): ...
    ToolClearingMemory    a token window that carries it

A stub says what was called, how large the result was and how it began, so the model can call again.  The log keeps
every result.  What it does not do: judge which result matters; never= names the tools whose results always do.
Each clearing changes old messages and so breaks a provider's prompt cache: it waits until it saves min_saving tokens.
Chapter 8.

Copy with: the base, window.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from .errors import SettingError, whole
from .memory import View
from .messages import Message, text_of
from .outline import Unit
from .window import TokenWindowMemory

STUB = re.compile(r"\[result of (?P<name>.*?)\((?P<arguments>.*?)\) cleared: (?P<size>[\d,]+) characters, which began: "
                  r"(?P<begin>.*)\]", re.DOTALL)
SHOWN = 120  # characters of the arguments and of the first line that a stub shows


def stub(message: Message, name: str, arguments: str) -> Message:
    """A copy of a tool result that says what it was instead of saying it.

    >>> result = {"role": "tool", "tool_call_id": "a", "content": "42 flights found\\n" + "flight\\n" * 42}
    >>> stub(result, "search", '{"to": "Kyoto"}')["content"]
    '[result of search({"to": "Kyoto"}) cleared: 311 characters, which began: 42 flights found]'
    """
    text = text_of(message)
    begin = text.strip().partition("\n")[0][:SHOWN]
    words = arguments if len(arguments) <= SHOWN else arguments[:SHOWN] + "…"
    says = f"[result of {name}({words}) cleared: {len(text):,} characters, which began: {begin}]"
    return {**message, "content": says}


class ToolClearing:
    """The part: put it in front of a memory class.

    keep_results: how many of the newest results stay whole (those of the newest call always do).  never: names of tools
    whose results are not cleared.  min_saving: tokens that a clearing must save at least; until then nothing changes.
    Cost: one encoding a stub.
    """

    def __init__(self, *args: Any, keep_results: int = 3, never: Collection[str] = (), min_saving: int = 500,
                 **settings: Any):
        self.keep_results = whole("keep_results", keep_results, 0)
        self.min_saving = whole("min_saving", min_saving, 0)
        if isinstance(never, str):
            raise SettingError(f"never is the text {never!r}; give a list of tool names")
        self.never = frozenset(never)
        super().__init__(*args, **settings)

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        self.stubs: dict[int, Message] = {}
        self._uncleared: list[tuple[int, Unit, int]] = []            # results that are not cleared, oldest first
        self._to_clear: list[tuple[int, Unit, int, Message, int]] = []  # those old enough, with stub and saving

    def _added(self, message: Message) -> None:
        super()._added(message)
        index, turns = len(self._log) - 1, self.outline.turns
        if message["role"] == "tool" and turns and turns[-1].units and index in turns[-1].units[-1].indices:
            self._uncleared.append((index, turns[-1].units[-1], len(turns) - 1))
            self._retire()

    def _retire(self) -> None:
        newest = self.outline.turns[-1].units[-1]
        while len(self._uncleared) > self.keep_results:
            index, unit, turn = self._uncleared[0]
            if unit is newest:
                break
            self._uncleared.pop(0)
            call_id = self._log[index]["tool_call_id"]
            does = next(call.get("function") or call["custom"] for call in self._log[unit.indices[0]]["tool_calls"]
                        if call["id"] == call_id)
            if does["name"] in self.never or unit.missing:
                continue
            short = stub(self._log[index], does["name"], does.get("arguments", does.get("input", "")))
            saving = self._tokens[index] - self.count.message(short)
            if saving > 0:
                self._to_clear.append((index, unit, turn, short, saving))
        if self._to_clear and sum(saving for *_, saving in self._to_clear) >= self.min_saving:
            for index, unit, turn, short, saving in self._to_clear:
                self.stubs[index] = short
                self._tokens[index] -= saving
                self.outline.shrink(turn, unit, saving)
            self._to_clear.clear()
            self._seen = None

    def _view(self) -> View:
        view = super()._view()
        if not self.stubs:
            return view
        return replace(view, clips={i: self.stubs[i] for i in view.kept if i in self.stubs} | view.clips)


class ToolClearingMemory(ToolClearing, TokenWindowMemory):
    """The newest whole turns that fit token_limit, with old tool results cleared, so that more turns fit.

    Settings: those of TokenWindowMemory and of ToolClearing.  Forgets what is in a cleared result, but for its first
    line; the log has it, and state "clipped" says so.
    """
