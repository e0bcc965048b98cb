"""Nearness by meaning: it brings other words together, and costs each text once."""

import numpy as np
import pytest

from memory_lab.messages import user
from memory_lab.offline import meaning
from memory_lab.offline.analysis import analyse
from memory_lab.offline.evidence import gather
from memory_lab.offline.meaning import Nearness, led, nearness, spans, vectors


def near(question, *said):
    items = gather([user(text) for text in said])
    return nearness(analyse(question), items, [analyse(led(item)) for item in items])


@pytest.mark.parametrize(
    ("question", "nearer", "far"),
    [
        ("Who shares my apartment?", "I moved into a flat with my cousin Dana.", "The tyres cost 90 each."),
        ("我一頓飯最多花多少錢？", "每餐預算一千日圓。", "我妹妹住在臺南。"),
        ("我一顿饭最多花多少钱？", "每餐预算一千日元。", "我妹妹住在台南。"),
        ("¿Dónde voy a dormir?", "Me alojo cerca de la estación.", "Mi hermana toca el violín."),
    ],
)
def test_other_words_for_the_same_are_nearer(question, nearer, far):
    first, second = near(question, nearer, far)
    assert first.whole > second.whole + 0.5


def test_both_chinese_scripts_are_one():
    assert near("我每月的房租是多少？", "房租漲到兩萬三。") == near("我每月的房租是多少？", "房租涨到两万三。")


def test_words_are_compared_one_by_one():
    pet, street = near("Which pet do I have?", "A hamster.", "A street.")
    assert pet.words > street.words and pet.most > street.most
    assert near("And?", "A hamster.")[0][1:] == Nearness(0.0)[1:], "no content word, nothing to compare"


def test_a_statement_is_compared_with_what_it_leans_on_and_by_its_clauses():
    from memory_lab.messages import assistant

    item = gather([assistant("What did you pay?"), user("About 86 euros, and the bus was late again.")])[-1]
    assert spans(item) == [item.text, f"What did you pay? {item.text}", "About 86 euros",
                           "and the bus was late again."]


def test_a_text_is_encoded_once(monkeypatch):
    encoded = []
    encoder = meaning._encoder()

    class Counted:
        def encode(self, texts):
            encoded.extend(texts)
            return encoder.encode(texts)

    monkeypatch.setattr(meaning, "_encoder", Counted)
    monkeypatch.setattr(meaning, "_vectors", type(meaning._vectors)())
    monkeypatch.setattr(meaning, "_near", {})
    said = [f"Parcel {i} is on shelf {i % 3}." for i in range(20)]
    near("Where is parcel 4?", *said, *said)
    assert len(encoded) == len(set(encoded)) and set(said) < set(encoded)
    before = len(encoded)
    near("Where is parcel 5?", *said)
    assert encoded[before:] == ["Where is parcel 5?"], "its words were met before"


def test_the_oldest_vectors_are_let_go(monkeypatch):
    monkeypatch.setattr(meaning, "_vectors", type(meaning._vectors)())
    monkeypatch.setattr(meaning, "KEPT", 3)
    assert vectors(["a b", "c d", "e f", "g h"]).shape == (4, 512)
    assert list(meaning._vectors) == ["c d", "e f", "g h"]


def test_vectors_have_length_one_and_nothing_gives_nothing():
    assert np.allclose(np.linalg.norm(vectors(["one", "另一個"]), axis=1), 1, atol=1e-3)
    assert near("anything?") == []


def test_a_pair_is_compared_once(monkeypatch):
    compared = []
    real = meaning._compared
    monkeypatch.setattr(meaning, "_near", {})
    monkeypatch.setattr(meaning, "_compared", lambda asked, items, leading: compared.append(len(items)) or real(
        asked, items, leading))
    first = near("Which pet do I have?", "A hamster.", "A street.")
    assert near("Which pet do I have?", "A street.", "A cat.", "A hamster.")[::2] == first[::-1]
    assert compared == [2, 1]


def test_what_is_remembered_has_a_bound_and_clearing_it_changes_nothing(monkeypatch):
    told = ["A hamster.", "A street.", "A cat."]
    monkeypatch.setattr(meaning, "_near", {})
    whole = near("Which pet do I have?", *told)
    monkeypatch.setattr(meaning, "_near", {})
    monkeypatch.setattr(meaning, "PAIRS", 4)
    for question in ("Which pet do I have?", "Where do I live?", "Which pet do I have?"):
        answers = near(question, *told)
        assert len(meaning._near) <= 4
    assert answers == whole


def test_a_scrap_leans_on_the_sentence_before_it():
    before, scrap = gather([user("I would like a lantern for the garden. Green, with stars.")])[-2:]
    assert not scrap.marks.pronoun
    assert led(scrap) == "I would like a lantern for the garden. Green, with stars."
    assert led(before) == before.text
