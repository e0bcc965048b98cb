"""The stored notebooks are what their text says, and nothing in them trips a reader or nbval. No kernel runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from classroom import published
from classroom.build import stale

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = [path for folder in ("book", "solutions", "exercises") for path in sorted((ROOT / folder).glob("*.ipynb"))]


def test_every_notebook_is_what_its_text_says() -> None:
    found = stale(ROOT)
    if found:
        pytest.fail("\n".join(found), pytrace=False)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_stored_outputs_can_be_compared_and_read(path: Path) -> None:
    notebook = published.read(path)
    problems = published.output_problems(notebook, path.relative_to(ROOT).as_posix())
    assert not problems, "\n".join(problems)
    stored = path.read_text(encoding="utf-8")
    assert published.canonical(notebook) == stored, "not in the stored form; run `make notebooks`"
