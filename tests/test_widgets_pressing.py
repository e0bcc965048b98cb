"""The presses that the page writes, each with its words, and the two threads of a kernel that bring them."""

from __future__ import annotations

import json
import threading
import time
from html import escape

import pytest

from memory_lab.conversations import load
from memory_lab.messages import text_of
from memory_lab.widgets import ExplorerState, MemoryExplorer, panels
from memory_lab.widgets.view import OWN

ADA = "My name is Ada and my locker is 4711."
TALK = load("order_number")
WINDOW = "token window"


@pytest.fixture
def view():
    return MemoryExplorer(TALK, WINDOW).view


def presses(*each):
    """The value that the page writes: (id, button, texts, choice, ticked) of each press that it knows no answer to."""
    return json.dumps([dict(zip(("id", "button", "texts", "choice", "ticked"), one, strict=True)) for one in each])


def test_a_press_is_heard_once_with_its_own_words(view):
    first, second = ("1-a", "Send", [ADA], None, False), ("2-b", "Send", ["My dog is Rex."], None, False)
    view.text.value = "half a sentence"
    view.outbox.box.value = presses(first)
    view.outbox.box.value = presses(first, second)  # the page had not heard that the first was heard
    assert [text_of(message) for message in view.state.own] == [ADA, "My dog is Rex."]
    assert view.outbox.box.placeholder.split() == ["1-a", "2-b"]
    assert view.text.value == "half a sentence", "the page empties the box, and may have letters that are news here"
    again, back = ("3-c", "Send", [ADA], None, True), ("4-d", "Take mine back", ["half a"], None, True)
    view.outbox.box.value = presses(again)
    assert [message["role"] for message in view.state.own] == ["user", "user", "user", "assistant"]
    view.outbox.box.value = presses(again, back)
    assert (view.state.own, view.outbox.box.placeholder) == ([], "3-c 4-d")
    view.outbox.box.value = presses(("5-e", "Send", [" "], None, True))
    assert "type a message first" in view.notice.value


def test_a_question_is_asked_as_it_was_chosen_and_typed(view):
    probe, other = view.state.probes[:2]
    view.outbox.box.value = presses(("1", "Ask", ["", ""], other.question, None))
    assert panels.asked(view.state.ask(other)) in view.answer.value
    assert view.probe.value is probe
    for number, (texts, choice) in enumerate(((["Who am I?", ""], OWN), (["", ""], "Who am I?"))):
        view.outbox.box.value = presses((f"own-{number}", "Ask", texts, choice, None))
        assert panels.asked(view.state.ask("Who am I?")) in view.answer.value


def test_two_threads_wait_for_each_other(view, monkeypatch):
    """ipykernel 7 has one for the cells and one for most of the widgets; each brings what the reader did."""
    filling, go_on, fill = threading.Event(), threading.Event(), view.state._fill

    def slowly():
        filling.set()
        go_on.wait(60)
        fill()

    monkeypatch.setattr(view.state, "_fill", slowly)
    slider, chosen = view.settings["token_limit"], []
    view.memory.observe(lambda change: chosen.append(change.new), "value")
    first = threading.Thread(target=setattr, args=(view.said, "value", 4))
    rest = [threading.Thread(target=setattr, args=each) for each in (
        (view.memory, "value", "layers"), (slider, "value", 300),
        (view.outbox.box, "value", presses(("1", "Send", [ADA], None, False))))]
    first.start()
    assert filling.wait(60)
    for thread in rest:
        thread.start()
    end = time.monotonic() + 60
    while view.memory.value != "layers" and time.monotonic() < end:
        time.sleep(0.01)
    assert (view.state.name, view.state.own) == (WINDOW, []), "the first one is not done"
    go_on.set()
    for thread in (first, *rest):
        thread.join(60)
    state = ExplorerState(TALK, "layers")
    state.choose(said=4)
    state.say(ADA, reply=False)
    assert escape(panels.status(state)) in view.status.value
    assert (view.memory.value, view.said.value, view.state.name) == ("layers", 4, "layers")
    assert WINDOW not in chosen, "a redraw put back what the reader had just left"
    assert (view.state.settings[WINDOW], view.state.settings["layers"]) == (
        {"token_limit": 300}, state.settings["layers"]), "a slider is of the memory that it was made for"
