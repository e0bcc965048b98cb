"""What deserves saving: the type and the mark of a text, by what it says.

The rules of chapter 7 come first, since what must not be paraphrased must not be forgotten either.  Where no rule reads
a text, coarser cues do: codes, words of health, wishes in the imperative, names.  A cue costs little when it is wrong:
the item stays a while longer.  What this does not do: understand.  What matters and shows no cue is conversation.

Copy with: importance.py, retrieval/, facts/, values.py.  Chapter 10.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from ..facts.fact import KINDS, Fact
from ..facts.rules import extract_rules
from ..facts.sentences import statements
from ..messages import user
from ..retrieval.stores.contract import Item
from ..values import Finder
from .importance import WEIGHTS, importance

LASTING = tuple(KINDS)[:6]  # prohibition, allergy, identifier, number, rule, name: the last to go in a fact table too
_PERSONAL = {"allergy", "identifier", "number", "name", "place", "work", "trait"}
_PREFERENCE = {"prohibition", "rule", "like", "want", "choice"}
_CHANGES = ("budget", "place", "work")  # one value at a time; a person has several names, and more than one order
_CODE = re.compile(r"(?i)\b(?:number|code|id|account|card|policy|plate|chip|reference|password|phone|passport|address"
                   r"|lane|street|road|número|código|cuenta|calle)\b[^.!?]{0,40}?\d[\d\W]*\d[\d\W]*\d")
_DAYS = re.compile(r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august"
                   r"|september|october|november|december")
_HEALTH = re.compile(
    r"(?i)\b(?:allerg|intoleran|tolerate|reaction|rash|hives|asthma|wheez|migraine|coeliac|celiac|diabet|epilep|pregnan"
    r"|vegan|vegetarian|medicine|medication|prescri|blood group|alerg|intoleran|diabét|embaraz|veget|asma|celíac)"
    r"|過敏|过敏|疹|氣喘|哮喘|糖尿|懷孕|怀孕|吃素|不能吃")
_WISH = re.compile(
    r"(?i)(?:^|[.!;,]\s)\s*(?:please,?\s+)?(?:do not|don't|never|avoid|refrain|stop|keep|no one|nobody|you must not"
    r"|under no circumstances|no \w+ (?:after|before|during|on|in))\b|\bplease (?:stop|avoid|keep|none|no)\b"
    r"|\b(?:i won't|i don't want|must not|off limits)\b|(?:^|[.!;,]\s)\s*(?:nunca|jamás|no (?:me|lo|la|quiero))\b"
    r"|不要|别在|別在|禁止")


class Worth(NamedTuple):
    """type: one of importance.WEIGHTS.  mark: 0 to 1.  about: whose and what, where a later value replaces this one."""

    type: str
    mark: float
    about: str = ""


def worth(text: str) -> Worth:
    """What a user's text is worth keeping as; Worth("conversation", 0) for what is not worth it.

    Cost: that of extract_rules, some tenths of a millisecond; no model.

    >>> worth("Please do not phone me.")
    Worth(type='preference', mark=1.0, about='')
    >>> worth("My order number is 4471-K.")
    Worth(type='personal', mark=1.0, about='')
    >>> worth("Is it raining?")
    Worth(type='conversation', mark=0.0, about='')
    """
    facts = [fact for fact in extract_rules(user(text), 0) if isinstance(fact, Fact)]
    if facts:
        first = min(facts, key=lambda fact: tuple(KINDS).index(fact.kind))
        kind = "personal" if first.kind in _PERSONAL else "preference" if first.kind in _PREFERENCE else "fact"
        about = f"{first.subject} | {first.attribute}" if len(facts) == 1 and first.kind in _CHANGES else ""
        known = Worth(kind, float(first.kind in LASTING), about)
    else:
        known = Worth("conversation", 0.0)
    cue = known if known.mark else _cue(text) or known
    return Worth(max(known.type, cue.type, key=WEIGHTS.__getitem__), cue.mark, known.about)


def judged(id: str, text: str, at: datetime | None = None, *, sources: tuple[str, ...] = ()) -> Item:
    """The item that a text makes, with what worth() says of it and its importance at that time.

    >>> judged("m4", "I live in Graz.").metadata
    {'mark': 0.4, 'about': 'user | home'}
    """
    kind, mark, about = worth(text)
    metadata = {"mark": mark, **({"about": about} if about else {})}
    item = Item(id, text, kind, at, 0.0, sources, metadata)
    return replace(item, importance=importance(item, now=at))


def _cue(text: str) -> Worth | None:
    said = " ".join(sentence.text for sentence in statements(text))  # no questions, no quotations
    values = Finder([user(said)]).values(said)
    if _HEALTH.search(said):
        return Worth("personal", 0.8)
    if _CODE.search(said) or any(value.kind in ("code", "e-mail") for value in values):
        return Worth("fact", 0.8)
    if _WISH.search(said):
        return Worth("preference", 0.8)
    if any(value.kind == "name" and not _DAYS.fullmatch(value.key) for value in values):
        return Worth("fact", 0.4)
    return None
