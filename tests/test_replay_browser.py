"""The report of a replay in Chromium: one file, no other request, and its controls are moved by keyboard."""

from __future__ import annotations

import json

import pytest
from book_site import visit
from talks import COUNT, ORDER, chat
from test_live_browser import said

from memory_lab.log_replay import recommend, replay_log
from memory_lab.log_replay.page import page
from memory_lab.log_replay.page.figures import CallsFigure, CostFigure, LimitFigure
from memory_lab.log_replay.windows import windows
from memory_lab.logs import LoggedConversation
from memory_lab.prices import load_prices

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("book")]
TALK = [*ORDER, *chat(*[("And so on and so forth.", "Yes, of course.")] * 40, ("Where is A-1023?", "In Lyon."))]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """(address, figures): the page, and each live figure in its order."""
    replays = [replay_log(TALK, windows(token_limits=[60, 400], memory_limit=400, count=COUNT), count=COUNT)]
    wanted, prices, labels = recommend(replays), load_prices(), list(replays[0].strategies)
    path = tmp_path_factory.mktemp("report") / "report.html"
    talks = [LoggedConversation("log", TALK, format="OpenAI messages")]
    path.write_text(page(replays, talks, wanted, prices=prices, model="gpt-4.1-mini"), encoding="utf-8")
    return path.as_uri(), [CostFigure(replays, labels, prices, "gpt-4.1-mini"),
                           LimitFigure(replays, wanted.token_limit), CallsFigure(replays[0], labels)]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_asks_for_nothing_and_fits(report, browser, width):
    assert visit(browser, report[0], width=width) == []
    asked = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    assert [event for event in asked if event["method"] == "Network.requestWillBeSent"] == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("place", [1, 2])
def test_a_slider_is_moved_by_keyboard(report, browser, place):
    visit(browser, report[0])
    figure, drawn = report[1][place], browser.find_elements("css selector", ".ml-live")[place]
    assert said(browser, drawn) == figure.says(figure.first)
    drawn.find_element("css selector", "input[type=range]").send_keys("\ue010")  # the end
    assert said(browser, drawn) == figure.says(len(figure.steps) - 1) != figure.says(figure.first)


def test_another_model_has_other_prices(report, browser):
    visit(browser, report[0])
    figure, drawn = report[1][0], browser.find_element("css selector", ".ml-live")
    model, cache = drawn.find_elements("css selector", "select")
    cache.send_keys("\ue015")  # down: the cache serves nothing
    assert said(browser, drawn) == figure.says(figure.first + 1) != figure.says(figure.first)
    model.send_keys("gpt-5.4-mini")
    assert said(browser, drawn)[0].startswith("gpt-5.4-mini")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_words_stand_out_from_the_paper_in_both_modes(report, browser, mode):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": mode}]})
    visit(browser, report[0])
    worst = browser.execute_script("""
        const light = text => { const c = text.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
            .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
            return .2126 * c[0] + .7152 * c[1] + .0722 * c[2]; };
        const paper = light(getComputedStyle(document.body).backgroundColor);
        return Math.min(...[...document.querySelectorAll("main *")].filter(each => each.innerText).map(each => {
            const ink = light(getComputedStyle(each).color);
            return (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05); }));""")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert worst >= 4.5, worst
