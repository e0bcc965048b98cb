"""The package as its users meet it: light to import, sorted names, files that can be copied."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import memory_lab

PACKAGE = Path(memory_lab.__file__).parent
HEAVY = {"openai", "matplotlib", "numpy", "tiktoken", "regex", "opencc", "pandas", "sklearn", "snowballstemmer"}
COPIED = sorted(path for path in [*PACKAGE.glob("*.py"), PACKAGE / "facts/memory.py"]
                if "Copy with:" in path.read_text(encoding="utf-8"))


def test_import_is_light():
    code = "import sys, memory_lab; print(' '.join(name for name in sys.modules if '.' not in name))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(run.stdout.split())


def test_all_is_sorted_and_true():
    assert memory_lab.__all__ == sorted(set(memory_lab.__all__))
    for name in memory_lab.__all__:
        assert getattr(memory_lab, name) is not None
        assert name in dir(memory_lab)
    with pytest.raises(AttributeError, match="no_such"):
        memory_lab.no_such  # noqa: B018


def test_each_public_name_is_documented():
    for name in memory_lab.__all__:
        item = getattr(memory_lab, name)
        if callable(item) and hasattr(item, "__module__") and item.__module__.startswith("memory_lab"):
            assert item.__doc__, name


BASE = ["errors.py", "messages.py", "tokens.py", "outline.py", "memory.py"]


def siblings(path):
    """The files that a header names; "the base" stands for the five that every strategy needs."""
    listed = re.search(r"Copy with: (.*?)(?:Needs:|\n\n|\"\"\")", path.read_text(encoding="utf-8"), re.DOTALL).group(1)
    return [*(BASE if "base" in listed else []), *re.findall(r"\w+\.py", listed),
            *(f"{folder}/" for folder in re.findall(r"folder (\w+)/", listed))]


@pytest.mark.parametrize("path", COPIED, ids=lambda path: path.name)
def test_a_file_can_be_copied_with_the_siblings_that_it_names(path, tmp_path):
    names = siblings(path)
    own = {name for name in names if name.endswith(".py")} - set(BASE)
    assert len(own) <= (6 if path.stem == "layered" else 4), own  # the layers are made of the other strategies
    target = tmp_path / "my_service"
    target.mkdir()
    (target / "__init__.py").touch()
    for name in {*([path.name] if path.parent == PACKAGE else []), *names}:
        (shutil.copytree if name.endswith("/") else shutil.copy)(PACKAGE / name, target / name)
    dotted = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    module = importlib.import_module(f"memory_lab.{dotted}")
    strategies = [name for name, item in vars(module).items()
                  if isinstance(item, type) and issubclass(item, memory_lab.BaseMemory)
                  and item is not memory_lab.BaseMemory and name in memory_lab.__all__
                  and item.__module__ == module.__name__]
    code = f"""
import sys
for name in ("openai", "matplotlib", "memory_lab"):
    sys.modules[name] = None  # importing it would raise
import my_service.{dotted} as module
for name in {strategies!r}:
    memory = getattr(module, name)("Be brief.")
    for turn in range(30):
        memory.add({{"role": "user", "content": f"My order is {{turn}}."}})
        assert memory.messages()[-1]["content"] == f"My order is {{turn}}."
        memory.add({{"role": "assistant", "content": "Noted."}})
    print(name, len(memory.messages()))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == len(strategies)
