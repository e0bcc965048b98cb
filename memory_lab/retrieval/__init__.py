"""Retrieval: finding what was said long ago, by words and by vectors.

    words.py     what a text is searched by               memory.py   VectorMemory, over one chat
    index.py     BM25 for a growing talk                  items.py    Items, long-term, of any source
    talk.py      ranking the messages of a talk           stores/     where items live: numpy, SQLite, Chroma
    vectors.py   vectors through the client               fuse.py     keywords and vectors as one score
    sentence.py  small models in the client's place (extras)

Chapter 9.
"""

from __future__ import annotations

from ..errors import StoreError
from .items import Hit, Items
from .memory import PUBLISHED, VectorMemory
from .stores import ChromaStore, Item, MemoryStore, SqliteStore
from .talk import TalkIndex

__all__ = ["PUBLISHED", "ChromaStore", "Hit", "Item", "Items", "MemoryStore", "SqliteStore", "StoreError", "TalkIndex",
           "VectorMemory"]
