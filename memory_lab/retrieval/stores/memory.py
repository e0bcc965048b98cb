"""A store in this process: exact, by one product of a matrix and a vector.  Gone when the process ends.  Chapter 9."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import StoreError, whole
from .contract import Item, passing, rows, unit


class MemoryStore:
    """Items in a dict.  Cost: O(items) a search; 10,000 vectors of 384 numbers take about a millisecond."""

    def __init__(self):
        self._items: dict[str, tuple[Item, Any]] = {}
        self.dimensions: int | None = None

    def __len__(self) -> int:
        return len(self._items)

    def add(self, items: Sequence[Item], vectors: Sequence[Any] | None = None) -> None:
        """Add new items; all or none."""
        new, dimensions = rows(items, vectors, self.dimensions)
        if known := [item.id for item in items if item.id in self._items]:
            raise StoreError(f"the id {known[0]!r} is there already: delete() it first, or give another")
        self.dimensions = dimensions
        self._items.update({item.id: (item, vector) for item, vector in zip(items, new, strict=True)})

    def get(self, id: str) -> Item | None:
        """The item of that id, or None."""
        return self._items.get(id, (None, None))[0]

    def delete(self, ids: Iterable[str]) -> int:
        """How many items were deleted; an unknown id counts for nothing."""
        return sum(self._items.pop(id, None) is not None for id in list(ids))

    def list(self, *, where: Mapping[str, Any] | None = None, contains: str = "") -> list[Item]:
        """The items that pass (see passing), in the order in which they were added."""
        passes = passing(where, contains)
        return [item for item, _ in self._items.values() if passes(item)]

    def nearest(self, vector: Any, *, top_k: int = 5, where: Mapping[str, Any] | None = None,
                contains: str = "") -> list[tuple[Item, float]]:
        """Up to top_k (item, cosine), the nearest first; among equals the older."""
        passes = passing(where, contains)
        return nearest([each for each in self._items.values() if passes(each[0])], vector, self.dimensions, top_k)

    def close(self) -> None:
        """Nothing to do."""


def nearest(pairs: Sequence[tuple[Item, Any]], vector: Any, dimensions: int | None,
            top_k: int) -> list[tuple[Item, float]]:
    """The top_k of (item, unit vector or None) by cosine; exact."""
    import numpy as np

    vector, top_k = unit(vector, dimensions), whole("top_k", top_k, 0)
    pairs = [each for each in pairs if each[1] is not None]
    if not pairs or not top_k:
        return []
    cosines = np.array([each for _, each in pairs]) @ vector
    order = np.argsort(-cosines, kind="stable")[:top_k]
    return [(pairs[place][0], float(cosines[place])) for place in order.tolist()]
