"""The explorer's widgets over a state: each control changes the state, and then everything is drawn anew."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as widgets

from ..conversations import names
from ..live.style import CSS
from . import panels
from .naming import SCRIPT, STYLE
from .settings import SETTINGS
from .state import ExplorerState, faults

OWN = "your own question"
_WIDE = {"width": "auto", "min_width": "0"}


class ExplorerView:
    """root: the widget to display.  The rest are its parts, for who wants to drive them from Python."""

    def __init__(self, state: ExplorerState):
        self.state, self._quiet, self._limits_of = state, False, None
        own = state.conversation.name
        self.conversation = _choice("Conversation", [*([] if own in names() else [own]), *names()], own)
        self._own = state.conversation
        self.memory = _choice("Memory", list(state.memories), state.name)
        self.said = _slider("Messages said", 0, 1, 1, 0)
        self.settings: dict[str, Any] = {}
        self.limits = widgets.VBox()
        self.text = _text("Your message", "for example: My name is Ada.")
        self.send, self.unsay = _button("Send"), _button("Take mine back")
        self.reply = widgets.Checkbox(value=True, description="the model replies", indent=False, layout=_WIDE)
        self.probe = _choice("Question", [], None)
        self.question = _text("In your words", "for example: What is my name?")
        self.expected = _text("You expect", "the answer that you would accept, for a verdict")
        self.ask = _button("Ask")
        self.status, self.notice, self.answer = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.panels = {name: widgets.HTML() for name in panels.PANELS}
        self._connect()
        self._choices()
        self.draw()
        self.root = self._tree()

    def _connect(self) -> None:
        self.conversation.observe(lambda change: self._do(self._converse, change.new), "value")
        self.memory.observe(lambda change: self._do(self.state.choose, memory=change.new), "value")
        self.said.observe(lambda change: self._do(self.state.choose, said=change.new), "value")
        self.probe.observe(lambda _: self._own_words(), "value")
        for button, act in ((self.send, self._say), (self.unsay, lambda: self._do(self.state.unsay)),
                            (self.ask, self._ask)):
            button.on_click(lambda _, act=act: act())

    def _converse(self, name: str) -> None:
        self.state.choose(conversation=self._own if name == self._own.name else name)

    def _do(self, act: Callable[..., Any], *given: Any, **named: Any) -> bool:
        """Whether the act went well; what it changed is shown in any case, and a fault says so in words."""
        if self._quiet:
            return False
        self.notice.value, self.answer.value = "", ""
        try:
            act(*given, **named)
        except faults() as error:
            self.notice.value = _said(f"Not done: {error}")
            return False
        finally:
            self._choices()
            self.draw()
        return True

    def _say(self) -> None:
        before = len(self.state.own)
        self._do(lambda: self.state.say(self.text.value, reply=self.reply.value))
        if len(self.state.own) > before:  # what was refused stays in its box
            self.text.value = ""

    def _ask(self) -> None:
        shown = []
        own = self.probe.value is None
        if self._do(lambda: shown.append(self.state.ask(*(
                (self.question.value, self.expected.value) if own else (self.probe.value,))))):
            self.answer.value = _live(panels.asked(shown[0]), "polite")

    def _choices(self) -> None:
        """The controls say what the state says, without setting anything off."""
        state, self._quiet = self.state, True
        try:
            self.conversation.value, self.memory.value = state.conversation.name, state.name
            self.said.max = len(state.conversation.messages)
            self.said.value = state.said
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
        self.settings = {}
        for name, value in self.state.settings[self.state.name].items():
            label, low, high, step = SETTINGS[name]
            slider = _slider(label, low, max(high, value), step, value)
            slider.observe(lambda change, name=name: self._do(self.state.set, **{name: change.new}), "value")
            self.settings[name] = slider
        self.limits.children = tuple(self.settings.values())
        self._limits_of = self.state.name

    def _own_words(self) -> None:
        hidden = "none" if self.probe.value is not None else None
        self.question.layout.display = self.expected.layout.display = hidden

    def draw(self) -> None:
        """Show the state as it is."""
        self.status.value = _live(f'<p class="ml-status">{escape(panels.status(self.state))}</p>', "polite")
        for name, box in self.panels.items():
            box.value = _live(f'<p class="ml-head">{name}</p>{panels.PANELS[name](self.state)}')

    def _tree(self) -> widgets.VBox:
        head = widgets.HTML(f"<style>{CSS}{STYLE}</style>")
        name = widgets.Output(outputs=({"output_type": "display_data", "metadata": {},
                                        "data": {"application/javascript": SCRIPT}},))
        controls = _box("ml-set", self.conversation, self.memory, self.said, self.limits)
        chat = _box("ml-chat", self.text, _box("ml-buttons", self.send, self.unsay, self.reply))
        ask = _box("ml-ask", self.probe, self.question, self.expected, _box("ml-buttons", self.ask), self.answer)
        shown = _box("ml-panels", *self.panels.values())
        return _box("ml-explorer", head, controls, chat, self.notice, self.status, ask, shown, name)


def _box(css: str, *children: widgets.Widget) -> widgets.VBox:
    box = widgets.VBox(children)
    box.add_class(css)
    return box


def _choice(label: str, options: list, value: Any) -> widgets.Dropdown:
    return widgets.Dropdown(description=label, options=options, value=value, layout=_WIDE)


def _text(label: str, hint: str) -> widgets.Text:
    # Sent when it is finished, not letter by letter: the last letters would come in behind the click.
    return widgets.Text(description=label, placeholder=hint, continuous_update=False, layout=_WIDE)


def _button(label: str) -> widgets.Button:
    return widgets.Button(description=label, layout=_WIDE)


def _slider(label: str, low: int, high: int, step: int, value: int) -> widgets.IntSlider:
    return widgets.IntSlider(description=label, min=low, max=high, step=step, value=value, continuous_update=False,
                             layout=_WIDE)


def _live(html: str, say: str = "off") -> str:
    return f'<div class="ml-live ml-panel" aria-live="{say}">{html}</div>'


def _said(text: str) -> str:
    return f'<div class="ml-live ml-panel" role="alert"><p class="ml-status">{escape(text)}</p></div>'
