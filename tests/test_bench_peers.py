"""bench/peers: its laws catch what they are to catch, its measure is evaluate's, the prompts reach the model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from memory_lab import TokenWindowMemory, assistant, system, tool, tool_call, user
from memory_lab.client import connect
from memory_lab.conversations import load
from memory_lab.evaluate import replay
from memory_lab.offline.server import respond

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def bench():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "bench"))
        names = ("adapter", "laws", "measure", "model", "openai_agents", "ours", "search")
        yield SimpleNamespace(peers=import_module("peers"), **{name: import_module(f"peers.{name}") for name in names})


class NoServer:
    """What a memory of the comparison sees of a Model; the offline model answers in this process."""

    fault, read, calls, tokens, seconds = None, "", 0, 0, 0.0

    def __init__(self):
        self.client = connect("offline")

    def reset(self):
        self.read = ""


def broken(bench, change, history, *, limit=200, system_text=None, **more):
    """The laws that a memory breaks which sends what change(log, front) gives."""
    class Fake(bench.adapter.Adapter):
        def __init__(self, system_text, limit, model):
            self.log, self.front, self.model = [], [] if system_text is None else [system(system_text)], model

        def put(self, native):
            self.log.append(native)

        def context(self):
            return change(self)

    entrant = bench.adapter.Entrant("fake", "none", "", Fake, **more)
    return bench.laws.broken(entrant, history, system_text, limit, NoServer(), fault=more.get("fault"))


TALK = [user("My order is 4471."), assistant("Noted."), user("Where is it?")]
CALL = [user("Where is it?"), assistant(tool_calls=[tool_call("a", "track")]), tool("Kyoto", tool_call_id="a")]


def test_a_memory_that_sends_all_breaks_none(bench):
    for history in (TALK, CALL, [*TALK, *CALL]):
        assert broken(bench, lambda fake: fake.front + fake.log, history, system_text="Be brief.") == set()


@pytest.mark.parametrize(("law", "change", "history"), [
    (1, lambda fake: [*fake.log, user("again")] if fake.__dict__.setdefault("asked", []) else
     fake.asked.append(1) or fake.log, TALK[:1]),
    (2, lambda fake: fake.log, [user("word " * 500)]),
    (2, lambda fake: fake.nothing, TALK),
    (3, lambda fake: fake.log, TALK),
    (4, lambda fake: fake.front + fake.log[:-1], TALK),
    (4, lambda fake: fake.front + fake.log[1:], TALK),
    (5, lambda fake: fake.front + fake.log[:1] + fake.log[2:], CALL),
    (6, lambda fake: [*fake.front, user("Here is a summary: order 4471."), *fake.log], TALK),
    (6, lambda fake: fake.front + fake.log[::-1], TALK),
    (8, lambda fake: fake.front + [user(message["content"] + "\ufffd") for message in fake.log], TALK),
])
def test_each_law_is_broken_by_what_breaks_it(bench, law, change, history):
    assert law in broken(bench, change, history, system_text="Be brief.")


def test_a_skipped_message_is_seen(bench):
    history = [user("one one one"), assistant("two two two"), user("three three"), assistant("four four"), user("five")]

    def folded(*read):
        def change(fake):
            fake.model.read = "".join(bench.model.squeezed(history[place]["content"]) for place in read)
            return fake.log[-1:] if len(fake.log) == 5 else fake.log
        return change

    assert 11 in broken(bench, folded(0, 2, 3), history, summarises=True)
    assert 11 not in broken(bench, folded(0, 1, 2, 3), history, summarises=True)
    assert 11 not in broken(bench, folded(0, 1), history, summarises=True)  # not skipped: not yet folded


def test_a_fault_of_the_model_is_law_10(bench):
    def fails(fake):
        raise ConnectionError(fake.model.fault)

    def run(change):
        entrant = bench.adapter.Entrant("fake", "none", "", lambda *given: made(change, *given), summarises=True)
        return bench.laws.broken(entrant, TALK, None, 200, NoServer(), fault="error")

    def made(change, _, limit, model):
        fake = bench.adapter.Adapter()
        fake.model, fake.log = model, []
        fake.put, fake.context = fake.log.append, lambda: change(fake)
        return fake

    assert run(fails) == {10} and run(lambda fake: [user("word " * 500)]) == {10}
    assert run(lambda fake: fake.log) == set()


def test_what_a_library_has_no_form_for_is_not_its_fault(bench):
    class Refuses(bench.adapter.Adapter):
        def native(self, message):
            raise ValueError("no images")

    with pytest.raises(bench.laws.NotTaken, match="no images"):
        bench.laws.broken(bench.adapter.Entrant("x", "", "", lambda *_: Refuses()), TALK, None, 99, NoServer())


def test_the_measure_is_that_of_evaluate(bench):
    talk, limit = load("kyoto_en"), 300
    row = bench.measure.through(bench.ours.ENTRANTS[0], [talk], limit, NoServer())
    ours = replay(TokenWindowMemory(talk.system, token_limit=limit), talk)
    assert row["prompt_tokens"] == sum(ours.prompts) and row["peak"] == max(ours.prompts)
    assert row["in_context"] == sum(each.in_context for each in ours.answerable)
    assert row["right"] == ours.right and row["probes"] == len(ours.answerable)
    assert row["refused"] == row["over"] == 0


SAID = [user("My order number is 4471-K."), assistant("Noted.")]
EARLIER = "- User: I am allergic to shellfish."
PROMPTS = {
    "langchain": [user("Extract context.\n<messages>\n<message type=\"human\">Here is a summary of the conversation to "
                       f"date:\n\n{EARLIER}</message>\n<message type=\"human\">My order number is 4471-K.</message>\n"
                       "<message type=\"ai\">Noted.</message>\n</messages>")],
    "langmem": [*SAID, user(f"This is summary of the conversation so far: {EARLIER}\n\nExtend this summary by taking "
                            "into account the new messages above:")],
    "llama_index": [system("Write a concise summary."), user(f'"Transcript so far: system: {EARLIER}\n\nuser: My order '
                                                             'number is 4471-K.\n\nassistant: Noted.\n\n"\n\n')],
    "semantic_kernel": [assistant(EARLIER), *SAID, system("Provide a concise and complete summarization of it.")],
}


@pytest.mark.parametrize("name", PROMPTS)
def test_each_prompt_is_put_into_the_offline_models_words(bench, name):
    messages, said = bench.model.in_its_words(PROMPTS[name])
    assert said is None
    answer = respond("POST", "/v1/chat/completions", json.dumps({"model": "offline", "messages": messages}).encode())
    text = answer.body["choices"][0]["message"]["content"]
    assert "4471-K" in text and "shellfish" in text and "User: User" not in text


def test_facts_are_given_in_the_form_that_is_asked_for(bench):
    _, said = bench.model.in_its_words([user("I am allergic to shellfish."), user("<existing_facts></existing_facts>")])
    assert said == "<facts><fact>I am allergic to shellfish.</fact></facts>"


def test_our_own_prompts_go_through_as_they_are(bench):
    assert bench.model.in_its_words(TALK) == (TALK, None)


def test_a_session_of_items_says_the_same_messages(bench):
    session = object.__new__(bench.openai_agents.Session)
    two = assistant(tool_calls=[tool_call("a", "f"), tool_call("b", "f")])
    log = [user("hi"), two, tool("1", tool_call_id="a"), tool("2", tool_call_id="b"), assistant("done")]
    assert session.plain([item for message in log for item in session.native(message)]) == log


def test_every_entrant_is_stored_and_needs_no_library_to_be_named(bench):
    stored = json.loads((ROOT / "bench/results/peers.json").read_text(encoding="utf-8"))
    fields = ("name", "package", "settings", "better", "limited", "summarises", "ours")
    assert [[row[field] for field in fields] for row in stored["rows"]] == [
        [getattr(entrant, field) for field in fields] for entrant in bench.peers.entrants()]
    assert stored["repeats"] == bench.peers.REPEATS and stored["tried"] == bench.peers.TRIED
    assert not {"langchain_core", "llama_index", "agents", "semantic_kernel"} & set(sys.modules)


@pytest.mark.long
def test_every_stored_history_still_breaks_its_law():
    """And our memories, on all of those, break none."""
    python = Path(os.environ.get("MEMORY_LAB_PEERS", ROOT / ".bench-venv/bin/python"))
    if not python.exists():
        pytest.skip("the peers are not installed: make bench makes .bench-venv")
    if subprocess.run([python, "-c", "import langmem, semantic_kernel"], capture_output=True, check=False).returncode:
        pytest.skip(f"{python} has not all of bench/requirements.txt")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LANGSMITH_"))}
    done = subprocess.run([python, ROOT / "bench/peers/again.py"], capture_output=True, text=True, timeout=3000,
                          check=False, env=clean)
    assert done.returncode == 0, done.stdout + done.stderr
