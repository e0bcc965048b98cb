"""A live lab: one conversation, one memory, and everything that it does with what you type.

    MemoryExplorer    the cell: widgets in a running Jupyter, its static twin anywhere else
    ExplorerState     what it shows, as plain Python; no widgets
    MEMORIES          the memories that it offers

ipywidgets is imported when widgets are made, and not before.
"""

from .explorer import MemoryExplorer
from .settings import MEMORIES
from .state import ExplorerState

__all__ = ["MEMORIES", "ExplorerState", "MemoryExplorer"]
