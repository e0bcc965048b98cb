"""The translations: complete, current, with the markup and numbers of what they translate; and the words of outputs."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from memory_lab.strategies import STRATEGIES

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book/_ext"))
spec = importlib.util.spec_from_file_location("book_locales", ROOT / "tools/locales.py")
locales = importlib.util.module_from_spec(spec)
spec.loader.exec_module(locales)

import outputs  # noqa: E402

LANGUAGES = locales.languages()
ROLE = re.compile(r"\{(\w+)\}`([^`]*)`")
GROUPED = re.compile(r"(?<=\d)[, \u00a0](?=\d{3}(?!\d))")


def marks(text: str) -> dict[str, Counter]:
    """What a translation must have too: roles with their targets, links, code, formulas, numbers, stress."""
    roles = [(role, re.search(r"<(.*)>$", words)[1] if words.endswith(">") else words) for role, words in
             ROLE.findall(text)]
    links = re.findall(r"\]\(([^)]*)\)", text)
    text = re.sub(r"\]\([^)]*\)", "]", ROLE.sub("", text))
    code, formulas = re.findall(r"`([^`]+)`", text), re.findall(r"\$([^$]+)\$", text)
    plain = GROUPED.sub("", re.sub(r"`[^`]+`|\$[^$]+\$", "", text))
    return {"roles": Counter(roles), "links": Counter(links), "code": Counter(code), "formulas": Counter(formulas),
            "numbers": Counter(re.findall(r"\d+(?:\.\d+)?", plain)), "stress": Counter(re.findall(r"\*+", plain))}


def differences(english: str, other: str) -> str:
    found, wanted = marks(other), marks(english)
    return "; ".join(f"{kind}: {dict(wanted[kind])} became {dict(found[kind])}" for kind in wanted
                     if wanted[kind] != found[kind])


@pytest.mark.parametrize("other", [
    "{term}`ventana <turn>` de 3: `add()`, [aquí](a.md)", "{term}`ventana <window>` de 4: `add()`, [x](a.md)",
    "{term}`ventana <window>` de 3: add(), [aquí](a.md)", "{term}`ventana <window>` de 3: `add()`, [aquí](b.md)"])
def test_the_check_of_markup_can_fail(other: str) -> None:
    assert differences("the {term}`window` of 3 turns: `add()`, [here](a.md)", other)
    assert not differences("1,500 of {term}`window`", "{term}`ventana <window>`, 1500")


def test_languages() -> None:
    assert {"zh_TW", "es"} <= set(LANGUAGES)


@pytest.mark.parametrize("page", locales.PAGES)
def test_templates_are_current(page: str) -> None:
    stored = locales.read(locales.template(page)).version
    assert stored == locales.source_hash(page), f"{page} has changed: make messages, then translate what is fuzzy"


@pytest.mark.parametrize("page", locales.PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated(language: str, page: str) -> None:
    template, translated = (locales.read(path) for path in (locales.template(page), locales.po_file(language, page)))
    assert translated.version == template.version, "make messages"
    assert [each.id for each in translated] == [each.id for each in template]
    faults = []
    for message in translated:
        if not message.id:
            continue
        if message.fuzzy or not message.string.strip():
            faults.append(f"not translated: {message.id}")
        elif wrong := differences(message.id, message.string):
            faults.append(f"{wrong}\n    {message.string}")
        elif '"' in re.sub("`[^`]*`", "", message.string):
            faults.append(f"quotes are «» or 「」: {message.string}")
    assert not faults, "\n".join(faults)


def test_chinese_is_traditional() -> None:
    from opencc import OpenCC

    convert = OpenCC("s2tw").convert
    for path in (ROOT / "book/locales/zh_TW").rglob("*.po"):
        for message in locales.read(path):
            said = re.sub("[臺台占布]", "", message.string)  # Taiwan writes both forms
            assert convert(said) == said, f"{path.name}: {message.string}"


@pytest.mark.parametrize("name", ["outputs", "sphinx"])
def test_languages_have_the_same_words_of_the_interface(name: str) -> None:
    ids = {}
    for language in LANGUAGES:
        found = locales.read(locales.po_file(language, name))
        ids[language] = {message.id for message in found if message.id}
        for message in found:
            holes = len(re.findall(r"\{#?\}", message.id)) if message.id else 0
            there = re.findall(r"\{(#|\d)?\}", message.string)
            assert len(there) == holes, f"{language}: {message.string}"
            assert message.string.strip() or not message.id
    assert len(set(map(frozenset, ids.values()))) == 1


def test_a_language_adds_to_the_configuration_and_keeps_the_rest() -> None:
    english = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    for language in LANGUAGES:
        made = locales.configuration(language)
        assert made["sphinx"]["config"]["language"] == language
        assert made["sphinx"]["config"]["html_css_files"] == english["sphinx"]["config"]["html_css_files"]
        assert made["title"] != english["title"]
        assert not set(made) - set(english)
    assert locales.configuration("en")["title"] == english["title"]


def figures(page: str) -> list[str]:
    cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    made = ["".join(output["data"].get("text/html", "")) for cell in cells for output in cell.get("outputs", ())
            if "data" in output]
    return [each for each in made if each.startswith(("<table class=\"memory-lab\"", "<div class=\"ml-live\""))]


@pytest.mark.parametrize("page", locales.PAGES)
def test_labels_of_live_figures_are_translated(page: str) -> None:
    say = outputs.translator(outputs.words_of("zh_TW"))
    for figure in figures(page):
        made = outputs.translated(figure, say)
        assert re.findall("</?[a-z]+", made) == re.findall("</?[a-z]+", figure)
        if not figure.startswith("<div"):
            continue
        known = outputs.STYLED.findall(figure)
        assert known and outputs.STYLED.findall(made) == list(map(say, known)), "a state without its style"
        body = re.sub("<style>.*?</style>", "", made, flags=re.DOTALL)
        labels = re.findall(r'<(?:p class="ml-(?:head|title|note)"|label[^>]*|th scope="col")>([^<]+)', body)
        labels += re.findall(r'(?:aria-label|data-state)="([^"]+)"', body)
        labels += [word for word in json.loads(re.search(r'json">(.*?)</script>', body)[1])["words"] if len(word) > 12]
        left = {word for word in labels if re.search("[A-Za-z]{3}", word) and not re.search("[\u4e00-\u9fff]", word)}
        left -= set(outputs.words_of("zh_TW").values())
        assert not {word for word in left if word.split(",")[0] not in {"summary", *STRATEGIES}}


@pytest.mark.parametrize(("page", "start", "heads"), [
    ("book/intro", "*Share*", ["share", "in context", "right"]),
    ("book/01_truncation", "Read it from right to left", ["share", "in context", "right", "invented", "cached"])])
def test_prose_and_columns_use_the_same_words(page: str, start: str, heads: list[str]) -> None:
    for language in LANGUAGES:
        words = outputs.words_of(language)
        said, = [message.string for message in locales.read(locales.po_file(language, page))
                 if message.id and message.id.startswith(start)]
        plain = re.sub(r"\{term\}`(.*?)(?: <.*?>)?`", r"\1", said).lower()
        assert not [head for head in heads if f"*{words[head]}*" not in plain], said


def test_rows_keep_the_names_of_the_code_above_them() -> None:
    table = '<table class="memory-lab"><th scope="col">share</th><th scope="row">share</th>'
    made = outputs.translated(table, outputs.translator({"share": "proporción"}))
    assert made == '<table class="memory-lab"><th scope="col">proporción</th><th scope="row">share</th>'


def test_a_search_finds_a_chinese_word_in_both_scripts() -> None:
    pytest.importorskip("sphinx")
    from languages import SearchPairs

    search = SearchPairs({})
    terms = search.split("我對甲殼類過敏，SummaryMemory 寫滾動摘要。")
    assert {"過敏", "过敏", "摘要", "滾動", "SummaryMemory"} <= set(terms)
    assert "敏，" not in terms
    assert search.word_filter("摘要")
