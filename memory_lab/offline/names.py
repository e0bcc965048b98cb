"""Who is meant by a name: the statement that introduced it lends what it says to those that use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .analysis import Analysis
from .patterns import compiled

if TYPE_CHECKING:
    from .evidence import Evidence

_INTRODUCED = compiled("evidence", "introduced", 0)
_INTRODUCES = compiled("evidence", "introduces")


def introduces(analysis: Analysis) -> bool:
    """Does the statement tell what somebody or something is called?"""
    return bool(_INTRODUCES.search(analysis.folded))


def with_names(found: list[Evidence]) -> list[Evidence]:
    """The statements, each with the one that introduced a name of its own, or else used it first: "Safiya" is "my
    teacher" from then on."""
    first: dict[str, int] = {}
    introduced: set[str] = set()
    chinese: dict[str, int] = {}
    out = []
    for index, item in enumerate(found):
        keys = (
            item.analysis.keys if item.lead is None or not item.marks.pronoun else item.analysis.keys | item.lead.keys
        )
        known = [first[key] for key in keys & first.keys()]
        if item.analysis.language.startswith("zh"):
            text = item.analysis.folded + (item.lead.folded if item.lead is not None and item.marks.pronoun else "")
            known += [place for name, place in chinese.items() if name in text]
        out.append(
            item._replace(named=found[min(known)].analysis)
            if known and not (item.marks.forget and item.speaker == "tool")
            else item
        )
        first_named = introduces(item.analysis)
        for term in item.analysis.terms:
            if term.proper:
                for key in term.keys:
                    if first_named and key not in introduced:
                        first[key] = index
                        introduced.add(key)
                    first.setdefault(key, index)
        if item.analysis.language.startswith("zh"):
            for name in _INTRODUCED.findall(item.analysis.folded):
                chinese.setdefault(name, index)
    return out
