"""A clip fits its limit, breaks no visible character, and accounts for every character that it leaves out."""

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_tokens import TEXTS

from memory_lab.errors import SettingError, TokenLimitError
from memory_lab.tokens import CLIP_ENCODES, CLIP_MARK, TokenCounter, clip

count = TokenCounter()


def borders(text):
    return {0, *(character.end() for character in regex.finditer(r"\X", text))}


def check_clip(text, limit):
    counter = TokenCounter()
    full = count.text(text)
    try:
        result = clip(text, limit, count=counter)
    except TokenLimitError as error:
        assert full > limit == error.token_limit
        assert error.needed > limit
        return None
    assert counter.encode_calls <= CLIP_ENCODES
    assert count.text(result) <= limit
    assert clip(result, limit) == result
    assert clip(text, limit, tokens=full) == result
    if full <= limit:
        assert result == text
        return None
    for mark in CLIP_MARK.finditer(result):
        head, tail = result[:mark.start()], result[mark.end():]
        cut = int(mark["cut"].replace(",", ""))
        if text.startswith(head) and text.endswith(tail) and len(head) + cut + len(tail) == len(text):
            assert {len(head), len(text) - len(tail)} <= borders(text)
            return head, tail
    raise AssertionError(f"no mark that accounts for the whole text: {result!r}")


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(0, 120))
@example("🇹🇼" * 60, 40)
@example("क्षत्रिय" * 40, 40)
@example("a" + "\u0301" * 300, 30)
@example("\r\n" * 300, 20)
@example("👩‍👩‍👧‍👦" * 40, 33)
def test_a_clip_fits_accounts_for_every_character_and_splits_none(text, limit):
    check_clip(text, limit)


CLUSTERS = ["\u1112\u1161\u11ab", "\u1100\u1100\uac00\u11a8", "\u0600\u0661", "का", "क्ष", "é", "e\u0301", "🇹🇼", "👍🏽",
            "❤️", "👩‍👩‍👧‍👦", "\r\n", "กำ", "\uac00\u11a8"]


@pytest.mark.parametrize("cluster", CLUSTERS, ids=ascii)
def test_no_cluster_is_split_at_any_limit(cluster):
    assert len(regex.findall(r"\X", cluster * 2)) == 2
    for limit in range(12, 60):
        check_clip("a" + cluster * 60, limit)


@pytest.mark.parametrize("limit", [0, 1, 5, 7])
def test_not_even_the_mark_fits(limit):
    with pytest.raises(TokenLimitError, match="so is the mark") as caught:
        clip("word " * 100, limit)
    assert caught.value.needed > limit
    assert clip("word " * 100, caught.value.needed)


def test_a_negative_limit_is_an_error():
    with pytest.raises(SettingError, match="-1 tokens"):
        clip("", -1)
    assert clip("", 0) == ""


LONG = {
    "english": "The cat sat on the mat and looked at the rain. " * 22_000,
    "chinese": "我對甲殼類過敏，請不要放蝦子。" * 66_000,
    "one letter": "a" * 1_000_000,
    "spaces": " " * 1_000_000 + "x",
    "flags": "🇹🇼" * 500_000,
    "families": "👩‍👩‍👧‍👦" * 140_000,
    "two scripts": "x" * 500_000 + "中" * 500_000,
    "base64": "iVBORw0KGgoAAAANSUhEUgAA" * 40_000,
}


class Spy(TokenCounter):
    longest = 0

    def text(self, text):
        self.longest = max(self.longest, len(text))
        return super().text(text)


@pytest.mark.parametrize("limit", [40, 300, 3_000])
@pytest.mark.parametrize("name", LONG)
def test_a_megabyte_is_clipped_in_few_short_encodings(name, limit):
    spy, text = Spy(), LONG[name]
    result = clip(text, limit, count=spy, tokens=10**6)
    assert 0 < limit - spy.text(result) + 1 <= max(limit // 3, 32)
    assert spy.encode_calls <= CLIP_ENCODES
    # A token is at most 128 characters (of white space), and a candidate grows at most fourfold from one that fits.
    assert spy.longest <= 4 * 128 * limit if name == "spaces" else spy.longest <= 40 * limit


@pytest.mark.parametrize("name", ["english", "chinese", "one letter", "base64"])
def test_a_clip_fills_its_limit_two_thirds_before_the_mark(name):
    head, tail = check_clip(LONG[name][:40_000], 400)
    assert count.text(head) + count.text(tail) >= 370
    assert abs(len(head) - 2 * len(tail)) <= 3


def test_a_sparse_tail_does_not_starve_the_clip():
    # Where tokens are spread so unevenly, estimating the length from the last candidate alone stops at 38 %.
    text = "the cat sat on " * 200 + "中文字" * 300 + "\n" * 4_000
    assert count.text(clip(text, 1_500, tokens=10**6)) >= 1_400
