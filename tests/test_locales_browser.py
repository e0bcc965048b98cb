"""The book in all its languages, built with warnings as errors, and searched and walked through in a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from book_site import ROOT, visit

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("locales")]
TRANSLATED = ("book/intro", "book/01_truncation", "book/05_summary", "book/07_facts")
NOTES = {"zh_TW": "本頁尚未翻譯", "es": "aún no está traducida"}


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """_build/html of `make book-all`, from a copy."""
    source = tmp_path_factory.mktemp("books")
    for folder in ("book", "exercises", "solutions", "memory_lab", "tools"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_*"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, source)
    done = subprocess.run([sys.executable, str(source / "tools/locales.py"), "all"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return source / "_build/html"


def text(books: Path, page: str) -> str:
    return (books / f"{page}.html").read_text(encoding="utf-8")


def prose(html: str) -> str:
    """What a reader reads, without code, outputs and scripts."""
    article = re.search(r"<article.*?</article>", html, re.DOTALL)[0]
    for gone in (r"<script.*?</script>", r"<style.*?</style>", r'<div class="cell.*?</pre>', r"<pre.*?</pre>",
                 r"<code.*?</code>"):
        article = re.sub(gone, "", article, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", "", article)


@pytest.mark.parametrize("language", NOTES)
def test_pages_are_in_their_language(language: str, books: Path) -> None:
    for page in TRANSLATED:
        html = text(books, f"{language}/{page}")
        assert f'<html lang="{language.replace("_", "-")}"' in html
        left = re.findall(r"\*\*|\{\w+\}|\]\(|(?<!`)`(?!`)", prose(html))
        assert not left, f"{page}: markup that was not understood: {left}"
        assert NOTES[language] not in html
        assert "Toggle primary sidebar" not in html
    assert "Chapters" not in re.search(r"<nav class=\"bd-links.*?</nav>", html, re.DOTALL)[0]


@pytest.mark.parametrize("language", NOTES)
def test_a_page_in_english_says_so(language: str, books: Path) -> None:
    html = text(books, f"{language}/book/02_tokens")
    section = re.search(r"<section[^>]*>", html)[0]
    assert 'lang="en"' in section, section
    note = re.search(r'<div[^>]*class="[^"]*admonition note[^"]*"[^>]*>', html)[0]
    assert f'lang="{language.replace("_", "-")}"' in note, note
    assert NOTES[language] in html
    quoted = prose(text(books, f"{language}/book/09_retrieval"))
    assert "“where”" in quoted, "English has its own quotes"


def test_english_is_as_it_was(books: Path) -> None:
    html = text(books, "book/02_tokens")
    assert '<html lang="en"' in html
    assert not [note for note in NOTES.values() if note in html]


def test_dialogues_open_in_the_language_of_the_book(books: Path) -> None:
    for folder, name in (("", "English"), ("zh_TW/", "繁體中文"), ("es/", "Español")):
        html = text(books, f"{folder}book/05_summary")
        tabs = re.search(r'<div class="[^"]*dialogue[^"]*".*?</div>\s*</div>', html, re.DOTALL)[0]
        open_one = re.search(r'<input checked="checked" id="([^"]+)"', tabs)[1]
        assert re.search(rf'for="{open_one}"[^>]*>\s*{name}', tabs), name
        assert {'lang="zh-Hant"', 'lang="zh-Hans"', 'lang="es"', 'lang="en"'} <= set(re.findall(r'lang="[^"]+"', html))


def test_every_page_leads_to_itself_in_the_other_languages(books: Path) -> None:
    pages = [path for path in books.rglob("*.html") if "_static" not in path.parts and path.name != "index.html"]
    assert len(pages) > 100
    for path in pages:
        page = path.relative_to(books).as_posix()
        switch = re.search(r'<nav class="languages".*?</nav>', path.read_text(encoding="utf-8"), re.DOTALL)
        assert switch, page
        links = re.findall(r'href="([^"]+)"', switch[0])
        assert len(links) == 3, page
        plain = re.sub(r"^(zh_TW|es)/", "", page)
        for link, folder in zip(links, ("", "es/", "zh_TW/"), strict=True):
            assert not urlsplit(link).scheme
            to = urljoin(f"/{page}", link).lstrip("/")
            assert to == folder + plain
            assert (books / to).is_file()


@pytest.mark.parametrize("language", NOTES)
def test_no_other_host_no_error_no_sideways_scroll(language: str, books: Path, browser) -> None:
    for page in (*TRANSLATED, "book/02_tokens", "search"):
        for width in (360, 1280):
            url = f"{books.as_uri()}/{language}/{page}.html"
            assert not visit(browser, url, width=width), page
            wide = browser.execute_script("return document.scrollingElement.scrollWidth")
            assert wide <= width, f"{page} is {wide} px wide in a window of {width} px"


@pytest.mark.parametrize(("folder", "asked", "page"), [
    ("zh_TW", "摘要", "book/05_summary"), ("zh_TW", "過敏", "book/07_facts"), ("zh_TW", "过敏", "book/07_facts"),
    ("zh_TW", "滑動視窗", "book/01_truncation"), ("zh_TW", "SummaryMemory", "book/05_summary"),
    ("es", "resumen", "book/05_summary"), ("es", "alergias", "book/07_facts")])
def test_a_search_finds_the_page(folder: str, asked: str, page: str, books: Path, browser) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    def found(chrome) -> list[str]:
        return chrome.execute_script("return [...document.querySelectorAll('ul.search a')].map(link => link.href)")

    browser.get(f"{books.as_uri()}/{folder}/search.html?q={asked}")
    WebDriverWait(browser, 90).until(lambda chrome: any(f"/{folder}/{page}.html" in link for link in found(chrome)),
                                     f"{asked}: {page} is not among the results in {folder}")


def test_a_word_that_is_nowhere_is_not_found(books: Path, browser) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(f"{books.as_uri()}/zh_TW/search.html?q=恐龍")
    WebDriverWait(browser, 90).until(lambda chrome: chrome.execute_script(
        "return !!document.querySelector('#search-results .search-summary')?.textContent"))
    assert not browser.execute_script("return document.querySelectorAll('#search-results ul.search a').length")


def test_a_translated_figure_answers_to_the_keyboard(books: Path, browser) -> None:
    from selenium.webdriver.common.keys import Keys

    notebook = json.loads((ROOT / "book/intro.ipynb").read_text(encoding="utf-8"))
    assert any("ml-live" in json.dumps(cell.get("outputs", [])) for cell in notebook["cells"])
    browser.get(f"{books.as_uri()}/zh_TW/book/intro.html")
    slider = browser.find_element("css selector", ".ml-live input[type=range]")
    status = browser.find_element("css selector", ".ml-live .ml-status")
    before = status.text
    slider.send_keys(Keys.END)
    assert status.text != before
    assert "上限 748" in status.text
    kept = browser.execute_script("""
        const row = document.querySelector('.ml-live ol [data-state="保留"]');
        return getComputedStyle(row.querySelector("b")).borderStyle""")
    assert kept == "solid", "the style sheet knows the translated state"
