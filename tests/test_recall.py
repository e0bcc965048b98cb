"""The three recalls and the sums of a replay, from probes written here."""

from __future__ import annotations

import pytest

from memory_lab import Probe
from memory_lab.recall import Asked, Replay, mean

SAID = Probe("What?", "free", accept=("x",), evidence=(0, 1))
NEVER = Probe("Who?", "free", answerable=False)


def replayed(*asked, prompts=(10, 30), cached=(0, 10)):
    return Replay("talk", prompts, cached, tuple(asked), 0, 0, seconds=1.0)


def test_three_recalls_are_means_over_the_answerable_probes_alone():
    result = replayed(Asked(SAID, 0.5, True, "x", "correct", 9), Asked(SAID, 0.0, True, "y", "wrong", 9),
                      Asked(SAID, 1.0, False, "-", "stale", 9), Asked(NEVER, None, None, "-", "correct", 9),
                      Asked(SAID, 0.0, False, "-", "abstained", 9))
    assert (result.evidence_recall, result.context_recall, result.answer_recall) == (0.375, 0.5, 0.25)
    assert result.right == 1 and len(result.answerable) == 4


@pytest.mark.parametrize(("verdict", "invented"), [("correct", 0), ("wrong", 1), ("ambiguous", 1), (None, 0)])
def test_any_answer_to_what_was_never_said_is_invented(verdict, invented):
    result = replayed(Asked(NEVER, None, None, "?", verdict, 9))
    assert (result.invented, result.right) == (invented, 0)


def test_sums_of_the_prompts():
    assert (replayed().prompt_tokens, replayed().peak, replayed().cache_share) == (40, 30, 0.25)
    empty = replayed(prompts=(), cached=())
    assert (empty.prompt_tokens, empty.peak, empty.cache_share, empty.context_recall) == (0, 0, 0, 0)


def test_mean_leaves_out_what_is_unknown():
    assert mean([1, None, 0]) == 0.5 and mean([None]) == 0.0 and mean([True, True, False, False]) == 0.5
