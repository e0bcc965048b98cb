"""Which of several statements the reader takes: the newer on a matter, never another matter's, each text once."""

import numpy as np
import pytest

from memory_lab import FactTableMemory
from memory_lab.client import chat, connect
from memory_lab.conversations import load
from memory_lab.evaluate import replay
from memory_lab.messages import system, user
from memory_lab.meter import Meter
from memory_lab.offline.analysis import analyse
from memory_lab.offline.decide import FLOOR, NEAREST, candidates, least
from memory_lab.offline.evidence import gather
from memory_lab.offline.find import weigh
from memory_lab.offline.groups import meets
from memory_lab.offline.rivals import as_sure
from memory_lab.tokens import TokenCounter

CLIENT = connect("offline")
ASIDE = ["It rained all day.", "The soup was good."]


def ask(*said):
    return chat(CLIENT, [user(each) for each in said])


def test_a_newer_statement_that_answers_as_surely_needs_no_word_of_the_older_one():
    said = ask("My flat is in Leeds, on the third floor.", *ASIDE, "I have moved house! I live in Ghent now.",
               "In which city do I live?")
    assert "Ghent" in said and "Leeds" not in said


@pytest.mark.parametrize("newer", ["I traded in the car: now I drive an old Saab.",
                                   "Oskar is thinking about a new washing machine.",
                                   "I went through the accounts: the holiday budget is 780 euros after all."])
def test_a_change_on_another_matter_corrects_nothing(newer):
    arm = "Ingrid broke an arm while chasing a bus."
    talk = ["Oskar laughed at the bus.", arm, "I go to badminton twice a week.", "I handed in my thesis on 27 May.",
            *ASIDE * 12, newer]
    assert "chasing a bus" in ask(*talk, "What was Ingrid doing when the arm broke?")
    assert "badminton" in ask(*talk, "Which sport do I do?")
    assert "27 May" in ask(*talk, "When did I hand in the thesis?")


@pytest.mark.parametrize(("asides", "reached"), [(1, True), (15, False)])
def test_a_change_that_names_no_thing_of_the_old_words_reaches_back_a_few_statements_only(asides, reached):
    talk = ["Ingrid took a bus.", *ASIDE * asides, "I traded in the car: now I drive an old Saab."]
    assert weigh("What did Ingrid take?", gather([user(each) for each in talk])).hits[-1].heir is reached


def test_a_correction_of_another_matter_does_not_come_in_by_what_it_corrects():
    talk = load("order_number")  # "Please send the new shade to ..." corrects the address, which is no order number
    asked = replay(FactTableMemory(talk.system, token_limit=500), talk).asked
    assert {each.verdict for each in asked if each.probe.answerable} == {"correct"}


def test_the_english_label_of_a_spanish_note_counts():
    notes = system('Eres amable.\n\n<facts>\n- name: "Xiaoming"\n- lodging: "cerca de la estación de Kioto"\n</facts>')
    assert "estación" in chat(CLIENT, [notes, user("Quiero probar un baño termal."), user("¿Dónde me alojo?")])


@pytest.mark.parametrize(("note", "question", "quoted"), [
    ("I do not want any plastic in my parcels", "What material do I not want in my parcels?", '"plastic in my parcels'),
    ("Nunca pongan cacahuetes en la comida", "¿Qué no puede llevar nunca la comida?", "«cacahuetes en la comida"),
])
def test_asked_what_is_ruled_out_a_note_is_answered_like_the_words_that_it_is_made_of(note, question, quoted):
    said = chat(CLIENT, [system(f'Be brief.\n\n<facts>\n- prohibition: "{note}"\n</facts>'), user(question)])
    assert quoted in said and "prohibition" not in said


def test_an_update_that_hardly_answers_replaces_nothing():
    talk = [user("My budget is 500 euros."), user("My budget is now 700.")]
    old, new = weigh("What is my budget?", gather(talk)).hits
    assert as_sure(new, {old.order: 0.9, new.order: 0.2}, old)
    assert not as_sure(new, {old.order: 0.9, new.order: 0.005}, old)


def test_plain_words_far_ahead_of_all_others_answer_whatever_their_meaning():
    plain = dict.fromkeys(("met", "plain", "missing", "only_kind", "person", "other", "negated"), 0)
    clear = plain | {"score": 0.95, "margin": 0.4, "strong": 1, "generic": 1}
    assert least(clear) == FLOOR
    for spoilt in ({"margin": 0.1}, {"score": 0.8}, {"strong": 0}, {"generic": 0}, {"missing": 1}, {"negated": 1}):
        assert least(clear | spoilt) == 0, spoilt


def test_a_holiday_is_no_date_but_a_feast_and_a_weekday_are():
    assert not meets("date", analyse("The holiday budget is 780 euros after all."))
    assert meets("date", analyse("We leave at Christmas.")) and meets("date", analyse("On Friday we leave."))


def test_a_name_may_stand_before_the_word_name():
    assert "Ziggy" in ask("Ziggy is the name I gave my animal.", *ASIDE, "What is the name of my pet?")


def test_joining_a_club_is_about_no_person():
    assert "repair café" in ask("I am a member of the repair café now.", *ASIDE, "Which club did I join?")


def test_equal_texts_are_weighed_once():
    said = ["I should write more letters."] * 30 + [f"Letter {n} is on the table." for n in range(30)]
    told = weigh("Which letters should I write?", gather([user(each) for each in said])).told
    found = candidates(told)
    assert [hit.evidence.text for hit in found].count("I should write more letters.") == 1
    assert NEAREST <= len(found) <= 2 * NEAREST and max(hit.order for hit in found if "more" in hit.evidence.text) == 29


def test_tokens_off_the_bill_are_those_on_it():
    count = TokenCounter()
    meter, prompt = Meter(count), [user("Hi"), user("Where is my order?"), user("Hi")]
    assert meter.tokens(prompt) == count(prompt) and meter.prompts == []
    before = count.encode_calls
    meter.prompt(prompt)
    assert meter.prompts == [count(prompt)] and count.encode_calls - before == 3  # by count() here, none by the meter


def test_fits_that_are_averaged_judge_as_their_mean(monkeypatch):
    from pathlib import Path

    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "tools" / "reader"))
    from model import RANK, SIZE, Fitted, Row, judge, together

    draw = np.random.RandomState(0)
    fits = [Fitted(draw.randn(SIZE), draw.randn(SIZE, RANK), draw.randn(SIZE, RANK), draw.randn(SIZE), draw.randn(3),
                   draw.randn(), np.ones(2)) for _ in range(3)]
    table = draw.randn(3, SIZE)
    row = Row(0, draw.randn(1, 3), np.array([1]), np.array([0]), np.array([True]), True, 1.0, None, ("a", "b", "c"))
    assert together(fits).asks.shape == (SIZE, 3 * RANK)
    assert np.allclose(judge(together(fits), row, table), np.mean([judge(each, row, table) for each in fits], axis=0))
