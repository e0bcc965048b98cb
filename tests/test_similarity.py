"""Alike whatever it is called, different where it works differently; nothing that the exercise ships counts."""

from __future__ import annotations

import ast
import itertools

import pytest

from classroom import cli, similarity
from classroom.manifest import Cell, Exercise
from tests import mutants
from tests.attacks.course import ROOT, SLUG, course, hand_in, notebook

GIVEN = 'def top(words, n):\n    """The n commonest."""\n    raise NotImplementedError("part 1: your code here")'
SOLUTION = ("def top(words, n):\n    counts = {}\n    for word in words:\n"
            "        counts[word] = counts.get(word, 0) + 1\n"
            "    return sorted(counts, key=lambda word: (-counts[word], word))[:n]\n")
LOOP = ("def top(words, n):\n    seen = {}\n    for w in words:\n        if w in seen:\n"
        "            seen[w] += 1\n"
        "        else:\n            seen[w] = 1\n    result = []\n    while seen and len(result) < n:\n"
        "        best = max(seen, key=seen.get)\n        result.append(best)\n"
        "        del seen[best]\n    return result\n")
COUNTER = ("from collections import Counter\ndef top(words, n):\n    pairs = Counter(words).most_common()\n"
           "    pairs.sort(key=lambda p: (p[1] * -1, p[0]))\n    return [word for word, number in pairs[0:n]]\n")
EXERCISE = Exercise("01_top", 1, "Top", (), ({"part": 1, "title": "Top"},),
                    (Cell("01-top-1", "answer", SOLUTION, GIVEN, 1, 0, ("top",)),))


def disguised(source: str) -> str:
    """Other names, numbers, comments and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = f"my_{node.id}"
        elif isinstance(node, ast.arg):
            node.arg = f"my_{node.arg}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            node.value += 7
    return "# all mine\n" + ast.unparse(tree).replace("\n", "\n\n")


def compare(*sources: str, **options) -> similarity.Report:
    return similarity.compare({f"s{n}": {"01-top-1": text} for n, text in enumerate(sources)}, EXERCISE, **options)


@pytest.mark.parametrize("source", [LOOP, COUNTER])
def test_a_disguise_changes_nothing(source: str) -> None:
    assert similarity.nodes(source) == similarity.nodes(disguised(source))
    assert [(pair.share, pair.answers) for pair in compare(source, disguised(source)).pairs] == [(1.0, ["01-top-1"])]


def test_another_way_is_another_answer() -> None:
    report = compare(LOOP, COUNTER, least=0)
    assert report.pairs[0].share < 0.2


def test_a_part_that_was_changed_lowers_the_share_and_no_more() -> None:
    changed = LOOP.replace("        if w in seen:\n            seen[w] += 1\n        else:\n            seen[w] = 1\n",
                           "        seen[w] = seen.get(w, 0) + 1\n")
    share = compare(LOOP, disguised(changed), least=0).pairs[0].share
    assert 0.3 < share < 0.95


def test_the_published_solution_stands_apart_and_makes_no_pairs() -> None:
    report = compare(SOLUTION, disguised(SOLUTION), LOOP)
    assert not report.pairs
    assert [(student, same) for _, student, same in report.published] == [("s0", ["01-top-1"]), ("s1", ["01-top-1"])]


def test_what_was_shipped_makes_nobody_alike() -> None:
    assert not compare(GIVEN, GIVEN, GIVEN + "\n", "", least=0).pairs


def test_what_over_half_of_a_class_has_does_not_count() -> None:
    assert not compare(*[LOOP] * 6, COUNTER, COUNTER + "top([], 0)\n", least=0.9).pairs
    assert len(compare(*[LOOP] * 2, least=0.9).pairs) == 1


def test_no_python_is_named_and_stops_nothing() -> None:
    report = compare("def top(:", LOOP, disguised(LOOP), "(" * 5000 + ")" * 5000)
    assert report.left_out == ["s0, 01-top-1: no Python", "s3, 01-top-1: no Python"]
    assert [(pair.first, pair.second) for pair in report.pairs] == [("s1", "s2")]


def test_the_same_in_any_order_and_symmetric() -> None:
    shares = {tuple(sorted(compare(*order, least=0).pairs[0].share for order in ((a, b), (b, a))))
              for a, b in itertools.combinations((LOOP, COUNTER, disguised(LOOP)), 2)}
    assert all(one == other for one, other in shares)


def test_the_course_s_own_answers_are_its_published_ones() -> None:
    right = mutants.solutions("01_truncation")
    cells = tuple(Cell(name, "answer", source, "", number) for number, (name, source) in enumerate(right.items(), 1))
    exercise = Exercise("01_truncation", 1, "", (), (), cells)
    report = similarity.compare({"a": right, "b": {name: disguised(text) for name, text in right.items()}}, exercise)
    assert [student for _, student, same in report.published if len(same) == len(right)] == ["a", "b"]


def test_the_command(tmp_path, capsys) -> None:
    mean = ("def mean(values):\n    total, number = 0, 0\n    for value in values:\n        total += value\n"
            "        number += 1\n    if number == 0:\n        return 0\n    return total / number\n")
    hand_in(tmp_path, "=ann", notebook({"01-mean-1": mean}))
    hand_in(tmp_path, "bob", notebook({"01-mean-1": disguised(mean)}))
    short = "def mean(values):\n    return values and sum(values) / len(values) or 0"
    hand_in(tmp_path, "cy", notebook({"01-mean-1": short}))
    hand_in(tmp_path, "dot", "{", f"{SLUG}.ipynb")
    out = tmp_path / "alike.csv"
    assert cli.main(["similarity", str(tmp_path), "--root", str(ROOT), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "100%  =ann  bob  01-mean-1" in said and "cy" not in said and "dot, 01_mean: the file is cut off" in said
    assert "01_mean,'=ann,bob,1.0,01-mean-1" in out.read_text()
    assert course().points
