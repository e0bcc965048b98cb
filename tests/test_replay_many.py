"""Many conversations at once: the same results from one process and from several; masked ones say nothing personal."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from talks import COUNT, ORDER, chat
from test_log_replay import HISTORY

from memory_lab.log_replay import plan, recommend, replay_log
from memory_lab.log_replay.many import Replays, Settings, redacted, shares
from memory_lab.log_replay.report import as_json
from memory_lab.log_replay.windows import windows
from memory_lab.logs import LoggedConversation

SECRET = chat(("I am Maria Lopez, write to ml@example.com or call +34 611 222 333.", "Noted."),
              *[("And so on.", "Yes.")] * 6, ("Was that ml@example.com, for Maria?", "ml@example.com, yes."))


def talks(number=5):
    return [LoggedConversation(f"talk {n}", ORDER[:2 * n + 1] if n else SECRET) for n in range(number)]


def run(jobs, redact=False, given=None):
    seen = []
    with Replays(given or talks(), jobs=jobs, redact=redact) as replays:
        advice = recommend(replays.plans(seen.append))
        return replays.run(Settings(token_limits=(60,), memory_limit=400, max_turns=2), seen.append), advice, seen


def test_one_process_gives_what_replay_log_gives():
    results, _, seen = run(1)
    assert sum(seen) == 2 * sum(len(talk.messages) for talk in talks())
    for talk, result in zip(talks(), results, strict=True):
        one = replay_log(talk.messages, windows(token_limits=[60], memory_limit=400, max_turns=2, count=COUNT),
                         count=COUNT)
        assert result.strategies == one.strategies and result.name == talk.name
        assert [result.plan.written(each.value) for each in result.plan.references] == [
            one.plan.written(each.value) for each in one.plan.references]


@pytest.mark.long
def test_several_processes_give_the_same_in_the_same_order():
    one, advice, _ = run(1)
    two, other, seen = run(2)
    assert (advice, as_json(one, advice)) == (other, as_json(two, other)) and len(seen) == 10


@pytest.mark.long
def test_an_error_in_a_process_is_raised_here():
    bad = [*talks(2), LoggedConversation("bad", [{"role": "user", "content": 3}])]
    with pytest.raises(TypeError):
        run(2, given=bad)


@settings(max_examples=40, deadline=None)
@given(log=HISTORY, limit=st.integers(40, 300), turns=st.integers(1, 9))
def test_what_is_not_tried_would_have_sent_everything(log, limit, turns):
    chosen = Settings(token_limits=(limit,), memory_limit=2 * limit, max_turns=turns)
    with Replays([LoggedConversation("log", log)]) as replays:
        replays.plans()
        [quick] = replays.run(chosen)
    tried = replay_log(log, chosen.memories(COUNT), count=COUNT).strategies
    assert quick.strategies == tried and list(quick.strategies) == list(tried)


def test_shares_are_even_and_none_is_empty():
    assert shares([9, 1, 1, 7], 2) == [[0], [1, 2, 3]]
    assert shares([1, 1], 8) == [[0], [1]]


def test_redacted_conversations_still_lean_on_what_is_masked():
    masked = talks(1)
    redacted(masked)
    text = json.dumps(masked[0].messages)
    assert "ml@" not in text and "611" not in text and "[masked: e-mail-1]" in text
    assert masked[0].name == "conversation 1"
    plain = plan(SECRET, COUNT)
    assert len(plan(masked[0].messages, COUNT).references) == len(plain.references) == 2
    results, advice, _ = run(1, redact=True, given=masked)
    shown = json.dumps(as_json(results, advice))
    assert "aria" not in shown and "name 1" in shown and "e-mail-1" in shown
