"""The tables of the shipped conversations, and README's headline table, which is what the function measures now."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memory_lab import LogError
from memory_lab.conversations import load, names
from memory_lab.report import Tradeoff
from memory_lab.strategies import STRATEGIES
from memory_lab.tables import (
    BEGIN,
    END,
    GROUPS,
    HEADLINE,
    PUBLISHED_000,
    groups,
    headline,
    into_readme,
    measure,
    table_000,
)

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


@pytest.fixture(scope="module")
def measured():
    return measure(HEADLINE, answer=False)


def test_readme_shows_what_the_cover_of_the_book_shows():
    # nbval measures the cover's tables anew on each run; what README says is held to them
    block = re.search(f"{BEGIN}\n(.*?)\n{END}", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    caption, _, head, _, *rows = block.splitlines()
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *rows)]
    cover = json.loads((ROOT / "book/intro.ipynb").read_text(encoding="utf-8"))
    shown = [output["data"]["text/plain"] for cell in cover["cells"]
             for output in cell.get("outputs", ()) if "text/html" in output["data"]]
    whole = "".join(shown[-1]).splitlines()
    assert [whole[0], *(re.split("  +", line) for line in (whole[2], *whole[4:]))] == [caption, *lines], (
        "run: memory-lab tables --readme README.md")
    short = [re.split("  +", line) for line in "".join(shown[-2]).splitlines()]
    kept = [lines[0].index(name) for name in short[0]]
    assert [short[0], *short[2:]] == [[line[place] for place in kept] for line in lines]


def test_every_shipped_conversation_is_in_one_group():
    assert sorted(name for group in GROUPS.values() for name in group) == names()


def test_the_headline_is_the_ordering_that_the_sources_claim(measured):
    result = headline(measured)
    recall = {name: sum(each.in_context for each in result.asked(name)) for name in STRATEGIES}
    full = recall["buffer"]
    assert full == len(result.asked("buffer"))
    assert result.tokens("sliding window, 2 turns") < result.tokens("pop(0), 20 messages") < result.tokens("buffer")
    assert recall["sliding window, 2 turns"] <= 0.1 * full
    assert recall["pop(0), 20 messages"] < 0.5 * full
    assert result.table().caption == (
        "6 chats with planted facts: 32 questions about what was said, 14 about what never was")


def test_the_headline_takes_its_six_conversations_out_of_more(measured):
    more = measure(["short_chat", *reversed(HEADLINE)], answer=False)
    assert headline(more) == headline(measured)
    assert [replay.conversation for replay in headline(more)["buffer"]] == list(HEADLINE)


def test_groups_are_those_that_were_measured(measured):
    found = groups(measured)
    assert [table.caption for table in found] == [
        "The Kyoto trip in four languages (kyoto_en, kyoto_es, kyoto_zh_hans, kyoto_zh_hant)",
        "The order number, 20 and 50 turns (order_number, order_number_50)"]
    assert sum(table.tokens("buffer") for table in found) == headline(measured).tokens("buffer")


def test_table_000_has_the_published_size_and_ordering():
    result = table_000()
    assert isinstance(result, Tradeoff)
    rows = {row[0]: row for row in result.table().rows}
    assert [row[-1] for row in rows.values()] == list(PUBLISHED_000.values())
    published = {name: int(re.match(r"[\d,]+", words)[0].replace(",", "")) for name, words in PUBLISHED_000.items()}
    for name in ("buffer", "sliding window, 2 turns"):
        assert sum(replay.prompt_tokens for replay in result[name]) == pytest.approx(published[name], rel=0.1)
    assert [replay.right for replay in result["sliding window, 2 turns"]] == [0]
    assert len(result["buffer"][0].prompts) == len(load("kyoto_zh_hant").messages) // 2 + 4


def test_a_readme_is_changed_between_its_markers_alone_and_only_once(tmp_path):
    page = tmp_path / "README.md"
    page.write_text(f"# Title\n\n{BEGIN}\nold\n{END}\n\nrest | x\n", encoding="utf-8")
    assert into_readme(page, lambda: "| new |") is True
    assert page.read_text(encoding="utf-8") == f"# Title\n\n{BEGIN}\n| new |\n{END}\n\nrest | x\n"
    assert into_readme(page, lambda: "| new |") is False


@pytest.mark.parametrize("text", ["# Title\n", f"{END}\n{BEGIN}\n", f"{BEGIN}\n"])
def test_a_readme_without_a_place_is_refused_and_left_alone(tmp_path, text):
    page = tmp_path / "README.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match="write both where the table is to stand"):
        into_readme(page, lambda: "| new |")
    assert page.read_text(encoding="utf-8") == text
    with pytest.raises(LogError, match="cannot be read"):
        into_readme(tmp_path / "none.md", lambda: "| new |")
