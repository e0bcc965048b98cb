"""Forgetting on purpose: keeping a long-term store small without losing what matters.

    importance.py   how important an item is         maintain.py   the Report; plan, maintain, undo
    worth.py        what deserves saving             agent.py      short-term and long-term memory in one bot
    groups.py       repeats, clusters, summaries     diary.py      a labelled year to try it on

Chapter 10.
"""

from __future__ import annotations

from .agent import Agent
from .diary import Question, diary
from .groups import extractive
from .importance import WEIGHTS, importance
from .maintain import Report, maintain, plan, undo
from .worth import Worth, worth

__all__ = ["WEIGHTS", "Agent", "Question", "Report", "Worth", "diary", "extractive", "importance", "maintain", "plan",
           "undo", "worth"]
