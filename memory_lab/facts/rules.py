"""Facts by rules: what a sentence states about its writer, in English, Spanish and Chinese, without a model.

The patterns are in en.py, es.py and zh.py; this file says what a match means.  What it does not do: understand.  A fact
in words that no pattern has is not seen (extract.py asks a model).  Chapter 7.

Copy with: the folder facts/, the base, window.py, compaction.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from ..messages import Message, text_of
from .fact import Fact, Retraction, label_is_plain
from .sentences import Sentence, statements

LONGEST_VALUE = 200  # characters
_HAN = re.compile(r"[\u3400-\u9fff]")
_SPANISH = re.compile(r"[ñ¿¡áéíóú]|\b(?:el|la|los|las|un|una|de|del|que|es|soy|mi|mis|me|en|por|para|con|sin|se|lo|y"
                      r"|muy|no|nunca|llamo|llame|llames|puedo|mudado|jamás|hola|gracias|vivo|tengo|quiero)\b",
                      re.IGNORECASE)
_ENGLISH = re.compile(r"\b(?:the|an|of|is|am|are|my|i|it|in|to|for|with|and|not|do|you|we|at|on|this|that|never"
                      r"|please|me|call|no|have|like|want)\b", re.IGNORECASE)
_EDGE = " \t\"'“”‘’«»「」『』《》〈〉()（）.,;:，、；：。-–—"


class Rule(NamedTuple):
    """kind and attribute of what the pattern's group "value" says; "{what}" in attribute is the group of that name.

    subject: "user", or what the group "subject" or "topic" holds.  retract: the value is to be forgotten; keep: but for
    these kinds.  listed: the value is a list of short items.  conditional: also true of a sentence that says "if".
    """

    kind: str
    attribute: str
    pattern: re.Pattern
    retract: bool = False
    listed: bool = False
    conditional: bool = False
    keep: tuple[str, ...] = ()
    about: str | None = None  # of a retraction: whose fact, None for anybody's


def language(text: str) -> str:
    """"zh", "es" or "en": whose patterns to try."""
    if len(_HAN.findall(text)) * 4 > len(text.split()) and _HAN.search(text):
        return "zh"
    return "es" if len(_SPANISH.findall(text)) > len(_ENGLISH.findall(text)) else "en"


@lru_cache
def _patterns(name: str):
    return import_module(f".{name}", __package__)


def extract_rules(message: Message, index: int) -> list[Fact | Retraction]:
    """What a message changes, in its order: facts and wishes to forget; [] for any message that is not a user's.

    index: its place in the log.  Questions, quotations, pasted text and told speech make no fact (sentences.py).
    Cost: some dozens of regular expressions a sentence, about a tenth of a millisecond; no model.

    >>> extract_rules({"role": "user", "content": "My order number is 4471-K."}, 4)[0].value
    '4471-K'
    >>> extract_rules({"role": "tool", "content": "My order number is 4471-K.", "tool_call_id": "a"}, 5)
    []
    """
    if message["role"] != "user":
        return []
    text, found, last, before = text_of(message), [], None, None
    tongue = language(text)
    for sentence in statements(text):
        patterns = _patterns(tongue)
        rest = sentence
        once = patterns.ONCE.search(sentence.text)
        better = patterns.CORRECTS.search(sentence.text)
        if better and found and isinstance(found[-1], Fact):  # "it is at 10; wait, no, it is at 11"
            found += _correction(found[-1], better, sentence.text, patterns)
            continue
        if once:
            said, rest = _once(text, sentence, once, patterns, before)
            found = [change for change in found if isinstance(change, Retraction) or change.kind != "plan"
                     or change.quote not in said]
            found.append(Fact("user", "this time only", said, index, said, index, kind="once"))
        if rest.text:
            changes, last = _read(rest, index, patterns, last)
            found += changes
        before = sentence
    return found


def _correction(old: Fact, match: re.Match, text: str, patterns) -> list[Fact | Retraction]:
    value = _clean(match.group("value"), patterns)
    if not value or value.lower() in patterns.EMPTY:
        return []
    return [Retraction(old.source, text, old.value, old.subject, old.attribute),
            replace(old, value=value, quote=text)]


def _once(text: str, sentence: Sentence, mark: re.Match, patterns, before: Sentence | None):
    """(what is for this time only, the rest of the sentence).  What "this" is often stands in the sentence before."""
    usual = patterns.USUAL.search(sentence.text, mark.end())
    cut = max(sentence.text.rfind(comma, mark.end(), usual.start()) for comma in ",，;；:：") if usual else -1
    stop = sentence.start + (cut if cut > 0 else len(sentence.text))
    start = sentence.start
    if before is not None and mark.start() <= 3 and stop - before.start <= LONGEST_VALUE:
        start = before.start
    value = text[start:min(stop, start + LONGEST_VALUE)].strip()
    rest = text[stop:sentence.start + len(sentence.text)].lstrip(",，;；:： ")
    return value, Sentence(rest, sentence.start + len(sentence.text) - len(rest), False)


def _read(sentence: Sentence, index: int, patterns, last: str | None) -> tuple[list[Fact | Retraction], str | None]:
    """(changes, who was spoken of last).  What one rule has read no later rule reads again, but as part of a wish."""
    found, taken = [], []
    for rule in patterns.RULES:
        if sentence.conditional and not rule.conditional:
            continue
        for match in rule.pattern.finditer(sentence.text):
            subject = _subject(match, patterns, last)
            if subject is None:
                continue
            spans = list(_spans(rule, match, patterns))
            if not spans or any(_overlap(span, other, rule.kind) for span in spans for other in taken):
                continue
            changes = [change for start, stop in spans for change in
                       _changes(rule, match, subject, sentence.text[start:stop], sentence.text, index, patterns)]
            taken += spans if changes else []
            found += changes
            if changes and subject != "user" and rule.kind in ("name", "event", "detail", ""):
                last = subject
    found.sort(key=lambda change: isinstance(change, Fact))  # forget first: "forget the red one, I want a green one"
    return found, last


def _spans(rule: Rule, match: re.Match, patterns) -> Iterator[tuple[int, int]]:
    """Where the values are: the items of "nuts, milk and eggs, please tell them", up to the first that is none."""
    start, stop = match.span("value")
    if not rule.listed:
        yield start, stop
        return
    for part in [*patterns.LIST.finditer(match.string, start, stop), None]:
        end = stop if part is None else part.start()
        if not patterns.ITEM.fullmatch(match.string[start:end].strip()):
            return
        yield start, end
        start = stop if part is None else part.end()


def _overlap(span: tuple[int, int], other: tuple[int, int], kind: str) -> bool:
    if kind in ("prohibition", "rule"):  # whole sentences: names and numbers that they hold are facts of their own
        return other[0] <= span[0] and span[1] <= other[1]
    return span[0] < other[1] and other[0] < span[1]


def _subject(match: re.Match, patterns, last: str | None) -> str | None:
    """Who is spoken of; None for "she" when nobody was named."""
    groups = match.groupdict()
    name = next((groups[key] for key in ("subject", "topic", "item") if groups.get(key)), "").strip(_EDGE)
    name = patterns.OWN.sub("", name).strip().lower()
    if name in patterns.PRONOUNS:
        return last
    return name or "user"


def _changes(rule: Rule, match: re.Match, subject: str, value: str, text: str, index: int,
             patterns) -> Iterator[Fact | Retraction]:
    groups = {name: (words or "").strip(_EDGE).lower() for name, words in match.groupdict().items()}
    attribute = patterns.label(" ".join(rule.attribute.format(**groups).split())) or rule.kind
    value = _clean(value, patterns)
    if not value or value.lower() in patterns.EMPTY:
        return
    if rule.retract:
        about = subject if subject != "user" else rule.about
        yield Retraction(index, text, patterns.ARTICLE.sub("", value), about, rule.attribute or None, rule.keep)
    if rule.kind and label_is_plain(subject) and label_is_plain(attribute):
        yield Fact(subject, attribute, value, index, text, index, kind=rule.kind)


def _clean(value: str, patterns) -> str:
    value = patterns.TAIL.sub("", value.strip(_EDGE)).strip(_EDGE)
    if len(value) > LONGEST_VALUE:
        head = value[:LONGEST_VALUE]
        value = head[:max(head.rfind(" "), head.rfind("，"), head.rfind(","))] if re.search("[ ，,]", head) else head
    return value.strip(_EDGE)
