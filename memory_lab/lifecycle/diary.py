"""A year of one person's messages, made from a seed, with the few that matter labelled by what they say.

The labels (allergies, prohibitions, identifiers, names) were written down in data/parts/diary.json before any weight or
threshold of this folder was chosen, so that a clean-up can be judged by something that it was not fitted to.

Copy with: worth.py, importance.py, retrieval/, facts/, values.py, data/parts/diary.json.  Chapter 10.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import resources

from ..errors import whole
from ..retrieval.items import Items
from .worth import judged

START = datetime(2025, 3, 1, 8, tzinfo=UTC)
DAYS = 365


@dataclass(frozen=True)
class Question:
    """What a later chat may ask of the diary.  source: index of the entry that answers it.  category: its label."""

    text: str
    accept: tuple[str, ...]
    source: int
    category: str


def diary(*, seed: int = 7, entries: int = 1000,
          held_out: bool = False) -> tuple[list[tuple[str, datetime]], list[Question]]:
    """(the entries as (text, time), oldest first; a question for each of the 78 that are labelled important).

    The important ones lie anywhere in the year.  The others are tastes, facts of the world, plans and talk, with
    numbers and negations among them, and every twelfth repeats an earlier one.  The same seed gives the same entries.
    held_out: other 32 important ones, in other words, which no choice was made on.
    Raises SettingError for fewer than 100 entries.  Cost: some milliseconds.

    >>> entries, questions = diary(seed=7)
    >>> len(entries), len(questions)
    (1000, 78)
    """
    whole("entries", entries, 100)
    source = resources.files("memory_lab").joinpath("data", "parts", "diary.json")
    parts = json.loads(source.read_text(encoding="utf-8"))
    rng = random.Random(f"{seed} {entries}")
    labelled = parts["held_out" if held_out else "important"]
    stock = [(category, *told) for category, those in labelled.items() for told in those]
    said: list[tuple[str, tuple | None]] = [(told[1], told) for told in stock]
    said += [(text, None) for text in _background(rng, parts, entries - len(stock))]
    rng.shuffle(said)
    minutes = sorted(rng.sample(range(DAYS * 24 * 60), entries))
    times = [START + timedelta(minutes=minute) for minute in minutes]
    questions = [Question(told[2], tuple(told[3]), place, told[0])
                 for place, (_, told) in enumerate(said) if told is not None]
    return [(text, at) for (text, _), at in zip(said, times, strict=True)], questions


def stored(entries: list[tuple[str, datetime]]) -> Items:
    """All entries as items, in memory, each with what worth() says of it; entry n has the id "m<n>".

    Cost: about 5 milliseconds an entry, most of it for the vectors.
    """
    items = Items()
    items.add_all([judged(f"m{n}", text, at) for n, (text, at) in enumerate(entries)])
    return items


def answered(items: Items, question: Question, *, top_k: int = 5) -> bool:
    """Whether the store still answers: an item that rests on the question's entry says so, and a search finds it."""
    rests = {item.id for item in items.list() if f"m{question.source}" in (item.sources or (item.id,))}
    hits = items.search(question.text, top_k=top_k, minimum_similarity=0, keyword_weight=0.8)
    return any(hit.item.id in rests and value.lower() in hit.item.text.lower()
               for hit in hits for value in question.accept)


def _background(rng: random.Random, parts: dict, number: int) -> list[str]:
    kinds = list(parts["background"].values())
    found: list[str] = []
    while len(found) < number:
        if found and len(found) % 12 == 0:
            found.append(_sentence(rng.choice(parts["again"]), {"text": [rng.choice(found)]}, rng))
        else:
            kind, = rng.choices(kinds, [kind["share"] for kind in kinds])
            found.append(_sentence(rng.choice(kind["texts"]), parts["words"], rng))
    return found


def _sentence(pattern: str, words: dict[str, list[str]], rng: random.Random) -> str:
    """The pattern with a word for each name in braces; a capital name gives a capital word."""
    chosen = {name: rng.choice(those) for name, those in words.items()}
    chosen["other"] = rng.choice([thing for thing in words.get("thing", [""]) if thing != chosen.get("thing")])
    capital = {name.capitalize(): text[:1].upper() + text[1:] for name, text in chosen.items()}
    return pattern.format(**chosen, **capital)
