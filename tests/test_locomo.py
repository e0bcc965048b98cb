"""Reading the LoCoMo schema, with the slips that the real file has."""

import pytest

from memory_lab.errors import LogError
from memory_lab.locomo import from_locomo
from memory_lab.messages import check_message


def sample(qa=(), **talk):
    said = [{"speaker": "Ana", "dia_id": "D1:1", "text": "I moved to Graz in 2022."},
            {"speaker": "José María", "dia_id": "D1:2", "text": "I did not know."},
            {"speaker": "Ana", "dia_id": "D1:3", "text": "I have a cat.", "img_url": ["x"], "blip_caption": "a cat"}]
    conversation = {"speaker_a": "Ana", "speaker_b": "José María", "session_1_date_time": "1:56 pm on 8 May, 2023",
                    "session_1": said, **talk}
    return {"sample_id": "conv-1", "qa": list(qa), "conversation": conversation}


def question(**change):
    return {"question": "Where?", "answer": "Graz", "evidence": ["D1:1"], "category": 4, **change}


def test_speakers_become_roles_and_keep_their_names():
    conversation = from_locomo(sample())
    assert [message["role"] for message in conversation.messages] == ["user", "assistant", "user"]
    assert conversation.messages[1] == {"role": "assistant", "name": "Jos__Mar_a", "content": "I did not know."}
    assert conversation.ids == ("D1:1", "D1:2", "D1:3")
    assert conversation.times == ("2023-05-08T13:56:00", "2023-05-08T13:57:00", "2023-05-08T13:58:00")
    for message in conversation.messages:
        check_message(message)


@pytest.mark.parametrize(("evidence", "indices"), [
    (["D1:1"], (0,)),
    (["D1:3; D1:1"], (0, 2)),
    (["D1:3 D1:1"], (0, 2)),
    (["D:1:3"], (2,)),
    (["D1:03"], (2,)),
    (["D"], ()),
    (["D9:9"], ()),
    ([], ()),
    (["D1:1", "D1:1"], (0,)),
])
def test_evidence_strings_of_all_kinds(evidence, indices):
    assert from_locomo(sample([question(evidence=evidence)])).probes[0].evidence == indices


def test_an_answer_may_be_a_number():
    assert from_locomo(sample([question(answer=2022)])).probes[0].accept == ("2022",)


def test_adversarial_questions_cannot_be_answered():
    probe, = from_locomo(sample([{"question": "Where does José live?", "evidence": ["D1:1"], "category": 5,
                                  "adversarial_answer": "Graz"}])).probes
    assert (probe.answerable, probe.accept, probe.evidence, probe.forbid) == (False, (), (), ("Graz",))


def test_sessions_come_in_the_order_of_numbers_and_a_lone_date_is_none():
    later = [{"speaker": "José María", "dia_id": "D10:1", "text": "Ten."}]
    early = [{"speaker": "José María", "dia_id": "D2:1", "text": "Two."}]
    conversation = from_locomo(sample(session_10=later, session_10_date_time="9:00 am on 3 June, 2023", session_2=early,
                                      session_2_date_time="9:00 am on 1 June, 2023",
                                      session_20_date_time="9:00 am on 1 July, 2023"))
    assert conversation.ids[3:] == ("D2:1", "D10:1")
    assert "3 sessions" in conversation.title


def test_without_dates_there_are_no_times():
    assert from_locomo(sample(session_1_date_time=None)).times is None


@pytest.mark.parametrize(("broken", "words"), [
    ({}, "no object 'conversation'"),
    ([], "no object 'conversation'"),
    ({"conversation": {"speaker_a": "Ana", "session_3_date_time": "x"}}, "no session_1"),
    (sample(session_2=[{"speaker": "Ana", "text": "?"}]), "session_2, utterance 0: dia_id missing"),
    (sample([{"category": 4}]), "qa 0: question missing"),
    (sample([{"question": "?", "category": 4}]), "qa 0: answer missing"),
    (sample(session_1_date_time="yesterday"), "session_1_date_time: 'yesterday'"),
])
def test_faults_are_named(broken, words):
    with pytest.raises(LogError, match=words):
        from_locomo(broken)
