"""A real chat log through every memory: what it would have cost, and what would have been forgotten.

    plan.py          where the model was called, and what later turns refer to
    prohibitions.py  what users forbade, and what touches it later
    windows.py       the memories that are tried
    measure.py       replay_log: the log through each memory
    many.py          many conversations at once, in several processes; masked ones
    limit.py         a recommended token limit with its reason
    money.py         what it costs, and when a summary has paid for itself
    advice.py        a recommended strategy with its reason
    hurt.py          the turns at which forgetting hurts most
    report.py        the rows and the JSON;  text.py: the tables of a terminal
    page/            the report as one HTML file
    figure.py        the figure and its alternative text (needs matplotlib)
    write.py         files that are there whole or not at all

What counts as a value is memory_lab/values.py's.  No model is called, nothing leaves the machine.  Chapter 12.
"""

from ..values import Finder, Value
from .limit import Recommendation, kept_at, recommend
from .measure import FULL, KnownCounts, LogReplay, StrategyReplay, replay_log
from .plan import Call, Plan, Reference, plan

__all__ = ["FULL", "Call", "Finder", "KnownCounts", "LogReplay", "Plan", "Recommendation", "Reference",
           "StrategyReplay", "Value", "kept_at", "plan", "recommend", "replay_log"]
