"""The offline model over HTTP, asked by the real openai client and by bare sockets."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openai
import pytest

from memory_lab.client import chat, connect, embed, stream
from memory_lab.errors import SettingError
from memory_lab.messages import user
from memory_lab.serve import LARGEST, make_server

ASK = [user("My order number is 4471-K."), user("What was my order number?")]


@pytest.fixture(scope="module")
def server():
    with make_server() as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture
def client(server):
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as made:
        yield made


def test_the_real_client_gets_what_the_model_in_this_process_says(client):
    offline = connect("offline")
    assert chat(client, ASK, model="offline") == chat(offline, ASK)
    assert "".join(stream(client, ASK, model="offline")) == chat(offline, ASK)
    assert embed(client, ["tea", "茶"], model="offline-embedding") == embed(offline, ["tea", "茶"])
    assert [model.id for model in client.models.list()] == [model.id for model in offline.models.list()]
    assert client.models.retrieve("offline").id == "offline"


def test_a_stream_comes_in_pieces_and_may_be_left(client):
    pieces = stream(client, ASK, model="offline")
    assert next(pieces)
    pieces.close()
    assert chat(client, ASK, model="offline")


def test_errors_are_the_apis(client):
    with pytest.raises(openai.NotFoundError, match="does not exist offline"):
        chat(client, ASK, model="gpt-4o")
    with pytest.raises(openai.BadRequestError) as caught:
        chat(client, [user("word " * 5000)], model="offline-4k")
    assert caught.value.code == "context_length_exceeded"
    with pytest.raises(openai.BadRequestError):
        chat(client, [], model="offline")


def test_many_ask_at_once(client):
    def ask(number):
        return chat(client, [user(f"My order number is {number}471-K."), ASK[1]], model="offline")

    with ThreadPoolExecutor(8) as pool:
        assert all(f"{number}471-K" in reply for number, reply in enumerate(pool.map(ask, range(24))))


def asked(server, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
    connection.request(method, path, body, headers or {})
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text


@pytest.mark.parametrize(("method", "path", "body", "headers", "status"), [
    ("GET", "/v1/models", None, None, 200), ("GET", "/v1/nothing", None, None, 404),
    ("POST", "/v1/chat/completions", b"{", None, 400), ("POST", "/v1/chat/completions", b"\xff", None, 400),
    ("GET", "/v1/chat/completions", None, None, 405), ("DELETE", "/v1/models", None, None, 501),
    ("POST", "/v1/chat/completions", None, {"content-length": str(LARGEST + 1)}, 413),
    ("POST", "/v1/chat/completions", None, {"content-length": "many"}, 411),
    ("GET", "/v1/models", None, {"host": "evil.example:80"}, 403)])
def test_bad_requests_are_answered(server, method, path, body, headers, status):
    assert asked(server, method, path, body, headers)[0] == status
    assert asked(server, "GET", "/v1/models")[0] == 200, "and the server goes on"


def test_it_listens_on_loopback_alone_and_says_if_a_port_is_taken(server):
    assert server.server_address[0] == "127.0.0.1"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SettingError, match="give another"):
            make_server(taken.getsockname()[1])
    with pytest.raises(SettingError, match="give another"):
        make_server(99999)


def test_the_command_serves_until_ctrl_c():
    command = [sys.executable, "-c", "import sys; from memory_lab.cli import main; sys.exit(main())", "serve", "--port",
               "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        url = re.search(r"http://\S+/v1", process.stdout.readline())[0]
        with openai.OpenAI(base_url=url, api_key="none") as client:
            assert "4471-K" in chat(client, ASK, model="offline")
        process.send_signal(signal.SIGINT)
        assert "Stopped." in process.stdout.read()
        assert process.wait(20) == 0


AGENTS = """
import asyncio, sys
from agents import Agent, OpenAIChatCompletionsModel, Runner, SQLiteSession, set_tracing_disabled
from openai import AsyncOpenAI

async def talk():
    model = OpenAIChatCompletionsModel(model="offline", openai_client=AsyncOpenAI(base_url=sys.argv[1], api_key="none"))
    agent, session = Agent(name="clerk", instructions="Be brief.", model=model), SQLiteSession("ann")
    await Runner.run(agent, "My order number is 4471-K.", session=session)
    print((await Runner.run(agent, "What was my order number?", session=session)).final_output)

set_tracing_disabled(True)
asyncio.run(talk())
"""
LANGCHAIN = """
import sys
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

model = ChatOpenAI(model="offline", base_url=sys.argv[1], api_key="none")
talk = [("system", "Be brief."), ("user", "My order number is 4471-K."), ("assistant", "Noted."),
        ("user", "What was my order number?")]
reply = model.invoke(talk)
assert reply.usage_metadata["input_tokens"] > 0, reply
assert "".join(piece.text for piece in model.stream(talk)) == reply.text
vectors = OpenAIEmbeddings(model="offline-embedding", base_url=sys.argv[1], api_key="none",
                           check_embedding_ctx_length=False).embed_documents(["tea", "coffee"])
assert len(vectors) == 2 and len(vectors[0]) > 1
print(reply.text)
"""


@pytest.mark.long
@pytest.mark.parametrize(("library", "talk"), [("agents", AGENTS), ("langchain_openai", LANGCHAIN)])
def test_another_library_talks_to_it(server, library, talk):
    python = Path(os.environ.get("MEMORY_LAB_PEERS", Path(__file__).resolve().parents[1] / ".bench-venv/bin/python"))
    if not python.exists():
        pytest.skip("the peers are not installed: make bench makes .bench-venv")
    if subprocess.run([python, "-c", f"import {library}"], capture_output=True, check=False).returncode:
        pytest.skip(f"{python} has no {library}")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LANGSMITH_"))}
    done = subprocess.run([python, "-c", talk, server.url], capture_output=True, text=True, timeout=300, check=False,
                          env=clean)
    assert done.returncode == 0, done.stderr
    assert "4471-K" in done.stdout
