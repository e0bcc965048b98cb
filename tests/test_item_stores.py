"""One contract, three stores: whatever is asked of one is asked of all, and of a plain list beside them."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime, timedelta
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_lab.errors import SettingError, StoreError
from memory_lab.retrieval.stores import ChromaStore, Item, MemoryStore, SqliteStore, passing

DAY = datetime(2026, 5, 3, 10, 30, tzinfo=UTC)
NUMBERS = count()
MAKE = {"memory": lambda folder: MemoryStore(), "sqlite": lambda folder: SqliteStore(folder / f"{next(NUMBERS)}.db"),
        "chroma": lambda folder: ChromaStore(folder / "chroma", name=f"items-{next(NUMBERS)}")}
chroma_is_missing = pytest.mark.skipif(importlib.util.find_spec("chromadb") is None,
                                       reason='chromadb is not installed: pip install "memory-lab[chroma]"')
STORES = ["memory", "sqlite", pytest.param("chroma", marks=[pytest.mark.long, chroma_is_missing])]


@pytest.fixture(params=STORES)
def make(request, tmp_path):
    """A function that gives a new, empty store of one kind."""
    return lambda: MAKE[request.param](tmp_path)


ITEMS = [
    Item("a", "Ana is allergic to shellfish.", type="personal", at=DAY, importance=0.8, sources=("D1:3", "D2:1"),
         metadata={"user": "ana", "count": 3, "pinned": True}),
    Item("b", "She likes JAZZ.", type="preference", at=DAY + timedelta(days=2), importance=0.7,
         metadata={"user": "ana"}),
    Item("c", "預算是一千日圓。 «ñ» 👩‍👩‍👧", type="fact", importance=0.5, metadata={"user": "小明", "count": 3.5}),
    Item("d", "It rained.", at=DAY - timedelta(days=40), importance=0),
]
VECTORS = [[1, 0, 0], [0.6, 0.8, 0], [0, 0, 2], None]


@pytest.fixture
def store(make):
    store = make()
    store.add(ITEMS, VECTORS)
    return store


def test_what_goes_in_comes_out(store):
    assert len(store) == 4 and store.dimensions == 3
    assert store.list() == ITEMS
    assert [store.get(item.id) for item in ITEMS] == ITEMS
    assert store.get("nobody") is None
    assert store.get("a").metadata == {"user": "ana", "count": 3, "pinned": True}
    assert store.get("a").metadata["pinned"] is True and store.get("b").at == DAY + timedelta(days=2)


def test_an_empty_store_answers(make):
    store = make()
    assert len(store) == 0 and store.list() == [] and store.get("a") is None and store.delete(["a"]) == 0
    assert store.nearest([1.0, 0.0]) == [] and store.list(where={"type": "fact"}, contains="x") == []
    store.add([])
    assert len(store) == 0


def test_nearest_is_by_cosine_and_exact(store):
    found = store.nearest([3, 0, 0], top_k=10)
    assert [item.id for item, _ in found] == ["a", "b", "c"]  # d has no vector
    assert [round(cosine, 5) for _, cosine in found] == [1.0, 0.6, 0.0]
    assert [item.id for item, _ in store.nearest([0, 1, 0], top_k=1)] == ["b"]
    assert store.nearest([0, 1, 0], top_k=0) == []


FILTERS = [
    ({"type": "fact"}, "", "c"), ({"type": ["personal", "preference"]}, "", "ab"), ({"type": []}, "", ""),
    ({"importance": {">=": 0.7}}, "", "ab"), ({"importance": {">": 0, "<": 0.75}}, "", "bc"),
    ({"at": {">=": DAY}}, "", "ab"), ({"at": {"<": DAY}}, "", "d"),
    ({"at": {"<=": DAY.replace(tzinfo=None)}}, "", "ad"),
    ({"user": "ana"}, "", "ab"), ({"user": "ana", "type": "personal"}, "", "a"), ({"user": {"<": 5}}, "", ""),
    ({"sources": "D2:1"}, "", "a"), ({"sources": ["D9:9", "D1:3"]}, "", "a"), ({"id": ["d", "a"]}, "", "ad"),
    ({"count": 3}, "", "a"), ({"count": {">": 2}}, "", "ac"), ({"count": True}, "", ""),
    ({"pinned": True}, "", "a"), ({"pinned": 1}, "", ""), ({"no such field": 1}, "", ""), ({}, "", "abcd"),
    (None, "jazz", "b"), (None, "ANA", "a"), (None, "一千", "c"), ({"user": "ana"}, "jazz", "b"),
    (None, "no such words", ""),
]


@pytest.mark.parametrize(("where", "contains", "ids"), FILTERS)
def test_filters_mean_the_same_in_every_store(store, where, contains, ids):
    assert [item.id for item in store.list(where=where, contains=contains)] == list(ids)
    found = store.nearest([1, 1, 1], top_k=9, where=where, contains=contains)
    assert {item.id for item, _ in found} == set(ids) - {"d"}


def test_an_unknown_operator_is_refused(store):
    for ask in (store.list, lambda **filters: store.nearest([1, 0, 0], **filters)):
        with pytest.raises(SettingError, match="~="):
            ask(where={"type": {"~=": "x"}})
    assert len(store) == 4


def test_delete_and_what_is_left(store):
    assert store.delete(iter(["b", "nobody", "b"])) == 1
    assert [item.id for item in store.list()] == ["a", "c", "d"]
    assert [item.id for item, _ in store.nearest([0, 1, 0], top_k=9)] == ["a", "c"]
    store.add([ITEMS[1]], [[0, 1, 0]])
    assert [item.id for item in store.list()] == ["a", "c", "d", "b"]  # the order of adding


BAD = {
    "a known id": ([Item("x", "new"), Item("a", "again")], [[1, 0, 0], [1, 0, 0]], "'a' is there already"),
    "an id twice": ([Item("x", "one"), Item("x", "two")], [[1, 0, 0], [1, 0, 0]], "'x' stands twice"),
    "another size": ([Item("x", "one"), Item("y", "two")], [[1, 0, 0], [1, 0]], "of 2 numbers, the store's have 3"),
    "too few": ([Item("x", "one"), Item("y", "two")], [[1, 0, 0]], "1 vectors for 2 items"),
    "not finite": ([Item("x", "one")], [[1, float("nan"), 0]], "not finite"),
    "no numbers": ([Item("x", "one")], [["much"] * 3], "no list of numbers"),
    "a table": ([Item("x", "one")], [[[1, 0, 0]]], "shape"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_add_changes_nothing(store, name):
    items, vectors, words = BAD[name]
    with pytest.raises(StoreError, match=words):
        store.add(items, vectors)
    assert store.list() == ITEMS and store.get("x") is None
    store.add([Item("x", "one")], [[1, 0, 0]])  # the store goes on
    assert len(store) == 5


def test_a_query_of_another_size_is_refused(store):
    for vector in ([1.0, 0.0], [], [float("inf"), 0, 0]):
        with pytest.raises(StoreError, match="the query"):
            store.nearest(vector)
    with pytest.raises(SettingError, match="top_k"):
        store.nearest([1, 0, 0], top_k=-1)


texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12).filter(str.strip)
metadata = st.dictionaries(texts.filter(lambda name: name not in Item.__dataclass_fields__),
                           st.one_of(st.booleans(), st.integers(-9, 9), st.floats(-9, 9), texts), max_size=3)
items = st.builds(Item, id=texts, text=texts, type=st.sampled_from(["fact", "personal"]), importance=st.floats(0, 1),
                  at=st.one_of(st.none(), st.datetimes(timezones=st.just(UTC))), sources=st.lists(texts, max_size=2),
                  metadata=metadata)


@given(given=st.lists(items, max_size=6, unique_by=lambda item: item.id), gone=st.lists(texts, max_size=2),
       seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_any_items_as_a_list_would_hold_them(make, given, gone, seed):
    store, rng = make(), np.random.default_rng(seed)
    vectors = rng.normal(size=(len(given), 4))
    store.add(given, list(vectors))
    gone = [*gone, *(item.id for item in given[:1])]
    store.delete(gone)
    left = [(item, vector) for item, vector in zip(given, vectors, strict=True) if item.id not in gone]
    assert store.list() == [item for item, _ in left]
    query = rng.normal(size=4)
    cosines = [float(vector @ query / np.linalg.norm(vector) / np.linalg.norm(query)) for _, vector in left]
    found = store.nearest(query, top_k=9)
    assert [cosine for _, cosine in found] == pytest.approx(sorted(cosines, reverse=True), abs=1e-5)
    want = {item.id: cosine for (item, _), cosine in zip(left, cosines, strict=True)}
    assert all(want[item.id] == pytest.approx(cosine, abs=1e-5) for item, cosine in found)


@pytest.mark.parametrize("bad", [
    {"id": ""}, {"text": " "}, {"text": None}, {"importance": 2}, {"importance": float("nan")}, {"importance": True},
    {"sources": "D1:3"}, {"sources": [1]}, {"at": datetime(2026, 1, 1)}, {"metadata": {"x": None}},
    {"metadata": {"x": [1]}}, {"metadata": {"text": "x"}}, {"metadata": {"x": float("inf")}}, {"text": "\ud800"},
    {"metadata": {"x": "\ud800"}}])
def test_an_item_that_no_store_could_hold(bad):
    with pytest.raises(SettingError, match="item"):
        Item(**{"id": "x", "text": "one"} | bad)


def test_passing_takes_everything_where_nothing_is_asked():
    assert all(map(passing(None), ITEMS))
