"""The made talk: the same from the same seed, valid, varied, and neither trivial nor hopeless for word search."""

import json
import math
import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.conversations import load, validate
from memory_lab.errors import SettingError
from memory_lab.locomo import from_locomo
from memory_lab.longchat import generate
from memory_lab.messages import turns


def as_bytes(sample):
    return json.dumps(sample, ensure_ascii=False).encode()


def test_same_seed_same_bytes_in_another_process():
    code = "import json, sys; from memory_lab.longchat import generate; " \
           "sys.stdout.buffer.write(json.dumps(generate(seed=7, turns=300), ensure_ascii=False).encode())"
    for hash_seed in ("1", "2"):
        seeded = {**os.environ, "PYTHONHASHSEED": hash_seed}
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=seeded)
        assert ran.stdout == as_bytes(generate(seed=7, turns=300))


def test_seeds_and_lengths_differ():
    assert len({as_bytes(generate(seed=seed, turns=60)) for seed in range(8)}) == 8


def test_it_asks_of_every_category_and_nothing_is_ambiguous():
    conversation = load("long_300")
    assert len(turns(conversation.messages)[1]) == 300
    many = Counter(probe.category for probe in conversation.probes)
    assert set(many) == {"single-hop", "multi-hop", "temporal", "open", "adversarial"}
    assert min(many.values()) >= 5 and sum(many.values()) >= 70
    questions = [probe.question for probe in conversation.probes]
    assert len(set(questions)) == len(questions)
    assert any(probe.forbid and probe.answerable for probe in conversation.probes)   # facts that changed


def test_schema_is_that_of_locomo():
    sample = generate()
    talk = sample["conversation"]
    sessions = [key for key in talk if re.fullmatch(r"session_\d+", key)]
    assert len(sessions) >= 15
    for number, session in enumerate(sessions, 1):
        assert re.fullmatch(r"\d+:\d\d [ap]m on \d+ [A-Z][a-z]+, \d{4}", talk[f"{session}_date_time"])
        for place, said in enumerate(talk[session], 1):
            assert set(said) == {"speaker", "dia_id", "text"}
            assert said["dia_id"] == f"D{number}:{place}"
            assert said["speaker"] in (talk["speaker_a"], talk["speaker_b"])
    assert all({"question", "evidence", "category"} <= set(qa) for qa in sample["qa"])


def test_the_person_asked_about_is_the_one_who_said_it():
    conversation = load("long_300")
    for probe in conversation.probes:
        for index in probe.evidence:
            assert conversation.messages[index]["name"] in probe.question, probe.question


def test_adversarial_questions_ask_what_that_person_never_said():
    conversation = load("long_300")
    for probe in conversation.probes:
        if not probe.answerable:
            value, = probe.forbid
            who = next(message["name"] for message in conversation.messages if message["name"] in probe.question)
            own = [message["content"] for message in conversation.messages
                   if message["name"] == who and re.search(rf"\b{re.escape(value)}\b", message["content"])]
            assert not any(text.startswith(("I ", "My ")) for text in own), probe.question


def test_no_slot_is_left_open():
    for seed in range(5):
        for probe in (conversation := from_locomo(generate(seed=seed, turns=300))).probes:
            assert "{" not in probe.question + "".join(probe.accept)
        assert not [message["content"] for message in conversation.messages if "{" in message["content"]]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 320))
def test_any_seed_and_length_is_valid(seed, length):
    conversation = from_locomo(generate(seed=seed, turns=length))
    validate(conversation)
    assert len(turns(conversation.messages)[1]) == length
    assert list(conversation.times) == sorted(conversation.times)


def bm25(query, documents):
    words = [Counter(re.findall(r"\w+", text.lower())) for text in documents]
    spread = Counter(word for document in words for word in document)
    mean = sum(map(Counter.total, words)) / len(words)
    rarity = {word: math.log(1 + (len(words) - n + .5) / (n + .5)) for word, n in spread.items()}
    asked = [word for word in re.findall(r"\w+", query.lower()) if word in rarity]

    def score(document):
        length = 1.2 * (.25 + .75 * document.total() / mean)
        return sum(rarity[word] * document[word] * 2.2 / (document[word] + length) for word in asked)
    return sorted(range(len(words)), key=lambda index: -score(words[index]))


def test_word_search_finds_much_but_not_all():
    conversation = load("long_300")
    texts = [f"{message['name']} {message['content']}" for message in conversation.messages]
    asked = [probe for probe in conversation.probes if probe.answerable]
    found = [set(probe.evidence) <= set(bm25(probe.question, texts)[:40]) for probe in asked]
    assert .4 < sum(found) / len(found) < .9


def test_a_talk_without_turns_is_refused():
    with pytest.raises(SettingError, match="turns is 0"):
        generate(turns=0)
