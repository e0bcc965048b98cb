"""Stores of long-term items, under one contract (contract.py): in memory, in an SQLite file, in Chroma."""

from __future__ import annotations

from ...errors import StoreError
from .chroma import ChromaStore
from .contract import Item, Store, passing
from .memory import MemoryStore
from .sqlite import SqliteStore

__all__ = ["ChromaStore", "Item", "MemoryStore", "SqliteStore", "Store", "StoreError", "passing"]
