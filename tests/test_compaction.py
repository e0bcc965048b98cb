"""Text cut for a fold, its record, and how far folding has come."""

from __future__ import annotations

import doctest

import pytest
from folded import agent_steps
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab import compaction as module
from memory_lab.compaction import SENTENCE, Compaction, Fold, Progress, chunks, cut, oldest, transcript
from memory_lab.errors import SettingError, TokenLimitError
from memory_lab.messages import assistant, tool, tool_call, user
from memory_lab.outline import Outline
from memory_lab.tokens import TokenCounter

count = TokenCounter()
texts = st.lists(st.sampled_from(["One. ", "Two!", "三。", "A-4471 ", "3.14 ", "word " * 30, "\n", "\r\n", "x" * 300,
                                  "👩‍👩‍👧‍👦 "]),
                 max_size=25).map("".join)


def test_examples():
    assert doctest.testmod(module, extraglobs={"TokenCounter": TokenCounter}).failed == 0


@given(texts)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_sentences_lose_nothing(text):
    assert "".join(SENTENCE.findall(text)) == text
    assert all("A-44" not in piece or "A-4471" in piece for piece in SENTENCE.findall(text))


@given(texts, st.integers(16, 80))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_chunks_hold_every_word_once_and_keep_their_limit(text, limit):
    pieces = list(chunks(text, limit, count))
    assert all(count.text(piece) <= limit for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_chunks_end_where_lines_do_and_refuse_a_silly_limit():
    text = "\n".join(f"user: message {number} is here" for number in range(30))
    for piece in chunks(text, 40, count):
        assert piece.startswith("user: ") and piece.endswith(" is here")
    with pytest.raises(SettingError, match="input_limit"):
        list(chunks(text, 15, count))


@given(texts, st.integers(0, 60), st.booleans())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_cut_keeps_its_limit_and_takes_whole_sentences(text, limit, unfinished):
    try:
        kept = cut(text, limit, count, unfinished=unfinished)
    except TokenLimitError as error:
        assert error.needed > limit
        return
    assert count.text(kept) <= limit
    assert text.strip().startswith(kept) or "characters cut" in kept
    assert bool(kept) == bool(text.strip())


def test_half_a_number_is_not_kept():
    assert cut("The budget is 900. The order is A-44", 50, count, unfinished=True) == "The budget is 900."
    assert cut("order A-44", 50, count, unfinished=True) == "order"
    assert cut("The budget is 900. The order is A-4471", 50, count) == "The budget is 900. The order is A-4471"


def test_a_transcript_names_calls_results_refusals_and_speakers():
    calls = assistant(tool_calls=[tool_call("a", "track", '{"id": 7}')])
    image = {"type": "image_url", "image_url": {"url": "u"}}
    lines = transcript([user([{"type": "text", "text": "look"}, image], name="ana"), calls,
                        tool("Kyoto", tool_call_id="a"), {"role": "assistant", "content": None, "refusal": "No."}])
    assert lines.splitlines() == ["user (ana): look", "[image_url]", 'assistant: [calls track {"id": 7}]',
                                  "tool: Kyoto", "assistant: No."]


def test_a_fold_keeps_the_fault_of_its_writer_and_an_empty_answer():
    def fails(client, fold):
        fold.calls += 1
        raise ValueError("no")

    fold = Fold((0,), [user("x")], "earlier", 1, fails)
    fold.run(None)
    assert (fold.text, fold.error, fold.calls) == (None, "ValueError: no", 1) and fold.before == "earlier\nuser: x"
    fold = Fold((0,), [user("x")], "", 1, lambda client, fold: None)
    fold.run(None)
    assert fold.text == "" and fold.error is None


def test_a_record_is_fixed():
    with pytest.raises(AttributeError):
        Compaction((0,), "a", "b", 1, 1).after = "c"


def outlined(log):
    outline = Outline()
    for message in log:
        outline.add(message, 10)
    return outline.turns


def test_oldest_takes_whole_turns_and_of_the_newest_only_what_has_no_room():
    log = [message for number in range(4) for message in (user("q"), assistant("a"))]
    turns = outlined(log)
    waiting = Progress().waiting(turns)
    assert len(waiting) == 8
    assert [unit.indices for unit in oldest(waiting, turns, 80, 45, 100)] == [[0], [1], [2], [3]]
    assert len(oldest(waiting, turns, 80, 0, 100)) == 6  # never the newest turn while it fits
    turns = outlined([user("q"), *agent_steps(0), *agent_steps(1), *agent_steps(2)])
    waiting = Progress().waiting(turns)
    # neither the question nor the newest unit, unless both go out clipped
    assert [unit.indices[0] for unit in oldest(waiting, turns, 100, 40, 60)] == [1, 4]
    assert [unit.indices[0] for unit in oldest(waiting, turns, 100, 0, 20)] == [1, 4, 0, 7]


def test_progress_steps_over_turns_that_are_covered_to_their_end():
    turns = outlined([user("q"), assistant("a"), user("q"), assistant("a"), user("q")])
    progress = Progress()
    progress.cover((0,), turns)
    assert (progress.first, progress.inside) == (0, {0})
    progress.cover((1, 2), turns)
    assert (progress.first, progress.inside, progress.covered) == (1, {2}, [0, 1, 2])
    assert [unit.indices[0] for _, unit in progress.waiting(turns)] == [3, 4]
