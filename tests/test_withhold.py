"""Withheld modules: every way through the import system is refused, in words."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from classroom import withhold


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a lazy attribute, a module that needs the withheld one, and an innocent one."""
    folder = tmp_path / "toybox"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "import importlib\n"
        "def __getattr__(name):\n"
        "    if name == 'Ball':\n"
        "        return importlib.import_module('toybox.round').Ball\n"
        "    raise AttributeError(name)\n")
    (folder / "round.py").write_text("class Ball: pass\n")
    (folder / "games.py").write_text("from toybox.round import Ball\n")
    (folder / "roundabout.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    withhold.uninstall()
    for name in [name for name in sys.modules if name.partition(".")[0] == "toybox"]:
        del sys.modules[name]


WAYS = ["import toybox.round", "from toybox import round", "from toybox.round import Ball", "from toybox import Ball",
        "import toybox; toybox.Ball", "import toybox.games",
         "import importlib; importlib.import_module('toybox.round')",
        "__import__('toybox.round')", "import importlib.util; importlib.util.find_spec('toybox.round')"]


@pytest.mark.parametrize("loaded_before", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_every_import_is_refused_in_words(package, way: str, loaded_before: bool) -> None:
    if loaded_before:
        importlib.import_module("toybox.games")
    withhold.install("toybox.round")
    with pytest.raises(ImportError, match=r"toybox\.round is withheld in this exercise") as caught:
        exec(way, {})
    assert not isinstance(caught.value, ModuleNotFoundError)


def test_the_rest_of_the_package_stays(package) -> None:
    withhold.install("toybox.round")
    assert importlib.import_module("toybox.roundabout").x == 1
    withhold.uninstall()
    assert importlib.import_module("toybox").Ball


def test_calls_add_up_and_one_fence_stands() -> None:
    before = len(sys.meta_path)
    withhold.install("no_such_one")
    withhold.install("no_such_two")
    try:
        assert len(sys.meta_path) == before + 1
        for name in ("no_such_one", "no_such_two.deeper"):
            with pytest.raises(withhold.WithheldError):
                importlib.import_module(name)
    finally:
        withhold.uninstall()


@pytest.mark.parametrize("name", ["", "a b", "../x", "toybox."])
def test_a_wrong_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a module's name"):
        withhold.install(name)


def test_a_module_can_be_run_behind_the_fence(package) -> None:
    (package / "student.py").write_text("import sys\nprint(sys.argv[1:])\ntry:\n    import toybox.round\n"
                                        "except ImportError as error:\n    print(error)\n")
    done = subprocess.run([sys.executable, "-m", "classroom.withhold", "student", "-f", "x"], capture_output=True,
     text=True,
                          cwd=package, env=os.environ | {"CLASSROOM_WITHHOLD": "statistics, toybox.round"}, check=True)
    assert done.stdout.startswith("['-f', 'x']\ntoybox.round is withheld")
