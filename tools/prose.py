"""What can be checked in the book's prose: long sentences, terms that are not linked, words that nobody knows.

    python tools/prose.py [--link] book/_src/05_summary.md ...      a line for each problem; exit code 1 if there is one

--link writes the missing {term} roles into the files.  Code, headings, tables, link targets and dialogues in tabs are
no prose here; they are blanked out in place, so that what is found has a line number.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 35  # words in a sentence
# Entries whose name is an everyday word too: linked where an author means the term, not at the first use of the word.
EVERYDAY = {"budget", "importance", "layer", "log", "state", "store", "target", "unit", "cluster", "session"}

_BLOCKS = [re.compile(pattern, re.M | re.S) for pattern in (
    r"\A---\n.*?^---\n",                              # front matter
    r"^(`{3,}|~{3,})\{code-cell\}.*?^\1[ ]*$",
    r"^(:{3,})\{tab-set\}.*?^\1[ ]*$",                # dialogues, in four languages
    r"^(`{3,})(?:\w+|\{(?:bibliography|api|points|ladder|dialogue)\}[^\n]*)\n.*?^\1[ ]*$",
    r"^\$\$.*?^\$\$[ ]*$",
    r"<!--.*?-->",
)]
_LINES = [re.compile(pattern, re.M) for pattern in (
    r"^#+ .*$",                                       # headings
    r"^\|.*$",                                        # tables
    r"^\(.*\)=$",                                     # labels
    r"^:[\w-]+:.*$",                                  # options
    r"^[`:]{3,}(?:\{(?:div|grid)\}.*$|\{[\w-]+\})?",   # directives: what stands behind the name is prose, or a class
)]
_TITLES = re.compile(r"^[`:]{3,}\{[\w-]+\}.*$", re.M)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
_MATH = re.compile(r"\$[^$\n]+\$")
_ROLE = re.compile(r"\{(?:[\w:-]+)\}(`+)([^`]+?)\1")
_TERM = re.compile(r"\{term\}`([^`<]+?)(?:\s*<([^>]+)>)?`")
_TARGET = re.compile(r"(?<=\])\((?:[^()\s]|\([^()]*\))*\)|<?https?://[^\s)>]+>?|(?<=\])\{[^}]*\}")
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”)*_]*\s+(?=[\"'“(*_\[A-Z0-9])")
_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")


def _blank(match: re.Match[str], keep: str = "") -> str:
    """As long as what it replaces, and with its line ends; `keep` stands at its beginning."""
    text = match[0]
    return keep[:len(text)] + re.sub(r"[^\n]", " ", text[len(keep):])


def _said(role: re.Match[str]) -> str:
    """The words of a role that a reader sees; a file name is one piece of code."""
    if role[0].startswith(("{module}", "{download}")):
        return _blank(role, "0")
    return re.sub(r"^\{[\w:-]+\}|`|<[^>]*>", _blank, role[0])


def prose(text: str, *, links: bool = True) -> str:
    """The text with all that is no prose blanked, each character in its old place.

    links: words that stand in a link, a role or a title stay; else they are blank as well.
    """
    for pattern in (*_BLOCKS, *([] if links else [_TITLES]), *_LINES):
        text = pattern.sub(_blank, text)
    if links:
        text = _ROLE.sub(lambda role: _blank(role) if role[0].startswith("{cite") else _said(role), text)
    else:
        text = _ROLE.sub(_blank, text)
        text = re.sub(r"(?<!!)\[[^\]\n]*\]\([^)\n]*\)", _blank, text)
    text = _CODE.sub(lambda m: _blank(m, "0"), text)   # a piece of code is one word of its sentence
    text = _MATH.sub(lambda m: _blank(m, "0"), text)
    return _TARGET.sub(_blank, text)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """(line, sentence) for each sentence of prose; list items, titles and paragraphs end one."""
    shown = prose(text)
    for block in re.finditer(r"\S(?:(?!\n[ ]*\n|\n[ ]*(?:[-*]|\d+\.) |\n[`:]{3}).)*", shown, re.S):
        start = 0
        for end in [*(found.start() for found in _SENTENCE.finditer(block[0])), len(block[0])]:
            sentence = block[0][start:end]
            if sentence.strip():
                yield text.count("\n", 0, block.start() + start + 1) + 1, " ".join(sentence.split())
            start = end


def long_sentences(text: str) -> list[str]:
    """"line: words: sentence" for each sentence that is longer than LONGEST words."""
    found = []
    for line, sentence in sentences(text):
        count = len(_WORD.findall(sentence))
        if count > LONGEST:
            found.append(f"{line}: a sentence of {count} words: {sentence}")
    return found


def glossary(path: Path = ROOT / "book/glossary.md") -> list[str]:
    """The terms of the glossary, in its order."""
    body = path.read_text(encoding="utf-8").split("```{glossary}\n")[1].split("\n```")[0]
    return [line for line in body.splitlines() if line and not line.startswith(" ")]


def _forms(term: str) -> re.Pattern[str]:
    plural = "(?:s|es)?" if term[-1].isalpha() and term[-1] != "s" else ""
    words = r"[\s-]+".join(map(re.escape, term.split()))
    return re.compile(rf"(?<![\w-]){words}{plural}(?![\w-])", re.I)


def unlinked(text: str, terms: list[str]) -> list[tuple[int, int, str]]:
    """(start, end, term) of each first use in prose that no {term} role links; objectives come before the first use."""
    shown = prose(text, links=False)
    begin = max(0, text.find("*Before:*"))
    begin = text.find("\n\n", begin) if begin else 0
    linked = {" ".join((m[2] or m[1]).lower().split()): m.start() for m in reversed(list(_TERM.finditer(text)))}
    found: list[tuple[int, int, str]] = []
    for term in sorted(terms, key=len, reverse=True):  # the words of a longer term are no use of a shorter one
        uses = list(_forms(term).finditer(shown, begin))
        first = next(iter(uses), None)
        if first and term not in EVERYDAY and linked.get(term.lower(), len(text)) > first.start():
            found.append((first.start(), first.end(), term))
        for use in uses:
            shown = shown[:use.start()] + " " * len(use[0]) + shown[use.end():]
    return sorted(found)


def link(text: str, terms: list[str]) -> str:
    """The text with a {term} role at each first use that has none."""
    for start, end, term in reversed(unlinked(text, terms)):
        word = " ".join(text[start:end].split())
        text = text[:start] + "{term}`" + (word if word == term else f"{word} <{term}>") + "`" + text[end:]
    return text


@cache
def _dictionary():
    from spellchecker import SpellChecker

    known = SpellChecker(language="en", distance=1)
    own = (ROOT / "tools/words.txt").read_text(encoding="utf-8").split("\n")
    known.word_frequency.load_words(word for line in own for word in line.partition("#")[0].split())
    return known


def misspelt(text: str) -> list[str]:
    """"line: word" for each word in no dictionary: pyspellchecker's English one, or tools/words.txt."""
    found, shown = [], prose(text)
    for match in re.finditer(r"[^\W\d_]+(?:['’][^\W\d_]+)*", shown):
        word = match[0].replace("’", "'").removesuffix("'s")
        if len(word) > 1 and word.isascii() and _dictionary().unknown([word]):
            found.append(f"{shown.count(chr(10), 0, match.start()) + 1}: {word}")
    return found


def problems(path: Path, terms: list[str]) -> list[str]:
    """One line for each thing to mend in a page."""
    text = path.read_text(encoding="utf-8")
    found = long_sentences(text) + [f"{each}: in no dictionary, nor in tools/words.txt" for each in misspelt(text)]
    if re.match(r"\d\d_", path.name):
        found += [f"{text.count(chr(10), 0, start) + 1}: first use of {term!r} is not linked to the glossary"
                  for start, _, term in unlinked(text, terms)]
    return [f"{path.name}:{each}" for each in found]


def main() -> int:
    """The exit code: 1 if anything is to be mended."""
    parser = argparse.ArgumentParser(description="Check the book's prose.")
    parser.add_argument("pages", nargs="*", type=Path, default=sorted((ROOT / "book").glob("_src/*.md")))
    parser.add_argument("--link", action="store_true", help="write the missing {term} roles into the files")
    args = parser.parse_args()
    terms, found = glossary(), []
    for page in args.pages:
        if args.link:
            text = page.read_text(encoding="utf-8")
            page.write_text(link(text, terms), encoding="utf-8")
        found += problems(page, terms)
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
