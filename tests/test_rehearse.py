"""The virtual clock: who waits for a summary, and what is in no context meanwhile."""

import asyncio
from functools import partial

from summarisers import Summariser

from memory_lab import SummaryMemory
from memory_lab.client import connect
from memory_lab.session.rehearse import rehearse

TEXTS = [f"{number} something that is worth a few tokens, so that a fold is due before long" for number in range(40)]
MAKE = partial(SummaryMemory, token_limit=600, summary_limit=100, trigger_tokens=200, trigger_messages=0)
TIGHT = partial(SummaryMemory, token_limit=330, summary_limit=100, trigger_tokens=200, trigger_messages=0)


def rehearsed(make, **more):
    return asyncio.run(rehearse(make, TEXTS, connect("offline"), **more))


def test_a_fold_in_the_turn_is_waited_for_and_one_beside_it_is_not():
    inside, beside = rehearsed(MAKE, background=False), rehearsed(MAKE, background=True)
    assert len(inside) == len(beside) == len(TEXTS)
    folding = [turn for turn in inside if turn.folding]
    assert len(folding) > 3
    assert {turn.seconds for turn in folding} == {9.0}
    assert {turn.seconds for turn in inside if not turn.folding} == {1.0}
    assert {turn.seconds for turn in beside} == {1.0}
    assert sum(turn.folding for turn in beside) > len(folding), "a fold of 8 s lasts longer than one turn of 5 s"


def test_the_seconds_are_the_ones_that_were_asked_for():
    waited = rehearsed(MAKE, background=False, reply=0.5, summary=3.0)
    assert {turn.seconds for turn in waited} == {0.5, 3.5}
    quick = rehearsed(MAKE, background=True, summary=1.0, pause=2.0)
    slow = rehearsed(MAKE, background=True, summary=30.0, pause=2.0)
    assert sum(turn.folding for turn in quick) < sum(turn.folding for turn in slow)


def test_a_window_without_room_drops_messages_until_the_summary_is_there():
    assert sum(turn.dropped for turn in rehearsed(TIGHT, background=False)) == 0
    assert max(turn.dropped for turn in rehearsed(TIGHT, background=True)) > 0
    assert sum(turn.dropped for turn in rehearsed(MAKE, background=True)) == 0


def test_a_summary_that_fails_is_waited_for_too_and_ends():
    def down(messages, call):
        raise ConnectionError("down")

    def make(client):
        return MAKE(client=Summariser(down))

    assert {turn.seconds for turn in rehearsed(make, background=True)} == {1.0}
