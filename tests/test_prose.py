"""The book's prose: sentences that end, words that exist, terms and links that lead somewhere; a chapter's form."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "book/_ext")]
import card  # noqa: E402  (the book's own folders, as Sphinx and the command line find them)
import prose  # noqa: E402

CHAPTERS = sorted((ROOT / "book/_src").glob("[0-9][0-9]_*.md"))
PAGES = [*sorted((ROOT / "book/_src").glob("*.md")), *sorted((ROOT / "book").glob("*.md"))]


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_reads_well(path: Path) -> None:
    found = prose.problems(path, prose.glossary())
    assert not found, "mend it, or name the word in tools/words.txt; python tools/prose.py --link links terms\n" + (
        "\n".join(found))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_inside_the_book_lead_to_files(path: Path) -> None:
    home = path.parent.parent if path.parent.name == "_src" else path.parent
    words = re.sub(r"^```\{code-cell\}.*?^```$|`[^`\n]+`", "", text(path), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)\s#]+)", words):
        goal = home / target
        written = (goal.parent / "_src" / goal.name).with_suffix(".md")
        assert goal.is_file() or written.is_file(), f"{path.name}: there is no {target}"


def test_what_the_check_sees_and_what_it_leaves_alone() -> None:
    page = "\n".join(["---", "title: x", "---", "# A teh heading", "", "Teh *Kyoto* chat. It `sends teh` code.", "",
                      "```{code-cell} ipython3", "teh = 1", "```", "", "```{note}",
                      "A {term}`turns <turn>` adn a note.", "```", "", "| teh | table |", "",
                      "[teh link](https://teh.example/teh) {cite}`teh`"])
    assert prose.misspelt(page) == ["6: Teh", "13: adn", "18: teh"]
    assert [sentence for _, sentence in prose.sentences(page)][1:4] == [
        "It 0 code.", "A turns adn a note.", "[teh link]"]


def test_a_sentence_is_as_long_as_its_words() -> None:
    whole = "The {term}`fold` " + " ".join(["word"] * 33)
    assert prose.long_sentences(f"{whole}. Another `one two three`.") == []
    assert prose.long_sentences(f"# Title\n\n{whole} more. Short.")[0].startswith("3: a sentence of 36 words: The fold")
    assert prose.long_sentences(f"- {whole}\n- {whole}") == []


def test_first_uses_are_found_and_linked() -> None:
    terms = ["turn", "sliding window", "log"]
    page = ("- a turn\n\n*Before:* nothing.\n\n## A turn\n\n"
            "Two Turns in the log, and a sliding\nwindow; one turn more.\n")
    assert [term for *_, term in prose.unlinked(page, terms)] == ["turn", "sliding window"], "log is an everyday word"
    linked = prose.link(page, terms)
    assert "Two {term}`Turns <turn>` in the log, and a {term}`sliding window`; one turn more." in linked
    assert prose.unlinked(linked, terms) == []
    late = page.replace("one turn more", "one {term}`turn` more")
    assert [term for *_, term in prose.unlinked(late, terms)] == ["turn", "sliding window"]


def test_every_everyday_word_of_the_check_is_in_the_glossary_and_no_entry_twice() -> None:
    terms = prose.glossary()
    assert set(terms) >= prose.EVERYDAY
    assert len({term.lower() for term in terms}) == len(terms)
    assert terms == sorted(terms, key=str.lower)


def test_every_entry_of_the_glossary_names_three_libraries() -> None:
    body = text(ROOT / "book/glossary.md").split("```{glossary}\n")[1].split("\n```")[0]
    for entry in body.strip().split("\n\n"):
        for name in ("LangChain: ", "LlamaIndex: ", "Agents SDK: "):
            assert entry.count(name) == 1, entry
        assert re.search(r"Chapters? \d", entry), entry


# ---- the form of a chapter

@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_its_parts_in_order(path: Path) -> None:
    page = text(path)
    parts = ["\nAfter this chapter you can\n\n- ", "\n*Before:* ", " *Time:* ", "\n*Code:* {module}`",
             "\n## What breaks", "\n## What it costs, what it forgets", "\n**Take away:** ",
             "\n## Questions\n", "\n```{dropdown} ",
             "\n## Exercise\n\n```{exercise-card}\n", "\n## Further reading\n\n- "]
    places = [page.find(part) for part in parts]
    assert -1 not in places, f"{path.name} has no {parts[places.index(-1)]!r}"
    assert places == sorted(places), path.name
    reading = page[places[-1]:].split("\n## ")[1]
    known = set(re.findall(r"^@\w+\{(\w+),", text(ROOT / "book/references.bib"), re.MULTILINE))
    cited = re.findall(r"\{cite\}`(\w+)`", reading)
    assert cited and set(cited) <= known, set(cited) - known
    assert len(re.findall(r"\]\(https?:", reading)) == len(cited), f"{path.name}: a source that no {{cite}} names"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_minutes_are_the_exercise_s(path: Path) -> None:
    about = json.loads(text(ROOT / f"exercises/{path.stem}.ipynb"))["metadata"]["memory_lab"]
    stated = re.search(rf"\*Time:\* \d+ minutes, and (\d+) for the \[exercise\]\(\.\./exercises/{path.stem}\.ipynb\)",
                       text(path))
    assert stated, f"{path.name} does not say how long chapter and exercise take"
    assert int(stated[1]) == about["minutes"]


def test_every_cited_work_is_cited_and_every_work_is_whole() -> None:
    works = text(ROOT / "book/references.bib").split("\n@")[1:]
    used = set(re.findall(r"\{cite\}`(\w+)`", "".join(text(path) for path in CHAPTERS)))
    for work in works:
        key = re.match(r"\w+\{(\w+),", work)[1]
        assert key in used, f"{key} is in the bibliography, and no chapter cites it"
        assert all(f"{field} = {{" in work for field in ("author", "title", "year")), key
        assert "url = {https://" in work or "doi = {" in work, key


def test_a_card_says_what_the_exercise_says() -> None:
    about = {"number": 5, "title": "Fold, then drop", "parts": [{"points": 3}], "points": 1, "minutes": 45,
             "difficulty": "medium"}
    assert card.facts(about) == "1 point in 1 part, about 45 minutes, medium."
    made = card.card("05_summary", about, "Write it.", solution=True)
    assert "**Exercise 5: Fold, then drop**\n\n1 point" in made
    assert "](/exercises/05_summary.ipynb)" in made and "</exercises/05_summary.ipynb>`" in made
    assert "solutions" in made and "solutions" not in card.card("05_summary", about, "Write it.", solution=False)
