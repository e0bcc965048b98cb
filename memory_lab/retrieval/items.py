"""Long-term items, found by keywords and vectors: what outlives a chat, of any source.

What it does not do: decide what deserves saving, or what may go (lifecycle.py).  Chapter 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from ..errors import SettingError, whole
from .fuse import fuse, share
from .index import Index
from .stores import Item, MemoryStore, Store
from .vectors import Vectors


@dataclass(frozen=True)
class Hit:
    """What was found.  score: fused, 0 to 1.  keywords: BM25 as a share of the best.  similarity: the cosine."""

    item: Item
    score: float
    keywords: float
    similarity: float


class Items:
    """Items in a store, each with its vector and its words.

    store: a MemoryStore by default; SqliteStore(path) keeps them.  embed, client: as in VectorMemory; embed=None works
    with keywords alone.  Items that another process adds are found as well: the words are read again when the store has
    other items than before.  Cost: add() embeds the texts, up to 100 a call; search() embeds the query.

    >>> items = Items()
    >>> _ = items.add("Ana is allergic to shellfish", type="personal", importance=0.8)
    >>> _ = items.add("Ana likes jazz", type="preference")
    >>> [hit.item.text for hit in items.search("What is Ana allergic to?", where={"type": "personal"})]
    ['Ana is allergic to shellfish']
    """

    def __init__(self, store: Store | None = None, *, embed: str | None = "offline", client: Any = None):
        self.store: Store = MemoryStore() if store is None else store
        self.embed, self._client = embed, client
        self._vectors = Vectors(self._embedder, None if embed == "offline" else embed)
        self._index, self._known = Index(neighbours=0), []

    def _embedder(self) -> Any:
        if self.embed == "offline" or self._client is None:
            from ..client import connect

            return connect("offline" if self.embed == "offline" else None)
        return self._client

    def __len__(self) -> int:
        return len(self.store)

    def add(self, text: str, *, id: str | None = None, type: str = "conversation", at: datetime | None = None,
            importance: float = 0.5, sources: Sequence[str] = (), **metadata: str | int | float | bool) -> Item:
        """The item, now in the store.  id: a new one by default.  Raises StoreError for an id that is there already."""
        item = Item(id or uuid4().hex, text, type, at, importance, tuple(sources), metadata)
        self.add_all([item])
        return item

    def add_all(self, items: Sequence[Item]) -> None:
        """Add ready items, all or none: nothing is stored if the embedding model fails."""
        self.store.add(items, None if self.embed is None else self._vectors.embed([item.text for item in items]))

    def get(self, id: str) -> Item | None:
        """The item of that id, or None."""
        return self.store.get(id)

    def delete(self, ids: str | Iterable[str]) -> int:
        """How many items were deleted."""
        return self.store.delete([ids] if isinstance(ids, str) else ids)

    def list(self, *, where: Mapping[str, Any] | None = None, contains: str = "") -> list[Item]:
        """The items that pass the filters (see stores.passing), in the order in which they were added."""
        return self.store.list(where=where, contains=contains)

    def search(self, query: str, *, top_k: int = 5, minimum_similarity: float = 0.3, keyword_weight: float = 0.3,
               where: Mapping[str, Any] | None = None, contains: str = "") -> list[Hit]:
        """Up to top_k hits, the best first.

        minimum_similarity: the least fused score.  keyword_weight: of the keywords against the vectors.  The defaults
        are source 003's; on talk, more weight on keywords finds more (chapter 9).  where, contains: see stores.passing.
        A query of stop words alone is compared by its vector; without vectors it finds nothing.
        """
        import numpy as np

        top_k = whole("top_k", top_k, 0)
        least, weight = share("minimum_similarity", minimum_similarity), share("keyword_weight", keyword_weight)
        if not query.strip():
            raise SettingError("the query is empty: ask for something, or use list()")
        items = self.store.list(where=where, contains=contains)
        if not items or not top_k:
            return []
        found = self._keywords(query)
        keywords = np.array([found[item.id] for item in items])
        cosines = None
        if self.embed is not None:
            vector, = self._vectors.embed([query])
            near = {item.id: cosine for item, cosine in self.store.nearest(
                vector, top_k=len(items), where=where, contains=contains)}
            cosines = np.array([near.get(item.id, 0.0) for item in items])
        scores = fuse(keywords, cosines, weight)
        best = keywords.max() or 1.0
        order = [place for place in np.argsort(-scores, kind="stable")[:top_k].tolist()
                 if scores[place] > 0 and scores[place] >= least]
        return [Hit(items[place], float(scores[place]), float(keywords[place] / best),
                    0.0 if cosines is None else float(cosines[place])) for place in order]

    def _keywords(self, query: str) -> dict[str, float]:
        """The BM25 score of each item in the store."""
        items = self.store.list()
        ids = [item.id for item in items]
        if ids[:len(self._known)] != self._known:  # something was deleted
            self._index, self._known = Index(neighbours=0), []
        for item in items[len(self._known):]:
            self._index.add(item.text)
        self._known = ids
        scores = self._index.scores(dict.fromkeys(self._index.read(query)[0], 1.0))
        return dict(zip(ids, scores.tolist(), strict=True))
