"""Saves are seen, whatever way the editor saves."""

from __future__ import annotations

import os
from pathlib import Path

from classroom.watch import saves


def test_each_save_is_seen_once(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text("1")
    seen = saves(path, pause=0.001)
    assert next(seen) is None
    path.write_text("22")
    assert next(seen) is None
    other = tmp_path / "draft"
    other.write_text("33")
    os.replace(other, path)
    assert next(seen) is None


def test_a_file_that_is_away_for_a_moment_is_waited_for(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text("1")
    seen, steps = saves(path, pause=0), [path.unlink, lambda: None, lambda: path.write_text("22")]
    next(seen)
    monkeypatch.setattr("classroom.watch.time.sleep", lambda _: steps.pop(0)())
    assert next(seen) is None
    assert not steps
