"""Long-term items: hybrid search with filters, over each store, in three languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from test_item_stores import MAKE, STORES
from test_vector_memory import Embedder

from memory_lab.errors import SettingError, StoreError
from memory_lab.retrieval import Items, SqliteStore

TEXTS = [("Ana is allergic to shellfish.", "personal"), ("Ana likes jazz.", "preference"),
         ("The meeting is on Friday.", "fact"), ("我對甲殼類過敏", "personal"), ("Mi hotel está en Granada.", "fact"),
         ("We spoke of the weather.", "conversation")]


@pytest.fixture(params=STORES)
def items(request, tmp_path):
    items = Items(MAKE[request.param](tmp_path))
    for number, (text, kind) in enumerate(TEXTS):
        items.add(text, id=str(number), type=kind, at=datetime(2026, 5, 1 + number, tzinfo=UTC),
                  sources=[f"D1:{number}"], importance=number / 10, user="ana")
    return items


@pytest.mark.parametrize(("query", "place"), [
    ("What is Ana allergic to?", 0), ("Which music? jazz", 1), ("When is the meeting?", 2), ("對什麼過敏？", 3),
    ("¿En qué hotel?", 4)])
def test_the_best_hit_is_the_one_meant(items, query, place):
    hit = items.search(query)[0]
    assert hit.item.text == TEXTS[place][0] and 0.3 <= hit.score <= 1.0001
    assert hit.item.sources == (f"D1:{place}",) and hit.item.at.day == 1 + place
    assert hit.item.metadata == {"user": "ana"}
    assert hit.score == pytest.approx(0.3 * hit.keywords + 0.7 * max(hit.similarity, 0), abs=1e-5)


def test_filters_and_bounds(items):
    assert {hit.item.id for hit in items.search("Ana", minimum_similarity=0, top_k=2)} == {"0", "1"}
    assert [hit.item.id for hit in items.search("Ana", where={"type": "personal"}, minimum_similarity=0.1)] == ["0"]
    assert items.search("Ana", where={"type": "none"}) == [] == items.search("Ana", top_k=0)
    assert items.search("Ana", contains="quarrel") == []
    assert len(items.search("Ana", top_k=1, minimum_similarity=0)) == 1
    assert items.search("zzz qqq", keyword_weight=1.0) == []
    assert [item.id for item in items.list(where={"importance": {">": 0.3}})] == ["4", "5"]


def test_what_is_deleted_is_not_found(items):
    assert items.search("jazz")[0].item.id == "1"
    assert items.delete("1") == 1 and items.delete(["1", "2"]) == 1 and len(items) == 4
    assert all(hit.item.id not in "12" for hit in items.search("jazz on Friday", minimum_similarity=0))
    items.add("Ana plays jazz.", id="9")
    assert items.search("jazz")[0].item.id == "9" and items.get("9").type == "conversation"


def test_bad_input_changes_nothing(items):
    for bad in ({"query": ""}, {"query": "x", "top_k": -1}, {"query": "x", "minimum_similarity": 7},
                {"query": "x", "keyword_weight": "much"}, {"query": "x", "where": {"type": {"like": 1}}}):
        with pytest.raises(SettingError):
            items.search(**bad)
    with pytest.raises(StoreError, match="there already"):
        items.add("again", id="0")
    with pytest.raises(SettingError):
        items.add("  ")
    assert [item.text for item in items.list()] == [text for text, _ in TEXTS]


def test_an_empty_store_and_a_query_of_stop_words(items):
    assert Items().search("anything") == []
    bare = Items(embed=None)
    bare.add("Ana likes jazz.")
    assert bare.search("What is it?") == [] and bare.search("jazz")[0].score == 1.0
    assert isinstance(items.search("What is it?", minimum_similarity=0), list)


def test_another_process_adds_and_another_model_is_refused(tmp_path):
    one, other = Items(SqliteStore(tmp_path / "x.db")), Items(SqliteStore(tmp_path / "x.db"))
    one.add("Ana likes jazz.")
    assert other.search("jazz")[0].item.text == "Ana likes jazz."
    letters = Items(SqliteStore(tmp_path / "x.db"), embed="letters", client=Embedder())
    for ask in (lambda: letters.search("jazz"), lambda: letters.add("more")):
        with pytest.raises(StoreError, match="26 numbers, the store's have 256"):
            ask()
    assert len(one) == 1


def test_nothing_is_stored_when_the_model_fails():
    client = Embedder()
    items = Items(embed="letters", client=client)
    client.fails = True
    with pytest.raises(ConnectionError):
        items.add("Ana likes jazz.")
    assert len(items) == 0
