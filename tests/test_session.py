"""ChatSession: calls that fail, streams that break off, stores that fail, restarts, two processes on one session."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime

import httpx2
import openai
import pytest
from summarisers import Summariser

from memory_lab import (
    BufferMemory,
    FactTableMemory,
    LayeredMemory,
    SlidingWindowMemory,
    SummaryMemory,
    TokenWindowMemory,
    VectorMemory,
)
from memory_lab.client import OFFLINE_URL, connect
from memory_lab.errors import SettingError, StoreError, TokenLimitError
from memory_lab.messages import assistant, system, tool, tool_call, user
from memory_lab.session import INTERRUPTED, ChatSession, Scratchpad
from memory_lab.stores.jsonl import JsonLinesStore
from memory_lab.stores.sqlite import SqliteStore
from memory_lab.testing import ScriptedModel, status_error

SMALL = {"token_limit": 600, "trigger_tokens": 300, "trigger_messages": 0, "target_tokens": 100}


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "chats", durable=False) as made:
        yield made


class Failing(JsonLinesStore):
    """A store that can be switched off.  lost: whether what it was given is written all the same."""

    off, lost = False, False

    def append(self, *words, **more):
        done = None if self.off and not self.lost else super().append(*words, **more)
        if self.off:
            raise StoreError("the store is off; switch it on")
        return done


def said(memory):
    return [(message["role"], message["content"]) for message in memory.log]


def test_a_talk_goes_on_after_a_restart(store):
    with ChatSession(FactTableMemory("Be kind."), connect("offline"), store, "ann") as session:
        session.send("My order number is 4471-K.")
    session = ChatSession(FactTableMemory("Be kind."), connect("offline"), store, "ann")
    assert "4471-K" in session.send("What was my order number?")
    assert session.notices == ["restored 2 messages: 2 kept"]
    assert "4471-K" not in ChatSession(BufferMemory(), connect("offline"), store, "bob").send("What was my number?")


def test_the_users_message_is_stored_before_the_model_is_asked(store):
    def look(request):
        assert store.load("ann").messages == [user("Hi")]
        return "Hello!"

    with ScriptedModel([look]) as model:
        assert ChatSession(BufferMemory(), model.client, store, "ann").send("Hi") == "Hello!"
    assert store.load("ann").messages == [user("Hi"), assistant("Hello!")]


@pytest.mark.parametrize("fault", [status_error(500), status_error(429), ConnectionError("down"), TimeoutError("slow")])
def test_a_call_that_fails_leaves_the_message_once_and_a_retry_does_not_double_it(store, fault):
    with ScriptedModel([fault, fault, "Hello!", "Again?"]) as model:
        session = ChatSession(BufferMemory(), model.client, store, "ann")
        for _ in range(2):
            with pytest.raises(openai.OpenAIError):
                session.send("Hi")
        assert said(session.memory) == [("user", "Hi")]
        session = ChatSession(BufferMemory(), model.client, store, "ann")  # not even over a restart
        assert session.send("Hi") == "Hello!"
        assert session.send("Hi") == "Again?", "said again after an answer, it is a new message"
    assert [message["content"] for message in store.load("ann").messages] == ["Hi", "Hello!", "Hi", "Again?"]


def test_another_message_after_a_failure_joins_the_first(store):
    with ScriptedModel([status_error(500), "Hello!"]) as model:
        session = ChatSession(BufferMemory(), model.client, store)
        with pytest.raises(openai.OpenAIError):
            session.send("Hi")
        session.send("Are you there?")
        assert [message["content"] for message in model.calls[-1]["messages"]] == ["Hi", "Are you there?"]


def test_what_was_asked_before_a_clear_is_asked_anew():
    with ScriptedModel([status_error(500), "Hello!"]) as model:
        session = ChatSession(BufferMemory(), model.client)
        with pytest.raises(openai.OpenAIError):
            session.send("Hi")
        session.clear()
        session.send("Hi")
        assert said(session.memory) == [("user", "Hi"), ("assistant", "Hello!")]


def test_ctrl_c_while_the_memory_folds_loses_no_message(store):
    def stop(*_):
        raise KeyboardInterrupt

    memory = SummaryMemory(**SMALL, client=Summariser(stop))
    with ScriptedModel(["Noted."] * 20) as model:
        session = ChatSession(memory, model.client, store)
        stopped = 0
        for number in range(20):
            text = f"Town number {number} is a place that I should like to see on a Sunday afternoon in spring."
            try:
                session.send(text)
            except KeyboardInterrupt:
                stopped += 1
        session.save()
        model.replies.clear()
    assert stopped
    assert store.load("default").messages == memory.log
    texts = [message["content"] for message in memory.log if message["role"] == "user"]
    assert len(texts) == len(set(texts)) == 20


def test_the_client_itself_tries_again():
    with ScriptedModel([status_error(429, retry_after=0), status_error(503, retry_after=0), "Hello!"]) as model:
        session = ChatSession(BufferMemory(), model.client, max_retries=2)
        assert session.send("Hi") == "Hello!"
        assert len(model.calls) == 3
        assert session.client.models_ == model.client.models_


TOO_LONG = status_error(400, "This model's maximum context length is 1000 tokens. However, your messages resulted in "
                             "2000 tokens.", code="context_length_exceeded")


@pytest.mark.parametrize("make", [lambda: TokenWindowMemory(token_limit=9000), BufferMemory,
                                  lambda: SummaryMemory(token_limit=9000, trigger_tokens=8000)])
@pytest.mark.parametrize("how", ["send", "stream"])
def test_a_context_that_the_server_finds_too_long_is_cut_and_sent_once_more(make, how):
    with ScriptedModel([TOO_LONG, "Hello!", "Bye!"]) as model:
        session = ChatSession(make(), model.client)
        for number in range(20):
            session.add(user(f"{number}: " + "word " * 40))
            session.add(assistant("Noted."))
        for text in ("Hi", "Bye"):
            assert "".join(getattr(session, how)(text)) in ("Hello!", "Bye!")
        before, after, later = (session.memory.count(call["messages"]) for call in model.calls)
        assert after <= before / 2
        assert later <= before / 2, "the limit stays"
        assert "the model takes less" in session.notices[-1]
        assert len(session.memory.log) == 44, "the log keeps everything"


def test_a_second_refusal_is_raised(store):
    with ScriptedModel([TOO_LONG, TOO_LONG]) as model:
        session = ChatSession(TokenWindowMemory(), model.client, store)
        with pytest.raises(openai.BadRequestError):
            session.send("Hi " * 300)
    with pytest.raises(TokenLimitError):
        ChatSession(TokenWindowMemory("word " * 100, token_limit=50), connect("offline")).send("Hi")


def test_a_stream_gives_pieces_and_is_remembered_as_a_whole(store):
    session = ChatSession(BufferMemory(), connect("offline"), store)
    pieces = list(session.stream("My order number is 4471-K."))
    assert len(pieces) > 1
    assert store.load("default").messages == [user("My order number is 4471-K."), assistant("".join(pieces))]


def test_a_reader_who_stops_keeps_what_came_with_a_mark(store):
    with ScriptedModel(["A long answer with many words.", "Yes."]) as model:
        session = ChatSession(BufferMemory(), model.client, store)
        pieces = session.stream("Hi")
        first = next(pieces)
        pieces.close()
        assert store.load("default").messages == [user("Hi"), assistant(first + INTERRUPTED)]
        assert session.send("Hi") == "Yes."
        assert len(session.memory.log) == 4, "who stopped it and says the same again means it"


def broken(after):
    """A client whose stream dies after so many pieces, once; then it answers."""
    calls = []

    def answer(request):
        calls.append(json.loads(request.content))
        if len(calls) > 1:
            return httpx2.Response(200, json={"choices": [{"index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": "Whole."}}]})

        def body():
            for number in range(after):
                yield b'data: {"choices": [{"index": 0, "delta": {"content": "piece%d "}}]}\n\n' % number
            raise httpx2.ReadError("the server has died")

        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body())

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return openai.OpenAI(api_key="x", base_url=OFFLINE_URL, http_client=http, max_retries=0), calls


@pytest.mark.parametrize("after", [0, 2])
def test_a_server_that_dies_in_a_stream(store, after):
    client, calls = broken(after)
    session = ChatSession(BufferMemory(), client, store)
    with pytest.raises((httpx2.ReadError, openai.APIError)):
        list(session.stream("Hi"))
    part = [assistant("piece0 piece1 " + INTERRUPTED)] if after else []
    assert store.load("default").messages == [user("Hi"), *part]
    assert session.send("Hi") == "Whole."
    assert calls[1]["messages"] == [user("Hi")], "the model answers the question anew, not its own half answer"
    assert session.memory.log == [user("Hi"), *part, assistant("Whole.")]


def test_a_turn_inside_an_open_stream_is_refused_and_another_thread_waits(store):
    session = ChatSession(BufferMemory(), connect("offline"), store)
    pieces = session.stream("Hi")
    next(pieces)
    with pytest.raises(SettingError, match="still open"):
        session.send("Hello?")
    thread = threading.Thread(target=session.send, args=("And me?",))
    thread.start()
    rest = list(pieces)
    thread.join()
    assert rest
    assert [role for role, _ in said(session.memory)] == ["user", "assistant"] * 2


def test_tools_go_through_add_and_reply(store):
    call = assistant(None, tool_calls=[tool_call("a", "find", "{}")])
    with ScriptedModel([call, "In Bonn."]) as model:
        session = ChatSession(BufferMemory(), model.client, store)
        assert session.send("Where is it?", tools=[{"type": "function", "function": {"name": "find"}}]) == ""
        session.add(tool("Bonn", tool_call_id="a"))
        assert session.reply()["content"] == "In Bonn."
    assert store.load("default").messages == [user("Where is it?"), call, tool("Bonn", tool_call_id="a"),
                                              assistant("In Bonn.")]


@pytest.mark.parametrize("lost", [False, True], ids=["nothing arrives", "only the answer is lost"])
def test_a_store_that_fails_stops_no_turn_and_gets_all_of_it_later(tmp_path, lost):
    store = Failing(tmp_path)
    session = ChatSession(BufferMemory(), connect("offline"), store)
    session.send("One.")
    store.off, store.lost = True, lost
    session.send("Two.")
    session.send("Three.")
    assert session.unsaved == 4 if not lost else session.unsaved > 0
    assert [notice for notice in session.notices if "not saved yet" in notice] == [
        "not saved yet: the store is off; switch it on"]
    if not lost:
        with pytest.raises(StoreError):
            session.save()
    store.off = False
    session.save()
    assert session.unsaved == 0
    assert JsonLinesStore(tmp_path).load("default").messages == session.memory.log
    assert len(session.memory.log) == 6


def test_two_processes_on_one_session_lose_nothing(store):
    one, two = (ChatSession(BufferMemory(), connect("offline"), store, "ann") for _ in range(2))
    one.send("From one.")
    two.send("From two.")
    one.send("One again.")
    assert store.load("ann").messages == one.memory.log
    assert [text for role, text in said(one.memory) if role == "user"] == ["From one.", "From two.", "One again."]
    assert any("added 2 messages" in notice for notice in two.notices)
    two.clear()
    one.send("After the clearing.")
    assert [text for role, text in said(one.memory) if role == "user"] == ["After the clearing."]
    assert any("cleared it" in notice for notice in one.notices)


def test_clear_empties_all_and_undo_brings_a_fold_back(store):
    memory = SummaryMemory(token_limit=300, trigger_tokens=150, trigger_messages=0, client=connect("offline"))
    session = ChatSession(memory, connect("offline"), store)
    for number in range(12):
        session.send(f"My friend number {number} is called Robin{number} and likes tea with milk.")
    assert memory.summary
    folds = sum(fold.error is None for fold in memory.compactions)
    assert session.undo()
    assert sum(fold.error is None for fold in memory.compactions) == folds - 1
    again = ChatSession(SummaryMemory(token_limit=300, trigger_tokens=150, trigger_messages=0), None, store)
    assert again.memory.messages() == memory.messages(), "an undo outlives a restart"
    session.scratchpad.store("step", 2)
    session.clear()
    assert (memory.log, memory.summary, session.scratchpad.get("step")) == ([], "", None)
    assert store.load("default").messages == []
    assert ChatSession(BufferMemory(), connect("offline")).undo() is False


def grown(store, memory, turns=14):
    session = ChatSession(memory, connect("offline"), store, "ann")
    session.send("I am allergic to shellfish and my order number is 4471-K.")
    for number in range(turns):
        session.send(f"Tell me about town number {number}, and what people do there on a Sunday afternoon.")
    session.save()
    return session


@pytest.mark.parametrize("make", [
    lambda **more: SummaryMemory(**SMALL, **more), lambda **more: LayeredMemory(token_limit=600, recent_messages=4,
                                                                                fold_messages=6, **more),
    lambda **more: FactTableMemory(token_limit=300, **more), lambda **more: VectorMemory(token_limit=300, **more)],
    ids=["summary", "layered", "facts", "vector"])
def test_a_restart_asks_no_model_and_changes_nothing(store, make):
    session = grown(store, make(client=connect("offline")))
    with ScriptedModel([]) as model:
        again = ChatSession(make(client=model.client), model.client, store, "ann")
        assert again.memory.messages() == session.memory.messages()
        assert again.memory.states == session.memory.states
        assert again.memory.compactions == session.memory.compactions


def test_what_was_said_after_the_last_state_is_read_again(store):
    grown(store, LayeredMemory(token_limit=600, recent_messages=4, fold_messages=6, client=connect("offline")))
    store.append("ann", [user("I am allergic to peanuts."), assistant("Noted.")])
    memory = LayeredMemory(token_limit=600, recent_messages=4, fold_messages=6)
    ChatSession(memory, None, store, "ann")
    assert "peanuts" in memory.facts
    assert "shellfish" in memory.facts


def test_restoring_obeys_the_limits_of_today(store):
    session = grown(store, SummaryMemory(**SMALL, client=connect("offline")))
    small = SummaryMemory(token_limit=120, trigger_tokens=100, trigger_messages=0, summary_limit=10)
    again = ChatSession(small, None, store, "ann")
    assert small.count(small.messages()) <= 120 < session.memory.count(session.memory.messages())
    assert small.log == session.memory.log
    assert "dropped" in again.notices[-1]


@pytest.mark.parametrize("other", [TokenWindowMemory, FactTableMemory, SlidingWindowMemory,
                                   lambda: LayeredMemory(client=connect("offline"))])
def test_another_strategy_takes_the_log_and_leaves_the_state(store, other):
    session = grown(store, SummaryMemory(**SMALL, client=connect("offline")))
    again = ChatSession(other(), connect("offline"), store, "ann")
    assert again.memory.log == session.memory.log
    again.send("Hello?")


def test_a_state_that_makes_no_sense_costs_the_state_alone(store):
    session = grown(store, SummaryMemory(**SMALL, client=connect("offline")))
    state, version = store.load_state("ann")
    for wrong in ({}, {"progress": 7}, state["memory"] | {"progress": [0, [], [9999]]}):
        store.save_state("ann", {"strategy": "SummaryMemory", "memory": wrong}, version)
        again = ChatSession(SummaryMemory(**SMALL), None, store, "ann")
        assert again.memory.log == session.memory.log
        assert again.memory.summary == ""
        assert any("state cannot be used" in notice for notice in again.notices) or not wrong


def test_a_talk_that_began_without_a_store_is_taken_along(store):
    memory = BufferMemory()
    memory.add(system("Be kind."))
    memory.add(user("Hi"))
    with ChatSession(memory, connect("offline"), store):
        pass
    assert store.load("default").messages == [system("Be kind."), user("Hi")]


def test_times_are_kept_where_a_clock_is_given(store):
    noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    ChatSession(BufferMemory(), connect("offline"), store, clock=lambda: noon).send("Hi")
    assert ChatSession(BufferMemory(), None, store).memory.times == [noon, noon]


def test_a_session_id_from_outside_is_checked_even_without_a_store():
    with pytest.raises(StoreError, match="session id"):
        ChatSession(BufferMemory(), None, None, "../ann")


def test_a_store_that_cannot_be_read_stops_the_start(tmp_path):
    (tmp_path / "file").write_text("no database " * 100)
    with SqliteStore(tmp_path / "file") as store, pytest.raises(StoreError):
        ChatSession(BufferMemory(), None, store)


def test_the_scratchpad_is_saved_and_the_model_never_sees_it(store):
    with ScriptedModel(["Hello!"]) as model, ChatSession(BufferMemory(), model.client, store) as session:
        session.scratchpad.store("plan", {"step": 1})
        session.send("Hi")
        assert "step" not in json.dumps(model.calls)
    again = ChatSession(BufferMemory(), None, store)
    assert again.scratchpad.get("plan") == {"step": 1}
    again.scratchpad.get("plan")["step"] = 2
    assert again.scratchpad.get("plan") == {"step": 1}
    for key, value in (("a", object()), ("a", float("nan")), (7, 1)):
        with pytest.raises(SettingError):
            Scratchpad().store(key, value)


def test_a_damaged_state_is_named_and_the_talk_goes_on(tmp_path):
    store = JsonLinesStore(tmp_path)
    session = grown(store, SummaryMemory(**SMALL, client=connect("offline")))
    (tmp_path / "ann~state.json").write_bytes(b"{")
    again = ChatSession(SummaryMemory(**SMALL, client=connect("offline")), connect("offline"), store, "ann")
    assert again.memory.log == session.memory.log
    assert "ann~state.json.damaged-1" in again.notices[0]
    again.send("Hello?")
    assert again.memory.summary, "it is derived anew"


def test_a_limit_that_not_even_the_system_text_fits_is_said_at_the_start(store):
    grown(store, SummaryMemory(**SMALL, client=connect("offline")))
    again = ChatSession(TokenWindowMemory("word " * 100, token_limit=50), connect("offline"), store, "ann")
    assert "token_limit" in again.notices[-1]
    assert again.notices[-1].startswith("restored")
