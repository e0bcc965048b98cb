"""The solution markers in an answer cell: found, checked and cut.

    ### BEGIN SOLUTION
    ### END SOLUTION

Exactly so, each alone on its line, at the indentation of the code between them. Anything that looks like a marker and
is not one is a problem, never a comment: a marker that is overlooked would publish the answer.
"""

from __future__ import annotations

import ast
import difflib
import io
import re
import tokenize
from dataclasses import dataclass

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_EDGES = ("begin", "start", "open", "end", "stop", "close", "finish")
_GLUED = re.compile(r"(begin|start|end|stop)solutions?")


@dataclass(frozen=True)
class Region:
    """One solution in a cell: the 0-based lines of its two markers, and their indentation."""

    begin: int
    end: int
    indent: str


def _like(word: str, names: tuple[str, ...]) -> bool:
    return bool(difflib.get_close_matches(word, names, n=1, cutoff=0.75))


def looks_like_marker(line: str) -> bool:
    """Whether a line was meant as a marker: a short comment about the beginning or end of a solution.

    >>> [looks_like_marker(line) for line in ("  #Begin Solutions", "x = 1  ### END SOLUTION", "###BEGN SOLUTON")]
    [True, True, True]
    >>> looks_like_marker("# the solution begins with an empty list, then the loop ends")
    False
    """
    _, hash_sign, comment = line.partition("#")
    text = comment if hash_sign else line
    words = re.findall(r"[a-z]+", text.lower())
    if not hash_sign and not (len(words) <= 2 and re.fullmatch(r"[\sA-Za-z_-]*", line)):
        return False
    solution = any(_like(word, ("solution", "solutions")) for word in words)
    edge = any(_like(word, _EDGES) for word in words)
    loud = text.startswith("##") or (bool(words) and text == text.upper())
    nbgrader = loud and {"hidden", "tests"} <= set(words)
    short = (edge and len(words) <= 4) or (loud and len(words) <= 3)
    return nbgrader or any(map(_GLUED.fullmatch, words)) or (solution and short)


def find(source: str) -> tuple[list[Region], list[tuple[int, str]]]:
    """The solution regions of a cell, and its problems as (0-based line, what is wrong)."""
    regions: list[Region] = []
    problems: list[tuple[int, str]] = []
    lines = source.split("\n")
    open_at: int | None = None
    for number, line in enumerate(lines):
        text = line.strip(" \t")
        if text == BEGIN:
            if open_at is not None:
                problems.append((number, f"{BEGIN} inside the solution that line {open_at + 1} of the cell began"))
            else:
                open_at = number
        elif text == END:
            if open_at is None:
                problems.append((number, f"{END} without {BEGIN} before it"))
                continue
            region = Region(open_at, number, _indent(lines[open_at]))
            problems.extend(_indentation(lines, region))
            regions.append(region)
            open_at = None
        elif looks_like_marker(line):
            problems.append((number, f"{text!r} looks like a marker; write {BEGIN!r} or {END!r} alone on its line"))
    if open_at is not None:
        problems.append((open_at, f"{BEGIN} is never closed; add {END}"))
    return regions, problems or _in_strings(source, regions)


def cut(source: str, message: str = "your code here") -> str:
    """The cell as the student gets it: each solution replaced by a line that raises NotImplementedError(message).

    Raises ValueError for a cell whose markers are wrong (find() says how).

    >>> print(cut("def f(x):\\n    ### BEGIN SOLUTION\\n    return x + 1\\n    ### END SOLUTION"))
    def f(x):
        raise NotImplementedError("your code here")
    """
    regions, problems = find(source)
    if problems:
        raise ValueError(f"line {problems[0][0] + 1} of the cell: {problems[0][1]}")
    lines = source.split("\n")
    for region in reversed(regions):
        lines[region.begin : region.end + 1] = [f'{region.indent}raise NotImplementedError("{message}")']
    return "\n".join(lines)


def solution_lines(source: str) -> list[str]:
    """The lines between the markers, stripped, without the trivial ones (imports, and under 16 characters)."""
    lines = source.split("\n")
    inside = [line.strip() for region in find(source)[0] for line in lines[region.begin + 1 : region.end]]
    return [line for line in inside if len(line) >= 16 and not line.startswith(("import ", "from "))]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indentation(lines: list[str], region: Region) -> list[tuple[int, str]]:
    body = [(n, lines[n]) for n in range(region.begin + 1, region.end) if lines[n].strip()]
    if not body:
        return [(region.begin, "nothing stands between the markers; write the solution there")]
    problems = []
    if _indent(lines[region.end]) != region.indent:
        problems.append((region.end, f"{END} is not at the indentation of its {BEGIN}"))
    first, line = body[0]
    if _indent(line) != region.indent:
        problems.append((first, f"the solution begins at another indentation than its {BEGIN}"))
    return problems


def _in_strings(source: str, regions: list[Region]) -> list[tuple[int, str]]:
    """Markers are comments: one inside a string would be cut out of a text, and what is left must still be Python."""
    if not regions:
        return []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        ast.parse(source)
    except (SyntaxError, tokenize.TokenError) as error:
        return [((getattr(error, "lineno", None) or 1) - 1, f"an answer cell must be plain Python: {error}")]
    comments = {token.start[0] - 1 for token in tokens if token.type == tokenize.COMMENT}
    outside = [n for region in regions for n in (region.begin, region.end) if n not in comments]
    if outside:
        return [(outside[0], "a marker inside a string; markers are comments")]
    lines = source.split("\n")
    for region in reversed(regions):
        lines[region.begin : region.end + 1] = [region.indent + "raise NotImplementedError"]
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        return [(regions[0].begin, f"cut here, the cell is not Python any more ({error.msg}); cut whole statements")]
    return []
