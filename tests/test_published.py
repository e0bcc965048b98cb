"""The stored form: no trace of when or where a notebook ran, and nothing that a reader or nbval would stumble on."""

from __future__ import annotations

import json

import pytest
from nbformat import v4

from classroom.published import canonical, output_problems

WIDGETS = "application/vnd.jupyter.widget-state+json"


def notebook(*outputs, source: str = "1", count: int | None = 1, role: str = "chapter", **metadata):
    cell = v4.new_code_cell(source, id="one", execution_count=count, outputs=list(outputs), metadata=metadata)
    return v4.new_notebook(cells=[cell], metadata={"memory_lab": {"role": role}})


def stream(text: str, name: str = "stdout"):
    return v4.new_output("stream", name=name, text=text)


def shown(**data):
    return v4.new_output("display_data", {mime.replace("_", "/"): value for mime, value in data.items()})


def test_pieces_of_a_stream_are_one_text() -> None:
    pieces = notebook(stream("a\n"), stream("b\n"), stream("c\n", "stderr"), stream("d\n"))
    whole = notebook(stream("a\nb\n"), stream("c\n", "stderr"), stream("d\n"))
    assert canonical(pieces) == canonical(whole)


def test_times_and_tracebacks_go() -> None:
    error = v4.new_output("error", ename="KeyError", evalue="'x'", traceback=["File /home/me/x.py:3", "KeyError"])
    text = canonical(notebook(error, execution={"iopub.execute_input": "2026-01-01"}))
    assert "2026" not in text
    assert "/home/me" not in text
    assert json.loads(text)["cells"][0]["outputs"][0]["traceback"] == ["KeyError: 'x'"]


def test_widget_ids_are_counted() -> None:
    def one(first: str, second: str) -> str:
        view = v4.new_output("display_data", {"application/vnd.jupyter.widget-view+json": {"model_id": first}})
        made = notebook(view)
        made.metadata["widgets"] = {WIDGETS: {"state": {second: {"model_name": "LayoutModel"},
                                                       first: {"model_name": "IntSlider",
                                                        "layout": f"IPY_MODEL_{second}"}}}}
        return canonical(made)

    text = one("f" * 32, "0a" * 16)
    assert text == one("0" + "b" * 31, "e" * 32)
    assert f"IPY_MODEL_{0:032d}" in text
    assert json.loads(text)["cells"][0]["outputs"][0]["data"]["application/vnd.jupyter.widget-view+json"] == {
        "model_id": f"{1:032d}"}


def test_storing_what_was_stored_changes_nothing() -> None:
    import nbformat

    text = canonical(notebook(stream("你好 👩‍👩‍👧\n")))
    assert canonical(nbformat.reads(text, as_version=4)) == text
    assert "你好" in text


@pytest.mark.parametrize("output", [
    stream("ratio 0x10 and a/b and https://example.org/home/x and ../tmp/x"), shown(text_plain="/ or // or 1/2"),
    shown(text_html='<img alt="A bar" src="data:">')])
def test_harmless_outputs_pass(output) -> None:
    assert output_problems(notebook(output), "x") == []


PICTURE = {"image_png": "iVBOR", "text_plain": "<Figure size 640x480 with 1 Axes>"}


@pytest.mark.parametrize(("made", "says"), [
    (notebook(stream("careful", "stderr")), "x: cell 1: writes to stderr: 'careful'"),
    (notebook(shown(text_plain="<object at 0x7f87d53205e0>")), "shows an address, 0x7f87d53205e0"),
    (notebook(stream("read /work/main/x.json")), "shows a path of this machine: /work/main/x.json"),
    (notebook(stream(r"read C:\Users\x")), "shows a path of this machine"),
    (notebook(shown(text_html='<a title="/home/me/x">x</a>')), "shows a path of this machine"),
    (notebook(v4.new_output("error", ename="OSError", evalue="no /tmp/x", traceback=[])), "shows a path"),
    (notebook(shown(text_html="<img src='x'>")), "an <img> without alt"),
    (notebook(shown(**PICTURE)), "needs alt text"),
    (notebook(shown(**PICTURE), mystnb={"image": {"alt": "images/recall.png"}}), "needs alt text"),
    (notebook(shown(**PICTURE), mystnb={"image": {"alt": "a plot"}}), "needs alt text"),
    (notebook(shown(**PICTURE), shown(**PICTURE), mystnb={"image": {"alt": "Two lines that cross"}}),
     "draws 2 figures"),
    (notebook(count=None), "has no execution_count"),
    (notebook(stream("x"), role="exercise", memory_lab={"kind": "answer", "id": "01-a-1"}),
     "x: 01-a-1: an unsolved answer"),
    (notebook(count=None, role="solution", memory_lab={"kind": "answer", "id": "01-a-1"}), "has no execution_count"),
])
def test_what_a_reader_would_stumble_on_is_named(made, says: str) -> None:
    problems = output_problems(made, "x")
    assert any(says in problem for problem in problems), problems


def test_a_figure_with_alt_text_passes() -> None:
    alt = {"image": {"alt": "Recall falls as the limit falls."}}
    assert output_problems(notebook(shown(**PICTURE), mystnb=alt), "x") == []
