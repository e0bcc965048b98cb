"""What the offline reader finds where the words differ: measured, and held as lower bounds, so that a loss is seen.

The bar is .9 of context recall on questions written apart from the reader (paraphrases.json) and .95 on the shipped
conversations; both are held here. Measured were .91 en, .98 zh-Hant, .94 zh-Hans and .92 es on the first, where .7 of
the near misses are left unanswered; on the second .96 en (139 of 145) and 1.0 in the other languages. Nothing was
fitted on long_300, but its misses were read; talks of the same generator that nobody looked at (seeds 12 to 15) give
.91.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from memory_lab import BufferMemory, conversations
from memory_lab.evaluate import replay
from memory_lab.matching import match
from memory_lab.messages import user
from memory_lab.offline.reader import answer

FIXTURES = Path(__file__).parent / "fixtures"
# language -> (least share of context recall, least share of unanswerable questions left unanswered)
PARAPHRASES = {"en": (0.9, 0.6), "zh-Hant": (0.9, 0.6), "zh-Hans": (0.9, 0.6), "es": (0.9, 0.6)}
UNSEEN = {"en": (0.92, 0.8), "zh-Hant": (0.9, 0.7), "zh-Hans": (0.9, 0.7), "es": (0.92, 0.8)}
SHIPPED = {"en": 0.95, "zh-Hant": 0.95, "zh-Hans": 0.95, "es": 0.95}


def blocks(name):
    return {each["lang"]: each["items"] for each in json.loads((FIXTURES / name).read_text(encoding="utf-8"))}


def measure(items, language):
    """(answered right, of those whose value is in the context), (left unanswered, of the unanswerable)."""
    right = held = left = never = 0
    for item in items:
        said = answer([*(dict(message) for message in item["context"]), user(item["question"])])
        if item["answerable"]:
            context = "\n".join(message["content"] for message in item["context"])
            held += any(value.lower() in context.lower() for value in item["accept"])
        wanted = {key: item[key] for key in ("accept", "forbid", "type", "answerable") if key in item}
        judged = match(said, **wanted, language=language)
        if item["answerable"]:
            right += judged.verdict == "correct"
        else:
            never += 1
            left += judged.verdict == "correct"
    return right / held, left / never


@pytest.mark.parametrize("language", PARAPHRASES)
def test_on_questions_written_apart_from_the_reader(language):
    found, left = measure(blocks("paraphrases.json")[language], language)
    assert found >= PARAPHRASES[language][0]
    assert left >= PARAPHRASES[language][1]


@pytest.mark.parametrize("language", UNSEEN)
def test_on_the_half_of_its_own_questions_that_no_weight_was_fitted_on(language):
    """They flatter: whoever widened the lexicon had written them."""
    found, left = measure([item for item in blocks("reader_dev2.json")[language] if item["half"] == "held"], language)
    assert found >= UNSEEN[language][0]
    assert left >= UNSEEN[language][1]


@cache
def shipped():
    right, held = {}, {}
    for name in conversations.names():
        talk = conversations.load(name)
        for asked in replay(BufferMemory(talk.system), talk).asked:
            if asked.probe.answerable and asked.in_context:
                held[talk.language] = held.get(talk.language, 0) + 1
                right[talk.language] = right.get(talk.language, 0) + (asked.verdict == "correct")
    return {language: right[language] / held[language] for language in held}


@pytest.mark.parametrize("language", SHIPPED)
def test_on_the_shipped_conversations(language):
    assert shipped()[language] >= SHIPPED[language]
