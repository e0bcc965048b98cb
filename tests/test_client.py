import asyncio
import subprocess
import sys

import openai
import pytest

from memory_lab.client import Models, chat, complete, connect, connect_async, embed, models, read_env, stream
from memory_lab.errors import ModelOutputError, SettingError
from memory_lab.messages import assistant, system, tool, tool_call, user
from memory_lab.testing import ScriptedModel

ASK = [user("My order number is 4471-K."), user("What was my order number?")]
NAMES = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "MEMORY_LAB_MODEL",
    "MEMORY_LAB_SUMMARY_MODEL",
    "MEMORY_LAB_EXTRACTION_MODEL",
    "MEMORY_LAB_EMBEDDING_MODEL",
)


@pytest.fixture(autouse=True)
def _bare(monkeypatch, tmp_path):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def test_importing_the_client_does_not_import_openai():
    code = "import sys, memory_lab.client; sys.exit('openai' in sys.modules or 'tiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_settings_the_offline_model_answers():
    assert isinstance(connect(), openai.OpenAI)
    assert "4471-K" in chat(connect(), ASK)


def test_the_environment_names_each_model_apart(monkeypatch):
    monkeypatch.setenv("MEMORY_LAB_MODEL", "big")
    monkeypatch.setenv("MEMORY_LAB_SUMMARY_MODEL", "small")
    assert models() == Models("big", "small", "big", "text-embedding-3-small")
    assert models("offline-4k").summary == "offline-4k", "an explicit offline model is used for every task"


def test_a_dotenv_file_counts_but_never_over_a_set_variable(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text('OPENAI_API_KEY="from file"\nMEMORY_LAB_MODEL=file-model # cheap\n')
    assert models().chat == "file-model"
    assert connect().api_key == "from file"
    monkeypatch.setenv("MEMORY_LAB_MODEL", "set-model")
    assert models().chat == "set-model"


def test_a_bad_line_of_a_dotenv_file_is_named():
    with pytest.raises(SettingError, match="line 2"):
        read_env("A=1\nno equals sign\n")


@pytest.mark.parametrize(
    ("model", "match"), [("gpt-4o", "OPENAI_API_KEY"), ("offline-1k", "offline-4k")]
)
def test_a_model_that_cannot_be_reached_says_what_to_do(model, match):
    with pytest.raises(SettingError, match=match):
        connect(model)


def test_an_endpoint_is_used_as_the_environment_says(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("MEMORY_LAB_MODEL", "tiny")
    client = connect()
    assert (str(client.base_url), client.models_.chat) == ("http://127.0.0.1:9/v1/", "tiny")


def test_the_stream_is_the_reply_in_pieces():
    client = connect("offline")
    pieces = list(stream(client, ASK))
    assert len(pieces) > 2
    assert "".join(pieces) == chat(client, ASK)


def test_a_copy_of_the_client_still_names_the_offline_model():
    assert "4471-K" in chat(connect("offline").with_options(max_retries=0), ASK)


def test_complete_gives_a_dict_that_goes_straight_back():
    call = assistant(tool_calls=[tool_call("a", "look", "{}")])
    with ScriptedModel([call, "done"]) as model:
        client = model.client
        message = complete(client, ASK)
        assert message == call
        assert complete(client, [*ASK, message, tool("x", tool_call_id="a")]) == {
            "role": "assistant",
            "content": "done",
        }


def test_chat_refuses_a_reply_without_text():
    with ScriptedModel([assistant(tool_calls=[tool_call("a", "look")]), ""]) as model:
        client = model.client
        with pytest.raises(ModelOutputError, match="tool calls"):
            chat(client, ASK)
        with pytest.raises(ModelOutputError, match="empty"):
            chat(client, ASK)


def test_embed_keeps_the_order_and_calls_nothing_for_nothing():
    client = connect("offline")
    one, two = embed(client, ["I like tea", "the train leaves"])
    assert [one] == embed(client, ["I like tea"])
    assert [two] == embed(client, ["the train leaves"])
    assert embed(None, []) == []


def test_the_async_client_has_the_same_model():
    async def ask():
        async with connect_async("offline") as client:
            reply = await client.chat.completions.create(model="offline", messages=ASK)
            return reply.choices[0].message.content

    assert asyncio.run(ask()) == chat(connect("offline"), ASK)


def test_same_request_same_reply_in_another_process():
    code = (
        "from memory_lab.client import connect; print(connect('offline').chat.completions.create(model='offline', "
        f"messages={[system('Be brief.'), *ASK]!r}).model_dump_json())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, env={"PYTHONHASHSEED": str(seed), "PATH": ""}
        ).stdout
        for seed in (1, 2)
    }
    assert len(runs) == 1
