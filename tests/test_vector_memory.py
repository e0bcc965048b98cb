"""VectorMemory: what comes back, how often the embedding model is asked, and what happens when it fails."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from memory_lab.errors import SettingError
from memory_lab.evaluate import fork
from memory_lab.messages import assistant, system, tool, tool_call, user
from memory_lab.retrieval import PUBLISHED, VectorMemory


class Embedder:
    """A client whose vectors are letter counts; it counts its calls, and fails or changes size on demand."""

    def __init__(self):
        self.texts, self.calls, self.fails, self.size = [], 0, False, 26
        self.embeddings = self

    def create(self, *, model, input, **_):
        self.calls += 1
        if self.fails:
            raise ConnectionError("no network")
        self.texts += input
        rows = [[float(text.lower().count(chr(97 + i))) for i in range(self.size)] for text in input]
        return SimpleNamespace(data=[SimpleNamespace(index=i, embedding=row) for i, row in enumerate(rows)])


FILLER = ["The weather is fine today.", "I watched a film.", "Dinner was late.", "The train was full.", "I like tea."]


def chat(*texts, question="What was my order number?", filler=4, **settings):
    """A memory with an exchange for each text, filler behind them, and the question."""
    memory = VectorMemory(**{"token_limit": 150, "recent_tokens": 40} | settings)
    for text in (*texts, *FILLER * filler):
        memory.add(user(text))
        memory.add(assistant("I see."))
    memory.add(user(question))
    return memory


def said(memory):
    return [message["content"] for message in memory.messages()]


@pytest.mark.parametrize("embed", [None, "offline"])
@pytest.mark.parametrize(("fact", "question"), [
    ("My order number is A-4471.", "What was my order number?"),
    ("我的訂單號碼是 A-4471。", "我的訂單號碼是什麼？"),
    ("Mi número de pedido es A-4471.", "¿Cuál era mi número de pedido?")])
def test_an_old_fact_comes_back_with_its_turn(embed, fact, question):
    memory = chat(fact, question=question, embed=embed)
    context = said(memory)
    assert context[:2] == [fact, "I see."] and context[-1] == question
    assert memory.states[0] == memory.states[1] == "kept" and "dropped" in memory.states
    assert memory.count(memory.messages()) <= 150


def test_a_chat_that_fits_goes_out_whole():
    memory = chat("My order number is A-4471.", filler=1, token_limit=3000)
    assert memory.messages() == memory.log


def test_the_window_and_what_is_found_share_the_limit():
    for limit in range(60, 400, 20):
        memory = chat("My order number is A-4471.", token_limit=limit, recent_tokens=limit // 4)
        assert memory.count(memory.messages()) <= limit
        places = [index for index, state in enumerate(memory.states) if state == "kept"]
        assert places[-1] == len(memory.log) - 1
    assert len(places) > 20  # room that retrieval leaves goes to the window


def test_a_message_alone_brings_its_question():
    memory = VectorMemory(token_limit=130, recent_tokens=20, whole_turns=False, embed=None)
    memory.add(user("Tell me about boats."))
    memory.add(assistant("Of course."))
    memory.add(assistant("A ketch has two masts."))
    for text in FILLER * 4:
        memory.add(user(text))
        memory.add(assistant("I see."))
    memory.add(user("How many masts has a ketch?"))
    context = said(memory)
    assert context[0] == "Tell me about boats." and "A ketch has two masts." in context


def test_a_tool_call_comes_back_with_its_results():
    memory = VectorMemory(token_limit=160, recent_tokens=20, embed=None)
    memory.add(user("Track it."))
    memory.add(assistant(tool_calls=[tool_call("c", "track", '{"id": "A-4471"}')]))
    memory.add(tool("The parcel waits in Kyoto.", tool_call_id="c"))
    memory.add(assistant("It is on its way."))
    for text in FILLER * 4:
        memory.add(user(text))
    memory.add(assistant("Fine."))
    memory.add(user("Where does the parcel wait?"))
    roles = [message["role"] for message in memory.messages()]
    assert roles[:4] == ["user", "assistant", "tool", "assistant"]


def test_instructions_are_never_looked_up():
    memory = VectorMemory("Be brief.", token_limit=120, recent_tokens=20, embed=None)
    memory.add(system("The order number is secret."))
    for text in ("My order number is 5.", *FILLER * 4):
        memory.add(user(text))
        memory.add(assistant("I see."))
    memory.add(user("What was my order number?"))
    context = memory.messages()
    assert [message["role"] for message in context[:3]] == ["system", "system", "user"]
    assert context[2]["content"] == "My order number is 5."


def test_top_k_and_the_least_similarity():
    facts = [f"My order number {n} is for tea." for n in range(5)]
    sent = chat(*facts, embed=None, token_limit=300, recent_tokens=0, top_k=2)
    looked_up = [text for text in said(sent) if "order number" in text][:-1]
    assert len(looked_up) == 2
    none = chat(*facts, embed=None, token_limit=120, top_k=0)
    assert not any("tea" in text and "order" in text for text in said(none))
    nothing = chat(*facts, question="What about pianos?", embed=None, token_limit=120)
    assert not any("order" in text for text in said(nothing))
    stop_words = chat(*facts, question="What is it?", embed=None, token_limit=120)
    assert said(stop_words)[-1] == "What is it?"
    strict = chat(*facts, embed="letters", client=Embedder(), keyword_weight=0, minimum_similarity=1.0)
    assert not any("order number" in text for text in said(strict)[:-1])
    assert set(PUBLISHED) <= VectorMemory.__init__.__kwdefaults__.keys()


def test_each_text_is_embedded_once_in_one_call_a_user_message():
    client = Embedder()
    memory = VectorMemory(token_limit=200, embed="letters", client=client)
    for turn in range(30):
        memory.add(user(f"Question {turn}"))
        memory.messages()
        memory.messages()
        memory.add(assistant(f"Answer {turn}"))
        assert client.calls == turn + 1
    assert len(client.texts) == len(set(client.texts)) == 59
    memory.add(user(""))  # a text without words costs nothing
    assert len(client.texts) == 60


def test_a_long_past_is_embedded_in_batches_and_a_long_text_in_part():
    client = Embedder()
    memory = VectorMemory(token_limit=200, embed="letters", client=client)
    for turn in range(250):
        memory.append(user(f"Question {turn}"))
        memory.append(assistant(f"Answer {turn}"))
    memory.add(user("x" * 50_000))
    assert client.calls == 6 and len(client.texts) == 501 and max(map(len, client.texts)) == 8_000


def test_a_fault_of_the_model_is_recorded_and_the_keywords_go_on():
    client = Embedder()
    client.fails = True
    memory = chat("My order number is A-4471.", embed="letters", client=client)
    assert said(memory)[0] == "My order number is A-4471."
    assert len(memory.faults) == 22 and "no network" in memory.faults[0] and len(memory.log) == 43
    client.fails = False
    memory.add(user("And my order number?"))
    assert len(client.texts) == len(memory.log) and len(memory.faults) == 22  # what was missed is made up for


def test_a_model_that_changes_its_size_is_a_fault():
    client = Embedder()
    memory = VectorMemory(token_limit=100, embed="letters", client=client)
    memory.add(user("one"))
    client.size = 5
    memory.add(user("two"))
    assert "5 numbers beside vectors of 26" in memory.faults[0] and memory.messages()[-1] == user("two")


def test_a_stranger_word_for_it_is_found_by_vectors_alone():
    """Letters as meaning: 'tab, bat' is near 'abt', and shares no word with it."""
    settings = {"question": "abt abt", "token_limit": 80, "recent_tokens": 15}
    assert said(chat("tab bat", embed="letters", client=Embedder(), **settings))[0] == "tab bat"
    assert "tab bat" not in said(chat("tab bat", embed=None, **settings))


def test_state_and_restore_embed_nothing_twice():
    client = Embedder()
    memory = chat("My order number is A-4471.", embed="letters", client=client)
    state = json.loads(json.dumps(memory.state()))
    again = VectorMemory(token_limit=150, recent_tokens=40, embed="letters", client=client)
    with pytest.raises(SettingError, match="append"):
        again.restore(state)
    for message in memory.log:
        again.append(message)
    calls = client.calls
    again.restore(state)
    assert again.messages() == memory.messages() and client.calls == calls
    with pytest.raises(SettingError, match="letters"):
        VectorMemory().restore(state)


def test_a_fork_goes_its_own_way():
    memory = chat("My order number is A-4471.", embed="letters", client=Embedder())
    before = memory.messages()
    twin = fork(memory)
    twin.add(assistant("A-4471."))
    twin.add(user("Which train was full?"))
    assert memory.messages() == before and len(memory.vectors) == len(memory.log) == len(twin.log) - 2


@pytest.mark.parametrize("bad", [
    {"top_k": -1}, {"minimum_similarity": 2}, {"keyword_weight": -0.1}, {"neighbours": 1}, {"embed": 5},
    {"recent_tokens": -1}, {"token_limit": 1.5}, {"keyword_weight": True}])
def test_settings_that_make_no_sense(bad):
    with pytest.raises(SettingError, match=next(iter(bad))):
        VectorMemory(**bad)
