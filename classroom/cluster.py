"""The same grading on a Dask cluster: `classroom grade ... --scheduler ADDRESS` (extra `dask`).

An order of orders.py travels as JSON text to a worker of the cluster, which hands it to a judge.py process of its own;
the result comes back as JSON text. A student's code is text all the way: nothing of it is ever pickled or imported by
Dask, and it runs behind the walls of sandbox.py alone. Those are required on each worker: without them a student's code
could speak to the scheduler, and so to every machine of the cluster.

A worker that dies loses nothing: the scheduler gives its orders to another. Orders hold the solutions' hidden checks:
use tls:// or a network that you trust.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import logging
import secrets
import socket
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from classroom import desk
from classroom.errors import CourseError
from classroom.workers import WorkerError

_HELLO = 10  # seconds until a scheduler has answered
_LOOK = 5  # seconds between two looks at whether there is a worker left
_ALONE = 120  # seconds without any worker: a nanny has long started another


class Cluster:
    """Stands for a worker of workers.py, as often as the cluster has threads. Made by `connect`."""

    def __init__(self, client: Any, address: str):
        self.client, self.address = client, address
        self.name, self.number, self.lost = f"grade-{secrets.token_hex(6)}", itertools.count(), ""
        self.walls: dict[str, bool] = {}
        self.setting = ""

    def inspect(self) -> None:
        """Nothing. Raises CourseError unless there are workers, each with this very code and behind every wall."""
        try:
            self.client.wait_for_workers(1, timeout=_HELLO)
        except TimeoutError:
            raise CourseError([f"{self.address}: the scheduler has no worker; start some: "
                               f"dask worker {self.address}"]) from None
        here, problems = desk.tools(), []
        for worker, found in self.client.run(desk.about, on_error="return").items():
            if isinstance(found, Exception):
                problems.append(f"{worker}: cannot run classroom ({found}); install memory-lab there")
                continue
            problems += [f"{worker}: {word}" for word in desk.unfit(found, here)]
            self.walls = found["walls"]
        if problems:
            raise CourseError([f"{self.address}: not graded: a worker is not fit for it", *problems])

    def workers(self, most: int, withhold: dict[str, list[str]], data: Path | None) -> list[Cluster]:
        """One entry per notebook that the cluster can run at a time, at most `most`.

        withhold: slug -> withheld modules.  data: a folder whose files go beside the notebooks.
        """
        # Text with each order, not a task that orders depend on: Dask would run them all where that one ran.
        self.setting = json.dumps({"name": self.name, "tools": desk.tools(), "withhold": withhold,
                                   "data": _files(data) if data and data.is_dir() else {}})
        return [self] * max(1, min(most, sum(self.client.nthreads().values())))

    def do(self, task: dict[str, Any]) -> dict[str, Any]:
        """The result of one order. Raises WorkerError."""
        if self.lost:
            raise WorkerError(self.lost)
        future = self.client.submit(desk.work, self.setting, json.dumps(task), key=f"{self.name}-{next(self.number)}")
        try:
            found = json.loads(self._wait(future))
        except (CancelledError, OSError):
            self.lost = f"the scheduler at {self.address} was lost; --resume goes on from here"
            raise WorkerError(self.lost) from None
        except WorkerError:
            raise
        except Exception as error:  # Dask raises what it likes, and a thread that dies would leave the run waiting
            raise WorkerError(f"on the cluster: {type(error).__name__}: {error}"[:300]) from error
        if "error" in found:
            raise WorkerError(found["error"])
        return found

    def _wait(self, future: Any) -> str:
        """No time limit while there are workers: each ends its orders in time, or the scheduler gives it up."""
        seen = time.monotonic()
        while True:
            try:
                return future.result(timeout=_LOOK)
            except TimeoutError:
                if future.done() and future.status == "error":
                    raise
            if self.client.nthreads():
                seen = time.monotonic()
            elif time.monotonic() - seen > _ALONE:
                raise WorkerError(f"the cluster has had no worker for {_ALONE} seconds")

    def stop(self) -> None:
        """Nothing; `connect` ends what there is to end."""

    def close(self) -> None:
        if self.setting and not self.lost:
            with contextlib.suppress(OSError, TimeoutError, CancelledError):
                self.client.run(desk.leave, self.name, on_error="ignore")
        self.client.close(timeout=_LOOK)


def _files(data: Path) -> dict[str, str]:
    """What goes beside the notebooks (Stage.prepare chooses it), by name, in base 64."""
    paths = [path for path in data.iterdir() if path.suffix not in (".ipynb", ".md")] + [*(data / "data").rglob("*")]
    return {path.relative_to(data).as_posix(): base64.b64encode(path.read_bytes()).decode() for path in sorted(paths)
            if path.is_file() and not path.is_symlink()}


async def _greet(address: str) -> None:
    """Nothing, if a Dask server answers: a Client that fails takes half a minute to say so."""
    from distributed.comm import connect as greet
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.security import Security

    scheme, place = parse_address(address)
    if scheme in ("tcp", "tls"):  # Dask would try a refused connection again until its time is over
        socket.create_connection(parse_host_port(place), _HELLO).close()
    (await greet(address, timeout=_HELLO, **Security().get_connection_args("client"))).abort()


@contextlib.contextmanager
def connect(address: str | None) -> Iterator[Cluster | None]:
    """The cluster, inspected, or None if no address is given. Raises CourseError, at once if nobody listens there."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise CourseError([f"--scheduler: {error}; install the extra: pip install 'memory-lab[dask]'"]) from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what is lost is said below, in a sentence
    try:
        asyncio.run(_greet(address))
        client = Client(address, timeout=_HELLO, set_as_default=False)
    except (OSError, ValueError, MemoryError) as error:  # MemoryError: another service's words, read as a length
        raise CourseError([f"--scheduler {address}: no Dask scheduler answers there ({str(error)[:200]}); the address "
                           "is the one that `dask scheduler` prints, like tcp://host:8786"]) from error
    cluster = Cluster(client, address)
    try:
        cluster.inspect()
        yield cluster
    finally:
        cluster.close()
