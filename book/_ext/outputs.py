"""Words inside the outputs of a translated page: column heads, and the labels of our live figures.

A figure is HTML that was made in English when the notebook ran. What is translated here are whole texts of it: exactly,
or by a pattern in which {#} stands for a number and {} for any words, which are translated in turn if they are known.
The code and its printed output stay.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from babel.messages.pofile import read_po

LOCALES = Path(__file__).resolve().parents[1] / "locales"
HEADS = re.compile(r'(<th scope="col">|<caption>)([^<]*)')
PIECES = re.compile(r"(<style>.*?</style>|<script.*?</script>|<[^>]*>)", re.DOTALL)
ATTRIBUTES = re.compile('(aria-label|aria-valuetext|data-state)="([^"]*)"')
HOLES = {"{}": "(.+?)", "{#}": r"([\d,]+)"}
STYLED = re.compile(r'\[data-state="?([\w ]+)"?\]')


def words_of(language: str) -> dict[str, str]:
    """English text to translated text, of the language's outputs.po."""
    with (LOCALES / language / "LC_MESSAGES/outputs.po").open("rb") as file:
        return {message.id: message.string for message in read_po(file) if message.id and message.string}


def translator(catalogue: dict[str, str]) -> Callable[[str], str]:
    """A function from an English text to the translated one; unknown texts come back as they are.

    >>> say = translator({"kept": "conserva", "Fold {#} of {#}: {}.": "Plegado {#} de {#}: {}."})
    >>> say("Fold 2 of 9: kept."), say("buffer")
    ('Plegado 2 de 9: conserva.', 'buffer')
    """
    patterns = [(_pattern(english), words) for english, words in catalogue.items() if "{" in english]
    patterns.sort(key=lambda pair: -len(pair[0].pattern))

    @cache
    def say(text: str) -> str:
        if text in catalogue:
            return catalogue[text]
        for pattern, words in patterns:
            if found := pattern.fullmatch(text):
                return words.replace("{#}", "{}").format(*map(say, found.groups()))
        return text

    return say


def _pattern(english: str) -> re.Pattern[str]:
    parts = re.split(r"(\{#?\})", english)
    return re.compile("".join(HOLES.get(part) or re.escape(part) for part in parts), re.DOTALL)


def translated(source: str, say: Callable[[str], str]) -> str:
    """The HTML of one of our tables or figures with its words translated; other HTML as it is.

    Of a table only the column heads: the names of its rows stand in the code above it.
    """
    if source.startswith('<table class="memory-lab"'):
        return HEADS.sub(lambda found: found[1] + _said(found[2], say), source)
    if not source.startswith('<div class="ml-live"'):
        return source
    made = []
    for piece in PIECES.split(source):
        if piece.startswith("<style"):
            made.append(STYLED.sub(lambda found: f'[data-state="{say(found[1])}"]', piece))
        elif piece.startswith('<script type="application/json"'):
            made.append(_data(piece, say))
        elif piece.startswith("<script"):
            made.append(piece)
        elif piece.startswith("<"):
            made.append(ATTRIBUTES.sub(lambda found: f'{found[1]}="{_said(found[2], say)}"', piece))
        else:
            made.append(_said(piece, say))
    return "".join(made)


def _said(piece: str, say: Callable[[str], str]) -> str:
    words = html.unescape(piece)
    return html.escape(words.replace(words.strip(), say(words.strip()))) if words.strip() else piece


def _data(piece: str, say: Callable[[str], str]) -> str:
    head, _, rest = piece.partition(">")
    data = json.loads(rest.removesuffix("</script>"))
    data["words"] = [say(word) for word in data["words"]]
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "&<>":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f"{head}>{text}</script>"
