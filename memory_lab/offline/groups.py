"""The words of a question, grouped by what they ask for, and how far a statement covers each group."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .analysis import Analysis
from .lexicon import lexicon
from .likeness import same_beginning, same_characters
from .question import MET_BY


class Group(NamedTuple):
    """Words of the question that ask for one thing: one word, or several with a concept in common."""

    weight: float
    keys: tuple[frozenset[str], ...]
    concepts: frozenset[str]
    proper: bool


def groups_of(asked: Analysis) -> list[Group]:
    """The question's terms by concept; weights fall for what it takes for granted."""
    groups: list[Group] = []
    for term in asked.terms:
        weight = (
            min(term.weight, 0.35)
            if term.concepts and all(c in _WEAK or c.startswith("timeofday/") for c in term.concepts)
            else term.weight
        )
        group = Group(weight, (term.keys,), term.concepts, term.proper)
        for i, other in enumerate(groups):
            if term.concepts & other.concepts or term.keys in other.keys:
                groups[i] = Group(
                    max(weight, other.weight),
                    (*other.keys, term.keys),
                    term.concepts & other.concepts or term.concepts,
                    other.proper or term.proper,
                )
                break
        else:
            groups.append(group)
    if all(group.weight < 0.7 for group in groups):
        groups = [group._replace(weight=max(group.weight, 0.8 if group.concepts else group.weight)) for group in groups]
    return groups


def heard_weight(group: Group, matches: list[float]) -> float:
    """The weight of a group: less for a word that neither lexicon nor context knows, most likely a paraphrase."""
    unknown = not group.concepts and not group.proper and max(matches, default=0.0) < 0.5
    return min(group.weight, 0.45) if unknown else group.weight


# What a question takes for granted rather than asks about ("the thing that I bought").
_WEAK = frozenset(
    {
        "product",
        "purchase",
        "device",
        "ingredient",
        "event",
        "pastime",
        "person",
        "money",
        "use",
        "own",
        "available",
        "day",
        "timeofday",
        "start_work",
        "behaviour",
        "shift_time",
        "people_count",
        "quantity",
        "hold_keep",
        "too_much",
        "still_do",
        "visit_home",
        "take_time",
        "discuss",
        "spare",
        "topic",
        "begin",
        "position",
        "number",
        "time",
        "date",
    }
)


_LABELS = frozenset({"order", "code", "password", "plate", "flight", "postcode", "locker"})
_BY_KIND = {
    "date": {"date"},
    "time": {"time"},
    "city": {"place"},
    "country": {"place"},
    "place": {"place"},
    "cost": {"money"},
    "money": {"money"},
    "code": {"code"},
    "number": {"code", "digits", "phone"},
    "phone": {"phone"},
    "email": {"email"},
    "name": {"name"},
    "person": {"name"},
    "address": {"address"},
    "duration": {"duration"},
    "trip": {"place"},
    "day": {"date"},
    "year": {"date"},
    "meet_place": {"place"},
    "age": {"duration"},
    "limit": {"money"},
}


@lru_cache(maxsize=20_000)
def _wider(concepts: frozenset[str]) -> frozenset[str]:
    """The concepts just above, where they still tell something: none above a person or a kind of a class."""
    parents = lexicon().parents
    return (
        frozenset(
            p
            for c in concepts
            if "/" not in c and "person" not in parents.get(c, ())
            for p, near in parents.get(c, {}).items()
            if near > 0.9
        )
        - _VAGUE
    )


_VAGUE = frozenset(
    [
        "person",
        "place",
        "food",
        "date",
        "time",
        "health",
        "avoid",
        "money",
        "home",
        "work",
        "event",
        "number",
        "product",
        "device",
        "trip",
        "school",
        "family",
        "company",
        "document",
        "cost",
        "diet",
        "hobby",
        "like",
        "taste",
        "pet",
        "drink",
        "beverage",
        "sport",
        "animal",
        "time_any",
        "contact",
        "problem",
        "change",
        "transport",
        "body",
        "study",
    ]
)


def cover(group: Group, analysis: Analysis, *, by_kind: bool = True) -> float:
    """How far a statement covers a group: 1 for the word, less for a synonym, a kind of it, or a value of its kind."""
    if any(keys <= analysis.keys for keys in group.keys):
        return 1.0
    near = max((analysis.concepts.get(concept, 0.0) for concept in group.concepts), default=0.0)
    if near:
        return near - 0.05
    if not group.proper and any(analysis.concepts.get(concept) == 1.0 for concept in _wider(group.concepts)):
        return 0.7  # "sneeze" of the question by "allergic" of the statement
    kinds = group.concepts & _BY_KIND.keys() if by_kind else ()
    if (
        kinds
        and not (group.concepts & {"phone", "email"} and analysis.concepts.keys() & _LABELS)
        and any(_BY_KIND[concept] & analysis.kinds for concept in kinds)
    ):
        return 0.75
    if by_kind is False:
        return 0.0
    if analysis.language.startswith("zh"):
        return same_characters(group.keys, bool(group.concepts), analysis.keys)
    return 0.0 if group.proper else same_beginning(group.keys, analysis.keys)


def meets(kind: str, analysis: Analysis) -> bool:
    """Whether a statement has a value of the kind that is asked for (see MET_BY)."""
    if MET_BY[kind] & analysis.kinds:
        return True
    concepts = analysis.concepts
    if kind == "date":  # "on my birthday", "at Easter"; not "on holiday"
        parents = lexicon().parents
        return concepts.get("date") == 1.0 or any(
            "/" in c and near == 1.0 and "date" in parents.get(c, ()) for c, near in concepts.items())
    if kind == "place":
        return any(c.startswith(("city/", "country/")) for c in concepts)
    return bool(
        {
            "person": {"family", "friend", "partner", "boss", "colleague", "name"},
            "age": {"age"},
            "frequency": {"frequency"},
        }.get(kind, set())
        & concepts.keys()
    )


def named_kind(group: Group) -> bool:
    """Does the group name one thing of a class, or somebody ("the tent", "my sister")? Nothing else stands for it."""
    parents = lexicon().parents
    return any("/" in c or "person" in parents.get(c, ()) for c in group.concepts)
