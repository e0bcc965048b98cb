"""A notebook run in a fresh kernel that knows nothing of the machine it runs on.

The kernel gets a short list of environment variables and no others: no API key, no user profile, no time zone, no
locale, no random hash seed. Figures are the same bytes each time: matplotlib reads its settings from an almost empty
file of ours (SVG ids need a fixed salt), and SOURCE_DATE_EPOCH stands for the date in a file.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from classroom.errors import CourseError

if TYPE_CHECKING:
    from nbformat import NotebookNode

TIMEOUT = 120
_KEPT = ("PATH", "HOME", "VIRTUAL_ENV", "PYTHONPATH", "LD_LIBRARY_PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
_FIXED = {
    "TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": "0",
    "NO_COLOR": "1", "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}
_MATPLOTLIBRC = "svg.hashsalt: classroom\n"


def environment(scratch: str | Path, *, seed: int = 0) -> dict[str, str]:
    """The environment of a kernel.

    scratch: an empty folder for the files of IPython and matplotlib.  seed: what hidden checks draw their inputs from.
    """
    settings = Path(scratch) / "matplotlibrc"
    settings.write_text(_MATPLOTLIBRC, encoding="utf-8")
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    ours = {"CLASSROOM_SEED": str(seed), "IPYTHONDIR": str(scratch), "MATPLOTLIBRC": str(settings)}
    return kept | _FIXED | ours


async def execute(notebook: NotebookNode, folder: Path, name: str, *, seed: int = 0, timeout: int = TIMEOUT) -> None:
    """Nothing; the notebook's outputs and execution counts are those of a run in `folder`.

    timeout: seconds per cell.  Raises CourseError, naming the cell and the error, for a cell that raises (unless tagged
    raises-exception), takes too long or ends its kernel.  Cost: about a second for the kernel, then the cells.
    """
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell["outputs"], cell["execution_count"] = [], None
    client = NotebookClient(notebook, timeout=timeout, kernel_name="python3", record_timing=False,
                            coalesce_streams=True, resources={"metadata": {"path": str(folder)}},
                            extra_arguments=["--IPKernelApp.log_level=ERROR"])
    with tempfile.TemporaryDirectory(prefix="classroom-") as scratch:
        try:
            await client.async_execute(env=environment(scratch, seed=seed))
        except CellExecutionError as error:
            raise CourseError([f"{name}: {_where(notebook)}: {error.ename}: {error.evalue}"]) from error
        except CellTimeoutError as error:
            raise CourseError([f"{name}: {_where(notebook)}: ran longer than {timeout} seconds"]) from error
        except DeadKernelError as error:
            raise CourseError([f"{name}: {_where(notebook)}: the kernel died"]) from error
        except NoSuchKernel as error:
            raise CourseError([f"{name}: no kernel named python3; install ipykernel in this environment"]) from error


def _where(notebook: NotebookNode) -> str:
    """The cell that was running: the last one with a count, or the first without."""
    code = [(n, cell) for n, cell in enumerate(notebook.cells) if cell.cell_type == "code" and cell.source.strip()]
    done = [pair for pair in code if pair[1].execution_count is not None or pair[1].outputs]
    index, cell = (done or code)[-1 if done else 0]
    name = cell.metadata.get("memory_lab", {}).get("id")
    return name or f"cell {index + 1} ({cell.source.strip().splitlines()[0][:60]})"
