"""The walls of one kernel, put up by its own first processes: namespaces, file system, limits, no capabilities.

Seen by a student, and of no use to one: nothing here can take a wall away.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from typing import Any

_NEW_MOUNTS, _NEW_UTS, _NEW_IPC, _NEW_USER, _NEW_PIDS, _NEW_NET = (
    0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
_BIND, _REMOUNT_RO, _NO_SUID, _NO_DEVICES = 0x1000, 0x1000 | 0x20 | 0x1, 0x2, 0x4
_LIBC = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: Any) -> None:
    """Calls a function of the C library.  Raises OSError with its name and its errno where it does not return 0."""
    if getattr(_LIBC, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}{arguments}: {os.strerror(code)}")


def _mount(kind: str, source: str, target: str, flags: int = 0, options: str = "") -> None:
    call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())


def _bind(source: str, target: str) -> None:
    _mount("", source, target, _BIND)
    _mount("", source, target, _REMOUNT_RO | _NO_SUID | _NO_DEVICES)


def enter(job: dict[str, Any]) -> None:
    """New namespaces; the caller's next fork is the first process in them."""
    user, group = os.getuid(), os.getgid()
    call("unshare", _NEW_USER | _NEW_MOUNTS | _NEW_PIDS | _NEW_NET | _NEW_IPC | _NEW_UTS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def furnish(job: dict[str, Any]) -> None:
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


def limit(limits: dict[str, int]) -> None:
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


def drop_capabilities() -> None:
    """No capability is left to this process and its children, and none can be had again.  Raises OSError."""
    for number in range(64):
        _LIBC.prctl(24, number, 0, 0, 0)  # PR_CAPBSET_DROP
    call("prctl", 38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    _LIBC.prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT_CLEAR_ALL
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call("capset", header, none)
