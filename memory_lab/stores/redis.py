"""Sessions on a Redis server, for a service on many machines: a list of messages and a version a session.

Every change is one Lua script, so that it happens as a whole and nobody else's falls between.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from ..errors import SettingError, StoreError, VersionError
from ..messages import Message
from . import FORMAT, NO_STATE, Saved, as_json, check_format, check_session_id, pack_all, unpacked

# KEYS: meta (a hash: version, format, length of the log), log (a list), state (a hash: version, state).
# A script that changes something answers {1, version}, {0, version} to who is late, {-1, length} where a key is gone.
# Sessions of the first days have no length.
CHECK = """
local version = tonumber(redis.call('HGET', KEYS[1], 'version') or '0')
if ARGV[1] ~= '' and tonumber(ARGV[1]) ~= version then return {0, version} end
"""
SET = """
redis.call('HSET', KEYS[1], 'version', version, 'format', ARGV[2], 'length', redis.call('LLEN', KEYS[2]))
return {1, version}
"""
SCRIPTS = {
    "append": CHECK + """
local length = redis.call('LLEN', KEYS[2])
local known = redis.call('HGET', KEYS[1], 'length') or (version > 0 and length or 0)
if length ~= tonumber(known) then return {-1, length} end
for place = 3, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[place]) end
version = version + #ARGV - 2
""" + SET,
    "clear": CHECK + """
redis.call('DEL', KEYS[2], KEYS[3])
version = version + 1
""" + SET,
    "save": """
local version, wanted = tonumber(redis.call('HGET', KEYS[1], 'version') or '0'), tonumber(ARGV[1])
local kept = tonumber(redis.call('HGET', KEYS[3], 'version') or '0')
if wanted > version or wanted < kept or wanted < version - redis.call('LLEN', KEYS[2]) then return {0, version} end
redis.call('HSET', KEYS[3], 'version', wanted, 'state', ARGV[2])
return {1, version}
""",
    "load": """
local version = redis.call('HGET', KEYS[1], 'version')
local length = redis.call('HGET', KEYS[1], 'length') or (version and redis.call('LLEN', KEYS[2]) or 0)
return {version or '0', redis.call('HGET', KEYS[1], 'format') or '1', length,
        redis.call('HGET', KEYS[3], 'state') or '{}', redis.call('LRANGE', KEYS[2], 0, -1)}
""",
}
GLOB = frozenset("*?[]\\{}")


class RedisStore:
    """All sessions of a service on one Redis server.  Needs the extra redis (pip install "memory-lab[redis]").

    url: redis://[user:password@]host[:port]/[db], rediss:// with TLS, unix:///path; or a redis.Redis client
    with decode_responses=True and without retries.
    prefix: in front of every key, so that services can share a server.  timeout: seconds for one operation.
    The server must not evict: maxmemory-policy noeviction.  A session of which a key is gone is refused, not cut.
    How much an append that returned survives is the server's setting: appendfsync always for a power cut.
    The three keys of a session share a hash slot, so a cluster works too.  Any thread and process may use it.
    Cost: one round trip an operation.  Raises StoreError.
    """

    def __init__(self, url: Any = "redis://localhost:6379/0", *, prefix: str = "memory-lab", timeout: float = 5.0):
        if not prefix or GLOB & set(prefix):
            raise SettingError(f"prefix {prefix!r}: use text without * ? [ ] {{ }} and backslash")
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError as error:
            raise SettingError('RedisStore needs the client: pip install "memory-lab[redis]"') from error
        self.prefix, self._error = prefix, redis.RedisError
        if isinstance(url, str):
            try:
                # no retries of the client's own: an append whose answer was lost must not be sent again unseen
                self._redis = redis.Redis.from_url(url, decode_responses=True, socket_timeout=timeout,
                                                   socket_connect_timeout=timeout, health_check_interval=15,
                                                   retry=Retry(NoBackoff(), 0))
            except ValueError as error:
                raise SettingError(f"{error}: give redis://host:port/db, rediss://... or unix:///path") from error
        else:
            self._redis = url
        self._scripts = {name: self._redis.register_script(text) for name, text in SCRIPTS.items()}

    def _keys(self, session_id: str) -> list[str]:
        return [f"{self.prefix}:{{{check_session_id(session_id)}}}:{part}" for part in ("meta", "log", "state")]

    @contextmanager
    def _operation(self) -> Iterator[None]:
        try:
            yield
        except (self._error, OSError) as error:
            raise StoreError(f"Redis: {error}. See that the server runs, that the address and the password are right, "
                             "and that it has memory left; then save again") from error

    def _run(self, script: str, session_id: str, *arguments: Any) -> Any:
        with self._operation():
            return self._scripts[script](keys=self._keys(session_id), args=list(arguments))

    def _change(self, script: str, session_id: str, expected: int | None, *arguments: Any) -> int:
        done, version = self._run(script, session_id, "" if expected is None else expected, *arguments)
        if done < 0:
            raise StoreError(_evicted(session_id))
        if not done:
            raise VersionError(session_id, expected, version)
        return version

    def close(self) -> None:
        """Close the connections; the next operation opens new ones."""
        self._redis.close()

    def __enter__(self) -> RedisStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, session_id: str, messages: Sequence[Message], expected_version: int | None = None, *,
               times: Sequence[datetime | None] | None = None) -> int:
        """The new version; all messages are stored, or none.  Raises VersionError if it is not the expected one."""
        return self._change("append", session_id, expected_version, FORMAT, *pack_all(messages, times))

    def load(self, session_id: str) -> Saved:
        """The session; version 0 without messages for one that does not exist."""
        version, form, length, state, records = self._run("load", session_id)
        if len(records) != int(length):
            raise StoreError(_evicted(session_id))
        try:
            check_format(int(form), f"session {session_id!r}")
            pairs = [unpacked(json.loads(record)) for record in records]
        except (TypeError, ValueError) as error:
            raise StoreError(f"session {session_id!r} on the Redis server cannot be read ({error}): another program "
                             "uses the prefix; take another one") from error
        return Saved([message for message, _ in pairs], [at for _, at in pairs], int(version),
                     () if as_json(state) is not None else (NO_STATE,))

    def list(self) -> list[str]:
        """The ids of all sessions, sorted.  Cost: O(keys on the server)."""
        start, end = f"{self.prefix}:{{", "}:meta"
        with self._operation():
            found = list(self._redis.scan_iter(match=f"{self.prefix}:{{*}}:meta", count=1000))
        return sorted({key.removeprefix(start).removesuffix(end) for key in found})

    def clear(self, session_id: str, expected_version: int | None = None) -> int:
        """The new version, one higher; messages and state are gone."""
        return self._change("clear", session_id, expected_version, FORMAT)

    def delete(self, session_id: str) -> None:
        """Nothing is left of the session, not even its id."""
        with self._operation():
            self._redis.delete(*self._keys(session_id))

    def save_state(self, session_id: str, state: dict[str, Any], version: int) -> None:
        """Keep the state of that version.  Raises VersionError for one the log has not, or older than the one kept."""
        self._change("save", session_id, version, json.dumps(state, ensure_ascii=False))

    def load_state(self, session_id: str) -> tuple[dict[str, Any], int] | None:
        """(state, its version), or None; None too for one that cannot be read, which load() says."""
        with self._operation():
            text, version = self._redis.hmget(self._keys(session_id)[2], "state", "version")
        state = None if text is None else as_json(text)
        return None if state is None else (state, int(version))


def _evicted(session_id: str) -> str:
    return (f"session {session_id!r}: a part of it is gone from the Redis server, which evicts keys when its memory is "
            "full; set maxmemory-policy noeviction. clear() begins the session anew")
