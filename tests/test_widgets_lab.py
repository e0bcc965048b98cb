"""The memory explorer as a reader meets it: the command of `make lab`, a chapter's cell, Chromium, and the keyboard."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from memory_lab.widgets import ExplorerState, panels

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 240  # seconds that a server, a kernel or a redrawn cell may take on a busy machine
TOKEN = "reader"
HOME, ENTER, TAB, LEFT, PAGE_DOWN = "\ue011", "\ue007", "\ue004", "\ue012", "\ue00f"
MESSAGES = "Messages that go out, newest first"
RUN = """const done = arguments[0];
(async () => {
  const panel = jupyterapp.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  await panel.sessionContext.session.kernel.info;
  await jupyterapp.commands.execute("notebook:run-all-cells");
})().then(() => done("ran"), error => done(String(error)));"""
CUT_OFF = """const root = document.querySelector(".ml-explorer"), edge = root.getBoundingClientRect().right + 1;
return [...root.querySelectorAll(".ml-panel *, select, input, button")].filter(
    each => each.getBoundingClientRect().right > edge).map(each => each.outerHTML.slice(0, 200));"""
CONTRAST = """const light = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(each => each / 255).map(
    each => each <= .04045 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4).reduce(
    (sum, each, at) => sum + each * [.2126, .7152, .0722][at], 0);
const ground = each => {
  for (; each; each = each.parentElement) {
    const colour = getComputedStyle(each).backgroundColor;
    if (!colour.endsWith(", 0)")) return colour;
  }
};
return Math.min(...[...document.querySelectorAll(".ml-explorer .ml-panel :is(b, i, span, td, th, p)")].filter(
    each => each.textContent.trim()).map(each => {
  const [high, low] = [getComputedStyle(each).color, ground(each)].map(light).sort((one, two) => two - one);
  return (high + .05) / (low + .05);
}));"""
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("book")]


def chapter() -> dict:
    """Chapter 3, cut to the cell that loads its chat and the one with the explorer, as they are stored."""
    notebook = json.loads((ROOT / "book/03_window.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    explorer, = [cell for cell in code if "MemoryExplorer(" in "".join(cell["source"])]
    return notebook | {"cells": [code[0], explorer]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab that was started by the Makefile's own command, in a folder of its own."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed (make test-long does)")
    if not shutil.which("make"):
        pytest.skip("no make here")
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("course")
    for name in ("book", "exercises"):
        (folder / name).mkdir()
    (folder / "book/03_window.ipynb").write_text(json.dumps(chapter()), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
               f"--IdentityProvider.token={TOKEN}", "--LabApp.expose_app_in_browser=True"]
    alien = ("JPY_SESSION_NAME", "MEMORY_LAB_LIVE", "JUPYTER_CONFIG_PATH", "OPENAI_API_KEY", "OPENAI_BASE_URL",
             "MAKEFLAGS", "MAKELEVEL")
    environment = {name: text for name, text in os.environ.items() if name not in alien}
    made = subprocess.run(["make", "-n", "lab", f"BIN={Path(sys.executable).parent}", f"ARGS={' '.join(options)}"],
                          cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    command = re.search(r"^JUPYTER_CONFIG_PATH=.*\\\n.*$", made, re.MULTILINE)[0]
    own = {f"JUPYTER_{what}_DIR": str(home / what) for what in ("CONFIG", "DATA", "RUNTIME")}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(["sh", "-c", f"exec env {command}"], cwd=folder, stdout=log, stderr=log,
                                  env=environment | own | {"IPYTHONDIR": str(home / "ipython")})
        try:
            wait_for(server, port, home / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()  # it ends its kernels, then itself
            try:
                server.wait(PATIENCE)
            finally:
                server.kill()


def wait_for(server, port: int, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status?token={TOKEN}", timeout=60).close()
            return
        except urllib.error.URLError:
            assert server.poll() is None, log.read_text(encoding="utf-8")[-3000:]
            assert time.monotonic() < end, log.read_text(encoding="utf-8")[-3000:]
            time.sleep(0.3)


def until(driver, condition, seen=lambda: ""):
    """What the condition gave; seen: what to tell if it never came."""
    from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
    from selenium.webdriver.support.ui import WebDriverWait

    try:  # the cell draws a line anew between the moment when it is found and the one when it is read
        return WebDriverWait(driver, PATIENCE, ignored_exceptions=[StaleElementReferenceException]).until(condition)
    except TimeoutException as error:
        raise AssertionError(f"{PATIENCE} s, and no end. {seen()}") from error


class Cell:
    """The explorer on the page, by the names that a screen reader would say."""

    def __init__(self, driver):
        self.driver = driver

    def all(self, css: str) -> list:
        return self.driver.find_elements("css selector", f".ml-explorer {css}")

    def control(self, css: str, name: str):
        """The one that is shown and has that accessible name."""
        found, = [each for each in self.all(css) if each.is_displayed() and each.accessible_name == name]
        return found

    def says(self, words: str) -> None:
        """Comes back when the status line, read out, is these words."""
        until(self.driver, lambda _: self.all(".ml-status") and self.all(".ml-status")[0].text == words,
              lambda: f"Awaited: {words!r}. {self.seen()}")

    def seen(self) -> str:
        """What a person would report: the notice and the status, what is chosen and typed, and where the keys go."""
        shown = [line.text for line in self.all(".ml-status")]
        held = [each.get_attribute("value") for each in self.all(":is(select, input[type=text])")]
        focus = self.driver.switch_to.active_element.get_attribute("outerHTML")[:200]
        return f"Status: {shown}. Controls: {held}. Focus: {focus}"

    def panel(self, name: str) -> str:
        """The text of a panel, scrolled away or not."""
        for panel in self.all(".ml-panels .ml-panel"):
            head, _, rest = panel.get_attribute("innerText").partition("\n")
            if head.strip() == name:
                return rest
        raise AssertionError(f"no panel {name}")

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def focus(self, control) -> None:
        """Comes back when the keys go to the control."""
        focus = "arguments[0].focus(); return document.hasFocus() && document.activeElement === arguments[0]"
        until(self.driver, lambda driver: driver.execute_script(focus, control), self.seen)

    def type(self, words: str):
        """The box of the chat, with these words in it and the focus on it."""
        box = self.control("input[type=text]", "Your message")
        self.focus(box)
        self.press(words)
        assert self.driver.switch_to.active_element == box, self.seen()
        assert box.get_attribute("value") == words, self.seen()
        return box


@pytest.fixture(scope="module")
def opened(lab, browser):
    """The chapter, opened and not run."""
    browser.set_script_timeout(PATIENCE)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    browser.get(f"{lab}/lab/tree/book/03_window.ipynb?token={TOKEN}")
    until(browser, lambda driver: driver.find_elements("css selector", ".jp-Notebook .jp-CodeCell .ml-live"))
    # JupyterLab gives the keys to the notebook that it has opened: later, it would take them from a box
    until(browser, lambda driver: driver.find_elements("css selector", ".jp-Notebook :focus"))
    return browser


@pytest.fixture(scope="module")
def stored(opened) -> str:
    """What the cell shows before it was run."""
    assert not opened.find_elements("css selector", ".ml-explorer")
    return opened.find_element("css selector", ".ml-live .ml-status").text


@pytest.fixture(scope="module")
def cell(opened, stored):
    """The cell, run."""
    run(opened)
    return Cell(opened)


def run(driver) -> None:
    """The notebook, run: an explorer as it was made, whatever was done with the one before it."""
    driver.execute_script("for (const old of document.querySelectorAll('.ml-explorer')) old.dataset.old = ''")
    assert driver.execute_async_script(RUN) == "ran"
    until(driver, lambda _: driver.execute_script("return !document.querySelector('.ml-explorer[data-old]')"))
    until(driver, lambda _: driver.find_elements("css selector", ".ml-explorer .widget-slider [aria-label]"))


@pytest.fixture
def fresh(cell):
    run(cell.driver)
    return cell


@pytest.fixture
def state():
    return ExplorerState("tools", "token window")


def test_the_stored_cell_is_the_twin_and_the_run_cell_is_alive(stored, fresh, state):
    assert stored.startswith(panels.status(state))
    fresh.says(panels.status(state))
    assert len(fresh.driver.find_elements("css selector", ".ml-live[role=group]")) == 0, "the twin has gone"


def test_a_slider_is_moved_by_keyboard_and_the_context_changes(fresh, state):
    cell = fresh
    slider = cell.control("[role=slider]", "Token limit (tokens)")
    cell.focus(slider)
    before, limit = cell.panel(MESSAGES), 500
    for key, step in ((LEFT, 10), (PAGE_DOWN, 50), (PAGE_DOWN, 50)):
        cell.press(key)
        limit -= step
        state.set(token_limit=limit)
        cell.says(panels.status(state))
    assert cell.panel(MESSAGES) != before
    assert len(cell.all(f"ol[aria-label='{MESSAGES}'] li")) == len(state.sent()) - 1
    cell.press(HOME)
    state.set(token_limit=20)
    assert "token" in state.problem
    cell.says(panels.status(state))
    slider = cell.control("[role=slider]", "Token limit (tokens)")
    assert cell.driver.switch_to.active_element == slider, "the keys have left the slider"


def test_a_message_is_typed_and_stays_when_the_memory_changes(fresh, state):
    from selenium.webdriver.support.ui import Select

    cell = fresh
    cell.control("input[type=checkbox]", "the model replies").click()
    cell.type("My locker is 4711.")
    cell.press(ENTER)
    Select(cell.control("select", "Memory")).select_by_visible_text("layers")  # heard before or after the message
    state.choose(memory="layers")
    state.say("My locker is 4711.", reply=False)
    cell.says(panels.status(state))
    assert cell.control("input[type=text]", "Your message").get_attribute("value") == "", cell.seen()
    assert "My locker is 4711." in cell.panel(MESSAGES)
    assert "4711" in cell.panel("The memory's table of facts")
    names = ["Token limit (tokens)", "Summary limit (tokens)", "Facts limit (tokens)", "Raw messages at least",
             "Messages of a fold"]
    until(cell.driver, lambda _: [slider.get_attribute("aria-label") for slider in cell.all("[role=slider]")][1:]
          == names, cell.seen)


def test_a_hurried_reader_loses_nothing_and_says_nothing_twice(fresh, state):
    """All of it is done while the kernel is still at the first message, or has not heard of it."""
    cell = fresh
    cell.type("My locker is 4711.")
    cell.press(ENTER, "I live in Graz.")
    cell.control("input[type=checkbox]", "the model replies").click()
    cell.control("button", "Send").click()
    cell.type("I moved to Linz.")
    cell.press(ENTER, ENTER, "half a sen")
    for words, reply in (("My locker is 4711.", True), ("I live in Graz.", False), ("I moved to Linz.", False)):
        state.say(words, reply=reply)
    lines = ["Not done: there is nothing to say yet: type a message first",  # the last Enter: the box was empty
             panels.status(state)]
    until(cell.driver, lambda _: [line.text for line in cell.all(".ml-status")][:2] == lines, cell.seen)
    said = cell.panel(MESSAGES)
    places = [said.index(words) for words in ("I moved to Linz.", "I live in Graz.", "My locker is 4711.")]
    assert places == sorted(places), "newest first"
    box = cell.control("input[type=text]", "Your message")
    assert box.get_attribute("value") == "half a sen", cell.seen()
    cell.control("button", "Take mine back").click()
    state.unsay()
    cell.says(panels.status(state))
    assert box.get_attribute("value") == "half a sen", cell.seen()


def test_a_probe_is_asked_by_keyboard(fresh, state):
    from selenium.webdriver.support.ui import Select

    cell = fresh
    probe = state.probes[1]
    Select(cell.control("select", "Question")).select_by_visible_text(probe.question)
    cell.focus(cell.control("button", "Ask"))
    cell.press(ENTER)
    asked = state.ask(probe)
    until(cell.driver, lambda _: "verdict" in "".join(each.text for each in cell.all(".ml-ask td, .ml-ask th")))
    shown = " ".join(cell.all(".ml-ask table")[0].text.split())
    for words in (probe.question, asked.answer, f"verdict {asked.verdict}", panels.evidence(asked)):
        assert " ".join(words.split()) in shown


def test_every_control_has_a_name_and_is_reached_by_the_tab_key(cell):
    names, kinds = [], ("select", "input", "button", "[role=slider]", "[role=textbox]")
    shown = [each for each in cell.all(f":is({','.join(kinds)})") if each.is_displayed()]
    cell.driver.execute_script("arguments[0].focus()", shown[0])
    for _ in range(len(shown)):
        active = cell.driver.switch_to.active_element
        assert active.accessible_name, active.get_attribute("outerHTML")[:300]
        names.append(active.id)
        cell.press(TAB)
    assert names == [each.id for each in shown]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_nothing_is_cut_off_and_words_can_be_read(width, theme, cell):
    cell.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
    cell.driver.execute_async_script("""const [theme, done] = arguments;
        jupyterapp.commands.execute("apputils:change-theme", {theme}).then(done);""", theme)
    light = f"body[data-jp-theme-light={str(theme.endswith('Light')).lower()}]"
    until(cell.driver, lambda driver: driver.find_elements("css selector", light))
    beside = cell.driver.find_element("id", "jp-left-stack")
    if beside.is_displayed() == (width < 600):  # a phone has no room for the list of files beside a notebook
        cell.driver.execute_async_script("""jupyterapp.commands.execute("application:toggle-left-area").then(
            () => requestAnimationFrame(() => requestAnimationFrame(arguments[0])));""")
    assert cell.driver.execute_script(CUT_OFF) == []
    assert cell.driver.execute_script(CONTRAST) >= 4.5


def test_nothing_is_asked_of_another_host(lab, cell):
    """Since the browser started: the chapter opened, run and used.  Nor does the server look up news or extensions."""
    asked = [urlsplit(event["params"]["request"]["url"]) for event in (
        json.loads(entry["message"])["message"] for entry in cell.driver.get_log("performance"))
        if event["method"] == "Network.requestWillBeSent"]
    ours = [url for url in asked if url.netloc == urlsplit(lab).netloc]
    assert any("/api/kernels" in url.path or "/api/sessions" in url.path for url in ours), "nothing was observed"
    others = {url.geturl() for url in asked if url.scheme in ("http", "https", "ws", "wss")} - {
        url.geturl() for url in ours}
    assert not others
    news = {url.path for url in ours if re.search("/lab/api/(news|update|extensions)", url.path)}
    assert not news, f"the server would look these up elsewhere: {news}"
    faults = [entry["message"] for entry in cell.driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert not faults
