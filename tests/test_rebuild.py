"""Only answers and extra cells of a submission come into the notebook that is run."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from classroom import rebuild
from classroom.reading import Found, UnreadableError, _cells, read_cells
from tests.attacks.course import MEAN, RIGHT, SLUG, code, course, hand_in, notebook


def rebuilt(body):
    return rebuild.rebuild(course().exercises[SLUG], *_cells(body, []))


def test_checks_scaffold_and_order_are_the_release_s():
    made = course().exercises[SLUG]
    body = notebook(RIGHT, edit=lambda b: [cell.update(source="0") for cell in b["cells"]
                                           if cell["id"] not in RIGHT] and b["cells"].reverse())
    ours = [(cell.id, source) for cell, source in rebuilt(body).cells if cell and cell.kind != "answer"]
    assert ours == [(cell.id, cell.source) for cell in made.cells if cell.kind != "answer"]
    assert [cell.id for cell, _ in rebuilt(body).cells if cell] == [cell.id for cell in made.cells]


def test_answers_are_the_student_s():
    assert rebuilt(notebook({"01-mean-1": MEAN})).answers["01-mean-1"] == MEAN


def test_an_extra_cell_runs_where_it_stands_but_never_between_a_check_and_its_hidden_ones():
    body = notebook(RIGHT, extra={"01-mean-1": "a = 1", "01-mean-1a": "b = 1", "": "c = 1"})
    order = [cell.id if cell else source for cell, source in rebuilt(body).cells]
    assert order[0] == "c = 1"
    assert order[order.index("01-mean-1") + 1] == "a = 1"
    assert order[order.index("01-mean-1b") + 1] == "b = 1"


def test_an_unsolved_exercise_is_said_to_be_so_and_nothing_else():
    assert rebuilt(notebook()).notes == [f"01-mean-{part}: not attempted" for part in (1, 2, 3)]


def test_a_copied_solution_is_named_whatever_its_layout():
    solved = next(cell.source for cell in course().exercises[SLUG].cells if cell.id == "01-mean-1")
    built = rebuilt(notebook({"01-mean-1": "# mine\n" + solved.replace("    ", "  ")}))
    assert "01-mean-1: word for word the published solution" in built.notes


def test_lost_ids_are_found_by_what_a_cell_defines():
    cells = [code(MEAN, "zz"), code("x = 1", "yy")]
    matched, notes = rebuild.match(course().exercises[SLUG], [Found(c["source"], (c["id"],), n)
                                                              for n, c in enumerate(cells)])
    assert matched["01-mean-1"].source == MEAN and notes == ["01-mean-1: its id is lost; found by what it defines"]


@settings(max_examples=60, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
                        st.sampled_from(["cells", "cell_type", "source", "metadata", "id", "worksheets", "nbformat"]),
                        inner | st.just("code"), max_size=5), max_leaves=30))
def test_no_json_stops_the_reader(body):
    try:
        found, notes = _cells(body, [])
    except UnreadableError as error:
        assert str(error)
        return
    built = rebuild.rebuild(course().exercises[SLUG], found, notes)
    assert [cell.id for cell, _ in built.cells if cell] == [cell.id for cell in course().exercises[SLUG].cells]


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_stop_the_reader(tmp_path_factory, raw):
    path = hand_in(tmp_path_factory.mktemp("x"), "s", raw)
    try:
        read_cells(path)
    except UnreadableError as error:
        assert str(error)
