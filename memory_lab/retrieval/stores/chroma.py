"""A store in a Chroma database (pip install "memory-lab[chroma]"): for more vectors than one matrix should hold.

Filters are worked out here, not by Chroma, so that they mean the same in every store; the order of adding is a field of
ours.  Items without a vector get a zero one, for Chroma has none without.  Chapter 9.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from os import PathLike, fspath
from typing import Any

from ...errors import SettingError, StoreError, whole
from .contract import Item, passing, rows, unit

VERSION = 1


class ChromaStore:
    """Items in a Chroma PersistentClient.  path: a folder, made if it is not there.  name: of the collection.

    Nearest neighbours are those of its HNSW index: nearly, not provably, the nearest.  With a filter, Chroma looks only
    among the items that pass.  Cost: a filter reads all items.  Raises StoreError as the contract says.
    """

    def __init__(self, path: str | PathLike[str], *, name: str = "memory_lab"):
        try:
            import chromadb
        except ImportError as error:
            raise SettingError('ChromaStore needs chromadb: pip install "memory-lab[chroma]"') from error
        self.path = fspath(path)
        with self._said():
            client = chromadb.PersistentClient(self.path, settings=chromadb.Settings(anonymized_telemetry=False))
            self._base = client.get_or_create_collection(  # no embedding function: Chroma's own downloads a model
                name, embedding_function=None, metadata={"memory_lab": VERSION},
                configuration={"hnsw": {"space": "cosine"}})
        version = (self._base.metadata or {}).get("memory_lab")
        if version is None:
            raise StoreError(f"{self.path}: the collection {name!r} is another program's: give another name")
        if version > VERSION:
            raise StoreError(f"{self.path}: written by a newer version (format {version}, this one reads {VERSION}): "
                             "update memory-lab; the store was left as it is")

    @contextmanager
    def _said(self):
        try:
            yield
        except (SettingError, StoreError):
            raise
        except BaseException as error:  # Chroma's own errors have no common parent, and its Rust panics none of ours
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            raise StoreError(f"{self.path}: Chroma says {type(error).__name__}: {error}") from error

    @property
    def dimensions(self) -> int | None:
        """Numbers in a vector; None before the first."""
        with self._said():
            found = self._base.get(limit=1, include=["embeddings"])["embeddings"]
            return len(found[0]) if len(found) and len(found[0]) > 1 else None

    def __len__(self) -> int:
        with self._said():
            return self._base.count()

    def add(self, items: Sequence[Item], vectors: Sequence[Any] | None = None) -> None:
        """Add new items; all or none."""
        new, dimensions = rows(items, vectors, self.dimensions)
        if not items:
            return
        with self._said():
            if known := self._base.get(ids=[item.id for item in items], include=[])["ids"]:
                raise StoreError(f"the id {known[0]!r} is there already: delete() it first, or give another")
            if dimensions is None:
                raise StoreError("Chroma keeps no items without vectors: give the first one a vector")
            last = max((fields["number"] for fields in self._base.get(include=["metadatas"])["metadatas"]), default=0)
            self._base.add(
                ids=[item.id for item in items], documents=[item.text for item in items],
                embeddings=[[0.0] * dimensions if vector is None else vector.tolist() for vector in new],
                metadatas=[{"number": last + place, "item": json.dumps([
                    item.type, item.at and item.at.isoformat(), item.importance, item.sources, item.metadata,
                    vector is not None])} for place, (item, vector) in enumerate(zip(items, new, strict=True), 1)])

    def _items(self, **which: Any) -> list[tuple[Item, bool]]:
        """(item, whether it has a vector) in the order in which they were added."""
        with self._said():
            found = self._base.get(include=["documents", "metadatas"], **which)
            order = sorted(range(len(found["ids"])), key=lambda place: found["metadatas"][place]["number"])
            return [_item(found["ids"][place], found["documents"][place], found["metadatas"][place]["item"])
                    for place in order]

    def get(self, id: str) -> Item | None:
        """The item of that id, or None."""
        return next((item for item, _ in self._items(ids=[id])), None)

    def delete(self, ids: Iterable[str]) -> int:
        """How many items were deleted; an unknown id counts for nothing."""
        known = [item.id for item, _ in self._items(ids=found)] if (found := list(dict.fromkeys(ids))) else []
        if known:
            with self._said():
                self._base.delete(ids=known)
        return len(known)

    def list(self, *, where: Mapping[str, Any] | None = None, contains: str = "") -> list[Item]:
        """The items that pass (see passing), in the order in which they were added."""
        passes = passing(where, contains)
        return [item for item, _ in self._items() if passes(item)]

    def nearest(self, vector: Any, *, top_k: int = 5, where: Mapping[str, Any] | None = None,
                contains: str = "") -> list[tuple[Item, float]]:
        """Up to top_k (item, cosine), the nearest first; among equals the older."""
        vector, top_k, passes = unit(vector, self.dimensions), whole("top_k", top_k, 0), passing(where, contains)
        known = {item.id: (place, item) for place, (item, given) in enumerate(self._items()) if given and passes(item)}
        if not known or not top_k:
            return []
        with self._said():
            found = self._base.query(query_embeddings=[vector.tolist()], n_results=min(top_k, len(known)),
                                     ids=list(known), include=["distances"])
            pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        best = sorted(((1 - distance, known[id]) for id, distance in pairs), key=lambda pair: (-pair[0], pair[1][0]))
        return [(item, float(cosine)) for cosine, (_, item) in best]

    def close(self) -> None:
        """Nothing to do: Chroma writes as it goes."""


def _item(id: str, text: str, fields: str) -> tuple[Item, bool]:
    type, at, importance, sources, metadata, given = json.loads(fields)
    return Item(id, text, type, at and datetime.fromisoformat(at), importance, tuple(sources), metadata), given
