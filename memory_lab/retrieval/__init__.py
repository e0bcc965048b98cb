"""Retrieval: finding what was said long ago, by words and by vectors.

    words.py     what a text is searched by               talk.py     ranking the messages of a talk
    index.py     BM25 for a growing talk                  vectors.py  vectors through the client
    fuse.py      keywords and vectors as one score        memory.py   VectorMemory

Chapter 9.
"""

from __future__ import annotations

from .memory import PUBLISHED, VectorMemory
from .talk import TalkIndex

__all__ = ["PUBLISHED", "TalkIndex", "VectorMemory"]
