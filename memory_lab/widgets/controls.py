"""The explorer's controls, made alike, and its pieces of HTML."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as widgets

WIDE = {"width": "auto", "min_width": "0"}


def box(css: str, *children: widgets.Widget) -> widgets.VBox:
    box = widgets.VBox(children)
    box.add_class(css)
    return box


def choice(label: str, options: list, value: Any) -> widgets.Dropdown:
    return widgets.Dropdown(description=label, options=options, value=value, layout=WIDE)


def text(label: str, hint: str) -> widgets.Text:
    # Sent when it is finished, not letter by letter: the last letters would come in behind the click.
    return widgets.Text(description=label, placeholder=hint, continuous_update=False, layout=WIDE)


def button(label: str) -> widgets.Button:
    return widgets.Button(description=label, layout=WIDE)


def slider(label: str, low: int, high: int, step: int, value: int) -> widgets.IntSlider:
    return widgets.IntSlider(description=label, min=low, max=high, step=step, value=value, continuous_update=False,
                             layout=WIDE)


def live(html: str, say: str = "off") -> str:
    return f'<div class="ml-live ml-panel" aria-live="{say}">{html}</div>'


def said(text: str) -> str:
    return f'<div class="ml-live ml-panel" role="alert"><p class="ml-status">{escape(text)}</p></div>'
