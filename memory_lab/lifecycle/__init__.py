"""Forgetting on purpose: keeping a long-term store small without losing what matters.

    importance.py   how important an item is         maintain.py   the Report; plan, maintain, undo
    worth.py        what deserves saving             agent.py      short-term and long-term memory in one bot
    groups.py       repeats, clusters, summaries     diary.py      a labelled year to try it on
    figure.py       what became of each item

Chapter 10.
"""

from __future__ import annotations

from .agent import Agent
from .diary import Question, answered, diary, stored
from .figure import fates_figure
from .groups import extractive
from .importance import WEIGHTS, importance
from .maintain import Report, maintain, plan, undo
from .worth import Worth, judged, worth

__all__ = ["WEIGHTS", "Agent", "Question", "Report", "Worth", "answered", "diary", "extractive",
           "fates_figure", "importance", "judged", "maintain", "plan", "stored", "undo", "worth"]
