"""What a page of the built book weighs, and that it carries nothing that it does not show."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from book_site import WIDGETS, asked, load, toc_pages

FIRST = "book/01_truncation"
MOST = 600_000   # bytes of the first chapter, gzipped, without a cache
PLAIN = 450_000  # of any page, without MathJax
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("book")]


def weights(site: Path, http: str, browser, name: str) -> dict[str, int]:
    """Bytes, gzipped, of each file that the browser asks for on that page."""
    browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
    events = load(browser, f"{http}/{name}.html")
    paths = {unquote(urlsplit(url).path).lstrip("/") for url in asked(events).values() if url.startswith("http")}
    return {path: len(gzip.compress((site / path).read_bytes())) for path in paths}


@pytest.mark.parametrize("name", [name for name in toc_pages() if name.startswith("book/")])
def test_a_page_is_light(name: str, site, http, browser) -> None:
    found = weights(site, http, browser, name)
    assert f"{name}.html" in found and len(found) > 10
    heaviest = sorted(found.items(), key=lambda file: -file[1])[:5]
    formulas = 'class="math' in (site / f"{name}.html").read_text(encoding="utf-8")
    assert any("mathjax" in path for path in found) == formulas
    assert not [path for path in found if any(
        part in path for part in ("fontawesome.js", "fa-solid-900", "requirejs", "html-manager", "thebe"))]
    assert sum(weight for path, weight in found.items() if "mathjax" not in path) <= PLAIN, heaviest
    assert sum(found.values()) <= MOST or name != FIRST, heaviest


def test_the_weights_see_the_code_of_widgets(site, http, browser) -> None:
    found = weights(site, http, browser, WIDGETS)
    assert sum(found.values()) > MOST
    assert any("html-manager" in path for path in found) and any("mathjax" in path for path in found)
