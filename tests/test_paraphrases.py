"""The paraphrase set is fair to a reader and hard for word search: values are in reach, words differ."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

GROUPS = {group["lang"]: group["items"] for group in json.loads(
    (Path(__file__).parent / "fixtures" / "paraphrases.json").read_text(encoding="utf-8"))}
LANGUAGES = ("en", "zh-Hant", "zh-Hans", "es")
# Words without content: sharing them is no hint.
FUNCTION = {
    "en": "a am an and any are as at be by did do does for from have how i in is it me my not of on or should that "
          "the there to was what when where which who will with you we our she her they them his their your",
    "es": "a al con cuál cuándo cuánto cuántos cuántas cómo de del dónde el en es la las le lo los me mi mis para por "
          "qué que quién se su un una va voy y soy tengo no",
    "zh": " ".join("我的你您他她是在有了什麼么哪個个一多少幾几嗎吗呢不們们裡里到用和對对會会要"),
}


def words(text, lang):
    if lang.startswith("zh"):   # no spaces: pairs of characters stand for words
        marked = "".join(char if char not in FUNCTION["zh"] else " " for char in text)
        return {run[at:at + 2] for run in re.findall(r"\w+", marked) for at in range(max(1, len(run) - 1))}
    return set(re.findall(r"\w+", text.casefold())) - set(FUNCTION[lang].split())


def statements(item):
    """The user messages with an accepted value: the statement that answers, and now and then a distractor."""
    return [message["content"] for message in item["context"] if message["role"] == "user"
            and any(value.casefold() in message["content"].casefold() for value in item["accept"])]


def test_it_holds_enough_questions_in_each_language():
    assert set(GROUPS) == set(LANGUAGES)
    for items in GROUPS.values():
        assert sum(item["answerable"] for item in items) >= 45
        assert sum(not item["answerable"] for item in items) >= 10
    ids = Counter(item["id"] for items in GROUPS.values() for item in items)
    assert max(ids.values()) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_item_can_be_judged(lang):
    for item in GROUPS[lang]:
        assert 4 <= len(item["context"]) <= 12, item["id"]
        assert item["type"] in ("number", "date", "name", "choice", "free"), item["id"]
        assert item["context"][0]["role"] == "user", item["id"]
        said = "\n".join(message["content"] for message in item["context"])
        assert all(value in said for value in item["forbid"]), item["id"]
        if item["answerable"]:
            assert statements(item), item["id"]
        else:
            assert not item["accept"], item["id"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_question_does_not_contain_its_answer(lang):
    for item in GROUPS[lang]:
        assert not any(value.casefold() in item["question"].casefold() for value in item["accept"]), item["id"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_questions_use_other_words_than_statements(lang):
    shares = []
    for item in GROUPS[lang]:
        if item["answerable"]:
            asked = words(item["question"], lang)
            shares.append(max(len(asked & words(said, lang)) for said in statements(item)) / len(asked))
    assert sum(shares) / len(shares) < .15
    assert sum(share == 0 for share in shares) / len(shares) > .6
