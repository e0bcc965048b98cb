"""A real chat log through every memory: what it would have cost, and what would have been forgotten.

    values.py    e-mails, codes, amounts, dates, names and numbers in a text
    plan.py      where the model was called, and what later turns refer to
    measure.py   replay_log: the log through each memory
    limit.py     a recommended token limit with its reason
    report.py    the table and the JSON
    figure.py    the figure and its alternative text (needs matplotlib)

No model is called, nothing leaves the machine.  Chapter 12.
"""

from .limit import Recommendation, kept_at, recommend
from .measure import FULL, KnownCounts, LogReplay, StrategyReplay, replay_log
from .plan import Call, Plan, Reference, plan
from .values import Finder, Value

__all__ = ["FULL", "Call", "Finder", "KnownCounts", "LogReplay", "Plan", "Recommendation", "Reference",
           "StrategyReplay", "Value", "kept_at", "plan", "recommend", "replay_log"]
