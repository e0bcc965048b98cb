"""Any endpoint, over real loopback: what a user sees of each fault, what is kept, and whether the run goes on."""

from __future__ import annotations

import io
import json
import sys
import threading

import openai
import pytest
from bad_server import (
    BadServer,
    answered,
    cut,
    one_system_message,
    raw,
    slow,
    spoilt,
    status,
    well,
    without_usage,
)

from memory_lab import FactTableMemory, system, user
from memory_lab.cli import main
from memory_lab.client import chat, connect, stream
from memory_lab.endpoint import CallCache, Quirks, Spending, explain
from memory_lab.errors import EndpointError, ModelOutputError, SettingError
from memory_lab.prices import SHIPPED, load_prices
from memory_lab.serve import make_server

ASK = [user("My order number is 4471-K."), user("What was my order number?")]
MODEL = "gpt-4.1-mini"
KEY = "sk-this-is-secret"
ONE = ["--conversation", "short_chat"]


@pytest.fixture(autouse=True)
def _bare(monkeypatch, tmp_path):
    for name in ("MEMORY_LAB_SUMMARY_MODEL", "MEMORY_LAB_EXTRACTION_MODEL", "MEMORY_LAB_EMBEDDING_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MEMORY_LAB_MODEL", MODEL)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def served(monkeypatch):
    """Starts a bad server, and points the environment there."""
    started = []

    def start(script=(), always=None):
        server = BadServer(script, always)
        server.__enter__()
        started.append(server)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        return server

    yield start
    for server in started:
        server.__exit__()


def client_of(*layers, **options):
    return connect(layers=layers, **{"max_retries": 0, **options})


def ran(capsys, *words):
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


# ---- one call


def test_a_slow_endpoint_is_a_timeout_and_its_call_counts_as_spent(served):
    served([slow])
    spending = Spending(load_prices(), limit=1)
    with client_of(spending, timeout=0.2) as client, pytest.raises(openai.APITimeoutError) as caught:
        chat(client, ASK, max_tokens=50)
    assert "did not answer in time" in explain(caught.value)
    row = spending.rows[MODEL]
    assert (row.calls, row.estimated, row.completion_tokens) == (1, 1, 50), "it may have been answered, and billed"
    assert list(spending.unanswered.values()) == ["no answer (ReadTimeout)"]


def test_retry_after_is_waited_for_and_the_call_is_answered(served, monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    server = served([status(429, retry_after=7), status(500)])
    spending = Spending(load_prices())
    with client_of(spending, max_retries=2) as client:
        assert "4471-K" in chat(client, ASK)
    assert waits[0] == 7 and len(waits) == 2 and len(server.calls) == 3
    assert spending.rows[MODEL].calls == 1 and not spending.unanswered
    assert spending.notes == {"failed: status 429": 1, "failed: status 500": 1}


REFUSALS = {
    "too many requests": status(429, "slow down"), "status 500 (boom): try again later": status(500, "boom"),
    "OPENAI_API_KEY": status(401), "OPENAI_BASE_URL": status(404),
    "no credit": status(429, "no money", "insufficient_quota"), "broke off": cut(0.5),
    "model's window": status(400, "This model's maximum context length is 10 tokens.", "context_length_exceeded")}


def test_a_refusal_of_the_endpoint_is_said_in_a_line_with_what_to_do(served):
    served(REFUSALS.values())
    with client_of(Spending(load_prices())) as client:  # one for all: a client takes a tenth of a second to make
        for says in REFUSALS:
            with pytest.raises(openai.APIError) as caught:
                chat(client, ASK)
            assert says in explain(caught.value)


@pytest.mark.parametrize("act", [cut(0.6), cut(0.6, clean=True)], ids=["broken", "clean"])
def test_a_stream_that_is_cut_is_no_reply_and_is_not_kept(served, tmp_path, act):
    served([act])
    spending, cache = Spending(load_prices(), limit=1), CallCache(tmp_path / "calls")
    pieces = []
    with client_of(cache, spending) as client:
        with pytest.raises((EndpointError, openai.APIConnectionError)) as caught:
            pieces.extend(stream(client, ASK, max_tokens=99))
        assert "".join(pieces).startswith("You said") and cache.kept == 0, "what came was seen"
        assert "broke off" in (explain(caught.value) or str(caught.value))
        assert spending.rows[MODEL].completion_tokens == 99, "the most that it may have had is counted"
        whole = "".join(stream(client, ASK, max_tokens=99))
        assert whole.endswith('4471-K."') and cache.kept == 1 and not spending.unanswered
        assert "".join(stream(client, ASK, max_tokens=99)) == whole and cache.hits == 1
    cache.close()


def test_an_answer_without_text_is_named(served):
    spoils = [(spoilt(message={"content": None}), "an empty reply", "a reply without text"),
              (spoilt(message={"content": None, "refusal": "I can't."}), "a refusal: I can't.", "a refusal"),
              (raw(b"<html>Hi</html>", "text/html"), "without any choice", "failed: the answer is not one of a model")]
    served([act for act, _, _ in spoils])
    spending = Spending(load_prices())
    with client_of(spending) as client:
        for number, (_, got, note) in enumerate(spoils, 1):
            with pytest.raises(ModelOutputError, match=got):
                chat(client, ASK)
            assert spending.notes[note] == 1 and spending.notes.total() == number


def test_without_usage_the_tokens_are_counted_here_and_marked(served):
    served(always=without_usage)
    spending, quirks, exact = Spending(load_prices()), Quirks(), Spending(load_prices())
    with client_of(spending, quirks) as client:
        assert chat(client, ASK) == "".join(stream(client, ASK))
    served()
    with client_of(exact) as client:
        assert chat(client, ASK) == "".join(stream(client, ASK))
    assert (spending.rows[MODEL].estimated, exact.rows[MODEL].estimated) == (2, 0)
    assert spending.money == exact.money > 0
    assert quirks.made == ["stream_options were left out"]


def test_an_endpoint_of_one_system_message_gets_one_with_all_the_words(served):
    server, quirks = served(always=one_system_message), Quirks()
    talk = [system("Be brief."), *ASK[:1], system("Be kind."), *ASK[1:]]
    with client_of(quirks) as client:
        assert "4471-K" in chat(client, talk)
        assert "4471-K" in chat(client, talk)
    assert len(server.calls) == 3, "once it is known, no request is wasted"
    assert server.calls[-1]["messages"] == [system("Be brief.\n\nBe kind."), *ASK]
    assert quirks.made == ["system messages were joined into one"]


def test_an_extractor_that_gives_no_json_loses_no_message(served, tmp_path):
    served([spoilt(message={"content": "Sure! Here are the facts."})])
    spending, cache = Spending(load_prices()), CallCache(tmp_path / "calls")
    with client_of(cache, spending) as client:
        memory = FactTableMemory(extractor="model", batch=1, client=client)
        memory.add(ASK[0])
        assert "no JSON" in memory.compactions[-1].error and memory.log == ASK[:1]
        assert spending.notes == {"no JSON where JSON was asked for": 1} and cache.kept == 0
        memory.add(user("I live in Bonn."))
    assert "4471-K" in "".join(memory.table.lines()), "the next batch reads both"
    cache.close()


def test_an_extractors_tokens_are_counted_where_none_are_reported(served):
    served(always=without_usage)
    with client_of(Spending(load_prices())) as client:
        memory = FactTableMemory(extractor="model", batch=1, client=client)
        memory.add(ASK[0])
    assert memory.compactions[-1].model_tokens > 100


# ---- a run


def answering(method, path, body):
    return answered(path, json.loads(body))


@pytest.mark.long
def test_tables_over_memory_lab_serve_give_what_the_offline_model_gives(capsys, monkeypatch):
    with make_server(0, answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, out, err = ran(capsys, "tables", *ONE)
        server.shutdown()
        thread.join()
    assert code == 0 and out == ran(capsys, "tables", *ONE, "--model", "offline")[1]
    assert "USD at the list prices of" in err


@pytest.mark.long
@pytest.mark.local
def test_the_local_model_is_an_endpoint_like_any_other(capsys, monkeypatch, tmp_path):
    from memory_lab.local import make_server as local_server

    try:
        made = local_server()
    except SettingError as error:
        pytest.skip(str(error))
    prices = json.loads(SHIPPED.read_text(encoding="utf-8"))
    prices["models"]["smollm2"] = {"input": 1, "cached_input": None, "output": 1}
    (tmp_path / "prices.json").write_text(json.dumps(prices), encoding="utf-8")
    with made as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        words = ["tables", *ONE, "--model", "smollm2", "--prices", "prices.json", "--max-cost", "1", "--cache", "calls"]
        first, second = ran(capsys, *words), ran(capsys, *words)
        server.shutdown()
        thread.join()
    assert first[:2] == second[:2] and first[0] == 0
    assert "got no answer" not in first[2] and "of 1 that may be spent" in first[2]
    calls = [int(err.split()[1].replace(",", "")) for _, _, err in (first, second)]
    assert calls[1] < calls[0] / 2, "empty replies alone are asked for again"


@pytest.mark.long
def test_a_dry_run_sends_nothing_and_comes_close_to_what_is_then_spent(capsys, served):
    server = served()
    code, out, err = ran(capsys, "tables", *ONE, "--dry-run", "--max-cost", "1", "--cache", "calls")
    assert code == 0 and err == "" and not server.calls
    assert "Dry run: nothing was sent" in out and "within the limit of 1 USD" in out
    estimated = out.splitlines()[1]
    code, _, err = ran(capsys, "tables", *ONE, "--cache", "calls")
    assert code == 0 and "36 more calls cost nothing" in out and "36 more calls cost nothing" in err
    assert estimated == err.splitlines()[0].removeprefix("memory-lab: ")


@pytest.mark.long
def test_a_run_that_the_limit_stops_goes_on_from_its_cache(capsys, served, tmp_path):
    server = served()
    words = ["tables", *ONE, "--max-tokens", "100", "--cache", "calls"]
    code, out, err = ran(capsys, *words, "--max-cost", "0.002")
    stopped = len(server.calls)
    assert (code, out) == (1, "") and stopped > 3
    assert "would be passed" in err and "the same command goes on from there" in err
    code, out, err = ran(capsys, *words, "--max-cost", "1")
    assert code == 0 and "cost nothing: answered from calls" in err
    code, again, err = ran(capsys, *words, "--max-cost", "0")
    assert (code, again) == (0, out) and "memory-lab: 0 calls" in err
    assert out == ran(capsys, "tables", *ONE, "--model", "offline")[1]
    assert (tmp_path / "calls").stat().st_mode & 0o077 == 0 and KEY.encode() not in (tmp_path / "calls").read_bytes()
    assert set(server.keys) == {f"Bearer {KEY}"}


@pytest.mark.long
def test_a_run_whose_endpoint_dies_says_so_and_goes_on_later(capsys, served):
    server = served(always=status(500, "boom"))
    server.script = [well] * 8
    code, out, err = ran(capsys, "tables", *ONE, "--cache", "calls", "--max-retries", "0")
    assert (code, out) == (1, "") and "status 500 (boom): try again later" in err and "strategy" in err
    server.always = well
    code, out, err = ran(capsys, "tables", *ONE, "--cache", "calls", "--max-retries", "0")
    assert code == 0 and "more calls cost nothing" in err
    assert out == ran(capsys, "tables", *ONE, "--model", "offline")[1]


@pytest.mark.long
def test_a_window_that_is_too_small_costs_a_strategy_its_answers_and_no_more(capsys, served):
    def small(handler, body):
        if len(str(body["messages"])) > 700:
            status(400, "This model's maximum context length is 500 tokens.", "context_length_exceeded")(handler, body)
        else:
            well(handler, body)

    served(always=small)
    code, out, err = ran(capsys, "tables", *ONE, "--json")
    buffer = json.loads(out)[0]["strategies"]["buffer"]["conversations"][0]
    assert code == 0 and "status 400, context_length_exceeded" in err and "lacks" in err
    assert buffer["answer_recall"] < 1 == buffer["context_recall"]


# ---- the commands' options


@pytest.mark.long
def test_who_watches_sees_calls_and_money_grow(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    code, _, err = ran(capsys, "tables", *ONE, "--dry-run")
    assert code == 0 and "calls/s" in err


def test_a_model_without_a_price_is_refused_before_any_call_and_the_words_say_how_to_add_one(capsys, served):
    server = served()
    code, _, err = ran(capsys, "tables", *ONE, "--model", "llama-9", "--max-cost", "1")
    assert code == 2 and "no price for model 'llama-9'" in err and "--prices" in err and not server.calls


def test_ctrl_c_says_how_the_run_goes_on(capsys, served, monkeypatch):
    def stopped(*args, client, **options):
        chat(client, ASK)
        raise KeyboardInterrupt

    served()
    monkeypatch.setattr("memory_lab.tables.measure", stopped)
    code, out, err = ran(capsys, "tables", "--cache", "calls")
    assert (code, out) == (130, "") and "1 call," in err
    assert "What was answered is in calls: the same command goes on from there." in err


def test_a_chat_over_the_limit_says_so_at_once_and_at_the_end(capsys, served, monkeypatch):
    server = served()
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hello.\n/save talk.json\n"))
    code, out, err = ran(capsys, "chat", "--store", "none", "--memory", "buffer", "--max-cost", "0.0001")
    assert code == 1 and "limit of 0.0001 USD would be passed" in out and "1 messages written" in out
    assert "limit of 0.0001 USD would be passed" in err and not server.calls


def test_a_chat_shows_a_fault_keeps_the_message_and_says_what_it_cost(capsys, served, monkeypatch):
    served([status(503, "busy")])
    monkeypatch.setattr(sys, "stdin", io.StringIO("My order number is 4471-K.\n/retry\nWhat is my order number?\n"))
    code, out, err = ran(capsys, "chat", "--store", "none", "--max-retries", "0", "--memory", "buffer")
    assert code == 0 and "status 503 (busy): try again later" in out and "/retry asks again" in out
    assert '4471-K."' in out and "2 calls" in err and "USD at the list prices" in err


def test_a_chat_keeps_what_came_of_a_reply_that_was_cut(capsys, served, monkeypatch, tmp_path):
    served([cut(0.6, clean=True)])
    monkeypatch.setattr(sys, "stdin", io.StringIO("My order number is 4471-K. Say so.\n/save talk.json\n/retry\n"))
    code, out, err = ran(capsys, "chat", "--store", "none", "--memory", "buffer")
    assert code == 0 and "the reply broke off without an end: ask again. Your message is kept" in out
    kept = json.loads((tmp_path / "talk.json").read_text(encoding="utf-8"))
    assert [message["role"] for message in kept] == ["user", "assistant"] and "interrupted" in kept[1]["content"]
    assert "estimated, as no usage was reported: 1 call" in err and "got no answer" not in err


def test_a_chats_dry_run_keeps_nothing(capsys, served, monkeypatch, tmp_path):
    server = served()
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hello there.\n"))
    code, out, _ = ran(capsys, "chat", "--dry-run")
    assert code == 0 and "Dry run: nothing was sent" in out and not server.calls
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("words", "says"), [
    (["tables", "--no-answers", "--max-cost", "1"], "asks no model"), (["tables", "--max-cost", "-1"], "no sum"),
    (["tables", "--timeout", "0"], "no time to wait"), (["tables", "--max-tokens", "0"], "no number of tokens"),
    (["chat", "--memory", "buffer", "--embedding-model", "x"], "for --memory vector"),
    (["tables", "--model", "offline", "--summary-model", "x"], "works alone"),
    (["tables", "--prices", "nothing.json", "--dry-run"], "nothing.json")])
def test_options_that_make_no_sense_are_refused(capsys, served, words, says):
    served()
    code, out, err = ran(capsys, *words)
    assert code == 2 and out == "" and says in err
