"""Stores that are damaged, full, newer, older or half evicted: nothing is lost in silence, nothing is overwritten."""

from __future__ import annotations

import os
import random
import sqlite3

import pytest
from redis_server import redis_server

from memory_lab.errors import StoreError
from memory_lab.messages import assistant, tool, tool_call, user
from memory_lab.stores import NO_STATE, packed
from memory_lab.stores.jsonl import JsonLinesStore
from memory_lab.stores.redis import RedisStore
from memory_lab.stores.sqlite import SCHEMA, SqliteStore

TALK = [user("我對甲殼類過敏"), assistant(None, tool_calls=[tool_call("a", "find")]), tool("line", tool_call_id="a"),
        assistant("Noted.")]


@pytest.fixture(scope="module")
def redis_url():
    with redis_server() as url:
        yield url


@pytest.mark.parametrize("broken", [b"{", b"[]", b"\xff", b'{"memory_lab": 1, "version": 1}'])
def test_a_damaged_state_is_set_aside_and_named_and_the_messages_stay(tmp_path, broken):
    store = JsonLinesStore(tmp_path)
    store.append("ann", TALK)
    (tmp_path / "ann~state.json").write_bytes(broken)
    store = JsonLinesStore(tmp_path)
    saved = store.load("ann")
    assert saved.messages == TALK
    assert "ann~state.json.damaged-1" in saved.notices[0]
    assert (tmp_path / "ann~state.json.damaged-1").read_bytes() == broken
    assert store.load_state("ann") is None
    store.save_state("ann", {"new": True}, 4)
    assert store.load_state("ann") == ({"new": True}, 4)


def test_a_state_of_a_newer_version_is_refused_and_not_changed(tmp_path):
    store = JsonLinesStore(tmp_path)
    store.append("ann", TALK)
    newer = '{"memory_lab": 2, "version": 4, "state": {}}'
    (tmp_path / "ann~state.json").write_text(newer)
    assert store.load("ann").messages == TALK
    for act in (lambda: store.load_state("ann"), lambda: store.save_state("ann", {}, 4)):
        with pytest.raises(StoreError, match="newer version"):
            act()
    assert (tmp_path / "ann~state.json").read_text() == newer


def test_a_full_disk_leaves_the_state_that_there_was(tmp_path, monkeypatch):
    store = JsonLinesStore(tmp_path)
    store.append("ann", TALK)
    store.save_state("ann", {"old": True}, 4)

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="disk is full"):
        store.save_state("ann", {"new": True}, 4)
    monkeypatch.undo()
    assert store.load_state("ann") == ({"old": True}, 4)
    store.save_state("ann", {"new": True}, 4)
    assert store.load_state("ann") == ({"new": True}, 4)
    assert store.list() == ["ann"]


def test_a_database_without_room_keeps_what_it_has_and_goes_on(tmp_path):
    with SqliteStore(tmp_path / "chats") as store:
        store.append("ann", TALK)
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        long = [user("x" * 20_000)] * 3
        with pytest.raises(StoreError, match="disk is full"):
            store.append("ann", [user("short"), *long], 4)
        with pytest.raises(StoreError, match="disk is full"):
            store.save_state("ann", {"text": "x" * 20_000}, 4)
        assert store.load("ann").messages == TALK
        store._connection.execute("PRAGMA max_page_count = 100000")
        assert store.append("ann", long, 4) == 7


def test_a_record_that_another_program_wrote_is_named_and_not_changed(tmp_path):
    with SqliteStore(tmp_path / "chats") as store:
        store.append("ann", TALK)
        store.append("bob", TALK)
        store._connection.execute("UPDATE messages SET record = '{}' WHERE session = 'ann' AND version = 2")
        with pytest.raises(StoreError, match=r"message 2 of session 'ann'.*clear\(\)"):
            store.load("ann")
        assert store.load("bob").messages == TALK
        assert store.clear("ann") == 5
        assert store.load("ann").messages == []


def test_a_redis_server_without_memory_takes_all_or_nothing():
    with redis_server() as url, RedisStore(url) as store:
        store.append("ann", TALK)
        store._redis.config_set("maxmemory", 1)
        with pytest.raises(StoreError, match="memory left"):
            store.append("ann", [user("one"), user("two")], 4)
        store._redis.config_set("maxmemory", 0)
        assert store.load("ann").messages == TALK
        assert store.append("ann", [user("one")], 4) == 5


@pytest.mark.parametrize("lost", ["version = 3", "version < 4", "version = 6", "1"])
def test_rows_that_a_damaged_database_has_lost_are_missed(tmp_path, lost):
    with SqliteStore(tmp_path / "chats") as store:
        store.append("ann", TALK)
        assert store.clear("ann") == 5
        assert store.load("ann").version == 5
        store.clear("bob")
        store.append("bob", TALK, 1)
        store.append("bob", [user("last")], 5)
        assert store.load("bob").messages == [*TALK, user("last")]
        store._connection.execute(f"DELETE FROM messages WHERE session = 'bob' AND {lost}")
        with pytest.raises(StoreError, match=r"session 'bob' \d messages can be read, and there were 5.*recover"):
            store.load("bob")
        store._connection.execute("DELETE FROM sessions")
        assert store.load("ann") == ([], [], 0, ())
        if lost != "1":
            with pytest.raises(StoreError, match="there were 0"):
                store.load("bob")


def test_a_damaged_database_never_reads_as_a_shorter_talk(tmp_path):
    talk = [user(f"{number} " + "x" * 200) for number in range(200)]
    with SqliteStore(tmp_path / "chats") as store:
        store.append("ann", talk)
    data, chance, refused = (tmp_path / "chats").read_bytes(), random.Random(1), 0
    for number in range(60):
        path, at = tmp_path / f"{number}", chance.randrange(100, len(data))
        noise = chance.randbytes(min(2000, len(data) - at))
        damaged = data[:at] if number % 2 else data[:at] + noise + data[at + len(noise):]
        path.write_bytes(damaged)
        with SqliteStore(path) as store:
            try:
                assert store.load("ann").messages == talk, "noise where nothing is stored"
            except StoreError as error:
                refused += 1
                assert "recover" in str(error)
                assert path.read_bytes() == damaged
    assert refused > 40


def test_a_database_of_the_first_days_is_opened(tmp_path):
    connection = sqlite3.connect(tmp_path / "chats")
    for statement in SCHEMA.replace(", first INTEGER", "").split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO sessions VALUES ('ann', 2)")
    for number in (1, 2):
        connection.execute("INSERT INTO messages VALUES ('ann', ?, ?)", (number, packed(user(f"{number}"), None)))
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    with SqliteStore(tmp_path / "chats") as store:
        assert store.load("ann").version == 2
        assert store.append("ann", TALK, 2) == 6
        assert store.clear("ann") == 7
        assert store.append("ann", TALK, 7) == 11
        assert store.load("ann").messages == TALK


@pytest.mark.parametrize("part", ["log", "meta"])
def test_a_redis_session_of_which_a_part_was_evicted_is_refused_and_not_cut(redis_url, part):
    with RedisStore(redis_url, prefix=f"evicted-{part}") as store:
        store.append("ann", TALK)
        store._redis.delete(f"evicted-{part}:{{ann}}:{part}")
        for act in (lambda: store.load("ann"), lambda: store.append("ann", TALK)):
            with pytest.raises(StoreError, match="noeviction"):
                act()
        version = store.clear("ann")
        assert store.append("ann", TALK, version) == version + 4
        assert store.load("ann").messages == TALK


def test_a_redis_session_of_the_first_days_is_opened(redis_url):
    with RedisStore(redis_url, prefix="old") as store:
        store.append("ann", TALK)
        store._redis.hdel("old:{ann}:meta", "length")
        assert store.load("ann").messages == TALK
        assert store.append("ann", [user("Hi")], 4) == 5
        assert store._redis.hget("old:{ann}:meta", "length") == "5"


def test_a_state_that_cannot_be_read_costs_the_state_alone_and_is_said(tmp_path, redis_url):
    with SqliteStore(tmp_path / "chats") as sqlite_store, RedisStore(redis_url, prefix="broken") as redis_store:
        for store in (sqlite_store, redis_store):
            store.append("ann", TALK)
            store.save_state("ann", {"a": 1}, 4)
        sqlite_store._connection.execute("UPDATE states SET state = '{'")
        redis_store._redis.hset("broken:{ann}:state", "state", "{")
        for store in (sqlite_store, redis_store):
            assert store.load("ann") == (TALK, [None] * 4, 4, (NO_STATE,))
            assert store.load_state("ann") is None
            store.save_state("ann", {"a": 2}, 4)
            assert store.load_state("ann") == ({"a": 2}, 4)
