"""Stores on disk: shared, outliving the process, and refusing what is damaged, newer or not theirs."""

from __future__ import annotations

import shutil
import sqlite3
import threading

import pytest
from test_item_stores import ITEMS, VECTORS, chroma_is_missing

from memory_lab.errors import SettingError, StoreError
from memory_lab.retrieval.stores import ChromaStore, Item, SqliteStore
from memory_lab.retrieval.stores.sqlite import VERSION


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    store.add(ITEMS, VECTORS)
    store.close()
    return path


def test_a_file_outlives_the_process_and_is_shared(path):
    one, other = SqliteStore(path), SqliteStore(path)
    assert one.list() == ITEMS
    other.delete(["a"])
    assert [item.id for item in one.list()] == ["b", "c", "d"] and one.dimensions == 3
    one.close()
    with pytest.raises(StoreError, match="open it again"):
        one.list()


def test_threads_add_without_losing_any(path):
    store = SqliteStore(path)
    threads = [threading.Thread(target=lambda n=n: [store.add([Item(f"{n}-{i}", "x")]) for i in range(20)])
               for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store) == len(store.list()) == 84


def test_a_newer_version_is_refused_and_left_as_it_is(path):
    with sqlite3.connect(path) as base:
        base.execute(f"PRAGMA user_version = {VERSION + 1}")
    base.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer version"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_file_of_another_program_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE items (x)")
    base.close()
    text = tmp_path / "notes.txt"
    text.write_text("My notes. " * 400, encoding="utf-8")
    for each in (path, text):
        before = each.read_bytes()
        with pytest.raises(StoreError, match=r"another program|not a database"):
            SqliteStore(each)
        assert each.read_bytes() == before


def test_a_damaged_file_is_refused_and_left_as_it_is(path):
    whole = path.read_bytes()
    for name, damaged in (("cut", whole[:len(whole) // 2]), ("page", whole[:4096] + b"\xff" * 4096 + whole[8192:])):
        copy = path.with_name(f"{name}.db")
        copy.write_bytes(damaged)
        with pytest.raises(StoreError, match=f"{name}.db"):
            SqliteStore(copy).list()
        assert copy.read_bytes() == damaged
    with sqlite3.connect(path) as base:
        base.execute("UPDATE items SET metadata = '{' WHERE id = 'b'")
    base.close()
    with pytest.raises(StoreError, match="unreadable row"):
        SqliteStore(path).list()


def test_a_path_that_cannot_be(tmp_path):
    with pytest.raises(StoreError, match="no such folder"):
        SqliteStore(tmp_path / "no such folder" / "x.db")


def test_without_chroma_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "chromadb", None)
    with pytest.raises(SettingError, match="pip install"):
        ChromaStore(tmp_path)


@pytest.mark.long
@chroma_is_missing
def test_chroma_persists_and_refuses_what_is_not_its_own(tmp_path):
    import chromadb

    store = ChromaStore(tmp_path / "one")
    store.add(ITEMS, VECTORS)
    again = ChromaStore(tmp_path / "one")
    assert again.list() == ITEMS and again.dimensions == 3
    client = chromadb.PersistentClient(str(tmp_path / "one"), settings=chromadb.Settings(anonymized_telemetry=False))
    client.create_collection("theirs", embedding_function=None)
    client.create_collection("newer", embedding_function=None, metadata={"memory_lab": 99})
    for name, words in (("theirs", "another program"), ("newer", "newer version")):
        with pytest.raises(StoreError, match=words):
            ChromaStore(tmp_path / "one", name=name)
    with pytest.raises(StoreError, match="without vectors"):
        ChromaStore(tmp_path / "one", name="bare").add([Item("x", "one")])
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "chroma.sqlite3").write_bytes(b"nonsense" * 1000)
    with pytest.raises(StoreError):
        ChromaStore(tmp_path / "two")
