"""AsyncChatSession: turns that do not wait for summaries, and the race between the two, in every order."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import httpx2
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from summarisers import Summariser

from memory_lab import BufferMemory, FactTableMemory, HierarchicalSummaryMemory, LayeredMemory, SummaryMemory
from memory_lab.client import OFFLINE_URL, connect_async
from memory_lab.errors import ModelOutputError, StoreError, VersionError
from memory_lab.messages import assistant, tool, tool_call, user
from memory_lab.session import INTERRUPTED, AsyncChatSession
from memory_lab.stores import Saved
from memory_lab.testing import ScriptedModel, status_error

SMALL = {"token_limit": 400, "trigger_tokens": 120, "trigger_messages": 0, "target_tokens": 40}
WORDS = "something that is worth a few tokens, so that a fold is due before long"


class Shelf:
    """A store in this process, without a file: quick enough for thousands of interleavings."""

    def __init__(self):
        self.logs, self.states, self.versions = {}, {}, {}

    def append(self, session_id, messages, expected_version=None, *, times=None):
        version = self.versions.get(session_id, 0)
        if expected_version not in (None, version):
            raise VersionError(session_id, expected_version, version)
        self.logs.setdefault(session_id, []).extend(messages)
        self.versions[session_id] = version + len(messages)
        return self.versions[session_id]

    def load(self, session_id):
        log = list(self.logs.get(session_id, ()))
        return Saved(log, [None] * len(log), self.versions.get(session_id, 0))

    def clear(self, session_id, expected_version=None):
        self.logs[session_id] = []
        self.states.pop(session_id, None)
        self.versions[session_id] = self.versions.get(session_id, 0) + 1
        return self.versions[session_id]

    def save_state(self, session_id, state, version):
        kept, now = self.states.get(session_id), self.versions.get(session_id, 0)
        if not max(kept[1] if kept else 0, now - len(self.logs.get(session_id, ()))) <= version <= now:
            raise VersionError(session_id, version, now)
        self.states[session_id] = (state, version)

    def load_state(self, session_id):
        return self.states.get(session_id)


class Echo:
    """An async client that answers at once."""

    models_ = SimpleNamespace(chat="fake")

    def __init__(self):
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    async def _create(self, **_):
        message = SimpleNamespace(model_dump=lambda **_: {"role": "assistant", "content": "Noted."})
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])


def summary(**more):
    return SummaryMemory(**{**SMALL, "client": Summariser(), **more})


def tree(**more):
    return HierarchicalSummaryMemory(**{**SMALL, "client": Summariser(), **more})


def layered():
    return LayeredMemory(token_limit=400, recent_messages=4, fold_messages=4, client=Summariser())


def test_no_turn_waits_for_a_summary_here_or_in_another_session():
    begun, may_end = threading.Event(), threading.Event()

    def slow(messages, call):
        begun.set()
        assert may_end.wait(30)
        return "Numbers: 7."

    async def scenario():
        store, client = Shelf(), Echo()
        one = AsyncChatSession(summary(client=Summariser(slow)), client, store, "one")
        other = AsyncChatSession(summary(), client, store, "other")
        for number in range(30):
            await one.send(f"{number} {WORDS}")
            await other.send(f"{number} {WORDS}")
        assert begun.is_set()
        assert not may_end.is_set(), "sixty turns are over, and the summary has not come"
        assert one.memory.compactions == []
        assert other.memory.summary
        may_end.set()
        await one.aclose()
        await other.aclose()
        return one

    one = asyncio.run(scenario())
    assert one.memory.summary == "Numbers: 7."
    assert len(one.memory.log) == 60
    check(one.memory)


def test_a_summary_is_stored_when_it_is_there_and_not_only_at_the_end():
    async def scenario():
        store, may_end = Shelf(), asyncio.Event()

        async def run(fold):
            await may_end.wait()
            fold.text = "Numbers: 7."

        session = AsyncChatSession(summary(), Echo(), store, "ann", run=run)
        for number in range(10):
            await session.send(f"{number} {WORDS}")
        may_end.set()
        await session.settled()
        killed = AsyncChatSession(summary(client=Summariser(lambda *_: 1 / 0)), Echo(), store, "ann")
        await killed.open()
        return session.memory, killed.memory

    before, after = asyncio.run(scenario())
    assert before.summary
    assert after.messages() == before.messages()


def check(memory):
    """Each message is exactly covered or not, and none of what the folds covered is covered twice."""
    covered = memory._progress.covered
    assert len(set(covered)) == len(covered)
    taken = sorted(i for fold in memory.compactions if fold.error is None and not fold.again for i in fold.covers)
    assert sorted(covered) == taken
    for fold in memory.compactions:
        if fold.error is None and not fold.again:
            assert all(memory.log[i]["content"] in fold.before for i in fold.covers), "it covers what it has read"
    assert len(memory.states) == len(memory.log)
    assert {i for i, state in enumerate(memory.states) if state == "summarised"} <= set(covered)
    lost = [i for i, state in enumerate(memory.states) if state == "dropped" and i not in covered]
    kept = [i for i, state in enumerate(memory.states) if state in ("kept", "clipped") and i not in covered]
    assert not kept or not lost or max(lost) < min(kept), "the uncovered that go out are the newest"


class Scheduler:
    """Sessions on one store whose folds end when the test says so, well or badly: each await is at its place."""

    def __init__(self, make):
        self.make, self.store, self.client = make, Shelf(), Echo()
        self.waiting, self.said, self.old = [], [], []
        self.restart()

    def restart(self):
        if self.waiting or hasattr(self, "session"):
            self.old.append(self.session)  # a process that is not dead yet: its folds may end later
        self.session = AsyncChatSession(self.make(), self.client, self.store, "ann", run=self.run)

    async def run(self, fold):
        gate = asyncio.get_running_loop().create_future()
        self.waiting.append((gate, fold))
        if await gate:
            fold.text = f"Numbers: {len(fold.covers)}."
        else:
            fold.error = "RuntimeError: the endpoint is down"

    async def step(self, action, number):
        if action == "turn":
            self.said.append(f"{len(self.said)} {WORDS}")
            await self.session.send(self.said[-1])
        elif action in ("end", "fail") and self.waiting:
            gate, _ = self.waiting.pop(number % len(self.waiting))
            gate.set_result(action == "end")
            await self.settle()
        elif action == "race" and self.waiting:  # a fold ends while a turn is at any of its awaits
            self.said.append(f"{len(self.said)} {WORDS}")
            turn = asyncio.create_task(self.session.send(self.said[-1]))
            for _ in range(number):
                await asyncio.sleep(0)
            self.waiting.pop()[0].set_result(True)
            await turn
        elif action == "clear":
            await self.session.clear()
            self.said.clear()
        elif action == "undo":
            await self.session.undo()
        elif action == "restart":
            self.restart()
            await self.session.open()
        await self.settle()
        self.check()

    async def settle(self):
        """Let all go on that waits for nothing but its turn."""
        for _ in range(20):
            await asyncio.sleep(0)

    def check(self):
        memory = self.session.memory
        assert memory.log == self.store.load("ann").messages
        assert [message["content"] for message in memory.log if message["role"] == "user"] == self.said
        assert self.session.unsaved == 0
        check(memory)
        running = [task for session in [self.session, *self.old] if (task := session._folding) and not task.done()]
        assert len(self.waiting) <= len(running), "one fold a session at a time"


STEPS = st.lists(st.tuples(st.sampled_from(
    ["turn"] * 8 + ["end", "end", "race", "race", "fail", "clear", "undo", "restart"]), st.integers(0, 9)),
    min_size=12, max_size=50)


@pytest.mark.parametrize("make", [summary, tree, layered], ids=["summary", "tree", "layered"])
@settings(max_examples=30, deadline=None)
@given(steps=STEPS)
def test_every_interleaving_keeps_every_message(make, steps):
    async def scenario(patch):
        patch.setattr(asyncio, "to_thread", at_once)
        scheduler = Scheduler(make)
        for action, number in steps:
            await scheduler.step(action, number)
        for gate, _ in scheduler.waiting:
            gate.set_result(True)
        await scheduler.settle()
        scheduler.waiting.clear()
        for session in (scheduler.session, *scheduler.old):
            if session._folding:
                session._folding.cancel()

    with pytest.MonkeyPatch.context() as patch:
        asyncio.run(scenario(patch))


async def at_once(work, *words):
    """to_thread without a thread, so that the order of things is the test's alone."""
    await asyncio.sleep(0)
    return work(*words)


def test_boundaries_never_move_back_when_folds_end_in_reverse():
    memory = summary()
    for number in range(12):
        memory.append(user(f"{number} {WORDS}"))
        memory.append(assistant("Noted."))
    first = memory.plan()
    memory.append(user(f"12 {WORDS}"))
    second = memory.plan()
    for fold in (second, first):
        fold.run(Summariser())
    assert memory.apply(second)
    covered = list(memory._progress.covered)
    assert not memory.apply(first)
    assert memory._progress.covered == covered
    assert memory.compactions[-1].error.startswith("stale")


def test_a_stale_result_is_discarded_and_recorded():
    async def scenario():
        gate = asyncio.Event()

        async def run(fold):
            await gate.wait()
            fold.text = "Numbers: 7."

        session = AsyncChatSession(summary(), Echo(), Shelf(), "ann", run=run)
        for number in range(10):
            await session.send(f"{number} {WORDS}")
        await session.clear()
        await session.send("A new beginning.")
        gate.set()
        await session.aclose()
        return session.memory

    memory = asyncio.run(scenario())
    assert memory.summary == ""
    assert [message["content"] for message in memory.log] == ["A new beginning.", "Noted."]
    assert memory.compactions[0].error.startswith("stale")


def test_a_light_summary_is_written_anew_in_the_background():
    async def scenario():
        session = AsyncChatSession(summary(light=True), Echo(), Shelf())
        for number in range(10):
            await session.send(f"{number} {WORDS}")
        await session.aclose()
        return session.memory

    memory = asyncio.run(scenario())
    assert any(record.light for record in memory.compactions)
    assert any(record.again and record.error is None for record in memory.compactions)


def test_a_failed_call_and_a_retry_and_a_stream_that_is_left():
    async def scenario():
        store = Shelf()
        with ScriptedModel([status_error(500), "Hello!", "A long answer with words.", "Whole."]) as model:
            session = AsyncChatSession(BufferMemory(), model.async_client, store)
            with pytest.raises(openai.OpenAIError):
                await session.send("Hi")
            assert await session.send("Hi") == "Hello!"
            pieces = session.stream("And?")
            first = await anext(pieces)
            await pieces.aclose()
            assert [piece async for piece in session.stream("Well?")] != []
            await session.aclose()
        return first, store.load("default").messages

    first, log = asyncio.run(scenario())
    assert log == [user("Hi"), assistant("Hello!"), user("And?"), assistant(first + INTERRUPTED), user("Well?"),
                   assistant("Whole.")]


def test_many_sessions_share_the_real_async_client_and_one_store():
    async def scenario():
        store = Shelf()
        async with connect_async("offline") as client:
            sessions = [AsyncChatSession(FactTableMemory(), client, store, f"user-{number}") for number in range(8)]
            await asyncio.gather(*(session.send(f"My order number is {number}471-K.")
                                   for number, session in enumerate(sessions)))
            return await asyncio.gather(*(session.send("What is my order number?") for session in sessions))

    for number, reply in enumerate(asyncio.run(scenario())):
        assert f"{number}471-K" in reply


def test_a_store_that_fails_stops_no_turn():
    class Off(Shelf):
        off = True

        def append(self, *words, **more):
            if self.off:
                raise StoreError("off; switch it on")
            return super().append(*words, **more)

    async def scenario():
        store = Off()
        session = AsyncChatSession(BufferMemory(), Echo(), store)
        await session.send("Hi")
        assert session.unsaved == 2
        with pytest.raises(StoreError):
            await session.save()
        store.off = False
        await session.aclose()
        return session.notices, store.load("default").messages

    notices, log = asyncio.run(scenario())
    assert notices == ["not saved yet: off; switch it on"]
    assert log == [user("Hi"), assistant("Noted.")]


def test_tools_go_through_add_and_reply():
    async def scenario():
        store = Shelf()
        with ScriptedModel([assistant(None, tool_calls=[tool_call("a", "find")]), "It is there."]) as model:
            async with AsyncChatSession(BufferMemory("Be kind."), model.async_client, store) as session:
                await session.add(user("Where is it?"))
                called = await session.reply(temperature=0)
                await session.add(tool("Norwich", tool_call_id=called["tool_calls"][0]["id"]))
                last = await session.reply()
        return last, store.load("default").messages

    last, log = asyncio.run(scenario())
    assert last == assistant("It is there.")
    assert [message["role"] for message in log] == ["user", "assistant", "tool", "assistant"]


TOO_LONG = status_error(400, "This model's maximum context length is 100 tokens.", code="context_length_exceeded")


@pytest.mark.parametrize("how", ["send", "stream"])
def test_a_context_that_the_server_finds_too_long_is_cut_and_sent_once_more(how):
    async def say(session, text):
        if how == "send":
            return await session.send(text)
        return "".join([piece async for piece in session.stream(text)])

    async def scenario(replies):
        with ScriptedModel(replies) as model:
            session = AsyncChatSession(summary(token_limit=9000, trigger_tokens=8000), model.async_client)
            for number in range(20):
                await session.add(user(f"{number}: " + "word " * 40))
                await session.add(assistant("Noted."))
            try:
                return await say(session, "Hi"), session, model.calls
            except openai.BadRequestError as error:
                return error, session, model.calls

    said, session, calls = asyncio.run(scenario([TOO_LONG, "Hello!"]))
    before, after = (session.memory.count(call["messages"]) for call in calls)
    assert said == "Hello!"
    assert after <= before * 0.8
    assert "the model takes less" in session.notices[-1]
    assert len(session.memory.log) == 42, "the log keeps everything"
    said, session, calls = asyncio.run(scenario([TOO_LONG, TOO_LONG]))
    assert isinstance(said, openai.BadRequestError)
    assert len(calls) == 2, "it is tried once more, not for ever"
    assert session.memory.log[-1] == user("Hi"), "the message is kept, once"


def test_a_server_that_dies_in_a_stream_leaves_the_part_with_a_mark():
    def answer(request):
        async def body():
            yield b'data: {"choices": [{"index": 0, "delta": {"content": "half "}}]}\n\n'
            raise httpx2.ReadError("the server has died")

        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body())

    async def read(session, got):
        async for piece in session.stream("Hi"):
            got.append(piece)

    async def scenario():
        store, got = Shelf(), []
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
        async with openai.AsyncOpenAI(api_key="x", base_url=OFFLINE_URL, http_client=http, max_retries=0) as client:
            session = AsyncChatSession(BufferMemory(), client, store)
            with pytest.raises((httpx2.ReadError, openai.APIError)):
                await read(session, got)
        assert got == ["half "]
        return store.load("default").messages

    assert asyncio.run(scenario()) == [user("Hi"), assistant("half " + INTERRUPTED)]


def test_an_endpoint_that_answers_nothing_is_named():
    class Nothing(Echo):
        async def _create(self, **_):
            return SimpleNamespace(choices=[])

    session = AsyncChatSession(BufferMemory(), Nothing())
    with pytest.raises(ModelOutputError, match="without any choice"):
        asyncio.run(session.send("Hi"))
    assert session.memory.log == [user("Hi")]
