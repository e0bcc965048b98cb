"""Words, index and ranking: the formula written out again, what a question says about itself, three languages."""

from __future__ import annotations

import copy
import math
import subprocess
import sys
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.errors import SettingError
from memory_lab.retrieval import TalkIndex
from memory_lab.retrieval.fuse import fuse
from memory_lab.retrieval.index import K1, B, Index
from memory_lab.retrieval.words import language_of, terms

PLAIN = {"neighbours": 0, "speaker": 0, "dates": 0, "feedback": 0}


# --- words ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("one", "other"), [
    ("She bought three dogs", "buying a dog, three"), ("Who won?", "winning"), ("It’s Ana's book", "ana book"),
    ("It costs 1,000 yen", "costing 1000 yen"), ("¿Dónde están los hoteles?", "el hotel"), ("Mi número", "numero"),
    ("我對甲殼類過敏", "你对甲壳类过敏吗"), ("予約は京都駅", "京都駅"), ("order A-4471", "ORDER a 4471"),
])
def test_forms_of_one_word_meet(one, other):
    language = language_of(one) or "en"
    assert set(terms(one, language)[0]) & set(terms(other, language)[0])


def test_stop_words_alone_are_no_terms():
    for text in ("What is it about?", "¿Qué es esto?", "你是谁？", "", "…?!", "\x00"):
        assert terms(text)[0] == []


def test_the_language_of_a_name_is_that_of_the_talk():
    assert language_of("Barcelona 4471") == ""
    index = Index()
    index.add("¿Cuál es la capital de Cataluña?")
    index.add("Barcelonas")
    assert index.scores(dict.fromkeys(index.read("¿Qué dije de Barcelona?")[0], 1.0))[1] > 0


@given(st.text(max_size=60))
def test_any_text_has_terms_without_an_error(text):
    found, language = terms(text)
    assert all(found) and language in ("en", "es")


# --- BM25 -------------------------------------------------------------------------------------------------------------

def by_hand(documents, query, neighbours=0.0, reach=0, sessions=None):
    """Lucene's BM25 over lists of terms, neighbours weighted in, one message after the other."""
    sessions = sessions or [0] * len(documents)

    def near(place, value):
        return sum(value(other) * neighbours ** abs(other - place) for other in range(len(documents))
                   if sessions[other] == sessions[place] and abs(other - place) <= reach)
    lengths = [near(place, lambda other: len(documents[other])) for place in range(len(documents))]
    mean = sum(lengths) / len(lengths) or 1
    scores = []
    for place in range(len(documents)):
        score = 0.0
        for term in query:
            said = sum(term in document for document in documents)
            times = near(place, lambda other, term=term: documents[other].count(term))
            if said:
                idf = math.log(1 + (len(documents) - said + 0.5) / (said + 0.5))
                score += idf * times * (K1 + 1) / (times + K1 * (1 - B + B * lengths[place] / mean))
        scores.append(score)
    return scores


words = st.sampled_from(["boat", "tea", "jazz", "dog", "rain", "order", "piano"])
documents = st.lists(st.lists(words, max_size=6), min_size=1, max_size=8)


@given(documents, st.lists(words, min_size=1, max_size=3, unique=True), st.sampled_from([0.0, 0.5, 0.8]),
       st.integers(1, 3), st.integers(0, 2**8 - 1))
@settings(max_examples=60, deadline=None)
def test_the_scores_are_the_formula(documents, query, neighbours, reach, cuts):
    sessions = [bin(cuts & (2 ** place - 1)).count("1") for place in range(len(documents))]
    index = Index(neighbours=neighbours, reach=reach)
    for document, session in zip(documents, sessions, strict=True):
        index.add(" ".join(document), session=session)
    stems = [[terms(word)[0][0] for word in document] for document in documents]
    asked = [terms(word)[0][0] for word in query]
    want = by_hand(stems, asked, neighbours, reach if neighbours else 0, sessions)
    assert index.scores(dict.fromkeys(asked, 1.0)) == pytest.approx(want)


def test_a_copy_grows_by_itself():
    index = TalkIndex()
    index.add("a boat", speaker="Ana", at=datetime(2026, 5, 1))
    twin = copy.deepcopy(index)
    before = index.scores_of("boat in May 2026?").tolist()
    twin.add("another boat, a boat", speaker="Ben", at=datetime(2026, 5, 1))
    assert len(index) == 1 and index.scores_of("boat in May 2026?").tolist() == before
    assert len(twin.scores_of("boat")) == 2 and twin.best("Ben's boat?")[0] == 1 and "ben" not in index._names


def test_neighbours_stay_in_their_session():
    index = TalkIndex(feedback=0)
    day = datetime(2026, 5, 1, 12)
    for minute, text in ((0, "Do you have a dog?"), (1, "Yes, Rex."), (200, "Nothing new.")):
        index.add(text, at=day + timedelta(minutes=minute))
    scores = index.scores_of("dog")
    assert scores[0] > scores[1] > 0 == scores[2]


# --- what the question says -------------------------------------------------------------------------------------------

def talk(*said, **settings):
    index = TalkIndex(**settings)
    for speaker, text in said:
        index.add(text, speaker=speaker)
    return index


def test_the_person_named_counts_more():
    said = [("Ana", "My dog is ill."), ("Ben", "My dog is well.")]
    for name, place in (("Ana", 0), ("Ben", 1)):
        assert talk(*said).best(f"How is {name}'s dog?")[0] == place
    assert talk(*said, speaker=0).best("How is Ana's dog?")[0] == 1  # without it the newest of equals


@pytest.mark.parametrize("question", ["How is my dog?", "¿Cómo está mi dog?", "我的 dog 怎么样"])
def test_i_is_the_one_who_asks(question):
    index = talk(("user", "My dog is ill."), ("assistant", "My dog is well."))
    assert index.best(question, asker="user")[0] == 0
    assert index.best(question, asker="assistant")[0] == 1


def test_a_role_is_no_name():
    index = talk(("user", "A new user wrote."), ("assistant", "I see."))
    assert index.scores_of("Which user?")[0] > 0


def test_a_date_finds_what_was_said_then():
    index = TalkIndex()
    for month in range(1, 7):
        for day in (3, 20):
            index.add("We met.", at=datetime(2026, month, day, 12))
            index.add("It rained.", at=datetime(2026, month, day, 12, 1))
    for question in ("What happened on 20 March 2026?", "What happened on March 20th?", "2026-03-20?",
                     "¿Qué pasó el 20 de marzo?", "2026年3月20日發生了什麼"):
        assert set(index.best(question)[:2]) == {10, 11}, question
        assert set(index.best(question)[:4]) == {8, 9, 10, 11}, question
    assert not index.scores_of("What happened on 20 March 2025?").any()
    assert not TalkIndex(dates=0).scores_of("March 20th").any()


def test_feedback_finds_what_shares_no_word_with_the_question():
    said = [("Ana", "My vessel is a ketch, called Luna, in the harbour.")]
    said += [("Ben", f"I ate {food}.") for food in ("soup", "rice", "bread", "cheese", "fish", "cake")]
    said += [("Ana", "Luna needs a sail for the harbour race."), ("Ben", "We had tea."), ("Ben", "It was hot.")]
    question = "Which ketch?"
    assert talk(*said, feedback=0, neighbours=0).scores_of(question)[7] == 0
    found = talk(*said, neighbours=0)
    assert found.best(question)[:2] == [0, 7]


def test_nothing_to_go_by():
    assert TalkIndex().best("Which boat?") == []
    index = talk(("Ana", "a boat"), ("Ben", "tea"))
    for question in ("What is it?", "", "Which piano?"):
        assert not index.scores_of(question).any() and index.best(question) == [1, 0]
    for bad in (-0.1, 1, 2):
        with pytest.raises(SettingError, match="neighbours"):
            Index(neighbours=bad)


@given(st.lists(st.tuples(st.sampled_from(["Ana", "Ben"]), st.text(max_size=20)), max_size=6), st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_a_ranking_is_a_permutation_and_repeats(said, question):
    index = talk(*said)
    order = index.best(question)
    assert sorted(order) == list(range(len(said))) and order == index.best(question)
    assert (index.scores_of(question) >= 0).all()


def test_fusion_keeps_its_scale():
    keywords, cosines = np.array([0.0, 3.0, 6.0]), np.array([1.0, 0.5, -1.0])
    assert fuse(keywords, None, 0.3).tolist() == [0, 0.5, 1]
    assert fuse(keywords, cosines, 0.3) == pytest.approx([0.7, 0.5, 0.3])
    assert fuse(np.zeros(2), np.array([0.5, 0.2]), 0.5).tolist() == [0.25, 0.1]
    assert len(fuse(np.zeros(0), None, 0.5)) == 0


def test_importing_is_light():
    heavy = {"numpy", "openai", "snowballstemmer", "opencc", "chromadb", "tiktoken", "torch"}
    code = "import sys, memory_lab.retrieval, memory_lab.selection, memory_lab.benchmark; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not heavy & set(run.stdout.split())
