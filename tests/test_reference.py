"""The reference: every public name has an entry, with the chapter and the line that it leads to."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import pytest

import memory_lab

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book/_ext"))
import api  # noqa: E402  (the book's own folder, as Sphinx finds it)
import docstrings  # noqa: E402

NO_CALL = {"Message", "WINDOWS"}  # a type and a table: their modules' pages say what they are


@pytest.fixture(scope="module")
def reference() -> dict[str, list[docstrings.Entry]]:
    return {module: docstrings.entries(ROOT, module) for module in api.pages()}


def test_every_public_name_has_an_entry_that_begins_where_it_says(reference) -> None:
    found = {entry.name for entries in reference.values() for entry in entries}
    assert set(memory_lab.__all__) - NO_CALL <= found, set(memory_lab.__all__) - NO_CALL - found
    for entry in (entry for entries in reference.values() for entry in entries):
        line = entry.file.read_text(encoding="utf-8").splitlines()[entry.line - 1]
        assert entry.name in line and line.startswith(("class ", "def ", "async def ")), entry


def test_every_file_of_the_package_is_on_one_page_or_is_somebody_s_part() -> None:
    pages = api.pages()
    homes = {path.stem for path in (ROOT / "memory_lab").iterdir()
             if path.suffix == ".py" or (path / "__init__.py").is_file()} - {"__init__", "cli"}
    missing = homes - {module.split(".")[1] for module in pages}
    assert not missing, f"no {{api}} block in book/api/*.md for {sorted(missing)}"
    for module in pages:
        assert docstrings.module_text(docstrings.module_file(ROOT, module)), f"{module} says nothing of itself"


def test_every_module_leads_to_a_chapter() -> None:
    known = set(range(1, 13))
    for module, page in api.pages().items():
        block = (ROOT / f"{page}.md").read_text(encoding="utf-8").split(f"{{api}} {module}\n")[1].split("```")[0]
        stated = int(block.split(":chapter:")[1])
        named = api.numbers(docstrings.module_text(docstrings.module_file(ROOT, module)))
        assert stated in known and set(named) <= known, module


def test_what_an_entry_says(tmp_path: Path) -> None:
    package = tmp_path / "made"
    package.mkdir()
    (package / "__init__.py").write_text('"""A package."""\nfrom .part import Shown, told\n', encoding="utf-8")
    (package / "part.py").write_text('''"""A part.  Chapter 3."""

from dataclasses import dataclass

LIMIT = 3

def told(words: str, *, times: int = 2) -> str:
    """The words.

    >>> told("a")
    """

async def later() -> None:
    """Nothing yet."""

def _own():
    """Not for others."""

@dataclass(frozen=True)
class Shown:
    """A pair."""
    left: int
    right: int = 0

    @property
    def both(self) -> int:
        """Their sum."""

    def undocumented(self):
        return 1
''', encoding="utf-8")
    shown, said = docstrings.entries(tmp_path, "made")[::-1]
    assert [entry.name for entry in docstrings.entries(tmp_path, "made.part")] == ["told", "later", "Shown"]
    assert docstrings.entries(tmp_path, "made.part")[1].signature == "await later() -> None"
    assert said.signature == "told(words: str, *, times: int = 2) -> str"
    assert shown.signature == "Shown(left: int, right: int = 0)"
    assert [(each.signature, each.text) for each in shown.methods] == [("both: int", "Their sum.")]
    with pytest.raises(FileNotFoundError, match=r"no module made\.gone"):
        docstrings.module_file(tmp_path, "made.gone")


def test_a_docstring_becomes_paragraphs_examples_and_what_is_indented() -> None:
    made = api.blocks("The `value`.\n\nMore of\nit.\n\n    name   what\n    other  it is\n\n>>> 1\n1\n")
    assert [(node.tagname, node.astext()) for node in made] == [
        ("paragraph", "The value."), ("paragraph", "More of it."), ("literal_block", "name   what\nother  it is"),
        ("literal_block", ">>> 1\n1")]
    assert made[0][1].tagname == "literal"
    assert made[-1]["language"] == "pycon"


@pytest.mark.parametrize("module", [api, docstrings], ids=lambda module: module.__name__)
def test_examples_of_the_generator_hold(module) -> None:
    assert doctest.testmod(module) == (0, 1)
