"""The quick check and nbval: the same verdict on every cell, right answers and wrong ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from classroom.ready import Ready
from classroom.verdict import check
from tests import mutants

SLUGS = [f"{path.stem}" for path in sorted((mutants.ROOT / "exercises").glob("[0-9][0-9]_*.ipynb"))]
QUICK = ("what came in", "prints", "no Python")


def nbval(folder: Path) -> dict[str, list[bool]]:
    """What plain `pytest --nbval` says of each code cell, by notebook."""
    report = folder / "report.xml"
    names = sorted(path.name for path in folder.glob("*.ipynb"))
    # a cell that never ends would hold nbval for 2,000 seconds
    words = ["--nbval", "--nbval-cell-timeout=30", "-q"]
    subprocess.run([sys.executable, "-m", "pytest", *words, "-c", os.devnull, f"--rootdir={folder}", "-p",
                    "no:cacheprovider", f"--junitxml={report}", *names], cwd=folder, check=False, capture_output=True)
    found: dict[str, list[bool]] = {Path(name).stem: [] for name in names}
    for case in ElementTree.parse(report).iter("testcase"):
        stem = next(stem for stem in found if stem in case.get("classname", ""))
        found[stem].append(not any(child.tag in ("failure", "error", "skipped") for child in case))
    return found


def compare(folder: Path, slug: str, variants: dict[str, dict[str, str]]) -> tuple[int, int, int]:
    """(cells compared, checks failed, variants that pass all), after both agreed on each cell."""
    for number, answers in enumerate(variants.values()):
        text = json.dumps(mutants.filled(slug, answers))
        (folder / f"v{number:02d}.ipynb").write_text(text, encoding="utf-8")
    reference = nbval(folder)
    (folder / "exercises").mkdir()
    cells = failed = passing = 0
    with Ready(folder) as ready:
        for number, name in enumerate(variants):
            body = mutants.filled(slug, variants[name])
            path = folder / "exercises" / f"{slug}.ipynb"
            path.write_text(json.dumps(mutants.exercise(slug)), encoding="utf-8")
            check(path, ready)  # as a reader would, before the first answer: it keeps the exercise as shipped
            path.write_text(json.dumps(body), encoding="utf-8")
            verdict = check(path, ready)
            ids = [cell["id"] for cell in body["cells"] if cell["cell_type"] == "code"]
            theirs = dict(zip(ids, reference[f"v{number:02d}"], strict=True))
            reached = next((n for n, cell in enumerate(ids) if cell in verdict.lost), len(ids)) + 1
            for cell in ids[:reached]:  # nbval goes on behind a cell that never ended, and counts nothing there
                assert verdict.cells[cell] == theirs[cell], f"{slug}, {name}, {cell}"
            assert verdict.done == all(theirs.values()), f"{slug}, {name}"
            cells, failed, passing = (cells + len(ids), failed + sum(not ok for ok in theirs.values()),
                                      passing + verdict.done)
    return cells, failed, passing


@pytest.mark.parametrize("slug", SLUGS[:1])
def test_agrees_with_nbval(tmp_path: Path, slug: str) -> None:
    known = dict(mutants.wrong(slug))
    variants = {"right": mutants.solutions(slug)} | {name: known[name] for name in QUICK}
    assert compare(tmp_path, slug, variants)[2] == 1


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_agrees_with_nbval_on_every_wrong_answer(tmp_path: Path, slug: str) -> None:
    cells, failed, passing = compare(tmp_path, slug, {"right": mutants.solutions(slug)} | dict(mutants.wrong(slug)))
    print(f"{slug}: {cells} cells, {failed} failed, {passing} notebooks pass")
    assert passing >= 1
