"""The walls around a student's code: a bubblewrap command with what a kernel needs, read-only, and nothing else.

Outside in: an unprivileged user (where we are root), a root folder of its own, no network, no other process; then
zygote.py adds, per kernel, the same namespaces again and the limits. `layers()` says which of them hold here. What does
not hold is left out and recorded; `--require-isolation` refuses instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

LIMITS = {"memory": 2 << 30, "cpu": 120, "file": 32 << 20, "disk": 64 << 20, "processes": 64, "output": 5_000_000}
SHARED = ("__init__.py", "withhold.py", "errors.py", "lean.py", "walls.py", "wire.py", "zygote.py")  # seen by students
_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/lib32", "/sbin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")
_FIRST_USER = 64000
_WORDS = {
    "namespaces": "no network, no other process, files read-only and only those that a kernel needs (bubblewrap)",
    "user": "an unprivileged user of its own",
    "limits": "memory, CPU time, file size and time on the wall",
    "processes": "number of processes",
}


@cache
def layers() -> dict[str, bool]:
    """Which walls hold on this machine, by name. Measured: the command is run once. Cost: some hundredths of a second.
    """
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    boxed = False
    if sys.platform == "linux" and shutil.which("bwrap"):
        probe = ("import ctypes, os, sys; sys.exit(ctypes.CDLL(None).unshare(0x10000000)"
                 " or os.path.exists('/proc/1/root/work'))")
        try:
            with Stage.temporary() as stage:
                done = subprocess.run(stage.command(probe, slot=0), capture_output=True, check=False, timeout=20)
            boxed = done.returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            boxed = False
    user = boxed or not root
    return {"namespaces": boxed, "user": user, "limits": os.name == "posix", "processes": boxed}


def describe(found: dict[str, bool]) -> list[str]:
    """One line per wall: whether it holds."""
    return [f"{'holds' if found[name] else 'MISSING'}  {name}: {text}" for name, text in _WORDS.items()]


def _interpreter() -> list[Path]:
    """The folders that this Python needs: its environment and the installation behind it."""
    found = [Path(sys.base_prefix), Path(sys.prefix), Path(os.path.realpath(sys.executable)).parent.parent]
    return [path for n, path in enumerate(found) if path not in found[:n] and not path.is_relative_to("/usr")]


@dataclass
class Stage:
    """A folder that holds what kernels see. course: package name -> its folder in the sandbox."""

    folder: Path
    binds: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    packages: dict[str, Path] = field(default_factory=dict)

    @staticmethod
    def temporary() -> _Temporary:
        return _Temporary()

    def prepare(self, exercises: dict[str, list[str]], packages: tuple[str, ...] = ("memory_lab",),
                data: Path | None = None) -> None:
        """Nothing; copies of the packages without the withheld modules, one per exercise.

        exercises: slug -> names of withheld modules.  data: a folder whose files go beside the notebook.
        """
        here = Path(__file__).parent
        tools = self.folder / "classroom"
        tools.mkdir(parents=True)
        for name in SHARED:
            if (here / name).exists():
                shutil.copy(here / name, tools / name)
        _compile(tools)
        self.packages["classroom"] = here
        for package in packages:
            spec = importlib.util.find_spec(package)
            if spec is not None and spec.submodule_search_locations:
                self.packages[package] = Path(next(iter(spec.submodule_search_locations))).resolve()
        for slug, withheld in exercises.items():
            self.binds[slug] = []
            for package, home in self.packages.items():
                if package != "classroom":
                    copy = self.folder / slug / package
                    shutil.copytree(home, copy, ignore=_without_source)  # compiled files too, and their dates
                    _compile(copy)
                    self.binds[slug].append((str(copy), str(home)))
            self._withhold(slug, withheld)
            files = self.folder / slug / "data"
            files.mkdir(parents=True, exist_ok=True)
            if data is not None and data.is_dir():
                for path in data.iterdir():
                    if path.is_file() and path.suffix not in (".ipynb", ".md") and not path.is_symlink():
                        shutil.copy(path, files / path.name)
                    elif path.is_dir() and path.name == "data":
                        shutil.copytree(path, files / "data")
        for path in [self.folder, *self.folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)

    def _withhold(self, slug: str, names: list[str]) -> None:
        """Take the files of withheld modules away: out of our copy, or a stand-in before any other file."""
        stand_in = self.folder / slug / "withheld.py"
        stand_in.parent.mkdir(parents=True, exist_ok=True)
        stand_in.write_text('raise ImportError("withheld in this exercise: it holds what you are asked to write")\n')
        for name in names:
            top, *rest = name.split(".")
            if top in self.packages and rest:
                target = self.folder.joinpath(slug, top, *rest)
                shutil.rmtree(target, ignore_errors=True)
                target.with_suffix(".py").unlink(missing_ok=True)
                for stale in target.parent.glob(f"__pycache__/{target.name}.*"):
                    stale.unlink()
                continue
            try:
                spec = importlib.util.find_spec(name)
            except (ImportError, ValueError):
                spec = None
            for path in (spec.origin, spec.cached) if spec else ():
                if path and Path(path).is_file():
                    self.binds[slug].append((str(stand_in), path))

    def sockets(self, slot: int, number: int) -> Path:
        """A new folder for the sockets of one kernel, which its user may write."""
        folder = self.folder / "s" / f"{slot}-{number}"
        folder.mkdir(parents=True)
        if os.geteuid() == 0 and layers()["namespaces"]:
            os.chown(folder, _FIRST_USER + slot, _FIRST_USER + slot)
        return folder

    def command(self, program: str | None = None, *, slot: int) -> list[str]:
        """What to run: zygote.py in the sandbox, or a line of Python there. slot: 0, 1, ... one user each."""
        python = [sys.executable, "-I", "-c", program] if program else [sys.executable, "-m", "classroom.zygote"]
        root = os.geteuid() == 0
        bound: list[tuple[str, str]] = [(str(path), str(path)) for path in _interpreter()]
        bound += [(str(self.folder / "classroom"), str(self.packages["classroom"]))] if self.packages else []
        bound += next(iter(self.binds.values()), [])[: len(self.packages) - 1] if self.packages else []
        command, script = [], ""
        if root:  # the user that we become may not read below /root: bind what it needs where it can
            moved = []
            for number, (source, target) in enumerate(bound):
                place = f"{self.folder}/b/{number}"
                os.makedirs(place, exist_ok=True)
                script += f'mount --bind "${2 * number + 1}" "${2 * number + 2}" && '
                command += [source, place]
                moved.append((place, target))
            bound = moved
            user = str(_FIRST_USER + slot)
            command = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
                       f'{script}shift {len(command)} && exec "$@"', "sh", *command,
                       "setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
        command += ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
        for path in _SYSTEM:
            if os.path.islink(path):
                command += ["--symlink", os.readlink(path), path]
            elif os.path.exists(path):
                command += ["--ro-bind", path, path]
        command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        for name in ("/home", "/connection", "/data"):
            command += ["--dir", name]
        for source, target in bound:
            command += ["--ro-bind", source, target]
        if self.packages:
            command += ["--bind", str(self.folder), "/stage"]
        for name in ("/dev", "/"):  # what one student writes the next must not find
            command += ["--remount-ro", name]
        for name, value in warm_environment().items():
            command += ["--setenv", name, value]
        return [*command, "--chdir", "/", *python]


class _Temporary:
    """An empty stage, gone afterwards."""

    def __enter__(self) -> Stage:
        import tempfile

        self.folder = Path(tempfile.mkdtemp(prefix="cr-"))
        self.folder.chmod(0o755)
        return Stage(self.folder)

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _without_source(folder: str, names: list[str]) -> list[str]:
    """Compiled files of modules that are no longer there."""
    here = Path(folder)
    return [name for name in names if here.name == "__pycache__"
            and not (here.parent / name).with_suffix("").with_suffix(".py").exists()]


def _compile(folder: Path) -> None:
    import compileall

    compileall.compile_dir(folder, quiet=2)


def warm_environment() -> dict[str, str]:
    """The environment of the warm process: nothing of the teacher's."""
    return {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0", "LANG": "C.UTF-8", "MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1"}
