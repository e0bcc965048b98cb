"""The built book and a browser that can reach no other host: the fixtures of every test that drives Chromium."""

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

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("book", "exercises", "solutions")
WIDGETS = "book/99_widgets"
PATIENCE = 240  # seconds that a page may take on a busy machine


def toc_pages() -> list[str]:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = toc.get("chapters", []) + [c for part in toc.get("parts", []) for c in part["chapters"]]
    sections = [section for chapter in chapters for section in chapter.get("sections", [])]
    return [toc["root"], *(page["file"] for page in (*chapters, *sections))]


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
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


def load(browser, url: str, *, width: int = 1280, height: int = 800) -> list[tuple[str, dict]]:
    """What the browser did (method, values) until the page stood, scrolled to its end, with fonts and formulas."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    for log in ("performance", "browser"):
        browser.get_log(log)
    browser.set_script_timeout(PATIENCE)
    browser.get(url)
    _settle(browser)
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [(event["method"], event["params"]) for event in events]


def _settle(browser) -> None:
    """Waits for a page that leads nowhere else: index.html goes on to the cover, and a script on it would be lost."""
    from selenium.common.exceptions import JavascriptException
    from selenium.webdriver.support.ui import WebDriverWait

    stands = "return document.readyState === 'complete' && !document.querySelector('meta[http-equiv=refresh i]')"
    WebDriverWait(browser, PATIENCE, ignored_exceptions=(JavascriptException,)).until(
        lambda each: each.execute_script(stands))
    browser.execute_async_script("""
        const done = arguments[0];
        window.scrollTo(0, document.body.scrollHeight);
        const typeset = window.MathJax && MathJax.startup ? MathJax.startup.promise : Promise.resolve();
        typeset.then(() => document.fonts.ready).then(() => requestIdleCallback(() => requestAnimationFrame(done)));""")


def asked(events: list[tuple[str, dict]]) -> dict[str, str]:
    """The address of each request by its id."""
    return {values["requestId"]: values["request"]["url"] for method, values in events
            if method == "Network.requestWillBeSent"}


def visit(browser, url: str, *, width: int = 1280, height: int = 800) -> list[str]:
    """Everything wrong that was seen while the page was loaded and scrolled to its end, one line each."""
    events = load(browser, url, width=width, height=height)
    own, seen, faults = urlsplit(url), asked(events), []
    assert seen, f"the browser's log shows no request for {url}: nothing was observed"
    for address in seen.values():
        to = urlsplit(address)
        if to.scheme not in {"data", "blob"} and (to.scheme, to.netloc) != (own.scheme, own.netloc):
            faults.append(f"asks another host: {address}")
    for method, values in events:
        if method == "Network.loadingFailed" and not values.get("canceled"):
            faults.append(f"failed: {seen.get(values['requestId'])} ({values['errorText']})")
        elif method == "Network.responseReceived" and values["response"]["status"] >= 400:
            faults.append(f"status {values['response']['status']}: {values['response']['url']}")
    faults += [f"console: {entry['message']}" for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    return faults


def html_pages(site: Path) -> list[str]:
    found = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts)
    assert {f"{name}.html" for name in (*toc_pages(), WIDGETS)} <= set(found)
    sources = [name for name in found if name.startswith("_modules/")]
    assert len(sources) > 100
    return [name for name in found if name not in sources[3:]]  # one template makes them: three are opened


def report(faults: dict[str, list[str]]) -> str:
    return "\n".join(f"{page}: {fault}" for page, found in faults.items() for fault in found)
