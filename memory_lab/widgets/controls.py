"""The explorer's controls, made alike, and its pieces of HTML."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as widgets

WIDE = {"width": "auto", "min_width": "0"}


def box(css: str, *children: widgets.Widget) -> widgets.VBox:
    """The children one below the other, with a class that the style and the script go by."""
    box = widgets.VBox(children)
    box.add_class(css)
    return box


def choice(label: str, options: list, value: Any) -> widgets.Dropdown:
    """A list to choose one of; options: values, or (words, value)."""
    return widgets.Dropdown(description=label, options=options, value=value, layout=WIDE)


def text(label: str, hint: str) -> widgets.Text:
    """A line to type in; hint: what stands in it while it is empty."""
    # Sent when it is finished, not letter by letter: the last letters would come in behind the click.
    return widgets.Text(description=label, placeholder=hint, continuous_update=False, layout=WIDE)


def button(label: str) -> widgets.Button:
    """A button as wide as its words."""
    return widgets.Button(description=label, layout=WIDE)


def slider(label: str, low: int, high: int, step: int, value: int) -> widgets.IntSlider:
    """A whole number from low to high, sent when the handle is let go."""
    return widgets.IntSlider(description=label, min=low, max=high, step=step, value=value, continuous_update=False,
                             layout=WIDE)


def live(html: str, say: str = "off") -> str:
    """HTML in the explorer's style; say: whether a screen reader tells what changes there (aria-live)."""
    return f'<div class="ml-live ml-panel" aria-live="{say}">{html}</div>'


def said(text: str) -> str:
    """A fault in words, as HTML that a screen reader tells at once."""
    return f'<div class="ml-live ml-panel" role="alert"><p class="ml-status">{escape(text)}</p></div>'
