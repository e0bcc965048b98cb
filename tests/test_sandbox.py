"""The walls, one by one, and the channel between judge and student."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classroom import sandbox, wire
from classroom.kernel import Kernel
from classroom.sandbox import Stage
from classroom.suspicions import suspicions
from classroom.warm import KernelEnd, Warm
from classroom.wire import WireError, canonical, decode, encode
from classroom.witness import Witness
from memory_lab.prices import Price

needs_walls = pytest.mark.skipif(not sandbox.layers()["namespaces"], reason="bubblewrap does not work here")
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6) | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner,
                                                                                           max_size=3), max_leaves=12)


def never(*about):
    raise WireError(f"not plain: {about}")


@pytest.fixture(scope="module", params=[pytest.param(True, marks=needs_walls), False])
def warm(request):
    with Stage.temporary() as stage:
        stage.prepare({"x": ["memory_lab.window"]})
        process = Warm(stage, isolate=request.param)
        process.start()
        yield process
        process.stop()


@pytest.fixture
def kernel(warm):
    made = Kernel(warm, "x", 7, cell_seconds=5)
    made.connect()
    yield made
    made.stop()


def shown(kernel, source):
    message = kernel.execute_cell_input(source)
    kernel.await_reply(message)
    found = None
    while True:
        told = kernel.get_message("iopub", 5)
        if told["parent_header"].get("msg_id") != message:
            continue
        if told["msg_type"] == "status" and told["content"]["execution_state"] == "idle":
            return found
        found = told["content"].get("data", {}).get("text/plain", told["content"].get("ename", found))


def test_a_kernel_runs_cells_and_ends(kernel):
    assert shown(kernel, "1 + 1") == "2" and shown(kernel, "1 / 0") == "ZeroDivisionError"
    assert shown(kernel, "import os; os.environ['CLASSROOM_SEED']") == "'7'"
    kernel.stop()
    assert not kernel.is_alive()


def test_one_kernel_s_names_and_files_are_not_the_next_one_s(warm):
    seen = []
    for _ in range(2):
        kernel = Kernel(warm, "x", 7)
        kernel.connect()
        seen.append(shown(kernel, "import os\npath = os.path.expanduser('~/word')\n"
                                  "found = 'word' in globals(), os.path.exists(path)\n"
                                  "word = 1\nopen(path, 'w').close()\nfound"))
        kernel.stop()
    assert seen == ["(False, False)"] * 2


def test_a_kernel_holds_the_libraries_that_it_was_asked_to_have_and_no_other(warm):
    loaded = []
    for libraries in ([], ["tqdm"], []):  # what is loaded once stays in the warm process
        kernel = Kernel(warm, "x", 7, libraries=libraries)
        kernel.connect()
        loaded.append(shown(kernel, "import sys\n['tqdm' in sys.modules, 'opencc' in sys.modules]"))
        kernel.stop()
    assert loaded == ["[False, False]", "[True, False]", "[True, False]"]


def test_a_kernel_has_no_debugger(kernel):
    assert shown(kernel, "import sys\n'debugpy' in sys.modules") == "False"


def test_a_dead_kernel_says_how_it_died(kernel):
    with pytest.raises(KernelEnd, match="ended its own kernel"):
        shown(kernel, "import os; os._exit(3)")


@needs_walls
def test_the_interpreter_inside_is_the_one_outside():
    import os
    import sys

    with Stage.temporary() as stage:
        stage.prepare({"x": []})
        warm = Warm(stage)
        about = warm.start()
        warm.stop()
    assert (about["prefix"], about["base"]) == (sys.prefix, sys.base_prefix)
    assert about["library"] == os.path.dirname(os.__file__) and about["user"] != 0


@needs_walls
def test_a_withheld_module_s_file_is_not_there():
    with Stage.temporary() as stage:
        stage.prepare({"x": ["memory_lab.window"]})
        warm = Warm(stage)
        warm.start()
        kernel = Kernel(warm, "x", 7)
        kernel.connect()
        source = ("import memory_lab, os\nsorted(name for name in os.listdir(os.path.dirname(memory_lab.__file__))"
                  " if 'rules' in name or 'window' in name)")
        assert shown(kernel, source) == "['rules.py']"
        kernel.stop()
        warm.stop()


def test_a_named_tuple_of_the_course_arrives_as_one(kernel):
    price = Price(1.0, 0.5, 4.0)
    assert decode(json.loads(json.dumps(encode([price], never))), never) == [price]
    assert type(decode(encode(price, never), never)) is Price
    shown(kernel, "from memory_lab.prices import Price\ndef dear(p):\n    return Price(p.input * 2, p.cached_input, 8)")
    witness = Witness(kernel, 8)
    witness.answered(["dear"])
    found = witness.check("from memory_lab.prices import Price\np = dear(Price(2.0, 0.5, 4.0))\n[p.input, p.output, p]")
    assert json.loads(found["value"]) == {"l": [4, 8, {"t": [4, 0.5, 8]}]}


def test_a_check_apart_sees_values_alone(kernel):
    shown(kernel, "class L(list):\n    def __eq__(self, other): return True\n    __hash__ = None\n"
                  "def f(x, g=None):\n    x.append(9)\n    return L([1]) if g is None else [g(2), g('a')]\n"
                  "class Counter:\n    n = 0\n    def add(self, k): self.n += k; return self.n\n")
    witness = Witness(kernel, 8)
    witness.answered(["f", "Counter"])
    assert witness.check("assert f([1]) == [2]\n1")["error"].startswith("AssertionError")
    assert json.loads(witness.check("x = [1]\nf(x)\nx")["value"]) == {"l": [1, 9]}
    assert json.loads(witness.check("f([], lambda v: v * 2)")["value"]) == {"l": [4, "aa"]}
    assert json.loads(witness.check("c = Counter()\nc.add(2)\nc.add(3)\n[c.n, c.add(1)]")["value"]) == {"l": [5, 6]}
    assert witness.check("import os\nint(os.environ['CLASSROOM_SEED'])")["value"] == "8"
    assert shown(kernel, "import os; os.environ['CLASSROOM_SEED']") == "'7'"
    assert witness.check("missing(1)")["error"].startswith("NameError")
    assert "unfit" in witness.check("Counter()")


@settings(max_examples=80, deadline=None)
@given(PLAIN)
def test_a_plain_value_comes_through_as_itself(value):
    again = decode(json.loads(json.dumps(encode(value, never))), never)
    assert again == value and type(again) is type(value)


@pytest.mark.parametrize("sent", [
    {"p": "gASVBQAAAAAAAABLAS4="}, {"o": ["os", "system", []]}, {"x": 1}, [1], {"l": 5}, {"d": [[{"l": []}, 1]]},
    {"o": ["memory_lab.messages", "user", []]}, {"l": 1, "t": 2}])
def test_nothing_is_unpickled_or_called_for_a_student(sent):
    with pytest.raises(WireError):
        decode(sent, never)


def test_a_subclass_is_sent_as_what_it_is_made_of():
    class Word(str):
        def __str__(self):
            return "other"

        def __eq__(self, other):
            return True

        __hash__ = str.__hash__

    assert type(encode(Word("a"), never)) is str and encode(Word("a"), never).encode() == b"a"
    with pytest.raises(WireError):
        encode(_deep(), never)


def _deep():
    value = []
    for _ in range(wire.DEEPEST + 2):
        value = [value]
    return value


@pytest.mark.parametrize(("text", "same"), [("[1.0, 2]", "[1, 2]"), ("{'a':1}", "{'a': 1}"), ("<object>", "<object>"),
                                            ("(" * 300, "(" * 300), ("True", "True")])
def test_shown_values_have_one_form(text, same):
    assert canonical(text) == same


@pytest.mark.parametrize("source", ["def f(x):\n    return x", "import random, math\nx = 5 % 3", "total != 3",
                                    "if m['role'] == 'system':\n    events = [m]"])
def test_honest_code_raises_no_eyebrow(source):
    assert suspicions(source) == []
