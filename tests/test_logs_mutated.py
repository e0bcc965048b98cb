"""Ten thousand damaged logs: any outcome but a list of conversations or a LogError is a crash."""

import io
import json
import zipfile

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from talks import FIXTURES

from memory_lab import logs
from memory_lab.errors import LogError
from memory_lab.messages import check_message

NAMES = sorted(path.name for path in FIXTURES.iterdir())
WORDS = ("user", "assistant", "tool", "system", "", "\ud800", "a" * 70, "call_1", "text", "{", "[1", '{"role": "user"}',
         "∞")
KEYS = ("role", "content", "type", "id", "messages", "call_id", "parent", "mapping", "kwargs", "data", "lc", "message",
        "output", "input", "response", "choices", "sender", "uuid", "tool_calls", "system", "timestamp", "name")
SCALARS = (None, True, 0, -1, 1e308, float("nan"), 10**30, *WORDS)
JUNK = st.recursive(st.sampled_from(SCALARS), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
    st.sampled_from(KEYS), inner, max_size=3), max_leaves=6)


def values(name):
    text = (FIXTURES / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line] if name.endswith("l") else json.loads(text)


def places(value, found=None):
    """Every (container, key) in a JSON value."""
    found = [] if found is None else found
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        found.append((value, key))
        places(inner, found)
    return found


@st.composite
def torn(draw):
    """A log whose JSON has other values, other keys, copies and gaps."""
    data = values(draw(st.sampled_from(NAMES)))
    for _ in range(draw(st.integers(1, 4))):
        known = places(data)
        if not known:
            break
        holder, key = known[draw(st.integers(0, len(known) - 1))]
        change = draw(st.sampled_from(("put", "drop", "copy", "move", "rename", "wrap", "text")))
        other, place = known[draw(st.integers(0, len(known) - 1))]
        if change == "put":
            holder[key] = draw(JUNK)
        elif change == "drop":
            del holder[key]
        elif change == "copy":
            holder[key] = json.loads(json.dumps(other[place]))
        elif change == "move" and isinstance(holder, list):
            holder.insert(0, holder.pop(key))
        elif change == "rename" and isinstance(holder, dict):
            holder[draw(st.sampled_from(KEYS))] = holder.pop(key)
        elif change == "wrap":
            holder[key] = [holder[key]]
        elif change == "text":
            holder[key] = json.dumps(holder[key])
    shape = draw(st.sampled_from(("whole", "lines", "first")))
    rows = data if isinstance(data, list) and data else [data]
    if shape == "lines":
        return "\n".join(map(json.dumps, rows)).encode()
    return json.dumps(rows[0] if shape == "first" else data).encode()


@st.composite
def bitten(draw):
    """A log whose bytes are cut, doubled, replaced; of a zip of logs, too."""
    raw = (FIXTURES / draw(st.sampled_from(NAMES))).read_bytes()
    if draw(st.integers(0, 4)) == 0:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("conversations.json", raw)
        raw = buffer.getvalue()
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(raw)))
        stop = min(len(raw), start + draw(st.sampled_from((0, 1, 2, 9, 400))))
        put = draw(st.binary(max_size=4) | st.sampled_from((b'"', b"{", b"}", b"]", b",", b"\\", b"\xff", raw)))
        raw = raw[:start] + put[:2000] + raw[stop:]
    return raw


def outcome(path, raw):
    """The conversations, or None for a refusal; anything else is raised."""
    path.write_bytes(raw)
    try:
        talks = logs.load(path)
    except LogError as error:
        assert str(error).startswith(str(path))
        return None
    for talk in talks:
        assert talk.times is None or len(talk.times) == len(talk.messages)
        for index, message in enumerate(talk.messages):
            check_message(message, index)
    return talks


def many(number):
    return settings(max_examples=number, deadline=None, database=None, phases=[Phase.generate],
                    suppress_health_check=list(HealthCheck))


@many(40)
@given(raw=torn() | bitten())
def test_some_damaged_logs_are_read_or_refused(raw, tmp_path_factory):
    outcome(tmp_path_factory.getbasetemp() / "damaged.json", raw)


@pytest.mark.long
@many(6_000)
@given(raw=torn())
def test_six_thousand_torn_logs_are_read_or_refused(raw, tmp_path_factory):
    outcome(tmp_path_factory.getbasetemp() / "torn.json", raw)


@pytest.mark.long
@many(4_000)
@given(raw=bitten())
def test_four_thousand_bitten_logs_are_read_or_refused(raw, tmp_path_factory):
    outcome(tmp_path_factory.getbasetemp() / "bitten.json", raw)
