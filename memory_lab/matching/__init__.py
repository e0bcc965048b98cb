"""Whether an answer holds the value that was asked for, without a model and without fuzzy ratios.

match() judges an answer, find() looks for a value in a context, strict() is the published substring check.
Files, in reading order: fold (comparable text with a way back), units, words and numerals (numbers), dates, find
(where a value stands), cues and clauses (what is claimed of it), verdict (the decision).  Chapter 4.

Copy with: errors.py.
"""

from .find import find
from .verdict import Verdict, match, strict

__all__ = ["Verdict", "find", "match", "strict"]
