"""What counts as a statement: words that look like a question, a guess, a retraction or a negation, and are none.

Each list holds examples of a class of sentences; the reader once lost what they say."""

import pytest

from memory_lab.client import chat, connect
from memory_lab.messages import assistant, system, user
from memory_lab.offline.analysis import analyse
from memory_lab.offline.evidence import gather
from memory_lab.offline.find import weigh
from memory_lab.offline.marks import marks, without_stale
from memory_lab.offline.phrases import say
from memory_lab.offline.question import is_question, read_question
from memory_lab.offline.subject import as_speaker, subject_of

CLIENT = connect("offline")
UNKNOWN = {say("unknown", language) for language in ("en", "zh-Hant", "zh-Hans", "es")}


def ask(*messages):
    return chat(CLIENT, [user(each) if isinstance(each, str) else each for each in messages])


@pytest.mark.parametrize("text", [
    "Oh, before I forget: my left shoulder is sore.",
    "Spare keys are in the blue teapot, in case I forget.",
    "Whenever I see a documentary about volcanoes, I forget the time.",
    "The gazebo's torn, can you remind me to sew it before the 4th.",
    "He snores, so pack earplugs, remind me.",
    "I'll have to cancel that evening, tell me to text Boyd.",
    "When the kiln arrives I am moving the bench.",
    "What I can't abide is truffle oil.",
    "What scares me is the anaesthetic, not the knife.",
    "存折夹在字典里，别告诉我儿子。", "她提醒我別帶肉乾入境。", "他二月一号晚上到，你提醒我去接。",
    "他以前在邮局，谁也没想到他有这口才。", "我还没开始织呢。", "天哪，我丢了钱包。", "哪怕下雨我也去。",
    "In which case I would rather stay at home.", "Qué va, me lleva Paquita.",
])
def test_what_only_looks_like_a_question_is_a_statement(text):
    assert not is_question(text)
    assert [item.text for item in gather([user(text)])] == [text]


@pytest.mark.parametrize("text", [
    "I forgot my order number", "I forget what the code is.", "Tell me my budget", "So remind me, which hotel was it",
    "Please remind me of my order number.", "Can you tell me my PIN", "what is my order number", "when does it leave",
    "where I live is?", "告诉我我的预算", "请提醒我我的订单号", "我的航班是几点呢", "No recuerdo mi número",
    "Recuérdame mi hotel", "When is it?", "What my name is?", "On what day will I be examined",
    "For how long does the dog live with us", "Hasta qué hora puedo llegar", "Cada cuánto le cambian los cascos",
    "哪科我最弱", "收件地點在哪", "儿子不想上学是要干嘛",
])
def test_what_asks_is_a_question(text):
    assert is_question(text)


@pytest.mark.parametrize("text", ["She has driven trains for forty years, can you imagine?",
                                  "Gasté 420 euros, ¿te lo puedes creer?", "她是灯塔管理员，你敢信？"])
def test_a_statement_that_ends_in_an_exclamation_is_kept_without_it(text):
    (item,) = gather([user(text)])
    assert item.text in text and "?" not in item.text and "？" not in item.text
    assert gather([user("Is my flight on Friday, can you believe it?")]) == []


@pytest.mark.parametrize("text", [
    "No se puede fumar dentro.", "Yo no sé nadar.", "El mando está en la nevera, no sé quién lo deja.",
    "I want to apologise to my friend Nadia and don't know how.", "My scarf has disappeared, maybe in the cinema.",
    "学费我自己存的，我爸不知道。", "那个包可能有，在阁楼。", "我同事不记得我。",
])
def test_what_others_do_not_know_or_only_a_detail_is_no_guess(text):
    assert not marks(text).guess


@pytest.mark.parametrize("text", [
    "I don't know whether it is on Friday.", "Well, I'm not sure.", "Maybe Rome.", "I wonder if it is green.",
    "No sé si es el martes.", "Quizás el lunes.", "我不知道是哪天。", "也许是周三。",
    "My train, I do not know if it runs.",
])
def test_a_guess_is_marked(text):
    assert marks(text).guess


@pytest.mark.parametrize("text", ["I always forget my keys.", "Don't forget my allergy.", "Se me olvida siempre.",
                                  "Las grabaciones se borran a los quince días.", "They delete old mails.",
                                  "We never forget a birthday."])
def test_to_forget_something_is_no_order_to_forget_it(text):
    assert not marks(text).forget


@pytest.mark.parametrize("text", ["Forget my address.", "Please delete my phone number.", "Can you forget my email?",
                                  "I'd like you to forget my card.", "Olvida lo de la dieta.", "忘了我的地址。",
                                  "Por favor, borra mi dirección.", "Quiero que elimines mi correo."])
def test_an_order_to_forget_is_marked(text):
    assert marks(text).forget


@pytest.mark.parametrize("text", ["I cannot stop watching Cold Orchard.", "I can't wait for Friday.",
                                  "He never misses a match.", "No puedo dejar de leer Solaris.", "我忍不住吃巧克力。"])
def test_a_negator_of_praise_negates_nothing(text):
    assert not analyse(text).negated


def test_a_negator_before_a_comma_negates():
    assert analyse("La azul NO, por favor.").negated


@pytest.mark.parametrize("text", ["What a pity, I fear.", "I'm afraid we are closed.", "Me temo que no hay mesa.",
                                  "恐怕要下雨。"])
def test_a_polite_fear_is_none(text):
    assert "fear" not in analyse(text).concepts
    assert "fear" in analyse("I am afraid of heights.").concepts


def test_i_mean_it_is_no_correction():
    assert not marks("I love cats, and I mean it.").update
    assert marks("On Monday, I mean Tuesday.").update


def test_what_is_turned_down_before_a_clause_is_no_old_value():
    assert without_stale("I am not asking, but I would like it.") == "I am not asking, but I would like it."
    assert without_stale("It is not Monday, but Tuesday.") == "It is Tuesday."


def test_an_order_to_forget_that_brings_the_new_value_forgets_nothing():
    assert not marks("Scrap that, they've switched it to Friday.").forget and marks("Scrap that.").forget


@pytest.mark.parametrize(("text", "subject"), [
    ("The garden of my aunt in Leeds.", "me"), ("El coche de mi padre está roto.", "me"), ("With my sister.", "me"),
    ("My aunt lives in Leeds.", "other"), ("Mi padre tiene un coche.", "other")])
def test_who_only_owns_or_comes_along_is_not_the_subject(text, subject):
    assert subject_of(analyse(text)) == subject


def test_when_inside_a_question_asks_for_no_date():
    assert "date" not in read_question("What was my trainer doing when the arm broke?", "en").wants
    for text in ("When is my test?", "Since when do I live here?", "Do you know when my test is?", "And when was it?"):
        assert "date" in read_question(text, "en").wants, text


@pytest.mark.parametrize(("question", "spoken"), [
    ("Where does Yuki live?", "Where do I live?"), ("Of which club is Yuki a member?", "Of which club am I a member?"),
    ("What scares Yuki?", "What scares me?"), ("What was stolen from Yuki?", "What was stolen from me?"),
    ("What does the plumber do for Yuki today?", "What does the plumber do for me today?"),
    ("Which car does Yuki's mother drive?", "Which car does my mother drive?"),
])
def test_a_question_on_a_speaker_is_turned_into_the_speakers_own(question, spoken):
    assert as_speaker(question, "en", ["yuki"]) == spoken


def test_a_reply_leans_on_all_sentences_of_the_message_before():
    talk = [user("For the garden I would like a lantern. NOT the blue one, please."),
            assistant("Then which of the others shall it be?"), user("The copper one.")]
    assert "lantern" in gather(talk)[-1].lead.text
    assert "copper" in ask(*talk, "I like tea.", "Which lantern do I want?")
    assert "manta" in gather([user("Quiero una manta para el sofá. La azul NO, por favor.")])[-1].lead.text


def test_nothing_leans_on_a_nod():
    (_, lead) = (item.lead for item in gather([user("I want a lamp."), user("Great, thanks. No plastic.")])[-2:])
    assert lead.text == "I want a lamp."


def test_a_reply_of_the_assistant_is_read_with_the_users_question():
    talk = [user("Have you met new people?"), assistant("I joined the repair café.")]
    assert gather(talk)[-1].reply_to.text == "Have you met new people?"
    talk = [user("Can I hang the lamp in the bath?"), assistant("No, it is for dry rooms only.")]
    mine, theirs = (weigh(question, gather(talk)).hits[-1].matches[-1]
                    for question in ("How did I pay for the lamp?", "What did you tell me about the lamp?"))
    assert mine < 0.7 <= theirs, "it says nothing of what the user did, by words that the user said"


def test_what_somebody_did_is_told_by_the_name_that_was_introduced():
    talk = ["My teacher is called Safiya.", "I like tea.", "Safiya has just opened a driving school.", "It rained."]
    assert "driving school" in ask(*talk, "What did my teacher open?")
    met = gather([user(each) for each in ("I met Safiya at the fair.", talk[0], "Yesterday Safiya was late.")])
    assert met[-1].named.text == talk[0], "who introduces a name lends it, not who used it first"


def test_one_number_does_not_answer_for_another():
    order = "My order number is 4821937."
    assert ask(order, "What is my customer number?") in UNKNOWN
    assert ask(order, "What is my shoe size?") in UNKNOWN
    assert "4821937" in ask(order, "What is my order number?")
    assert ask(system("[Notes]\nreference: TM20ZD\n"), "What is my card number?") in UNKNOWN
