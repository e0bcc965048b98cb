"""Kernels forked from one warm process, each in namespaces and limits of its own. Runs inside the sandbox.

    python -m classroom.zygote        (started by sandbox.py; talks JSON lines over stdin and stdout)

Starting a kernel costs 0.4 s of imports; a fork of a process that has them costs 0.02 s. The warm process holds
libraries alone, nothing of the course and nothing of a student, so a fork begins where a fresh process would. Each fork
takes a user, mount, process, network and IPC namespace of its own, fresh /tmp and home, the limits, and no
capabilities, before a line of a student's code is read. When its first process ends, the kernel kills the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any

WARM = ("ipykernel.kernelapp", "ipykernel.inprocess.ipkernel", "matplotlib.pyplot", "matplotlib_inline.backend_inline",
        "numpy", "openai", "tiktoken", "regex", "opencc", "snowballstemmer", "tqdm")
_NEW_MOUNTS, _NEW_UTS, _NEW_IPC, _NEW_USER, _NEW_PIDS, _NEW_NET = (
    0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
_BIND, _REMOUNT_RO, _NO_SUID, _NO_DEVICES = 0x1000, 0x1000 | 0x20 | 0x1, 0x2, 0x4
_LIBC = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: Any) -> None:
    if getattr(_LIBC, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}{arguments}: {os.strerror(code)}")


def _mount(kind: str, source: str, target: str, flags: int = 0, options: str = "") -> None:
    _call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())


def _bind(source: str, target: str) -> None:
    _mount("", source, target, _BIND)
    _mount("", source, target, _REMOUNT_RO | _NO_SUID | _NO_DEVICES)


def _enter(job: dict[str, Any]) -> None:
    """New namespaces; the caller's next fork is the first process in them."""
    user, group = os.getuid(), os.getgid()
    _call("unshare", _NEW_USER | _NEW_MOUNTS | _NEW_PIDS | _NEW_NET | _NEW_IPC | _NEW_UTS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _furnish(job: dict[str, Any]) -> None:
    """The file system of one kernel: its own sockets, the course without what is withheld, fresh folders."""
    _mount("proc", "proc", "/proc", _NO_SUID | _NO_DEVICES)
    with open("/proc/sys/user/max_user_namespaces", "w") as file:
        file.write("0")  # no further namespaces, hence no capabilities, for the student
    _mount("", job["sockets"], "/connection", _BIND)
    for source, target in job["binds"]:
        _bind(source, target)
    size = f"size={job['limits']['disk']},nr_inodes=4000,mode=777"
    needed = [sys.prefix, sys.base_prefix, __file__, *(target for _, target in job["binds"])]
    for folder in ("/stage", "/tmp", "/home", "/dev/shm"):
        if not any(path.startswith(f"{folder}/") for path in needed):
            _mount("tmpfs", "tmpfs", folder, _NO_SUID | _NO_DEVICES, size)
        elif os.path.ismount(folder):  # the course or Python lies below it: it cannot be covered, so nobody may write
            _mount("", "", folder, _REMOUNT_RO | _NO_SUID | _NO_DEVICES)


def _limit(limits: dict[str, int]) -> None:
    """Limits that a process cannot raise again, for it and its children."""
    wanted = {"RLIMIT_AS": limits["memory"], "RLIMIT_CPU": limits["cpu"], "RLIMIT_FSIZE": limits["file"],
              "RLIMIT_NPROC": limits["processes"], "RLIMIT_NOFILE": 256, "RLIMIT_CORE": 0}
    for name, value in wanted.items():
        if name == "RLIMIT_NPROC" and not limits["own_user"]:
            continue  # it would count the teacher's other processes
        hard = resource.getrlimit(getattr(resource, name))[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS knows some of them by name alone
            resource.setrlimit(getattr(resource, name), (value, value))


def _drop_capabilities() -> None:
    for number in range(64):
        _LIBC.prctl(24, number, 0, 0, 0)  # PR_CAPBSET_DROP
    _call("prctl", 38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    _LIBC.prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT_CLEAR_ALL
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    _call("capset", header, none)


def _kernel(job: dict[str, Any]) -> None:
    """Run a kernel; never returns."""
    if job["isolate"]:
        _furnish(job)
        _drop_capabilities()
    os.setsid()
    _limit(job["limits"])
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
    from ipykernel.kernelapp import IPKernelApp

    gc.unfreeze()
    sys.argv = ["kernel"]
    app = IPKernelApp.instance()
    app.initialize(["-f", os.path.join(os.environ["HOME"], "connection.json"), "--IPKernelApp.log_level=50",
                    "--HistoryManager.enabled=False", "--InteractiveShell.xmode=Minimal",
                    "--InteractiveShell.colors=nocolor"])
    _count_output(app.shell, job["limits"]["output"])
    app.start()


def _count_output(shell: Any, most: int) -> None:
    """An error, in the cell that prints too much: for honest code. The judge counts what comes out for itself."""
    from ipykernel.iostream import OutStream

    plain, left = OutStream.write, [most]

    def write(stream: Any, text: str) -> int | None:
        left[0] -= len(text)
        if left[0] < 0:
            raise OSError(f"printed more than {most // 1_000_000} MB in one cell")
        return plain(stream, text)

    OutStream.write = write
    shell.events.register("pre_run_cell", lambda _: left.__setitem__(0, most))


def _start(job: dict[str, Any]) -> int:
    """The process id of the guard of a new kernel, which ends as the kernel does."""
    guard = os.fork()
    if guard:
        return guard
    status = 1
    try:
        _call("prctl", 1, signal.SIGKILL, 0, 0, 0) if job["isolate"] else None  # PR_SET_PDEATHSIG
        if job["isolate"]:
            _enter(job)
            child = os.fork()
            if child:
                _, status = os.waitpid(child, 0)
                os._exit(os.waitstatus_to_exitcode(status) % 256)
            _call("prctl", 1, signal.SIGKILL, 0, 0, 0)
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


def main() -> None:
    """Serve until stdin closes."""
    for name in WARM:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a fork then shares these pages
    guard, job, why, waiting = 0, {}, None, b""
    _say(event="warm", prefix=sys.prefix, base=sys.base_prefix, library=os.path.dirname(os.__file__), user=os.getuid())
    while True:
        ready = select.select([0], [], [], 0.02 if guard else None)[0]
        if ready:
            piece = os.read(0, 1 << 16)
            if not piece:
                break
            waiting += piece
            *lines, waiting = waiting.split(b"\n")
            for line in lines:
                order = json.loads(line)
                if order["do"] == "start":
                    job, why = order, None
                    guard = _start(job)
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
