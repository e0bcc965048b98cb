"""The book: its configuration, and (long) every page of it in a browser that can reach no other host."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from built_pages import dead, pages

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("book", "exercises", "solutions")
WIDGETS = "book/99_widgets"


def toc_pages() -> list[str]:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = toc.get("chapters", []) + [c for part in toc.get("parts", []) for c in part["chapters"]]
    sections = [section for chapter in chapters for section in chapter.get("sections", [])]
    return [toc["root"], *(page["file"] for page in (*chapters, *sections))]


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


# ---- the long half

@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built book, with one page more: mathematics and widgets, which bring the vendored code with them."""
    source = tmp_path_factory.mktemp("book")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    shutil.copy(ROOT / "_config.yml", source)
    shutil.copy(ROOT / "tests/fixtures/book/widgets.ipynb", source / f"{WIDGETS}.ipynb")
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    toc.setdefault("parts", []).append({"caption": "Test", "chapters": [{"file": WIDGETS}]})
    (source / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(source), "--all", "-W", "-n",
               "--keep-going"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return source / "_build/html"


@pytest.fixture(scope="module")
def http(site: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed (make test-long does)")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("no Chromium with chromedriver here (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    # The resolver rule makes any name but loopback fail, so that a request to another host is a failed one as well.
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                 "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
                 "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                 f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    yield chrome
    chrome.quit()


def visit(browser, url: str, *, width: int = 1280, height: int = 800) -> list[str]:
    """Everything wrong that was seen while the page was loaded and scrolled to its end, one line each."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    for log in ("performance", "browser"):
        browser.get_log(log)
    browser.get(url)
    browser.execute_async_script("""
        const done = arguments[0];
        window.scrollTo(0, document.body.scrollHeight);
        const typeset = window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve();
        typeset.then(() => setTimeout(done, 300));""")
    own = urlsplit(url)
    seen, faults, requests = {}, [], 0
    for entry in browser.get_log("performance"):
        event = json.loads(entry["message"])["message"]
        method, values = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            requests += 1
            seen[values["requestId"]] = asked = values["request"]["url"]
            to = urlsplit(asked)
            if to.scheme not in {"data", "blob"} and (to.scheme, to.netloc) != (own.scheme, own.netloc):
                faults.append(f"asks another host: {asked}")
        elif method == "Network.loadingFailed" and not values.get("canceled"):
            faults.append(f"failed: {seen.get(values['requestId'])} ({values['errorText']})")
        elif method == "Network.responseReceived" and values["response"]["status"] >= 400:
            faults.append(f"status {values['response']['status']}: {values['response']['url']}")
    assert requests, f"the browser's log shows no request for {url}: nothing was observed"
    faults += [f"console: {entry['message']}" for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    return faults


def html_pages(site: Path) -> list[str]:
    found = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts)
    assert {"book/intro.html", f"{WIDGETS}.html"} <= set(found)
    sources = [name for name in found if name.startswith("_modules/")]
    assert len(sources) > 100
    return [name for name in found if name not in sources[3:]]  # one template makes them: three are opened


def report(faults: dict[str, list[str]]) -> str:
    return "\n".join(f"{page}: {fault}" for page, found in faults.items() for fault in found)


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
    drawn = browser.execute_script("""return [".noUi-handle", "mjx-container mjx-math", ".fa-check"].map(
        what => document.querySelectorAll(what).length)""")
    assert drawn == [1, 2, 1], f"slider handles, formulas, icons: {drawn}"


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
