"""Conversations in tabs: the same messages in each language, and the same numbers and names in each message."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from memory_lab.conversations import load, names

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book/_ext"))

import dialogue  # noqa: E402

SHOWN = re.compile(r"^```\{dialogue\} (\w+)\n:messages: ([\d ]+)\n(:probes:\n)?```$", re.MULTILINE)
NAMES = {"Norwich", "Priya", "Elif", "Hamburg", "Vienna", "Corvin", "Lin", "Shanghai"}
ENTRIES = dialogue.dialogues()


def shown() -> list[tuple[str, str, list[int], bool]]:
    found = []
    for path in sorted((ROOT / "book/_src").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        matches = SHOWN.findall(text)
        assert len(matches) == text.count("{dialogue}"), f"{path.name}: a dialogue that this test cannot read"
        found += [(path.stem, name, [int(place) for place in places.split()], bool(probes))
                  for name, places, probes in matches]
    return found


def test_every_chapter_shows_its_conversation_in_four_languages() -> None:
    chapters = {path.stem for path in (ROOT / "book/_src").glob("*.md") if path.stem[:2] <= "10"}
    assert not chapters - {chapter for chapter, *_ in shown()}
    assert {name for _, name, *_ in shown()} == set(ENTRIES), "one that no chapter shows, or that is not there"


@pytest.mark.parametrize("name", ENTRIES)
def test_languages_have_the_same_messages(name: str) -> None:
    entry = ENTRIES[name]
    assert set(entry) - {"roles"} == set(dialogue.LANGUAGES)
    written = {language: sorted(said) for language, said in entry.items() if isinstance(said, dict)}
    assert len(set(map(tuple, written.values()))) <= 1, {language: len(places) for language, places in written.items()}
    shipped = {language: load(said) for language, said in entry.items() if isinstance(said, str)}
    assert {talk.name for talk in shipped.values()} <= {*names()}
    roles = [[message["role"] for message in talk.messages] for talk in shipped.values()]
    assert all(each == roles[0] for each in roles[1:])
    assert len({len(dialogue.questions(entry, language)) for language in shipped}) <= 1


@pytest.mark.parametrize(("chapter", "name", "places", "probes"), shown())
def test_a_tab_says_what_the_data_say(chapter: str, name: str, places: list[int], probes: bool) -> None:
    entry = ENTRIES[name]
    assert places == sorted(set(places))
    tabs = {language: dialogue.lines(entry, language, places) for language in dialogue.LANGUAGES}
    assert {len(said) for said in tabs.values()} == {len(places)}
    assert all(words.strip() for said in tabs.values() for words in said)
    assert len(dialogue.speakers(entry, places)) == len(places)
    if "roles" in entry:  # the chapter's own: its English stands in the chapter's code
        text = (ROOT / f"book/_src/{chapter}.md").read_text(encoding="utf-8")
        assert not [words for words in tabs["en"] if not words.startswith("`") and words not in text]
    if probes:
        assert all(dialogue.questions(entry, language) for language in dialogue.LANGUAGES)
    if isinstance(entry["es"], str):
        return  # four conversations, each written freely
    for place, english in enumerate(tabs["en"]):
        kept = set(re.findall(r"\d+", english)) | {word for word in NAMES if re.search(rf"\b{word}\b", english)}
        for language, said in tabs.items():
            assert not {word for word in kept if word not in said[place]}, f"{name}, {language}: {said[place]}"


def test_scripts_are_not_mixed() -> None:
    from opencc import OpenCC

    for name, entry in ENTRIES.items():
        for language, convert in (("zh-Hant", OpenCC("s2tw")), ("zh-Hans", OpenCC("t2s"))):
            said = entry[language]
            for words in (said.values() if isinstance(said, dict) else ()):
                changed = {(old, new) for old, new in zip(words, convert.convert(words), strict=True) if old != new}
                assert not changed, f"{name}, {language}: {changed}"
