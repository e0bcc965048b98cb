"""The book as one PDF: every page of it is there, its words can be read out and copied, in Chinese too."""

from __future__ import annotations

import json
import re
import shutil
import sys

import pytest
import yaml
from book_site import FOLDERS, ROOT, toc_pages

sys.path.insert(0, str(ROOT / "tools"))
import pdf as tool

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("pdf")]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """What `make pdf` makes, from a copy."""
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed (make test-long does)")
    if not any(map(shutil.which, tool.BROWSERS)):
        pytest.skip("no Chromium here to print with (Debian: apt-get install chromium)")
    source = tmp_path_factory.mktemp("book")
    for folder in (*FOLDERS, "tools"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, source)
    out = source / "_build/memory-lab.pdf"
    done = tool.subprocess.run([sys.executable, str(source / "tools/pdf.py")], capture_output=True, text=True,
                               check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return pypdf.PdfReader(out)


@pytest.fixture(scope="module")
def chapters(book) -> list[tuple[str, int]]:
    """Title and first page of each page of the book, from the outline."""
    top = next(each for each in book.outline if isinstance(each, list))
    return [(" ".join(each.title.split()), book.get_destination_page_number(each)) for each in top
            if not isinstance(each, list)]


def title(name: str) -> str:
    path = ROOT / f"{name}.ipynb"
    text = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]) if path.exists() else (
        (ROOT / f"{name}.md").read_text(encoding="utf-8"))
    return next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# ")


def words(text: str) -> str:
    return "".join(each for each in text if each.isalnum())


def test_it_is_a4_tagged_and_has_every_page_of_the_book_in_its_outline(book, chapters) -> None:
    assert 200 < len(book.pages) < 1000
    assert {(round(float(page.mediabox.width)), round(float(page.mediabox.height))) for page in book.pages} == {
        (595, 842)}
    root = book.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] and "/StructTreeRoot" in root
    assert str(root["/Lang"]) == "en"
    listed = [words(text) for text, _ in chapters]
    names = [name for name in toc_pages()[1:] if "/api/" not in name]
    assert len(names) > 30
    missing = [name for name in names if words(title(name)) not in listed]
    assert not missing, f"not in the outline: {missing}"


def test_first_and_last_chapter_an_exercise_and_its_solution_can_be_read_out(book, chapters) -> None:
    starts = sorted(page for _, page in chapters)
    numbered = sorted(name for name in toc_pages() if name.startswith("book/") and name[5:7].isdigit())
    for name in (numbered[0], numbered[-1], "exercises/01_truncation"):
        first = next(page for text, page in chapters if words(text) == words(title(name)))
        last = next((page for page in starts if page > first), len(book.pages))
        text = " ".join(page.extract_text() for page in book.pages[first:last])
        assert len(text.split()) > 500, f"{name}, pages {first + 1} to {last}"
        assert words(title(name)) in words(text)
        if name == numbered[0]:
            assert "theordernumberis4821937" in words(text)
    solved = [page for text, page in chapters if words(text) == words(title("solutions/01_truncation"))][-1]
    assert any("def " in page.extract_text() for page in book.pages[solved:solved + 12])


def test_all_languages_can_be_copied_and_questions_are_open(book, chapters) -> None:
    first = next(page for text, page in chapters if text.startswith("Truncation"))
    text = " ".join(page.extract_text() for page in book.pages[first:first + 12])
    for language, said in yaml.safe_load((ROOT / "book/dialogues.yml").read_text(encoding="utf-8"))["lamp"].items():
        assert language == "en" or words(said[4]) in words(text), f"the conversation is not there in {language}"
    chapter = (ROOT / "book/_src/01_truncation.md").read_text(encoding="utf-8")
    answer = re.search(r"^`{3,}\{dropdown\}.*\n\s*(.{40})", chapter, re.MULTILINE)[1]
    assert words(answer) in words(text)
