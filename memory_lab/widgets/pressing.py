"""A press of Send, Ask or Take mine back, with all that it means: one message, so that there is no order to lose.

Each widget talks to the kernel by itself: the text of a box, a choice and the press of a button are three messages.
ipywidgets holds the first two back while the kernel is busy, but no press of a button; ipykernel 7 may hand the three
to two threads.  So the press could come in before its text.  The script reads the page when somebody presses, and
writes what it finds into one hidden text box, beside the presses that the kernel has not heard of yet (a value that is
held back is replaced by the next one, so each value must carry them all).  The kernel acts on each press once, and
says in the placeholder of that box which ones it has heard.

Where the script does not run, a click reaches its button as ever.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

# A box that was sent is emptied here, at once: the kernel's answer may come late, and would wipe what was typed since.
# What the kernel will refuse (half of a surrogate pair) stays in its box.
SCRIPT = """
const press = (root, button) => {
  const group = button.closest(".ml-chat, .ml-ask"), outbox = root.querySelector(".ml-outbox input");
  const boxes = [...group.querySelectorAll("input[type=text]")], heard = outbox.placeholder.split(" ");
  const waiting = JSON.parse(outbox.value || "[]").filter(each => !heard.includes(each.id));
  const change = box => box.dispatchEvent(new Event("change", {bubbles: true}));
  waiting.push({
    id: `${Date.now()}-${Math.random()}`, button: button.textContent, texts: boxes.map(box => box.value),
    choice: group.querySelector("select")?.value, ticked: group.querySelector("[type=checkbox]")?.checked});
  outbox.value = JSON.stringify(waiting);
  change(outbox);
  for (const box of boxes) {
    if (button.matches(".ml-send") && box.value.isWellFormed()) box.value = "";
    change(box);
  }
};
const listen = root => {
  root.addEventListener("keydown", event => {
    const {target} = event;
    if (event.key !== "Enter" || event.isComposing || !target.matches("input[type=text]")) return;
    event.preventDefault();
    if (!event.repeat) press(root, target.closest(".ml-chat, .ml-ask").querySelector("button"));
  }, true);
  root.addEventListener("click", event => {
    const button = event.target.closest(".ml-chat button, .ml-ask button");
    if (!button) return;
    event.stopPropagation();
    press(root, button);
  }, true);
};
"""


class Outbox:
    """Where the page's presses come in.  act(button, texts, choice, ticked) is called once for each, in their order.

    button: its words; texts: of the boxes beside it; choice: the label that is chosen beside it; ticked: the checkbox
    beside it (None where there is none).
    """

    def __init__(self, act: Callable[[str, list[str], str | None, bool | None], None]):
        self._act = act
        self.box = widgets.Text(layout={"display": "none"}, continuous_update=False)
        self.box.add_class("ml-outbox")

    def hear(self, value: str) -> None:
        presses: list[dict[str, Any]] = json.loads(value or "[]")
        before = self.box.placeholder.split()
        heard = [press["id"] for press in presses if press["id"] in before]
        for press in presses:
            if press["id"] not in heard:
                heard.append(press["id"])
                self.box.placeholder = " ".join(heard)
                self._act(press["button"], press["texts"], press.get("choice"), press.get("ticked"))
