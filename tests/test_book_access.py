"""The built book for every reader: axe finds nothing, the keyboard reaches everything, figures answer to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from book_site import ROOT, html_pages, load, report, toc_pages
from built_pages import pages

AXE = ROOT / "tests/vendor/axe-core/axe.min.js"  # tools/vendor_assets.sh
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN_AXE = """const [tags, done] = arguments;
axe.run(document, {runOnly: tags, resultTypes: ["violations"]}).then(found => done({
  passes: found.passes.length, faults: found.violations.flatMap(each => each.nodes.map(
    node => `${each.id}: ${node.html.slice(0, 200)} (${node.failureSummary})`))}), error => done(String(error)));"""
CONTROLS = """const shown = each => each.checkVisibility({visibilityProperty: true})
  && !each.closest("dialog:not([open])");
const focusable = "a[href], button, input, select, textarea, summary, [tabindex='0']";
window.waiting = new Set([...document.querySelectorAll(focusable)].filter(
  each => shown(each) && !each.disabled && each.tabIndex >= 0 && !(each.type === "radio" && !each.checked)));
window.reached = [];
document.addEventListener("focusin", event => { reached.push(event.target); waiting.delete(event.target); });
document.activeElement.blur();
window.scrollTo(0, 0);
return waiting.size;"""
LEFT = "return [...waiting].map(each => each.outerHTML.slice(0, 160));"
READ = """return [...arguments[0].querySelectorAll("[data-slot]")].map(slot => ({
    text: () => slot.textContent, state: () => slot.textContent, bar: () => slot.style.width,
    say: () => slot.getAttribute("aria-valuetext")})[slot.dataset.slot]());"""
TAB, RIGHT, LEFT_KEY, DOWN, UP = "\ue004", "\ue014", "\ue012", "\ue015", "\ue013"
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("book")]


@pytest.fixture
def colours(browser):
    """Sets what the reader's system asks for, light or dark, until the test ends."""
    def ask(mode: str) -> None:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": mode}]})
    yield ask
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def violations(browser, url: str, width: int, mode: str) -> list[str]:
    load(browser, url, width=width)
    assert browser.execute_script("return document.documentElement.dataset.theme") in (mode, None)
    browser.execute_script(AXE.read_text(encoding="utf-8"))
    found = browser.execute_async_script(RUN_AXE, RULES)
    assert isinstance(found, dict), found
    assert found["passes"], "axe looked at nothing"
    return found["faults"]


def book_pages(site: Path) -> list[str]:
    """All pages but the test's own one with bare widgets, and one page of source code for all."""
    found = [name for name in html_pages(site) if "99_widgets" not in name]
    sources = [name for name in found if name.startswith("_modules/")]
    return [name for name in found if name not in sources[1:]]


@pytest.mark.parametrize(("mode", "width"), [("light", 1280), ("dark", 360)])
def test_axe_finds_nothing(mode, width, site, http, browser, colours) -> None:
    colours(mode)
    faults = {name: violations(browser, f"{http}/{name}", width, mode) for name in book_pages(site)}
    assert not report(faults), report(faults)


@pytest.mark.parametrize(("mode", "width"), [("dark", 1280), ("light", 360)])
def test_axe_finds_nothing_in_the_frame_of_a_page_either(mode, width, site, http, browser, colours) -> None:
    colours(mode)
    some = ("book/intro", "book/05_summary", "exercises/05_summary", "book/map", "search")
    faults = {name: violations(browser, f"{http}/{name}.html", width, mode) for name in some}
    assert not report(faults), report(faults)


def test_axe_can_fail(tmp_path, browser) -> None:
    page = tmp_path / "bad.html"
    page.write_text("<html lang='en'><title>bad</title><input><p style='color:#aaa;background:#fff'>grey words",
                    encoding="utf-8")
    assert {fault.partition(":")[0] for fault in violations(browser, page.as_uri(), 1280, "")} == {
        "label", "color-contrast"}


def test_every_picture_says_what_it_shows(site: Path) -> None:
    seen = 0
    for path, page in pages(site).items():
        for source, alt in page.images:
            assert alt is not None and not alt.lower().endswith((".png", ".svg", ".jpg", ".gif")), f"{path}: {source}"
            assert alt.strip() or "logo" not in source
            if "_images" in source:
                assert len(alt.split()) >= 3, f"{path}: {source} says only {alt!r}"
                seen += 1
    assert seen > 10


def test_the_tab_key_reaches_every_control(site, http, browser) -> None:
    from selenium.webdriver import ActionChains

    own = [name for name in toc_pages() if name.startswith("book/") and "/api/" not in name]
    left = {}
    for name in (*own, "book/api/base", "exercises/01_truncation", "solutions/01_truncation", "genindex"):
        load(browser, f"{http}/{name}.html")
        waiting = browser.execute_script(CONTROLS)
        assert waiting > 20, name
        ActionChains(browser, duration=0).send_keys(TAB * (waiting + 5)).perform()
        left[name] = browser.execute_script(LEFT)
    assert not report(left), report(left)


def said(browser, figure) -> list[str]:
    return browser.execute_script(READ, figure)


def computed(figure) -> list[list[str]]:
    """The words of each slot at each step, as Python stored them in the page."""
    data = json.loads(figure.find_element("css selector", "script[type]").get_attribute("textContent"))
    return [[data["words"][word] for word, times in zip(run[::2], run[1::2], strict=True) for _ in range(times)]
            for run in data["steps"]]


def test_every_figure_of_the_book_answers_to_the_keyboard(site, http, browser) -> None:
    """Each control, one key: the figure shows what Python computed for that step, which is another than before."""
    moved = 0
    for name in toc_pages():
        if 'class="ml-live"' not in (site / f"{name}.html").read_text(encoding="utf-8"):
            continue
        load(browser, f"{http}/{name}.html")
        for figure in browser.find_elements("css selector", ".ml-live[data-on]"):
            steps, controls = computed(figure), figure.find_elements("css selector", "[data-size]")
            for control in controls:
                before, place = said(browser, figure), int(control.get_attribute("value"))
                last = place == int(control.get_attribute("data-size")) - 1
                browser.execute_script("arguments[0].focus()", control)
                keys = (UP, DOWN) if control.tag_name == "select" else (LEFT_KEY, RIGHT)
                browser.switch_to.active_element.send_keys(keys[not last])
                step = 0
                for each in controls:
                    step = step * int(each.get_attribute("data-size")) + int(each.get_attribute("value"))
                assert int(control.get_attribute("value")) == place + (-1 if last else 1), f"{name}: {control.text}"
                assert said(browser, figure) == steps[step], f"{name}, step {step}"
                moved += said(browser, figure) != before
        for figure in browser.find_elements("css selector", ".ml-live:not([data-on])"):  # a tree: it only opens
            summary = figure.find_element("css selector", "summary")
            closed = len(figure.text)
            summary.send_keys("\ue007")
            assert len(figure.text) > closed, name
            moved += 1
    assert moved >= 8


def test_a_page_can_be_read_where_scripts_do_not_run(http, browser) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(f"{http}/book/01_truncation.html")
        article = browser.find_element("css selector", "article").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    for words in ("What breaks: the incident", "the order number is 4821937", "Further reading", "Exercise 1"):
        assert words in article
