"""The export that the replay's bench is measured on: the same each time, and a ChatGPT export like any other."""

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from memory_lab import logs

BENCH = Path(__file__).resolve().parents[1] / "bench"
SPEC = spec_from_file_location("bench_replay", BENCH / "replay.py")  # bench/ is a folder of scripts, not a package
bench = module_from_spec(SPEC)
SPEC.loader.exec_module(bench)


def test_the_export_is_the_same_for_a_seed_and_reads_as_one(tmp_path):
    number = bench.write(tmp_path / "a.json", 60_000)
    assert bench.write(tmp_path / "b.json", 60_000) == number
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    talks = logs.load(tmp_path / "a.json")
    assert {talk.format for talk in talks} == {"ChatGPT export"} and len(talks) == number > 1
    assert all(len(talk.messages) % 2 == 0 and not talk.unknown for talk in talks)


def test_the_stored_result_is_of_the_whole_export():
    stored = json.loads((BENCH / "results" / "replay.json").read_text())
    assert stored["bytes"] >= 50_000_000 and stored["peak_mb"] < stored["bars"]["peak_mb"]


@pytest.mark.long
def test_the_bench_measures_all_processes():
    done = subprocess.run([sys.executable, BENCH / "replay.py", "--quick"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["peak_mb"] > 150 and found["cpu_seconds"] > 1 and found["conversations"] > 10
