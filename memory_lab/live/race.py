"""The race: one chat call by call, and what several memories send and still know at each.  Chapter 8."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..conversations import Conversation
from ..errors import SettingError
from ..memory import BaseMemory
from ..messages import text_of
from ..report import Table
from . import facts
from .base import Control, LiveFigure, Slots, escape, number, short


class RaceFigure(LiveFigure):
    """A slider over the model calls of a chat: tokens of each memory's prompt as bars, facts that light up or go dark.

    strategies: name -> what makes an empty memory from a system text, as tradeoff() takes it.  The prompt of a call is
    the context before the reply, as in replay(); "so far" counts all prompts and the memory's own calls.
    Raises SettingError where there is nothing to compare, or the chat has no reply.
    Cost: one context a call and memory, and a search for each fact whose message is not in it.
    """

    def __init__(self, conversation: Conversation, strategies: Mapping[str, Callable[[str | None], BaseMemory]]):
        self.conversation, self._probes = conversation, facts.planted(conversation)
        self._calls = [place for place, message in enumerate(conversation.messages) if message["role"] == "assistant"]
        if not strategies or not self._calls:
            raise SettingError(f"{len(strategies)} strategies, {len(self._calls)} replies: give one of each")
        self.runs = {name: self._run(make(conversation.system)) for name, make in strategies.items()}
        self._most = max(tokens for run in self.runs.values() for tokens, _, _ in run)
        total = len(self._calls)
        self.title = f"{conversation.name}, call by call: {number(len(self.runs), 'memory', 'memories')}"
        self.controls = [Control("Model call", [f"{call} of {total}" for call in range(1, total + 1)])]
        self.steps = [self._step(call) for call in range(total)]
        self.first = total // 2
        self.note = f"Full bar: {number(self._most, 'token')}. {facts.LEGEND}"

    def _run(self, memory: BaseMemory) -> list[tuple[int, int, list[str]]]:
        """(tokens of the prompt, tokens so far, facts) of each call."""
        run, prompts = [], 0
        for message in self.conversation.messages:
            if message["role"] == "assistant":
                tokens = memory.count(memory.messages())
                prompts += tokens
                own = sum(fold.model_tokens for fold in memory.compactions)
                run.append((tokens, prompts + own, facts.found(memory, self.conversation, self._probes)))
            memory.add(message)
        return run

    def _step(self, call: int) -> list[str]:
        messages = self.conversation.messages
        place = max((at for at in range(self._calls[call]) if messages[at]["role"] == "user"), default=None)
        said = f"{self._calls[call]} messages so far" if place is None else f"user: {short(text_of(messages[place]))}"
        words = [f"Call {call + 1} of {len(self._calls)}. {said}",
                 " ".join(f"{name}: {number(run[call][0], 'token')}, {facts.count(run[call][2])}."
                          for name, run in self.runs.items())]
        for run in self.runs.values():
            tokens, total, held = run[call]
            words += [f"{100 * tokens // self._most}%",
                      f"{number(tokens, 'token')} now, {total:,} so far, {facts.count(held)}", *held]
        return words

    def _body(self, slots: Slots) -> str:
        status, cards = slots.status("ml-sr"), []
        for name in self.runs:
            bar, words = slots.bar(), slots.text("ml-tokens")
            chips = "".join(slots.row("li", f"<span>{escape(facts.name(probe))}</span>") for probe in self._probes)
            cards.append(f'<li class="ml-card"><span class="ml-who">{escape(name)}</span>{bar}{words}'
                         f'<ul class="ml-chips" aria-label="facts, {escape(name)}">{chips}</ul></li>')
        return f"{status}<ul>{''.join(cards)}</ul>"

    def __repr__(self) -> str:
        rows = [[name, f"{run[-1][0]:,}", f"{max(tokens for tokens, _, _ in run):,}", f"{run[-1][1]:,}",
                 facts.count(run[-1][2]).removesuffix(" facts")] for name, run in self.runs.items()]
        return str(Table(["at the last call", "tokens now", "largest", "so far", "facts"], rows, self.title))
