"""The teacher's page and a student's page, from rows that no kernel made."""

from __future__ import annotations

from classroom import feedback, results, summary
from tests.attacks.course import SLUG, course

EXERCISE = course().exercises[SLUG]


def row(student, cells, **more):
    """A row whose checks are scored from {cell id: error or None}; what is not named did not run."""
    found = [{"id": name, "passed": error is None, "error": error} for name, error in cells.items()]
    checks = results.score(EXERCISE, {"cells": found}, {})
    return {"student": student, "exercise": SLUG, "points": sum(check["points"] for check in checks), "max_points": 6,
            "status": "graded", "reason": "", "notes": [], "code": {}, "checks": checks} | more


def test_a_name_that_is_missing_because_the_answer_does_not_run_is_told_as_what_went_wrong():
    broken = row("s", {"01-mean-1": ("SyntaxError", "expected ':' (line 1)"),
                       "01-mean-1a": ("NameError", "name 'mean' is not defined"),
                       "01-mean-2a": ("NameError", "name 'median' is not defined")})
    page = feedback.as_html("s", [broken], course())
    assert "the answer does not run: SyntaxError: expected" in page and "name &#x27;mean&#x27;" not in page
    assert "NameError: name &#x27;median&#x27;" in page, "part 2 has an answer that ran"


def test_a_part_that_was_not_attempted_says_so_once_and_keeps_its_code_closed():
    blank = row("s", {"01-mean-1a": ("NotImplementedError", "part 1: your code here")}, code={"01-mean-1": "x = 1"})
    page = feedback.as_html("s", [blank], course())
    assert "<td>not attempted</td>" in page and "<details open" not in page


def test_checks_that_the_same_students_failed_stand_together_with_the_commonest_mistake_of_those_who_tried():
    blank, wrong = ("NotImplementedError", "part 1: your code here"), ("AssertionError", "you gave the sum")
    rows = [row("a", {"01-mean-1a": wrong, "01-mean-1b": wrong}), row("b", {"01-mean-1a": blank, "01-mean-1b": blank}),
            row("c", {"01-mean-1a": blank, "01-mean-1b": blank}), row("d", {"01-mean-1a": None, "01-mean-1b": None})]
    table = summary.most_failed(rows)
    assert "01-mean-1a<br>01-mean-1b (hidden)</td><td class=\"n\">3 of 4</td>" in table
    assert "you gave the sum (1); not attempted (2)" in table


def test_notes_on_a_file_s_form_do_not_hide_what_needs_a_look():
    form = ["the file is UTF-16", "01-mean-1: its id is lost; found by what it defines",
            "01-mean-2: its id is lost; found by what it defines"]
    honest, odd = row("honest", {}, notes=form), row("odd", {}, notes=[*form, "01-mean-1: starts threads (threading)"])
    page = "\n".join(summary._body(course(), [honest, odd, row("late", {}, status="timed out", reason="in 01-mean-1a")],
                                   {"seed": 1, "walls": dict.fromkeys(("namespaces", "user", "limits", "processes"),
                                                                       True)}))
    look, same = page.split("Needs a look")[1].split("<h2>The class, one by one")[0].split("Graded all the same")
    assert "odd" in look and "late" in look and "honest" not in look and "honest" in same
    assert "01-mean-1, 01-mean-2: its id is lost" in same


def test_the_median_of_an_even_class_lies_between():
    assert "Median 2.5 of 6 points" in summary.distribution([1, 2, 3, 6], 6)
