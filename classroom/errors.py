"""What classroom raises on purpose."""

from __future__ import annotations

from collections.abc import Iterable


class CourseError(ValueError):
    """An author's file that cannot become a notebook.

    problems: one line each, "file:line: cell: what is wrong; what to do". All that were found, not the first alone.
    """

    def __init__(self, problems: Iterable[str]):
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))
