"""The explorer's widgets over a state: each control changes the state, and then everything is drawn anew.

ipykernel 7 hears the controls in two threads: what one of them sets off is done whole before the next one has its turn.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from threading import RLock
from typing import Any

import ipywidgets as widgets

from ..conversations import names
from ..live.style import CSS
from . import controls, panels
from .naming import SCRIPT, STYLE
from .pressing import Outbox
from .settings import SETTINGS
from .state import ExplorerState, faults

OWN = "your own question"


class ExplorerView:
    """root: the widget to display.  The rest are its parts, for who wants to drive them from Python."""

    def __init__(self, state: ExplorerState):
        self.state, self._quiet, self._limits_of = state, False, None
        self._turn, self._told = RLock(), {}
        own = state.conversation.name
        self.conversation = controls.choice("Conversation", [*([] if own in names() else [own]), *names()], own)
        self._own = state.conversation
        self.memory = controls.choice("Memory", list(state.memories), state.name)
        self.said = controls.slider("Messages said", 0, 1, 1, 0)
        self.settings: dict[str, Any] = {}
        self.limits = widgets.VBox()
        self.text = controls.text("Your message", "for example: My name is Ada.")
        self.send, self.unsay = controls.button("Send"), controls.button("Take mine back")
        self.reply = widgets.Checkbox(value=True, description="the model replies", indent=False, layout=controls.WIDE)
        self.probe = controls.choice("Question", [], None)
        self.question = controls.text("In your words", "for example: What is my name?")
        self.expected = controls.text("You expect", "the answer that you would accept, for a verdict")
        self.ask = controls.button("Ask")
        self.send.add_class("ml-send")
        self.outbox = Outbox(self._pressed)
        self.status, self.notice, self.answer = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.panels = {name: widgets.HTML() for name in panels.PANELS}
        self._connect()
        self._choices()
        self.draw()
        self.root = self._tree()

    def _connect(self) -> None:
        self.conversation.observe(lambda change: self._choose(conversation=change.new), "value")
        self.memory.observe(lambda change: self._choose(memory=change.new), "value")
        self.said.observe(lambda change: self._choose(said=change.new), "value")
        self.probe.observe(lambda _: self._own_words(), "value")
        self.outbox.box.observe(lambda change: self._hear(change.new), "value")
        self.send.on_click(lambda _: self._send())
        self.unsay.on_click(lambda _: self._do(self.state.unsay))
        self.ask.on_click(lambda _: self._ask(self.probe.value, self.question.value, self.expected.value))

    def _choose(self, **chosen: Any) -> None:
        with self._turn:
            if self._quiet:
                return
            self._told |= chosen
            if chosen.get("conversation") == self._own.name:
                chosen = {"conversation": self._own}
            self._do(self.state.choose, **chosen)

    def _hear(self, value: str) -> None:
        with self._turn:
            self.outbox.hear(value)

    def _pressed(self, button: str, texts: list[str], choice: str | None, ticked: bool | None) -> None:
        if button == self.unsay.description:
            self._do(self.state.unsay)
        elif button == self.ask.description:
            known = dict(self.probe.options)  # or of the conversation before
            self._ask(known.get(choice), *(texts if choice in known else (choice, "")))
        else:
            self._say(*texts, bool(ticked))

    def _do(self, act: Callable[..., Any], *given: Any, **named: Any) -> bool:
        """Whether the act went well; what it changed is shown in any case, and a fault says so in words."""
        with self._turn:
            if self._quiet:
                return False
            self.notice.value, self.answer.value = "", ""
            try:
                act(*given, **named)
            except faults() as error:
                self.notice.value = controls.said(f"Not done: {error}")
                return False
            finally:
                self._choices()
                self.draw()
            return True

    def _send(self) -> None:
        with self._turn:
            if self._say(self.text.value, self.reply.value):  # what was refused stays in its box
                self.text.value = ""

    def _say(self, text: str, reply: bool) -> bool:
        """Whether it was said, with an answer or without."""
        before = len(self.state.own)
        self._do(self.state.say, text, reply=reply)
        return len(self.state.own) > before

    def _ask(self, probe: Any, question: str, expected: str) -> None:
        with self._turn:
            shown = []
            given = (question, expected) if probe is None else (probe,)
            if self._do(lambda: shown.append(self.state.ask(*given))):
                self.answer.value = controls.live(panels.asked(shown[0]), "polite")

    def _set(self, memory: str, name: str, value: int) -> None:
        if memory == self.state.name:
            self.state.set(**{name: value})
        else:  # moved before another memory was chosen, and heard after it
            self.state.settings[memory][name] = value

    def _show(self, control: str, value: Any) -> None:
        """Written only if the state has moved: a newer choice of the reader may be on its way."""
        if self._told.get(control) != value:
            self._told[control] = getattr(self, control).value = value

    def _choices(self) -> None:
        """The controls say what the state says, without setting anything off."""
        state, self._quiet = self.state, True
        try:
            self._show("conversation", state.conversation.name)
            self._show("memory", state.name)
            self.said.max = len(state.conversation.messages)
            self._show("said", state.said)
            probes = [(f"{probe.question}", probe) for probe in state.probes]
            if [probe for _, probe in probes] != [probe for _, probe in self.probe.options][:-1]:
                self.probe.options = [*probes, (OWN, None)]
                self.probe.value = probes[0][1] if probes else None
            if self._limits_of != state.name:
                self._sliders()
            self._own_words()
        finally:
            self._quiet = False

    def _sliders(self) -> None:
        self.settings, memory = {}, self.state.name
        for name, value in self.state.settings[memory].items():
            label, low, high, step = SETTINGS[name]
            slider = controls.slider(label, low, max(high, value), step, value)
            slider.observe(lambda change, name=name: self._do(self._set, memory, name, change.new), "value")
            self.settings[name] = slider
        self.limits.children = tuple(self.settings.values())
        self._limits_of = memory

    def _own_words(self) -> None:
        hidden = "none" if self.probe.value is not None else None
        self.question.layout.display = self.expected.layout.display = hidden

    def draw(self) -> None:
        """Show the state as it is, and say so when all of it is there."""
        for name, box in self.panels.items():
            box.value = controls.live(f'<p class="ml-head">{name}</p>{panels.PANELS[name](self.state)}')
        self.status.value = controls.live(f'<p class="ml-status">{escape(panels.status(self.state))}</p>', "polite")

    def _tree(self) -> widgets.VBox:
        head = widgets.HTML(f"<style>{CSS}{STYLE}</style>")
        name = widgets.Output(outputs=({"output_type": "display_data", "metadata": {},
                                        "data": {"application/javascript": SCRIPT}},))
        settings = controls.box("ml-set", self.conversation, self.memory, self.said, self.limits)
        chat = controls.box("ml-chat", self.text, controls.box("ml-buttons", self.send, self.unsay, self.reply))
        ask = controls.box("ml-ask", self.probe, self.question, self.expected, controls.box("ml-buttons", self.ask),
                           self.answer)
        shown = controls.box("ml-panels", *self.panels.values())
        return controls.box("ml-explorer", head, settings, chat, self.notice, self.status, ask, shown,
                            self.outbox.box, name)
