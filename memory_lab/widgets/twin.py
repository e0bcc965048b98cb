"""The explorer where no kernel runs: the same panels for a few values of one setting, worked out beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from ..live.base import Control, LiveFigure, Slots, escape, number, short
from ..report import Table
from . import panels
from .settings import SETTINGS
from .state import ExplorerState, faults

SHOWN = ("Tokens of each part", "Planted facts", "Messages that go out, newest first",
         "In front: instructions, facts, summary")


class ExplorerTwin(LiveFigure):
    """A slider over values of one setting, and beneath it what the explorer shows for each.

    state: what to show; it is changed.  values: of the memory's first setting, beside the one that it has; for a memory
    without settings, how many messages were said.  The questions of the conversation are answered at each value.
    Cost: the chat once for each value, and a model call for each question and value.
    """

    def __init__(self, state: ExplorerState, values: Sequence[int] = ()):
        settings = state.settings[state.name]
        name, before = next(iter(settings.items()), ("said", state.said))
        if not settings and not values:
            values = [state.said // 4, state.said // 2]
        self.values = sorted({*values, before})
        self.title = f"{state.name}, {state.conversation.name}"
        label = SETTINGS[name].label if settings else "Messages said"
        self.controls = [Control(label, [f"{value:,}" for value in self.values])]
        self.note = "In a notebook (make lab) this cell is live: type into the chat, and ask it."
        self.first = self.values.index(before)
        self.steps, self._shown, self._rows = [], [], []
        for value in self.values:
            (state.set if settings else state.choose)(**{name: value})
            self._take(state, value)

    def _take(self, state: ExplorerState, value: int) -> None:
        answers = _answers(state)
        right = sum(verdict == "correct" for _, _, verdict in answers)
        score = f" {right} of {number(len(answers), 'question')} answered rightly." if answers else ""
        self.steps.append([panels.status(state) + score])
        rows = "".join(panels.row(verdict, f"<i>{escape(question)}</i> <span>{escape(answer)}</span>")
                       for question, answer, verdict in answers)
        shown = {name: panels.PANELS[name](state) for name in SHOWN}
        shown |= {"Questions, asked now": f"<ul>{rows}</ul>"} if rows else {}
        self._shown.append("".join(f'<section><p class="ml-head">{name}</p>{html}</section>'
                                   for name, html in shown.items()))
        self._rows.append([f"{value:,}", f"{sum(state.parts().values()):,}", str(len(state.sent())),
                           f"{right} of {len(answers)}"])

    def _body(self, slots: Slots) -> str:
        hidden = ' hidden="hidden"'
        return slots.status() + "".join(
            f'<div class="ml-columns" data-panel="{step}"{hidden * (step != self.first)}>{shown}</div>'
            for step, shown in enumerate(self._shown))

    def __repr__(self) -> str:
        heads = [self.controls[0].label, "tokens", "messages sent", "answered rightly"]
        return str(Table(heads, self._rows, self.title))


def _answers(state: ExplorerState) -> list[tuple[str, str, str]]:
    """(question, answer, verdict) of each probe; [] where nothing can be sent."""
    if state.problem:
        return []
    found = []
    for probe in state.probes:
        try:
            result = state.ask(probe)
            found.append((probe.question, short(result.answer or "(no words)", 120), result.verdict))
        except faults() as error:
            found.append((probe.question, short(str(error), 120), "cannot be sent"))
    return found
