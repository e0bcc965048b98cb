"""What bench/grading.py stored: it measures what the bars ask, and its page says which of them it misses."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from statistics import median

import pytest
from packaging.requirements import Requirement

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.fixture(scope="module")
def grading():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))
        yield import_module("grading")
    for name in ("grading", "grading_course"):
        sys.modules.pop(name)


@pytest.fixture(scope="module")
def stored() -> dict:
    return json.loads((BENCH / "results/grading.json").read_text(encoding="utf-8"))


def test_stored_figures_are_what_the_bars_ask_for(grading, stored) -> None:
    assert stored["bars"] == grading.BARS
    assert stored["submissions"] == 20 and all(stored["walls"].values())
    own = stored["seconds"][grading.OURS]
    for name, values in stored["seconds"].items():
        assert len(values) == stored["rounds"]
        ratio = median(a / b for a, b in zip(values, own, strict=True))
        assert stored["ratios"][name] == pytest.approx(ratio, abs=0.01)


def test_the_bars_hold_in_the_stored_run(grading, stored) -> None:
    for name, least in grading.BARS.items():
        assert stored["ratios"][name] >= least, f"{name} takes {stored['ratios'][name]} times our seconds"


def test_stored_page_says_what_the_figures_say(grading, stored) -> None:
    assert (BENCH / "results/grading.md").read_text(encoding="utf-8") == grading.markdown(stored)


def test_a_missed_bar_is_said_and_no_other(grading, stored) -> None:
    assert "1e+06 MISSED" in grading.markdown(stored | {"bars": {grading.NBGRADER: 10**6}})
    assert "MISSED" not in grading.markdown(stored | {"bars": {grading.NBGRADER: 0.1}})


def test_the_version_is_the_pinned_one(stored) -> None:
    line = (BENCH / "grading-requirements.txt").read_text(encoding="utf-8").splitlines()[-1]
    pin = Requirement(line.split("#")[0].strip())
    assert str(pin.specifier) == f"=={stored['machine']['versions'][pin.name]}"
