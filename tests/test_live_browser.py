"""Live figures in Chromium: by keyboard alone, each step shows what Python computed for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from book_site import visit
from live_pages import MAKE

STYLE = Path(__file__).resolve().parents[1] / "book/_static/custom.css"
READ = """return [...arguments[0].querySelectorAll("[data-slot]")].map(slot => ({
    text: () => slot.textContent, state: () => slot.textContent, bar: () => slot.style.width,
    say: () => slot.getAttribute("aria-valuetext")})[slot.dataset.slot]());"""
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("book")]


@pytest.fixture(scope="module")
def figures():
    return {name: make() for name, make in MAKE.items()}


@pytest.fixture(scope="module")
def page(figures, tmp_path_factory):
    """All figures on one page, which is where they could get into each other's way."""
    path = tmp_path_factory.mktemp("live") / "page.html"
    body = "".join(f"<div class='text_html'>{figure._repr_html_()}</div>" for figure in figures.values())
    path.write_text(f"<!doctype html><html lang='en' data-theme='light'><head><meta charset='utf-8'><title>live</title>"
                    "<meta name='viewport' content='width=device-width'><style>body { margin: 0; }"
                    f"{STYLE.read_text(encoding='utf-8')}</style></head>"
                    f"<body class='bd-article'>{body}</body></html>", encoding="utf-8")
    return path.as_uri()


def found(driver, figures, name):
    return driver.find_elements("css selector", ".ml-live")[list(figures).index(name)]


def said(driver, figure):
    return driver.execute_script(READ, figure)


@pytest.mark.parametrize("name", ["budget", "budget of two", "choice", "race", "compaction"])
def test_a_slider_is_moved_by_keyboard(name, figures, page, browser):
    assert visit(browser, page) == []
    figure, drawn = figures[name], found(browser, figures, name)
    assert said(browser, drawn) == figure.says(figure.first)
    slider = drawn.find_element("css selector", "input[type=range]")
    last, place = len(figure.controls[-1].options) - 1, figure.chosen(figure.first)[-1]
    for key, target in (("\ue014", min(last, place + 1)), ("\ue010", last), ("\ue011", 0)):  # right, end, home
        slider.send_keys(key)
        assert browser.switch_to.active_element == slider
        assert said(browser, drawn) == figure.says(figure.first - place + target), (name, target)
    assert figure.says(figure.first - place) != figure.says(figure.first - place + last), "the keys changed nothing"
    for each in drawn.find_elements("css selector", "[data-panel]"):
        assert each.is_displayed() == (each.get_attribute("data-panel") == "0")
    for row in drawn.find_elements("css selector", "[data-state=dropped] > span"):
        assert row.value_of_css_property("text-decoration-line") == "line-through"


def test_a_memory_is_chosen_by_keyboard(figures, page, browser):
    visit(browser, page)
    figure, drawn = figures["budget of two"], found(browser, figures, "budget of two")
    before = said(browser, drawn)
    drawn.find_element("css selector", "select").send_keys("s")
    assert said(browser, drawn) == figure.says(figure.first + len(figure.limits)) != before


def test_one_figure_leaves_the_others_alone(figures, page, browser):
    visit(browser, page)
    found(browser, figures, "race").find_element("css selector", "input").send_keys("\ue010")
    for name in ("budget", "budget of two", "compaction", "plane"):
        assert said(browser, found(browser, figures, name)) == figures[name].says(figures[name].first), name


def test_a_mark_shows_its_row_on_focus_and_under_the_mouse(figures, page, browser):
    visit(browser, page)
    from selenium.webdriver import ActionChains

    figure, drawn = figures["plane"], found(browser, figures, "plane")
    marks = drawn.find_elements("css selector", "[data-mark]")
    browser.execute_script("arguments[0].focus()", marks[0])
    assert said(browser, drawn) == figure.says(0)
    for step in range(1, len(marks)):
        ActionChains(browser).send_keys("\ue004").perform()  # tab
        assert browser.switch_to.active_element == marks[step]
        assert said(browser, drawn) == figure.says(step)
    ActionChains(browser).move_to_element(marks[1].find_element("css selector", ".ml-shape")).perform()
    assert said(browser, drawn) == figure.says(1)
    shown = [mark.get_attribute("data-state") for mark in marks]
    assert shown == ["", "shown", *[""] * (len(marks) - 2)]


def test_a_tree_opens_by_keyboard(figures, page, browser):
    visit(browser, page)
    drawn = found(browser, figures, "tree")
    assert not any(row.is_displayed() for row in drawn.find_elements("css selector", "li"))
    for depth in (1, 2):
        path = " > ".join([".ml-live", *["details"] * depth, "summary"])
        drawn.find_element("css selector", path).send_keys("\ue007")
    rows = [row.text for row in drawn.find_elements("css selector", "li") if row.is_displayed()]
    node = figures["tree"].roots[0].children[0]
    assert [int(row.partition(",")[0]) for row in rows] == list(node.covers)


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_scrolls_sideways(width, figures, page, browser):
    visit(browser, page, width=width)
    browser.execute_script("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert browser.execute_script("return document.scrollingElement.scrollWidth") <= width
    for table in browser.find_elements("css selector", ".ml-live table"):  # it would need a tab stop of its own
        assert int(table.get_attribute("scrollWidth")) <= int(table.get_attribute("clientWidth"))
