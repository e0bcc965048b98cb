"""The matcher against labelled traps, and the properties that no table can list."""

import json
import string
import subprocess
import sys
from collections import Counter
from pathlib import Path

import opencc
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory_lab.errors import SettingError
from memory_lab.matching import Verdict, find, match, strict
from memory_lab.matching.fold import _remembered, fold

TRAPS = json.loads((Path(__file__).parent / "fixtures" / "traps.json").read_text(encoding="utf-8"))
VERDICTS = {"correct", "wrong", "abstained", "stale", "ambiguous"}
few = settings(max_examples=60, deadline=None)


def judge(trap, answer=None) -> Verdict:
    return match(trap["answer"] if answer is None else answer, accept=trap["accept"], forbid=trap["forbid"],
                 type=trap["type"], answerable=trap["answerable"], language=trap["language"])


def substring_verdict(trap) -> str:
    """What the published grader can say: correct if an accepted value is in the answer, wrong if not."""
    return "correct" if strict(trap["answer"], trap["accept"]) else "wrong"


def wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def han(number: int) -> str:
    """The usual Chinese numeral of a number below 100,000,000, built apart from the package's reader."""
    if number >= 10_000:
        rest = number % 10_000
        return han(number // 10_000) + "萬" + (("零" if rest < 1000 else "") + han(rest) if rest else "")
    out, gap = "", False
    for scale, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            out += ("零" if gap and out else "") + "零一二三四五六七八九"[digit] + name
        gap = digit == 0
    return out


@pytest.mark.parametrize("trap", TRAPS, ids=[trap["id"] for trap in TRAPS])
def test_each_trap_gets_the_verdict_of_a_careful_reader(trap):
    assert judge(trap).verdict == trap["verdict"], trap["why"]


def test_the_table_is_large_and_covers_every_language_type_and_verdict():
    languages = Counter(trap["language"] for trap in TRAPS)
    assert len(TRAPS) >= 80
    assert min(languages[language] for language in ("en", "zh-Hant", "zh-Hans", "es")) >= 20
    assert {trap["type"] for trap in TRAPS} == {"number", "date", "name", "choice", "free"}
    assert {trap["verdict"] for trap in TRAPS} == VERDICTS
    assert len({trap["id"] for trap in TRAPS if trap["why"]}) == len(TRAPS)


def test_more_traps_come_right_than_with_a_plain_substring_in_each_language():
    plain = Counter(trap["language"] for trap in TRAPS if substring_verdict(trap) == trap["verdict"])
    ours = Counter(trap["language"] for trap in TRAPS if judge(trap).verdict == trap["verdict"])
    assert all(ours[language] > plain[language] for language in ours)
    # the substring must fail on both sides, or the table would only show that it is strict
    assert any(substring_verdict(t) == "correct" != t["verdict"] for t in TRAPS)
    assert any(substring_verdict(t) == "wrong" and t["verdict"] == "correct" for t in TRAPS)


def test_a_spanish_answer_reads_its_own_separators():
    assert match("Tu presupuesto es de 1.500 yenes.", accept=["1.500"], type="number").verdict == "correct"


@pytest.mark.parametrize("change", [str.upper, wide, lambda text: "  " + text + "\u200b"],
                         ids=["case", "width", "blank"])
def test_form_does_not_change_a_verdict(change):
    changed = [trap["id"] for trap in TRAPS if judge(trap, change(trap["answer"])).verdict != trap["verdict"]]
    assert changed == []


@pytest.mark.parametrize("direction", ["t2s", "s2t"])
def test_script_does_not_change_a_verdict(direction):
    convert = opencc.OpenCC(direction).convert
    changed = [trap["id"] for trap in TRAPS if trap["language"].startswith("zh")
               and judge(trap, convert(trap["answer"])).verdict != trap["verdict"]]
    assert changed == []


def test_folding_agrees_with_whole_text_conversion():
    convert = opencc.OpenCC("t2s").convert
    for trap in TRAPS:
        assert fold(convert(trap["answer"])).text == fold(trap["answer"]).text


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if judge(trap).span], ids=lambda trap: trap["id"])
def test_the_span_holds_the_value(trap):
    verdict = judge(trap)
    start, end = verdict.span
    assert 0 <= start < end <= len(trap["answer"])
    assert verdict.value in trap["accept"] + trap["forbid"]
    assert find(trap["answer"][start:end], verdict.value, type=trap["type"], language=trap["language"])


words = st.text(string.ascii_lowercase, min_size=3, max_size=9)
numbers = st.integers(1, 9_999_999)
UNKNOWN = ["I do not know whether {}.", "I don't know if it is {}.", "I am not sure whether it is {}, sorry.",
           "I can't say whether you mentioned {}.", "You have not told me whether it is {}.", "我不知道是否是{}。",
           "我不確定你是不是說過{}。", "您沒有提到{}。", "我不清楚是不是{}，抱歉。",
           "No sé si es {}.", "No me has dicho si es {}.", "No estoy seguro de si es {}.", "No lo sé, quizás {}."]


@few
@given(st.sampled_from(UNKNOWN), words | numbers.map(str), st.sampled_from(["free", "number", "name", "choice"]))
def test_a_value_behind_do_not_know_is_never_correct(template, value, type):
    assert match(template.format(value), accept=[value], type=type).verdict != "correct"


FORMS = [str, "{:,}".format, han, lambda n: wide(f"{n:,}"), lambda n: f"{n:,}".replace(",", " "),
         lambda n: f"{n:,}".replace(",", "\u202f")]
SAYING = ["預算是{}日圓。", "Your budget is {} yen.", "{}"]


@few
@given(numbers, st.sampled_from(FORMS), st.sampled_from(FORMS), st.sampled_from(SAYING))
def test_every_numeral_form_of_a_number_is_that_number(number, said, accepted, saying):
    answer = saying.format(said(number))
    verdict = match(answer, accept=[accepted(number)], type="number")
    assert verdict.verdict == "correct", (answer, verdict)
    assert answer[slice(*verdict.span)] == said(number)


@few
@given(numbers, st.integers(0, 7), st.integers(0, 9), st.booleans(), st.sampled_from(FORMS), st.sampled_from(FORMS),
       st.sampled_from(SAYING), st.sampled_from(["number", "free"]))
def test_a_digit_more_or_less_is_never_correct(number, at, digit, more, said, accepted, saying, type):
    digits = str(number)
    at = min(at, len(digits) - 1)
    other = int(digits[:at] + str(digit) + digits[at:]) if more else int(digits[:at] + digits[at + 1:] or 0)
    assume(other not in (number, 0))
    answer = saying.format(said(other))
    assert match(answer, accept=[accepted(number)], type=type).verdict != "correct", answer


@few
@given(st.from_regex(r"[A-Z]{1,3}-[1-9][0-9]{2,5}", fullmatch=True), st.sampled_from("0123456789"), st.booleans())
def test_an_identifier_matches_with_any_separator_and_never_with_a_digit_more(code, digit, front):
    for form in (code, code.replace("-", ""), code.replace("-", " "), code.lower(), wide(code), "#" + code):
        assert match(f"The order is {form}.", accept=[code]).verdict == "correct", form
    longer = code.replace("-", "-" + digit) if front else code + digit
    assert match(f"The order is {longer}.", accept=[code]).verdict != "correct", longer
    assert match(f"The order is {code[:-1]}.", accept=[code]).verdict != "correct"


@few
@given(st.text(string.ascii_lowercase, min_size=1, max_size=6), words, st.text(string.ascii_lowercase, max_size=3))
def test_a_latin_name_is_not_found_inside_a_word(front, name, back):
    assume(f"{front}{name}{back}" != name)
    assert find(f"1 {front}{name}{back} 2", name, type="name") is None


PIECES = st.sampled_from(["I do not know", "whether", "不知道", "不是", "no", "¿", "?", ",", "，", "1,000", "一千",
                          "零", "百分之", "mil y", "half a dozen", "one hundred hundred", "03/04", "May", "3 de mayo",
                          "A-4471", "\u0301", "\ud800", "ﷺ", "½", "²", "İ", "ß", "\u3099", "1e9", "...", "0" * 40,
                          "9" * 40 + "萬"])


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES | st.text(max_size=6), max_size=8).map("".join), st.text(min_size=1, max_size=6) | PIECES,
       st.sampled_from(["number", "date", "name", "choice", "free"]))
def test_no_text_raises_and_every_span_lies_inside(text, value, type):
    span = find(text, value, type=type)
    assert span is None or 0 <= span[0] < span[1] <= len(text)
    if not fold(value).text.strip():
        return
    verdict = match(text, accept=[value], forbid=["500"], type=type)
    assert verdict.verdict in VERDICTS
    assert verdict.rule
    assert verdict.span is None or 0 <= verdict.span[0] < verdict.span[1] <= len(text)


def test_find_says_where_a_value_stands_whatever_is_claimed_of_it():
    context = "user: 我的預算是每餐１，０００日圓。\nassistant: Not blue, noted."
    assert context[slice(*find(context, "一千", type="number"))] == "１，０００"
    assert context[slice(*find(context, "blue", type="choice"))] == "blue"
    assert find(context, "lue") is None
    assert find(context, "10000", type="number") is None


def test_a_context_is_folded_once_for_all_its_probes():
    context = "您的預算是一千日圓，住在京都車站附近。" * 500 + "order A-4471"
    _remembered.cache_clear()
    for value in ("A-4471", "A-4472", "京都车站", "999"):
        find(context, value)
    assert _remembered.cache_info().misses <= 5  # the context, and each value


@pytest.mark.parametrize("unit", ["1 2 3,4 5-6 ", "一", "two ", "a1", "one hundred ", "3 de mayo ", ",", "1.", "no "])
def test_the_work_grows_with_the_text_and_not_with_its_square(unit):
    def calls(size: int) -> int:
        count = 0

        def counting(frame, event, arg):
            nonlocal count
            count += event in ("call", "c_call")

        text = unit * (size // len(unit)) + " A-4471"
        sys.setprofile(counting)
        try:
            find(text, "77777", type="number")
            find(text, "A-4471")
            find(text, "9 Dec", type="date")
        finally:
            sys.setprofile(None)
        return count

    calls(100)  # patterns are compiled and remembered
    assert calls(8000) < 3 * calls(4000)


@pytest.mark.parametrize(("arguments", "about"), [
    ({"accept": "1000"}, "list of strings"), ({"accept": []}, "accept is empty"),
    ({"accept": ["\u200b"]}, "empty value"), ({"accept": ["1"], "type": "colour"}, "must be one of")])
def test_a_senseless_probe_is_refused(arguments, about):
    with pytest.raises(SettingError, match=about):
        match("1000", **arguments)


def test_the_matcher_does_not_load_opencc_before_chinese_text_comes():
    code = ("import sys; from memory_lab.matching import match; match('Your budget is 1,000 yen.', accept=['1000']);"
            "print('opencc' in sys.modules); match('預算', accept=['預算']); print('opencc' in sys.modules)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
