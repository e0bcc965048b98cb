"""Vectors of texts, through the client's embeddings: few calls, each text once, and a fault is no end.  Chapter 9."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ModelOutputError, SettingError

BATCH = 100          # texts a call
CHARACTERS = 8_000   # of a text that are embedded; embedding models take about 8,000 tokens, and blur long before


class Vectors:
    """Rows of unit vectors, in the order of the texts.

    client: gives the OpenAI client when it is first needed.  model: the embedding model (None: the client's own).
    Raises SettingError for vectors of unlike sizes, as from another model.  Not a store: see stores.
    """

    def __init__(self, client: Callable[[], Any], model: str | None = None):
        self._client, self.model = client, model
        self.rows: list[Any] = []

    def __len__(self) -> int:
        return len(self.rows)

    def extend(self, texts: Sequence[str]) -> None:
        """Embed the texts and append their vectors: all or none of a batch.  An empty text costs nothing, and is 0."""
        for start in range(0, len(texts), BATCH):
            batch = texts[start:start + BATCH]
            found = iter(self.embed([text for text in batch if text.strip()]))
            size = self.dimensions
            new = [next(found) if text.strip() else None for text in batch]
            for vector in new:
                if vector is not None and size not in (None, len(vector)):
                    raise SettingError(f"a vector of {len(vector)} numbers beside vectors of {size}: another embedding "
                                       "model made them; embed all texts with one model")
                size = size if vector is None else len(vector)
            self.rows += new

    def embed(self, texts: Sequence[str]) -> list[Any]:
        """One unit vector a text: one call for up to BATCH texts, none for none."""
        import numpy as np

        from ..client import embed

        found: list[Any] = []
        for start in range(0, len(texts), BATCH):
            batch = [text[:CHARACTERS] for text in texts[start:start + BATCH]]
            vectors = np.asarray(embed(self._client(), batch, model=self.model), dtype=np.float32)
            if vectors.ndim != 2 or len(vectors) != len(batch) or not np.isfinite(vectors).all():
                raise ModelOutputError(f"the embedding model gave an array of shape {vectors.shape} for {len(batch)} "
                                       "texts: one vector of finite numbers a text was wanted")
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            found += list(vectors / np.where(lengths == 0, 1, lengths))
        return found

    @property
    def dimensions(self) -> int | None:
        """Numbers in a vector; None before the first."""
        return next((len(row) for row in self.rows if row is not None), None)

    def similarities(self, vector: Any, end: int) -> Any:
        """An array: the cosine of each of the first `end` texts with the vector; 0 for one without words."""
        import numpy as np

        zero = np.zeros(len(vector), dtype=np.float32)
        rows = [zero if row is None else row for row in self.rows[:end]]
        return np.array(rows, dtype=np.float32).reshape(-1, len(vector)) @ vector
