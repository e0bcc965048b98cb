"""A process kept ready for one notebook: what stands before the first answer has run in it already.

    with Ready(folder) as ready:
        runs = ready.run(cells, begin=3)      the first time half a second, then some hundredths
        runs = ready.run(cells, begin=3)

For the reader's own code, with the reader's own rights: no sandbox (fast.py says so too).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from classroom.execute import environment
from classroom.fast import LOST, Run


class Ready:
    """Runs lists of cells in `folder`, each list in a fork. seconds: for one run."""

    def __init__(self, folder: Path, *, seconds: float = 30):
        self.folder, self.seconds = folder, seconds
        self._scratch = tempfile.TemporaryDirectory(prefix="classroom-")
        self._begun: list[str] | None = None
        self._start()

    def __enter__(self) -> Ready:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, cells: Sequence[str], begin: int) -> list[Run]:
        """What each cell did (fast.py), errors explained (explain.py). begin: how many may be run ahead and kept.

        A process that was lost, or that began otherwise, is replaced. Raises RuntimeError if it ends again at once.
        """
        if self._begun not in (None, list(cells[:begin])) or self._process.poll() is not None:
            self._stop()
            self._start()
        self._begun = list(cells[:begin])
        job = {"variants": [list(cells)], "seeds": [0], "timeout": self.seconds, "begin": begin, "explain": True}
        answer = self._ask(job)
        if answer is None:
            self._stop()
            self._start()
            return [{"ok": False, "error": LOST, "outputs": []} for _ in cells]
        return answer[0]

    def _ask(self, job: dict[str, Any]) -> Any:
        """The answer, or None if it does not come: the process ended, or a fork outlived its alarm."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
        waited = 2 * self.seconds + 5  # once for what is run ahead, once for the fork
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self._process.stdout], [], [], waited)[0]:
                return None
            piece = os.read(self._process.stdout.fileno(), 1 << 16)
            if not piece:
                return None
            line += piece
        return json.loads(line)

    def _start(self) -> None:
        self._begun = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "classroom.fast"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, cwd=self.folder, env=environment(self._scratch.name), start_new_session=True)

    def _stop(self) -> None:
        """End it and all that it started (the group is its own)."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def close(self) -> None:
        """Nothing is left behind."""
        self._stop()
        self._scratch.cleanup()
