"""The memory explorer without a browser: its state, what each control changes, its twin, and when it is alive."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import openai
import pytest

from memory_lab import TokenLimitError, TokenWindowMemory, replay
from memory_lab.conversations import load
from memory_lab.errors import MessageError, SettingError
from memory_lab.live import facts
from memory_lab.messages import text_of
from memory_lab.widgets import MEMORIES, ExplorerState, MemoryExplorer, panels
from memory_lab.widgets.explorer import VIEW

ROOT = Path(__file__).resolve().parents[1]
ADA = "My name is Ada and my locker is 4711."
TALK = load("order_number")
WINDOW = "token window"


def test_import_needs_no_widgets():
    code = "import sys, memory_lab.widgets; print('ipywidgets' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


# ---- the state

@pytest.mark.parametrize("name", MEMORIES)
def test_the_lines_and_the_parts_are_the_context(name):
    state = ExplorerState("tools", name)
    state.say("I moved to Graz.", reply=False)
    memory, context = state.memory, state.memory.messages()
    assert [(line.role, line.tokens) for line in state.sent()] == [
        (message["role"], memory.count.message(message)) for message in context]
    assert sum(state.parts().values()) == memory.count(context)
    assert all(text_of(message).strip() in line.text for line, message in zip(state.sent(), context, strict=True))
    places = [line.index for line in [*state.sent(), *state.withheld()] if line.index is not None]
    assert sorted(places) == list(range(len(memory.log)))
    for line in [*state.sent(), *state.withheld()]:
        assert line.index is None or line.state in ("instructions", memory.states[line.index])


def test_each_part_is_named():
    assert set(ExplorerState("tools", "layers").parts()) == {"instructions", "facts", "summary", "messages",
                                                             "priming the reply"}
    assert ExplorerState("kyoto_en", "retrieval").parts()["looked up"] > 100
    table = ExplorerState("kyoto_en", "fact table")
    block = table.memory.view().derived
    assert abs(table.parts()["facts"] - table.memory.count.text(block)) < 5


def test_what_was_typed_is_said_to_every_memory():
    state = ExplorerState("short_chat", WINDOW)
    answer = state.say(ADA)
    own = [{"role": "user", "content": ADA}, {"role": "assistant", "content": answer}]
    for name in MEMORIES:
        state.choose(memory=name)
        assert state.memory.log[-2:] == own, name
    state.choose(conversation="prohibitions", said=3)
    assert state.memory.log == [*load("prohibitions").messages[:3], *own]
    state.unsay()
    assert len(state.memory.log) == 3


def test_a_limit_that_is_too_small_says_why_and_keeps_what_was_typed():
    state = ExplorerState(TALK, WINDOW)
    state.say(ADA)
    state.set(token_limit=20)
    with pytest.raises(TokenLimitError) as error:
        state.memory.messages()
    assert state.problem == str(error.value)
    assert (state.sent(), state.withheld(), state.parts()) == ([], [], {})
    assert {word for _, word in state.planted()} == {facts.GONE}
    with pytest.raises(SettingError, match="nothing can be asked while"):
        state.ask("Who am I?")
    assert state.say("Hello?") == ""
    state.set(token_limit=300)
    assert not state.problem
    assert [text_of(message) for message in state.memory.log[-3::2]] == [ADA, "Hello?"]


def test_a_setting_that_makes_no_memory_says_why():
    state = ExplorerState("short_chat", "sliding window")
    state.set(max_turns=0)
    assert state.memory is None
    assert state.problem == "max_turns is 0; it must be a whole number of at least 1"
    assert state.folded() is state.facts() is None
    state.say(ADA)
    state.choose(memory=WINDOW)
    assert text_of(state.memory.log[-1]) == ADA
    state.choose(memory="sliding window")
    assert state.settings["sliding window"] == {"max_turns": 0}, "each memory keeps its settings"
    state.set(max_turns=1)
    assert not state.problem


def test_what_cannot_be_said_is_refused_with_its_reason():
    state = ExplorerState("short_chat", "buffer")
    for text, error, words in (("  ", SettingError, "type a message first"), ("\ud800", MessageError, "surrogate")):
        with pytest.raises(error, match=words):
            state.say(text)
    assert state.own == []
    for wrong in ({"conversation": "nowhere"}, {"memory": "elephant"}):
        with pytest.raises(ValueError, match="take one of"):
            state.choose(**wrong)
    with pytest.raises(SettingError, match="has no setting 'token_limit'"):
        state.set(token_limit=3)
    with pytest.raises(SettingError, match="type a question"):
        state.ask(" ")


@pytest.mark.parametrize("name", [WINDOW, "pop(0)"])
def test_a_probe_is_answered_as_in_a_replay(name):
    state = ExplorerState(TALK, name)
    expected = replay(MEMORIES[name](TALK.system), TALK).asked
    before = state.memory.messages()
    assert [state.ask(probe) for probe in state.probes] == [asked for asked in expected if asked.probe.at is None]
    assert (state.memory.messages(), state.own) == (before, [])


def test_your_own_question_has_a_verdict_if_you_say_what_you_expect():
    state = ExplorerState("five_facts", "layers")
    state.say(ADA)
    asked = state.ask("What is my locker?", "4711")
    assert (asked.verdict, asked.in_context, asked.evidence) == ("correct", True, None)
    assert state.ask("What is my locker?", "4712").verdict == "wrong"
    free = state.ask("What is my locker?")
    assert (free.answer, free.verdict, free.in_context) == (asked.answer, None, None)


def test_what_the_chat_has_not_come_to_is_no_evidence():
    state = ExplorerState(TALK, "buffer")
    probe = next(probe for probe in state.probes if probe.answerable)
    assert state.ask(probe).evidence == 1
    state.choose(said=min(probe.evidence))
    state.say("Good morning.")  # now a message of one's own stands where the evidence would be
    asked = state.ask(probe)
    assert (asked.evidence, asked.verdict, dict(state.planted())[probe]) == (None, "abstained", facts.NOT_YET)
    assert "not come to it yet" in panels.evidence(asked)


def test_the_model_may_fail():
    class Broken:
        @property
        def chat(self):
            raise openai.OpenAIError("no network")

    state = ExplorerState("short_chat", WINDOW, client=Broken())
    with pytest.raises(openai.OpenAIError):
        state.say(ADA)
    assert text_of(state.memory.log[-1]) == ADA


# ---- the widgets

@pytest.fixture
def view():
    return MemoryExplorer(TALK, WINDOW).view


def shown(view):
    return {name: box.value for name, box in view.panels.items()}


def test_a_slider_changes_what_is_shown(view):
    for limit in (300, 150):
        before = shown(view)
        view.settings["token_limit"].value = limit
        fresh = ExplorerState(TALK, WINDOW)
        fresh.set(token_limit=limit)
        for name, html in shown(view).items():
            assert panels.PANELS[name](fresh) in html
        assert escape(panels.status(fresh)) in view.status.value
        assert shown(view) != before
    view.said.value = 4
    assert "4 of 4 messages go out" in view.status.value


def test_another_memory_has_its_own_sliders_and_hears_what_was_typed(view):
    view.text.value = ADA
    view.send.click()
    assert view.text.value == ""
    view.text.value, view.question.value = "half a sentence", "and a"
    view.memory.value = "layers"
    assert list(view.settings) == list(view.state.settings["layers"])
    assert [slider.value for slider in view.limits.children] == list(view.state.settings["layers"].values())
    assert (view.text.value, view.question.value) == ("half a sentence", "and a")
    assert "4711" in view.panels["Messages that go out, newest first"].value
    assert "4711" in view.panels["The memory's table of facts"].value
    view.conversation.value = "short_chat"
    assert (view.said.value, view.said.max) == (10, 10)
    assert [probe for _, probe in view.probe.options] == [*view.state.probes, None]
    assert "4711" in view.panels["Messages that go out, newest first"].value
    view.unsay.click()
    assert "4711" not in "".join(shown(view).values())


def test_a_limit_that_is_too_small_is_told_in_the_cell(view):
    view.settings["token_limit"].value = 20
    assert view.state.problem
    assert escape(view.state.problem) in view.status.value
    view.ask.click()
    assert "nothing can be asked" in view.notice.value
    view.settings["token_limit"].value = 400
    assert "Nothing can be sent" not in view.status.value
    assert view.notice.value == ""


def test_what_is_refused_stays_in_its_box(view):
    view.send.click()
    assert "type a message first" in view.notice.value
    view.text.value = "\ud800"
    view.send.click()
    assert view.text.value == "\ud800"
    assert "Not done" in view.notice.value
    view.text.value = "Hello"
    view.reply.value = False
    view.send.click()
    assert (view.text.value, view.notice.value, len(view.state.own)) == ("", "", 1)


def test_a_probe_and_a_question_of_your_own(view):
    probe = view.probe.value
    assert (probe, view.question.layout.display) == (view.state.probes[0], "none")
    view.ask.click()
    assert panels.asked(view.state.ask(probe)) in view.answer.value
    assert probe.accept[0] in view.answer.value
    view.probe.value = None
    assert view.question.layout.display is None
    view.question.value, view.expected.value = "How long does it take?", "five working days"
    view.ask.click()
    assert panels.asked(view.state.ask(view.question.value, "five working days")) in view.answer.value
    view.question.value = ""
    view.ask.click()
    assert "type a question" in view.notice.value


def test_every_control_says_what_it_is(view):
    controls = [view.conversation, view.memory, view.said, *view.limits.children, view.text, view.send, view.unsay,
                view.reply, view.probe, view.question, view.expected, view.ask]
    labels = [control.description for control in controls]
    assert all(labels)
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("name", ["layers", "pop(0)"])
def test_what_is_typed_is_text_and_no_markup(name):
    view = MemoryExplorer("tools", name).view
    view.reply.value, view.text.value = False, "</p><script>alert('&')</script>"
    view.send.click()
    for html in (view.status.value, *shown(view).values()):
        ElementTree.fromstring(html)
        assert "<script" not in html
    assert "&lt;script&gt;" in view.panels["Messages that go out, newest first"].value


def test_a_memory_and_a_conversation_of_your_own():
    talk = replace(TALK, name="mine", messages=TALK.messages[:6], probes=TALK.probes[:1])
    view = MemoryExplorer(talk, "mine", memories={"mine": partial(TokenWindowMemory, token_limit=5000)}).view
    assert (view.conversation.value, view.settings["token_limit"].max) == ("mine", 5000)
    view.conversation.value = "short_chat"
    view.conversation.value = "mine"
    assert view.state.memory.log == list(talk.messages)


# ---- the twin, and when the cell is alive

def bundle(explorer):
    from IPython.core.formatters import DisplayFormatter

    return DisplayFormatter().format(explorer)[0]


def test_the_twin_says_what_the_explorer_says_at_each_value():
    explorer = MemoryExplorer(TALK, WINDOW, limits=[20, 150])
    twin, state = explorer.twin, ExplorerState(TALK, WINDOW)
    body = ElementTree.fromstring(explorer._repr_html_())
    drawn = [each for each in body.iter("div") if each.get("data-panel")]
    assert (twin.values, [panel.get("hidden") for panel in drawn]) == ([20, 150, 500], ["hidden", "hidden", None])
    for value, step, panel in zip(twin.values, twin.steps, drawn, strict=True):
        state.set(token_limit=value)
        assert step[0].startswith(panels.status(state))
        words = " ".join(panel.itertext())
        for line in [*state.sent(), *([] if state.problem else map(state.ask, state.probes))]:
            assert (line.text if hasattr(line, "text") else line.probe.question)[:60] in words
    right = sum(state.ask(probe).verdict == "correct" for probe in state.probes)
    assert f"{right} of {len(state.probes)} questions answered rightly" in twin.steps[-1][0]
    assert repr(explorer).splitlines()[-1].split() == ["500", "468", "29", f"{right}", "of", f"{len(state.probes)}"]


def test_the_twin_is_of_the_explorer_as_it_was_made():
    used, fresh = (MemoryExplorer("short_chat", "buffer") for _ in range(2))
    used.state.say(ADA)
    used.state.choose(memory="layers")
    assert used._repr_html_() == fresh._repr_html_()
    assert [row[0] for row in fresh.twin._rows] == ["2", "5", "10"]


def test_the_cell_is_alive_only_where_somebody_sits(monkeypatch):
    monkeypatch.delenv("MEMORY_LAB_LIVE", raising=False)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    explorer = MemoryExplorer("short_chat", WINDOW)
    assert set(bundle(explorer)) == {"text/plain", "text/html"}
    monkeypatch.setenv("JPY_SESSION_NAME", "book/08_layered.ipynb")
    alive = bundle(explorer)
    assert set(alive) == {"text/plain", VIEW}
    assert alive[VIEW]["model_id"] == explorer.widget().model_id
    monkeypatch.setenv("MEMORY_LAB_LIVE", "0")
    assert VIEW not in bundle(explorer)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setenv("MEMORY_LAB_LIVE", "1")
    assert set(bundle(explorer)) == {"text/plain", "text/html"}


def test_no_stored_notebook_carries_widgets():
    stored = [path for folder in ("book", "solutions", "exercises") for path in (ROOT / folder).glob("*.ipynb")]
    texts = [path.read_text(encoding="utf-8") for path in stored]
    assert any("MemoryExplorer(" in text for text in texts)
    for path, text in zip(stored, texts, strict=True):
        assert "vnd.jupyter.widget" not in text, path
        assert "widgets" not in json.loads(text)["metadata"], path
