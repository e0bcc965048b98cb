"""What every live figure shares: its controls, its steps, and the HTML that holds both.

A figure says, for each step, what stands in each of its slots; the script (style.py) puts those words there and knows
nothing else. So whatever a reader sees was worked out in Python, and a test can compare the two.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .style import CSS, SCRIPT

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """The text for HTML and XML, in quotes too; characters that neither can hold become U+FFFD.

    >>> escape("</script>")
    '&lt;/script&gt;'
    """
    return html.escape(NOT_XML.sub("\ufffd", text))


def short(text: str, length: int = 90) -> str:
    """The text on one line, with an ellipsis where it is longer than that many characters.

    >>> short("The order number\\nis 4821937.", 20)
    'The order number is…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length - 1].rstrip() + "…"


def number(count: int, word: str, many: str = "") -> str:
    """A count with its noun.  many: the plural, if it is not the word with an s.

    >>> number(1, "token"), number(1200, "token"), number(2, "memory", "memories")
    ('1 token', '1,200 tokens', '2 memories')
    """
    return f"{count:,} {word if count == 1 else many or word + 's'}"


@dataclass(frozen=True)
class Control:
    """What the reader sets: a slider over the options, or with choose=True a list of them."""

    label: str
    options: Sequence[str]
    choose: bool = False


class Slots:
    """Hands out the slots of a figure in the order of the document, filled with what the first step says."""

    def __init__(self, words: Iterable[str]):
        self._words = iter(words)

    def text(self, css: str = "") -> str:
        """A piece of text that changes.  css: its class."""
        return f'<span class="{css}" data-slot="text">{escape(next(self._words))}</span>'

    def status(self, more: str = "") -> str:
        """The line that a screen reader reads out after each change; more: the class of a second text in it."""
        return (f'<p class="ml-status" aria-live="polite">{self.text("ml-said")}'
                + (f" {self.text(more)}" if more else "") + "</p>")

    def row(self, tag: str, content: str, cell: str = "b") -> str:
        """A row that begins with a word for its state, which is also what its style goes by."""
        word = escape(next(self._words))
        return f'<{tag} data-state="{word}"><{cell} data-slot="state">{word}</{cell}> {content}</{tag}>'

    def bar(self) -> str:
        """A bar; its slot says how long it is, as "40%". The number stands beside it in words."""
        return ('<span class="ml-bar" aria-hidden="true"><span data-slot="bar" style="width:'
                f'{escape(next(self._words))}"></span></span>')

    def control(self, control: Control, chosen: int) -> str:
        """The control, with its value in words behind it."""
        label, size = escape(control.label), len(control.options)
        if control.choose:
            marks = {chosen: ' selected="selected"'}
            options = "".join(f'<option value="{place}"{marks.get(place, "")}>{escape(option)}</option>'
                              for place, option in enumerate(control.options))
            return f'<label>{label} <select data-size="{size}" autocomplete="off">{options}</select></label>'
        words = escape(next(self._words))
        return (f'<label class="ml-slider">{label} <input type="range" min="0" max="{size - 1}" value="{chosen}" '
                f'data-size="{size}" data-slot="say" aria-valuetext="{words}" autocomplete="off"/></label>'
                f'<span aria-hidden="true">{self.text("ml-value")}</span>')


class LiveFigure:
    """A figure of precomputed steps.

    steps: for each choice of the controls (the last one runs fastest) the words of each slot of the body.
    first: the step that it shows before anybody touches it, the only one where scripts do not run.
    """

    title = ""
    note = ""
    controls: Sequence[Control] = ()
    steps: Sequence[Sequence[str]] = ()
    first = 0

    def _body(self, slots: Slots) -> str:
        raise NotImplementedError("a figure says here what it shows")

    def chosen(self, step: int) -> list[int]:
        """Which option of each control makes that step."""
        found: list[int] = []
        for control in reversed(self.controls):
            step, place = divmod(step, len(control.options))
            found.insert(0, place)
        return found

    def says(self, step: int) -> list[str]:
        """The words of all slots at a step: those of the sliders, then those of the body."""
        sliders = [control.options[place] for control, place in zip(self.controls, self.chosen(step), strict=True)
                   if not control.choose]
        return [word for word in sliders for _ in range(2)] + list(self.steps[step])

    def _repr_html_(self) -> str:
        slots = Slots(self.says(self.first) if self.steps else ())
        controls = "".join(slots.control(control, place)
                           for control, place in zip(self.controls, self.chosen(self.first), strict=True))
        body = self._body(slots)
        return (f'<div class="ml-live" role="group" aria-label="{escape(self.title)}"><style>{CSS}</style>'
                f'<p class="ml-title">{escape(self.title)}</p>'
                + (f'<div class="ml-controls">{controls}</div>' if controls else "") + body
                + (f'<p class="ml-note">{escape(self.note)}</p>' if self.note else "")
                + (f'<script type="application/json">{self._data()}</script><script>{SCRIPT}</script>'
                   if self.steps else "") + "</div>")

    def _data(self) -> str:
        words: dict[str, int] = {}
        steps = [_runs([words.setdefault(NOT_XML.sub("\ufffd", word), len(words)) for word in self.says(step)])
                 for step in range(len(self.steps))]
        text = json.dumps({"words": list(words), "steps": steps}, ensure_ascii=False, separators=(",", ":"))
        return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _runs(values: Sequence[int]) -> list[int]:
    """Value, how often, value, how often: most neighbours in a list of messages share their state."""
    runs: list[int] = []
    for value in values:
        if runs and runs[-2] == value:
            runs[-1] += 1
        else:
            runs += [value, 1]
    return runs
