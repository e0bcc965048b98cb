"""What a store of long-term items is: the item, the contract, the filters that mean the same in every store.

    add(items, vectors)     new items, each with its vector or None; all or none of them
    get(id)                 one item, or None
    delete(ids)             how many there were
    list(where, contains)   the items that pass, in the order in which they were added
    nearest(vector, ...)    (item, cosine) of those that have a vector, the nearest first
    close()                 done; a store on disk may be opened again

Stores: memory.py (numpy, exact), sqlite.py (a file), chroma.py (extra).  Chapter 9.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Protocol

from ...errors import SettingError, StoreError


@dataclass(frozen=True)
class Item:
    """One thing worth keeping.

    text: what is found and shown.  type: such as personal, preference, fact, conversation.  at: when it was said, with
    a time zone.  importance: 0 to 1.  sources: ids of the messages or items that it rests on.  metadata: more fields,
    each a string, a number or a truth value.  Raises SettingError for values that no store could hold.
    """

    id: str
    text: str
    type: str = "conversation"
    at: datetime | None = None
    importance: float = 0.5
    sources: tuple[str, ...] = ()
    metadata: Mapping[str, str | int | float | bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("id", "text", "type"):
            value = getattr(self, name)
            if not isinstance(value, str) or (name != "text" and not value):
                raise SettingError(f"item {self.id!r}: {name} is {value!r}; it must be text")
            check_text(value, f"item {self.id!r}: {name}")
        if not self.text.strip():
            raise SettingError(f"item {self.id!r}: its text is empty")
        if self.at is not None and self.at.tzinfo is None:
            raise SettingError(f"item {self.id!r}: at={self.at.isoformat()} has no time zone; give one, as in UTC")
        if not _number(self.importance) or not 0 <= self.importance <= 1:
            raise SettingError(f"item {self.id!r}: importance is {self.importance!r}; it must be from 0 to 1")
        if isinstance(self.sources, str) or not all(isinstance(source, str) for source in self.sources):
            raise SettingError(f"item {self.id!r}: sources are {self.sources!r}; give a list of ids as text")
        object.__setattr__(self, "sources", tuple(self.sources))
        object.__setattr__(self, "metadata", dict(self.metadata))
        for name, value in self.metadata.items():
            if not isinstance(name, str) or name in FIELDS or not (isinstance(value, (str, bool)) or _number(value)):
                raise SettingError(f"item {self.id!r}: metadata {name!r}: {value!r}; give a new name, and a string, a "
                                   "finite number or a truth value")
            for text in (name, value):
                check_text(text, f"item {self.id!r}: metadata {name!r}") if isinstance(text, str) else None


FIELDS = tuple(each.name for each in fields(Item))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def check_text(text: str, where: str) -> None:
    """Nothing; SettingError for text that cannot be written to a file."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SettingError(f"{where}: a lone surrogate at character {error.start}: remove it") from error


class Store(Protocol):
    """The contract, in words at the top of this file.

    add() raises StoreError for an id that is there already (or twice in one call), and for a vector of another size
    than those that are there; then nothing is added.  nearest() raises StoreError for a vector of another size.
    """

    dimensions: int | None

    def __len__(self) -> int: ...
    def add(self, items: Sequence[Item], vectors: Sequence[Any] | None = None) -> None: ...
    def get(self, id: str) -> Item | None: ...
    def delete(self, ids: Iterable[str]) -> int: ...
    def list(self, *, where: Mapping[str, Any] | None = None, contains: str = "") -> list[Item]: ...
    def nearest(self, vector: Any, *, top_k: int = 5, where: Mapping[str, Any] | None = None,
                contains: str = "") -> list[tuple[Item, float]]: ...
    def close(self) -> None: ...


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}


def passing(where: Mapping[str, Any] | None, contains: str = "") -> Callable[[Item], bool]:
    """Whether an item passes: every field as asked, and the words in its text.

    where: field -> value, or list of values, or {"<" "<=" ">" ">=" "=": value}; fields of Item or of its metadata;
    for sources, the item has one of the ids.  An item without the field, or with None or another kind of value in it,
    does not pass.  contains: in the text, whatever the case.  Raises SettingError for an operator that there is not.

    >>> item = Item("1", "Likes JAZZ", type="preference", importance=0.7, metadata={"user": "ana"})
    >>> passing({"type": ["preference", "fact"], "importance": {">=": 0.5}, "user": "ana"}, "jazz")(item)
    True
    >>> passing({"shelf": "b"})(item)
    False
    """
    tests: list[tuple[str, str, Any]] = []
    for name, wanted in (where or {}).items():
        if isinstance(wanted, Mapping):
            for sign, value in wanted.items():
                if sign not in _COMPARE:
                    raise SettingError(f"where {name!r}: no operator {sign!r}; there are {', '.join(_COMPARE)}")
                tests.append((name, sign, _moment(value)))
        else:
            values = wanted if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]
            tests.append((name, "in", [_moment(value) for value in values]))
    words = contains.casefold()
    return lambda item: words in item.text.casefold() and all(_passes(item, *test) for test in tests)


def _passes(item: Item, name: str, sign: str, wanted: Any) -> bool:
    if name == "sources":
        return sign in ("in", "=") and bool(set(item.sources).intersection(wanted if sign == "in" else [wanted]))
    value = getattr(item, name) if name in FIELDS else item.metadata.get(name)
    if value is None:
        return False
    if sign == "in":
        return any(value == each and (type(value) is type(each) or (_number(value) and _number(each)))
                   for each in wanted)
    try:
        return _COMPARE[sign](value, wanted)
    except TypeError:
        return False


def _moment(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def rows(items: Sequence[Item], vectors: Sequence[Any] | None, dimensions: int | None) -> tuple[list[Any], int | None]:
    """The vectors as unit float32 arrays or None, and their size.

    Raises StoreError for an id twice among the items, a vector too many or too few, of another size, or not finite.
    """
    import numpy as np

    ids = [item.id for item in items]
    if twice := sorted({id for id in ids if ids.count(id) > 1}):
        raise StoreError(f"the id {twice[0]!r} stands twice among the {len(ids)} items: nothing was added")
    if vectors is None:
        return [None] * len(items), dimensions
    if len(vectors) != len(items):
        raise StoreError(f"{len(vectors)} vectors for {len(items)} items: give one for each, or None")
    found = []
    for item, vector in zip(items, vectors, strict=True):
        if vector is not None:
            vector = unit(vector, dimensions, f"item {item.id!r}")
            dimensions = len(vector)
        found.append(None if vector is None else np.ascontiguousarray(vector))
    return found, dimensions


def unit(vector: Any, dimensions: int | None, where: str = "the query") -> Any:
    """The vector with length 1, as float32.  Raises StoreError for another size, or numbers that are not finite."""
    import numpy as np

    try:
        vector = np.asarray(vector, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise StoreError(f"{where}: its vector is no list of numbers ({error})") from error
    if vector.ndim != 1 or not len(vector) or not np.isfinite(vector).all():
        raise StoreError(f"{where}: its vector has shape {vector.shape} or numbers that are not finite; give one row")
    if dimensions not in (None, len(vector)):
        raise StoreError(f"{where}: a vector of {len(vector)} numbers, the store's have {dimensions}: another "
                         "embedding model made them; use the same one, or embed all items anew")
    return vector / (np.linalg.norm(vector) or 1.0)
