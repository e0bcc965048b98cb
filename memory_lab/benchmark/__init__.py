"""The retrieval benchmark: how much of what a question needs is in the context, by strategy and budget.

    talks.py        LoCoMo-shaped files as talks with token counts
    strategies.py   the rows, from by-lot to the evidence alone
    measure.py      evidence recall, intervals over dialogues, times
    tables.py       the same as text

LoCoMo's licence (CC BY-NC 4.0) does not let us ship it: the file is yours.  longchat.generate makes one in its schema.
Chapters 9 and 12.
"""

from __future__ import annotations

from .measure import Score, interval, measure
from .strategies import STRATEGIES, fill, named
from .tables import tables
from .talks import Talk, load, talk

__all__ = ["STRATEGIES", "Score", "Talk", "fill", "interval", "load", "measure", "named", "tables", "talk"]
