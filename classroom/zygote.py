"""Kernels forked from one warm process, each in namespaces and limits of its own. Runs inside the sandbox.

    python -m classroom.zygote        (started by sandbox.py; talks JSON lines over stdin and stdout)

Starting a kernel costs 0.4 s of imports; a fork of a process that has them costs 0.02 s. The warm process holds
libraries alone, nothing of the course and nothing of a student, so a fork begins where a fresh process would. Each fork
takes a user, mount, process, network and IPC namespace of its own, fresh /tmp and home, the limits, and no
capabilities, before a line of a student's code is read. When its first process ends, the kernel kills the rest.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

from classroom import walls
from classroom.lean import without

# what every kernel imports; loaded here, before the fork
WARM = ("ipykernel.debugger", "ipykernel.kernelapp", "ipykernel.zmqshell", "ipykernel.inprocess.ipkernel",
        "IPython.core.completerlib", "IPython.core.debugger", "IPython.core.logger", "IPython.core.oinspect",
        "IPython.extensions.storemagic", "pdb", "faulthandler", "tornado.platform.asyncio",
        "pygments.formatters.terminal256", "pygments.styles.default", "classroom.wire", "classroom.withhold")
# what is worth loading here if an exercise imports it, by the name that it imports
LIBRARIES = {"matplotlib": ("matplotlib.pyplot", "matplotlib_inline.backend_inline"), "numpy": ("numpy",),
             "openai": ("openai",), "tiktoken": ("tiktoken",), "regex": ("regex",), "opencc": ("opencc",),
             "snowballstemmer": ("snowballstemmer",), "tqdm": ("tqdm",)}


def _kernel(job: dict[str, Any]) -> None:
    """Run a kernel; never returns."""
    if job["isolate"]:
        walls.furnish(job)
        walls.drop_capabilities()
    os.setsid()
    walls.limit(job["limits"])
    os.environ.clear()
    os.environ.update(job["environment"])
    os.makedirs(os.environ["HOME"], exist_ok=True)
    os.chdir(os.environ["HOME"])
    for name, text in job["files"].items():
        with open(os.path.join(os.environ["HOME"], name), "w", encoding="utf-8") as file:
            file.write(text)
    for source in job["data"]:
        os.symlink(source, os.path.basename(source))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.closerange(3, 256)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode) for number, mode in ((0, "r"), (1, "w"), (2, "w")))  # noqa: SIM115
    gc.unfreeze()
    sys.argv = ["kernel"]
    app = _program().instance(**_settings())
    app.initialize([])
    app.kernel._execute_sleep = 0  # half a millisecond a cell, in case its output comes late: the judge waits for it
    _count_output(app.shell, job["limits"]["output"])
    app.start()


@cache
def _program() -> type:
    """The kernel's program, with nothing to read: a fresh home holds no settings, and there is no command line."""
    from ipykernel.kernelapp import IPKernelApp

    class Program(IPKernelApp):
        def parse_command_line(self, argv: Any = None) -> None:
            pass

        def load_config_file(self, suppress_errors: Any = None) -> None:
            pass

        def init_control(self, context: Any) -> None:
            super().init_control(context)
            self.shell_channel_thread = None  # it serves a kernel's second shell; there is none

    return Program


def _settings() -> dict[str, Any]:
    from traitlets.config import Config

    shell = {"xmode": "Minimal", "colors": "nocolor", "banner1": ""}
    return {"connection_file": os.path.join(os.environ["HOME"], "connection.json"), "log_level": 50,
            "config": Config({"HistoryManager": {"enabled": False}, "InteractiveShell": shell})}


def _count_output(shell: Any, most: int) -> None:
    """An error, in the cell that prints too much: for honest code. The judge counts what comes out for itself.

    And no flush of what is empty: each wakes another thread and waits for it, six times a cell.
    """
    from ipykernel.iostream import OutStream

    plain, plain_flush, left, written = OutStream.write, OutStream.flush, [most], set()

    def write(stream: Any, text: str) -> int | None:
        left[0] -= len(text)
        if left[0] < 0:
            raise OSError(f"printed more than {most // 1_000_000} MB in one cell")
        written.add(stream)
        return plain(stream, text)

    def flush(stream: Any) -> None:
        if stream in written:
            written.discard(stream)
            plain_flush(stream)

    OutStream.write, OutStream.flush = write, flush
    shell.events.register("pre_run_cell", lambda _: left.__setitem__(0, most))


def _start(job: dict[str, Any]) -> int:
    """The process id of the guard of a new kernel, which ends as the kernel does."""
    guard = os.fork()
    if guard:
        return guard
    status = 1
    try:
        walls.call("prctl", 1, signal.SIGKILL, 0, 0, 0) if job["isolate"] else None  # PR_SET_PDEATHSIG
        if job["isolate"]:
            walls.enter(job)
            child = os.fork()
            if child:
                _, status = os.waitpid(child, 0)
                os._exit(os.waitstatus_to_exitcode(status) % 256)
            walls.call("prctl", 1, signal.SIGKILL, 0, 0, 0)
        _kernel(job)
        status = 0
    except BaseException as error:  # nothing may return into the loop of the warm process
        with contextlib.suppress(OSError):
            os.write(2, f"kernel: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def _resident() -> int:
    """Bytes in memory of every process in the sandbox but this one."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, os.getpid()):
            with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/statm") as file:
                _, resident, shared = file.read().split()[:3]
                total += (int(resident) - int(shared)) * resource.getpagesize()
    return total


def _say(**event: Any) -> None:
    os.write(1, (json.dumps(event) + "\n").encode())


def _load(names: Iterable[str]) -> None:
    """Import what a fork shall have; what is not installed here, it does not have either."""
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a fork then shares these pages


def main() -> None:
    """Serve until stdin closes."""
    with without("debugpy"):  # no debugger in a graded kernel: each would take 0.06 s to set one up
        _load(WARM)
    _program()
    importlib.import_module("IPython.core.inputtransformer2").TransformerManager().transform_cell("1\n")  # its patterns
    guard, death, job, why, waiting = 0, -1, {}, None, b""
    _say(event="warm", prefix=sys.prefix, base=sys.base_prefix, library=os.path.dirname(os.__file__), user=os.getuid())
    while True:
        watched = [0] if death < 0 else [0, death]
        if 0 in select.select(watched, [], [], 0.02 if guard else None)[0]:
            piece = os.read(0, 1 << 16)
            if not piece:
                break
            waiting += piece
            *lines, waiting = waiting.split(b"\n")
            for line in lines:
                order = json.loads(line)
                if order["do"] == "load":
                    _load(name for library in order["libraries"] for name in LIBRARIES.get(library, ()))
                    _say(event="loaded")
                elif order["do"] == "start":
                    job, why = order, None
                    guard = _start(job)
                    death = os.pidfd_open(guard) if hasattr(os, "pidfd_open") else -1  # else its end is polled
                elif order["do"] == "kill" and guard:
                    why = order.get("why")
                    _end(guard, job)
        if guard and job["isolate"] and _resident() > job["limits"]["memory"]:
            why = "memory"
            _end(guard, job)
        if guard:
            found, status = os.waitpid(guard, os.WNOHANG)
            if found:
                _end(guard, job)
                _say(event="ended", status=os.waitstatus_to_exitcode(status), why=why)
                guard = 0
                if death >= 0:
                    os.close(death)
                    death = -1
    if guard:
        _end(guard, job)


def _end(guard: int, job: dict[str, Any]) -> None:
    """Kill a kernel: with its namespace everything in it goes, else its session."""
    if not job["isolate"]:
        with contextlib.suppress(OSError):
            os.killpg(guard, signal.SIGKILL)
    elif os.path.isdir("/proc"):
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) not in (1, os.getpid()):
                with contextlib.suppress(OSError):
                    os.kill(int(name), signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(guard, signal.SIGKILL)
    time.sleep(0)


if __name__ == "__main__":
    main()
