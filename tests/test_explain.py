"""What a failed assertion is made to say."""

from __future__ import annotations

import pytest

from classroom.ready import Ready


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    with Ready(tmp_path_factory.mktemp("cells")) as process:
        yield process


@pytest.mark.parametrize(("cell", "expected", "got"), [
    ("x = [1]\nassert x == [2], 'm'", "[2]", "[1]"),
    ("x = 1\nassert 2 == x", "2", "1"),
    ("x = 3\nassert x != 3", "anything but 3", "3"),
    ("x = 'abc'\nassert 'd' in x", "a value with 'd' in it", "'abc'"),
    ("x = 'abc'\nassert 'a' not in x and x", "a value without 'a' in it", "'abc'"),
    ("x = 5\nassert 0 <= x <= 4", "at most 4", "5"),
    ("x = 5\nassert x and not x", "not x", "5"),
    ("x = [1, 0]\nassert all(x)", "that this holds", "x = [1, 0]"),
    ("def f():\n    y = 7\n    assert y == 8\nf()", "8", "7"),
])
def test_what_was_expected_and_what_came(ready, cell, expected, got):
    told = ready.run([cell], 0)[0]["explained"]
    assert (told["expected"], told["got"]) == (expected, got)


def test_the_innermost_line_that_stands_in_a_cell(ready):
    runs = ready.run(["def f(n):\n    return g(n)\ndef g(n):\n    return 1 / n", "f(0)"], 0)
    assert runs[1]["explained"]["lines"] == [[1, 1, "f(0)"], [0, 2, "return g(n)"], [0, 4, "return 1 / n"]]


def test_looking_at_values_changes_nothing_for_later_cells(ready):
    runs = ready.run(["calls = []\ndef f():\n    calls.append(1)\n    return 0", "assert f() == 1", "len(calls)"], 0)
    assert runs[1]["explained"]["got"] == "0"
    assert runs[2]["outputs"] == [["text/plain", "1"]]


@pytest.mark.parametrize("cell", [
    "class A:\n    def __repr__(self):\n        raise ValueError\n    def __eq__(self, other):\n        return False\n"
    "assert A() == 1",
    "import os\nn = []\ndef f():\n    n.append(1)\n    if len(n) > 1:\n        os._exit(3)\nassert f() == 1",
    "n = []\ndef f():\n    n.append(1)\n    while len(n) > 1:\n        pass\nassert f() == 1"])
def test_values_that_cannot_be_looked_at_cost_nothing_but_themselves(ready, cell):
    runs = ready.run([cell, "40 + 2"], 0)
    assert runs[0]["error"].startswith("AssertionError") and runs[0]["explained"]["asserted"]
    assert runs[1]["outputs"] == [["text/plain", "42"]]
