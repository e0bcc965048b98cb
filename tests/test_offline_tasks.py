"""The other tasks: summaries, facts by schema, embeddings."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_lab.client import chat, connect, embed
from memory_lab.messages import assistant, system, user
from memory_lab.offline.extract import statements
from memory_lab.tokens import TokenCounter

CLIENT, COUNT = connect("offline"), TokenCounter()
TALK = [
    user("Hello, I am Marta and I live in Leeds."),
    assistant("Nice to meet you. Shall I book for 900 euros?"),
    user("My budget is 600 euros. Please never phone me."),
    assistant("Understood."),
    user("Did it rain in your town?"),
    user("Correction: my budget is 450 euros."),
    user("I have moved to Porto."),
]
PROMPT = "Summarise the conversation below. People:\n\nPeople:\nNumbers:\nProhibitions:\n"


def transcript(messages):
    return "\n".join(f"{message['role']}: {message['content']}" for message in messages)


def summary(messages=TALK, previous="(none)", **options):
    return chat(
        CLIENT,
        [system(PROMPT), user(f"Summary so far:\n{previous}\n\nNew messages:\n{transcript(messages)}")],
        **options,
    )


def test_a_summary_keeps_the_newest_facts_in_the_users_words():
    text = summary()
    assert "Please never phone me." in text
    assert "450 euros" in text
    assert "600 euros" not in text
    assert "rain" not in text


def test_a_summary_stands_under_the_headings_of_the_prompt_without_empty_ones():
    lines = summary().splitlines()
    headings = [line for line in lines if line.endswith(":")]
    assert headings == [heading for heading in ("People:", "Numbers:", "Prohibitions:") if heading in headings]
    assert lines.index("Prohibitions:") < lines.index("- User: Please never phone me.")


def test_a_summary_carries_on_the_one_before():
    text = summary([user("My order number is 4471-K.")], previous="People:\n- User: My sister is called Hanna.")
    assert "Hanna" in text
    assert "4471-K" in text


@pytest.mark.parametrize(
    "ask", ["Please summarise our conversation.", "請總結我們的對話。", "Haz un resumen de la conversación."]
)
def test_the_chats_own_turns_are_summarised_when_the_user_asks(ask):
    text = chat(CLIENT, [*TALK, user(ask)])
    assert "450 euros" in text
    assert "Porto" in text


def test_a_chat_with_a_summary_in_it_is_not_a_request_for_one():
    front = system("Be brief.\n\n[Summary of the earlier conversation]\n- user: I live in Leeds.\n[End of the summary]")
    assert chat(CLIENT, [front, user("Where do I live?")]) == 'The notes say: "I live in Leeds."'


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 120), st.permutations(TALK))
def test_a_summary_never_exceeds_its_limit(limit, talk):
    made = CLIENT.chat.completions.create(
        model="offline", max_tokens=limit, messages=[system(PROMPT), user("New messages:\n" + transcript(talk))]
    )
    text = made.choices[0].message.content
    assert COUNT.text(text) <= limit
    assert (made.choices[0].finish_reason == "length") == (not text)


SCHEMA = {
    "type": "object",
    "required": ["facts"],
    "additionalProperties": False,
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["operation", "id", "subject", "attribute", "value", "quote"],
                "properties": {
                    "operation": {"type": "string", "enum": ["add", "update", "retract"]},
                    "id": {"type": ["integer", "null"]},
                    "subject": {"type": "string"},
                    "attribute": {"type": "string"},
                    "value": {"type": "string"},
                    "quote": {"type": "string"},
                },
            },
        }
    },
}


def extracted(messages, known=""):
    form = {"type": "json_schema", "json_schema": {"name": "facts", "schema": SCHEMA}}
    asked = [system("Extract the facts."), user(f"Known facts:\n{known}\n\nNew messages:\n{transcript(messages)}")]
    return json.loads(chat(CLIENT, asked, response_format=form))["facts"]


def test_only_the_users_statements_become_facts_and_values_are_their_words():
    facts = extracted(TALK)
    assert {"Marta", "Leeds", "450 euros", "Porto"} <= {fact["value"] for fact in facts}
    assert not any("900" in fact["value"] for fact in facts)
    said = transcript(message for message in TALK if message["role"] == "user")
    assert all(fact["value"] in fact["quote"] and fact["quote"] in said for fact in facts)


def test_a_known_fact_is_updated_by_its_id_and_not_said_twice():
    known = "[3] user | home | Leeds\n[4] user | budget | 450 euros"
    facts = extracted([user("I have moved to Porto. My budget is 450 euros.")], known)
    assert [(fact["operation"], fact["id"], fact["value"]) for fact in facts] == [("update", 3, "Porto")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("我叫小明，對甲殼類過敏。", {("name", "小明"), ("allergy", "甲殼類")}),
        ("我的订单编号是 A77-B。", {("订单编号", "A77-B")}),
        ("Me llamo Ana y soy alérgica al marisco.", {("name", "Ana"), ("allergy", "marisco")}),
        ("My sister is called Hanna.", {("name", "Hanna")}),
        ("Is my name Bob?", set()),
    ],
)
def test_statements_in_each_language(text, found):
    assert found <= {(each.attribute, each.value) for each in statements(text)}
    assert bool(found) == bool(statements(text))


def test_statements_know_what_holds_once():
    assert statements("Just this time, my budget is 900 euros.")[0].temporary
    assert not statements("My budget is 900 euros.")[0].temporary


@settings(max_examples=30, deadline=None)
@given(
    st.recursive(
        st.sampled_from(
            [
                {"type": "string"},
                {"type": "integer"},
                {"type": "boolean"},
                {"enum": ["a", "b"]},
                {"type": ["number", "null"]},
            ]
        ),
        lambda inner: (
            st.fixed_dictionaries(
                {
                    "type": st.just("object"),
                    "properties": st.dictionaries(
                        st.sampled_from(["name", "value", "subject", "x"]), inner, max_size=3
                    ),
                }
            )
            | st.fixed_dictionaries({"type": st.just("array"), "items": inner})
        ),
        max_leaves=5,
    )
)
def test_any_schema_gets_json_of_its_type(schema):
    form = {
        "type": "json_schema",
        "json_schema": {"name": "any", "schema": {"type": "object", "properties": {"it": schema}}},
    }
    value = json.loads(chat(CLIENT, TALK, response_format=form))["it"]
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
    assert isinstance(value, kinds[schema["type"]]) if schema.get("type") in list(kinds) else value in ("a", "b", 0)


def test_embeddings_are_near_for_the_same_words_and_for_the_lexicons_synonyms():
    tea, teas, hotel, lodging, chinese = embed(
        CLIENT, ["I like tea", "I liked the teas", "our hotel", "our accommodation", "我們的飯店"]
    )

    def near(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True))

    assert near(tea, teas) > 0.9
    assert near(hotel, lodging) > 0.3 > near(tea, hotel)
    assert near(hotel, chinese) > near(tea, chinese)
