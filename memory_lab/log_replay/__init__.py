"""A real chat log through every memory: what it would have cost, and what would have been forgotten.

    plan.py      where the model was called, and what later turns refer to
    measure.py   replay_log: the log through each memory
    limit.py     a recommended token limit with its reason
    report.py    the table and the JSON
    figure.py    the figure and its alternative text (needs matplotlib)

What counts as a value is memory_lab/values.py's.  No model is called, nothing leaves the machine.  Chapter 12.
"""

from ..values import Finder, Value
from .limit import Recommendation, kept_at, recommend
from .measure import FULL, KnownCounts, LogReplay, StrategyReplay, replay_log
from .plan import Call, Plan, Reference, plan

__all__ = ["FULL", "Call", "Finder", "KnownCounts", "LogReplay", "Plan", "Recommendation", "Reference",
           "StrategyReplay", "Value", "kept_at", "plan", "recommend", "replay_log"]
