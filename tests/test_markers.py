"""The solution markers: every wrong one stops the build, every right one is cut at its own indentation."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom import markers

GOOD = """\
def f(x):
    y = x
    ### BEGIN SOLUTION
    y += 1
    if y:
        y += 2
    ### END SOLUTION
    return y
"""


def problems(source: str) -> list[tuple[int, str]]:
    return markers.find(source)[1]


def test_cut_replaces_the_solution_at_its_indentation() -> None:
    assert markers.cut(GOOD, "part 1").split("\n")[:4] == [
        "def f(x):", "    y = x", '    raise NotImplementedError("part 1")', "    return y"]


def test_several_solutions_in_one_cell() -> None:
    source = GOOD + "\n" + GOOD.replace("f(x)", "g(x)")
    assert markers.cut(source).count("raise NotImplementedError") == 2
    assert len(markers.find(source)[0]) == 2


@given(depth=st.integers(0, 6), unit=st.sampled_from(["  ", "    ", "\t"]), lines=st.integers(1, 5))
def test_markers_are_recognised_at_any_indentation(depth: int, unit: str, lines: int) -> None:
    head = "".join(unit * level + f"class C{level}:\n" for level in range(depth))
    body = "\n".join([markers.BEGIN, *[f"secret_{n} = {n}" for n in range(lines)], markers.END])
    cut = markers.cut(head + textwrap.indent(body, unit * depth))
    assert "secret" not in cut
    assert cut.endswith(unit * depth + 'raise NotImplementedError("your code here")')
    ast.parse(cut)


WRONG = ["### begin solution", "### Begin Solution", "###BEGIN SOLUTION", "# BEGIN SOLUTION", "## BEGIN SOLUTION",
         "#### BEGIN SOLUTION", "### BEGIN  SOLUTION", "### BEGIN SOLUTIONS", "### BEGIN SOLUTON", "### BEGN SOLUTION",
         "### BEGIN SOLUTION:", "### BEGIN_SOLUTION", "### BEGINSOLUTION", "### START SOLUTION", "BEGIN SOLUTION",
         "### BEGIN SOLUTION part 1", "### BEGIN\u00a0SOLUTION", "### SOLUTION", "#BEGIN SOLUTION",
          "### BEGIN HIDDEN TESTS"]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("edge", ["BEGIN", "END"])
def test_whatever_looks_like_a_marker_is_one_or_a_problem(wrong: str, edge: str) -> None:
    marker = markers.BEGIN if edge == "BEGIN" else markers.END
    for before, after in (("BEGIN", "END"), ("begin", "end"), ("Begin", "End"), ("BEGN", "EDN"), ("START", "STOP")):
        wrong = wrong.replace(before, after) if edge == "END" else wrong
    found = problems(GOOD.replace(marker, wrong))
    line = GOOD.split("\n").index("    " + marker)
    assert any(number == line and "looks like a marker" in text for number, text in found), found


@pytest.mark.parametrize("line", ["# the solution begins with an empty list and then grows", "# open the file",
 "x = solution(start)",
                                  "# END", "begin = end", "# a resolution of 72 dots, start to end", "### Part two"])
def test_ordinary_lines_are_not_markers(line: str) -> None:
    assert not markers.looks_like_marker(line)


@pytest.mark.parametrize(("change", "line", "says"), [
    (lambda s: s.replace("    ### END SOLUTION\n", ""), 2, "never closed"),
    (lambda s: s.replace("    ### BEGIN SOLUTION\n", ""), 5, "without ### BEGIN SOLUTION"),
    (lambda s: s.replace("    y += 1", "    ### BEGIN SOLUTION\n    y += 1"), 3, "inside the solution"),
    (lambda s: s.replace("    ### END", "  ### END"), 6, "not at the indentation"),
    (lambda s: s.replace("    ### BEGIN", "### BEGIN"), 6, "not at the indentation"),
    (lambda s: s.replace("    ### ", "  ### "), 3, "another indentation"),
    (lambda s: s.replace("    y += 1\n    if y:\n        y += 2\n", ""), 2, "nothing stands between"),
    (lambda s: s.replace("    return y", "    x = 1  ### END SOLUTION"), 7, "looks like a marker"),
    (lambda s: s.replace("    y = x\n", '    y = """\n').replace("    return y", '    """'), 2, "inside a string"),
    (lambda s: s.replace("    return y", "    else:\n        y = 0"), 2, "not Python any more"),
    (lambda s: s.replace("    y = x", "    %timeit x"), 1, "plain Python"),
])
def test_wrong_markers_name_their_line(change, line: int, says: str) -> None:
    found = problems(change(GOOD))
    assert any(number == line and says in text for number, text in found), found
    with pytest.raises(ValueError, match="of the cell"):
        markers.cut(change(GOOD))


def test_half_a_statement_cannot_be_cut() -> None:
    source = "if x:\n    ### BEGIN SOLUTION\n    pass\nelse:\n    pass\n    ### END SOLUTION\n"
    assert problems(source) == []
    torn = "try:\n    x()\n### BEGIN SOLUTION\nexcept ValueError:\n    pass\n### END SOLUTION\n"
    assert "not Python any more" in problems(torn)[0][1]


def test_solution_lines_are_the_telling_ones() -> None:
    assert markers.solution_lines(GOOD.replace("y += 1", "y = x * 3 + 1 - x % 2")) == ["y = x * 3 + 1 - x % 2"]
