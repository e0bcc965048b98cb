"""Conversations are read and checked, and every fault is named with its place."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from memory_lab.conversations import Conversation, Probe, load, load_file, validate
from memory_lab.errors import LogError
from memory_lab.messages import assistant, user

CHAT = Conversation("c", "t", "en", None, (user("I live in Oslo, not Rome."), assistant("Nice.")),
                    (Probe("Where do I live?", "name", ("Oslo",), ("Rome",), evidence=(0,)),), "test")


@pytest.mark.parametrize(("change", "words"), [
    ({"type": "colour"}, "type 'colour'"),
    ({"evidence": (2,)}, "does not lie in"),
    ({"evidence": (-1,)}, "does not lie in"),
    ({"evidence": ()}, "no evidence"),
    ({"evidence": (1,)}, "is in its evidence"),
    ({"accept": ()}, "accepts no answer"),
    ({"forbid": ("Paris",)}, "'Paris' was never said"),
    ({"answerable": False}, "not answerable"),
    ({"at": 3}, "at=3"),
    ({"at": 0}, "at=0"),
])
def test_validate_names_the_probe_and_the_fault(change, words):
    validate(CHAT)
    with pytest.raises(LogError, match=re.escape(words)) as error:
        validate(replace(CHAT, probes=(replace(CHAT.probes[0], **change),)))
    assert "probe 0" in str(error.value) and "Where do I live?" in str(error.value)


def test_validate_refuses_uneven_times_and_messages_without_role():
    with pytest.raises(LogError, match="1 times for 2 messages"):
        validate(replace(CHAT, times=("2026-01-01T10:00:00",)))
    with pytest.raises(LogError, match=r"messages\[1\]: role"):
        validate(replace(CHAT, messages=(CHAT.messages[0], {"content": "x"})))


PROBE = {"question": "Who am I?", "type": "name", "accept": ["Bo"], "evidence": [0]}
FILE = {"name": "c", "title": "t", "language": "en", "source": "s", "probes": [PROBE],
        "messages": [{"role": "user", "content": "I am Bo."}]}


def test_load_file_reads_the_form_that_is_shipped(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(FILE), encoding="utf-8")
    assert load_file(path).probes[0].accept == ("Bo",)
    assert load_file(path).messages == ({"role": "user", "content": "I am Bo."},)


def changed(**change):
    return json.dumps({key: value for key, value in {**FILE, **change}.items() if value is not None})


def probe_changed(**change):
    return changed(probes=[{**PROBE, **change}])


@pytest.mark.parametrize(("text", "words"), [
    ('{\n"name": }', "line 2: not JSON"),
    ("[]", "expected an object with the fields of Conversation, found list"),
    (changed(title=None), "title missing"),
    (changed(messages="hello"), "messages is not a list"),
    (changed(messages=[{"role": "user", "content": 7}]), "messages[0]: content"),
    (changed(times=[1]), "times holds 1"),
    (changed(probes=[{"type": "name"}]), "probe 0: question missing"),
    (probe_changed(accepts=[]), "probe 0: unknown field accepts"),
    (probe_changed(accept="Bo"), "probe 0: accept is not a list"),
    (probe_changed(accept=[7]), "accept holds 7"),
    (probe_changed(evidence=["0"]), "evidence holds '0'"),
    (probe_changed(evidence=[3]), "evidence (3,) does not lie in"),
])
def test_load_file_says_which_file_where_and_what(tmp_path, text, words):
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match=re.escape(words)) as error:
        load_file(path)
    assert str(path) in str(error.value)


def test_load_file_refuses_another_encoding(tmp_path):
    path = tmp_path / "latin.json"
    path.write_bytes('{"name": "Zoë"}'.encode("latin-1"))
    with pytest.raises(LogError, match="byte 12 is not UTF-8"):
        load_file(path)


def test_load_names_what_there_is():
    with pytest.raises(LogError, match="kyoto_en"):
        load("kyoto")


def test_files_are_utf8_and_readable():
    # One message a line, characters as themselves: the files are meant to be read.
    import memory_lab.conversations as module
    folder = module.resources.files("memory_lab").joinpath("data")
    text = folder.joinpath("kyoto_zh_hant.json").read_text(encoding="utf-8")
    assert "甲殼類" in text and "\\u" not in text
    assert len(text.splitlines()) > len(load("kyoto_zh_hant").messages)


def test_importing_it_needs_no_tokens_and_no_client():
    code = "import sys, memory_lab.conversations; print(*sorted({'openai', 'tiktoken', 'numpy'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""
