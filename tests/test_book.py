"""The book: its configuration, and (long) every page of it in a browser that can reach no other host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from book_site import FOLDERS, PATIENCE, ROOT, WIDGETS, html_pages, report, toc_pages, visit
from built_pages import dead, pages


def pages_on_disk() -> set[str]:
    return {f"{folder}/{path.stem}" for folder in (*FOLDERS, "book/api") for path in (ROOT / folder).glob("*")
            if path.suffix in {".ipynb", ".md"} and path.name != "README.md"}


def test_toc_lists_exactly_the_pages_that_exist() -> None:
    listed = set(toc_pages())
    assert len(listed) == len(toc_pages()), "a page stands twice in _toc.yml"
    listed.discard("exercises/README")
    assert not pages_on_disk() - listed, f"not in _toc.yml: {sorted(pages_on_disk() - listed)}"
    assert not listed - pages_on_disk(), f"in _toc.yml, but there is no such file: {sorted(listed - pages_on_disk())}"


def test_config_keeps_the_book_offline_and_its_outputs_as_tested() -> None:
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    assert config["execute"]["execute_notebooks"] == "off"
    assert config["only_build_toc_files"] is True
    sphinx = config["sphinx"]["config"]
    assert sphinx["html_theme_options"]["navigation_with_keys"] is False
    served = [sphinx["mathjax_path"], *sphinx["nb_ipywidgets_js"], *sphinx["html_css_files"]]
    missing = [name for name in served if not (ROOT / "book/_static" / name).is_file()]
    assert not missing, f"named in _config.yml, but not under book/_static: {missing}"
    assert (ROOT / config["logo"]).is_file()
    assert (ROOT / config["html"]["favicon"]).is_file()


def test_every_chapter_is_a_rung_of_the_ladder() -> None:
    ladder = (ROOT / "book/_src/intro.md").read_text(encoding="utf-8").split("```{ladder}\n")[1].split("```")[0]
    slugs = [line.split("|")[0].strip() for line in ladder.strip().splitlines()]
    stems = {f"{number:02d}_{slug}" for number, slug in enumerate(slugs, start=1)}
    chapters = {page.split("/")[1] for page in pages_on_disk() if page.split("/")[1][:2].isdigit()}
    assert len(stems) == 12
    assert not chapters - stems, f"numbered pages, but no rungs of the ladder in book/_src/intro.md: {chapters - stems}"


def test_published_notebooks_were_run_and_say_their_figures_in_words() -> None:
    for path in sorted([*ROOT.glob("book/*.ipynb"), *ROOT.glob("solutions/*.ipynb")]):
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            if cell["cell_type"] != "code":
                continue
            where = f"{path.relative_to(ROOT)}, cell {number}"
            assert cell["execution_count"], f"{where} was never run, so nothing would be compared: make notebooks"
            assert "nbval-skip" not in cell["metadata"].get("tags", []), f"{where} is skipped"
            if any("image/png" in output.get("data", {}) for output in cell["outputs"]):
                alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
                assert len(alt.split()) >= 3, f"{where} draws a figure without alt text in its metadata"


@pytest.mark.long
@pytest.mark.xdist_group("book")
def test_every_link_and_every_button_leads_to_a_file(site: Path) -> None:
    book = pages(site)
    assert not dead(book), "\n".join(dead(book)[:20])
    notebooks = [name for name in toc_pages() if (ROOT / f"{name}.ipynb").is_file()]
    for name in notebooks:
        given = [link for link in book[site.resolve() / f"{name}.html"].downloads if link.endswith(".ipynb")]
        assert any(link.endswith(f"_sources/{name}.ipynb") for link in given), f"{name}: no button for its notebook"
        if name.startswith("book/") and name[5:7].isdigit():
            assert any("_downloads" in link for link in given), f"{name}: its card gives no notebook"
    for path, page in book.items():
        away = [link for link in page.links if any(word in link for word in ("mybinder", "colab.research", "/hub/"))]
        assert not away, f"{path.name} has a launch button that needs another host: {away}"


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<p id="here"><a href="b.html#there">b</a><a href="#here">a</a>'
                                     '<a href="gone.html">g</a><a href="b.html#gone">g</a>'
                                     '<a href="https://example.org/x">x</a><img src="gone.png">', encoding="utf-8")
    (tmp_path / "b.html").write_text('<p id="there"><a download href="a.html">a</a>', encoding="utf-8")
    book = pages(tmp_path)
    assert dead(book) == ["a.html: gone.html", "a.html: b.html#gone", "a.html: gone.png"]
    assert book[tmp_path.resolve() / "b.html"].downloads == ["a.html"]


@pytest.mark.long
@pytest.mark.xdist_group("book")
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_no_page_asks_another_host_or_logs_an_error(scheme: str, site: Path, http: str, browser) -> None:
    base = http if scheme == "http" else site.as_uri()
    faults = {page: visit(browser, f"{base}/{page}") for page in html_pages(site)}
    assert not report(faults), report(faults)


@pytest.mark.long
@pytest.mark.xdist_group("book")
@pytest.mark.parametrize("width", [360, 390, 768])
def test_no_page_scrolls_sideways(width: int, site: Path, http: str, browser) -> None:
    for page in html_pages(site):
        visit(browser, f"{http}/{page}", width=width, height=780)
        wide = browser.execute_script("return document.scrollingElement.scrollWidth")
        assert wide <= width, f"{page} is {wide} px wide in a window of {width} px"


@pytest.mark.long
@pytest.mark.xdist_group("book")
def test_only_pages_with_widgets_load_widget_code(site: Path) -> None:
    for page in html_pages(site):
        html = (site / page).read_text(encoding="utf-8")
        has_widgets = "application/vnd.jupyter.widget-view+json" in html
        assert has_widgets or page != f"{WIDGETS}.html"
        assert ("html-manager" in html) == has_widgets, page


@pytest.mark.long
@pytest.mark.xdist_group("book")
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_mathematics_and_widgets_are_drawn(scheme: str, site: Path, http: str, browser) -> None:
    visit(browser, f"{http if scheme == 'http' else site.as_uri()}/{WIDGETS}.html")
    from selenium.webdriver.support.ui import WebDriverWait

    drawn = """return [".noUi-handle", "mjx-container mjx-math", ".fa-check"].map(
        what => document.querySelectorAll(what).length)"""
    WebDriverWait(browser, PATIENCE).until(lambda chrome: chrome.execute_script(drawn) == [1, 2, 1],
                                           "one slider handle, two formulas, one icon")


@pytest.mark.long
@pytest.mark.xdist_group("book")
def test_the_browser_check_can_fail(tmp_path: Path, browser) -> None:
    page = tmp_path / "bad.html"
    page.write_text("<script src='https://cdn.example/x.js'></script><img src='gone.png'><script>oops()</script>"
                    "<div style='width:900px'>wide</div>", encoding="utf-8")
    faults = "\n".join(visit(browser, page.as_uri(), width=360))
    assert "asks another host: https://cdn.example/x.js" in faults
    assert "gone.png" in faults
    assert "oops is not defined" in faults
    assert browser.execute_script("return document.scrollingElement.scrollWidth") > 360
