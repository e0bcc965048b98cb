"""Figures that answer back in a page without a kernel: all steps are worked out here, JavaScript only picks one.

    BudgetFigure        token limits: which messages go out, and which planted facts they still hold
    RaceFigure          a chat call by call: tokens and facts of several memories beside each other
    CompactionFigure    what each fold kept, changed and lost
    TreeFigure          summaries of summaries, opened down to the messages
    PlaneFigure         recall against tokens, a row for each mark
    ChoiceFigure        which strategy for which traffic: the way through the questions of choose()

No dependency, no request; GitHub and an untrusted notebook strip the script, so each also prints itself as text.
"""

from .budget import BudgetFigure
from .choice import ChoiceFigure
from .compaction import CompactionFigure
from .plane import PlaneFigure
from .race import RaceFigure
from .tree import TreeFigure

__all__ = ["BudgetFigure", "ChoiceFigure", "CompactionFigure", "PlaneFigure", "RaceFigure", "TreeFigure"]
