"""Secrets by pattern: what is masked, what is left alone, and that nothing remembers it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from memory_lab import FactTableMemory, LayeredMemory
from memory_lab.client import connect
from memory_lab.masking import PERSONAL, Redactor, mask, secrets
from memory_lab.messages import check_message, user
from memory_lab.session import ChatSession
from memory_lab.stores.sqlite import SqliteStore

SECRETS = [
    ("card number", "4111 1111 1111 1111"), ("card number", "5500-0000-0000-0004"), ("card number", "378282246310005"),
    ("account number", "DE89 3704 0044 0532 0130 00"), ("account number", "GB82WEST12345698765432"),
    ("api key", "sk-proj-abcdefghijklmnop1234"), ("api key", "AKIAIOSFODNN7EXAMPLE"), ("api key", "ghp_" + "a1B2" * 9),
    ("api key", "xoxb-123456789012-abcdef"), ("token", "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM"),
    ("private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----")]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
@pytest.mark.parametrize("around", ["{}", "My one is {}, thanks.", "我的是 {}。", "({})", "a\n{}\nb"])
def test_a_secret_is_replaced_by_its_kind(kind, secret, around):
    assert mask(around.format(secret)) == around.format(f"[masked: {kind}]")


@pytest.mark.parametrize(("text", "masked"), [
    ("password: hunter2", "password: [masked: password]"), ("My PIN is 4471.", "My PIN is [masked: password]"),
    ("密碼：小貓咪一二三", "密碼：[masked: password]"),
    ("mi contraseña es gato99", "mi contraseña es [masked: password]"),
    ('api_key="abcd1234"', 'api_key="[masked: password]"'),
    ("Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer [masked: token]")])
def test_a_word_that_is_named_as_a_secret_is_masked(text, masked):
    assert mask(text) == masked or mask(text) == masked + "."


@pytest.mark.parametrize("text", [
    "My order number is 4471-K.", "Call +49 170 1234567.", "4111 1111 1111 1112", "0000 0000 0000 0000", "2026-01-05",
    "I forgot my password.", "Is the password a secret?", "The pin fell off.", "1000000000000", "version 1.2.3.4",
    "DE89 3704 0044 05", "", "sk-short", "spinning is fun: really"])
def test_what_is_no_secret_stays(text):
    assert mask(text) == text


def test_secrets_do_not_overlap_and_masking_twice_changes_nothing():
    text = " and ".join(secret for _, secret in SECRETS) + ", password: 4111111111111111"
    found = secrets(text)
    assert all(one.end <= next_.start for one, next_ in pairwise(found))
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize("make", [FactTableMemory, LayeredMemory])
@pytest.mark.parametrize("masking", [None, mask])
def test_a_masked_secret_is_nowhere_and_without_masking_it_is_kept(tmp_path, make, masking):
    path = tmp_path / "chats"
    with SqliteStore(path) as store:
        with ChatSession(make(client=connect("offline")), connect("offline"), store, mask=masking) as session:
            session.send("My card number is 4111 1111 1111 1111 and my order number is 4471-K.")
            session.add(user([{"type": "text", "text": "Again: 4111 1111 1111 1111"}]))
        everything = json.dumps([session.memory.log, session.memory.messages(), session.memory.state()])
    stored = path.read_bytes()
    for text in (everything.encode(), stored):
        assert (b"4111 1111" in text) == (masking is None)
        assert b"4471-K" in text


PERSONS = [("e-mail", "ana.b+shop@mail.example.com"), ("phone number", "+49 170 1234567"),
           ("phone number", "(555) 123-4567"), ("phone number", "0170 1234567"), ("phone number", "13812345678"),
           ("phone number", "0912-345-678"), ("e-mail", "josé@example.com"), ("e-mail", "王小明@example.com"),
           ("network address", "192.168.1.17"), ("id number", "123-45-6789"), ("id number", "11010519491231002X"),
           ("link", "https://user:word@host.example/a?key=1")]


@pytest.mark.parametrize(("kind", "value"), PERSONS + SECRETS)
@pytest.mark.parametrize("around", ["{}", "Mine is {}, thanks.", "我的是 {}。", "({})"])
def test_personal_data_has_a_number_of_its_own(kind, value, around):
    redactor = Redactor()
    masked = redactor.text(around.format(value))
    assert masked == around.format(f"[masked: {kind.replace(' ', '-')}-1]")
    assert redactor.text(masked) == masked
    assert value in mask(value) if kind in PERSONAL else value not in mask(value)  # a session masks secrets alone


@pytest.mark.parametrize(("kind", "secret"), SECRETS[:-1])
def test_a_secret_right_behind_a_chinese_character_is_found(kind, secret):
    assert mask(f"我的是{secret}。") == f"我的是[masked: {kind}]。"
    masked = Redactor().text(f"寫信給ana@example.com或0912-345-678，{secret}。")
    assert masked == f"寫信給[masked: e-mail-1]或[masked: phone-number-1]，[masked: {kind.replace(' ', '-')}-1]。"


@pytest.mark.parametrize("text", ["My order is A-1023.", "2026-01-05 at 10:30", "1,200.50", "20240102", "call me",
                                  "3.14", "5 of 10", "user@home"])
def test_what_is_not_personal_stays(text):
    assert Redactor().text(text) == text


def test_a_redacted_message_is_valid_and_keeps_its_pairs():
    call = {"role": "assistant", "content": None, "tool_calls": [{
        "id": "ana@example.com", "type": "function", "function": {
            "name": "mail", "arguments": '{"to": "ana@example.com"}'}}]}
    messages = [{"role": "user", "name": "ana@example.com", "content": [
        {"type": "text", "text": "to ana@example.com"}]}, call,
                {"role": "tool", "tool_call_id": "ana@example.com", "content": "sent to Ana@example.com"}]
    redactor = Redactor()
    masked = [redactor.message(message) for message in messages]
    for index, message in enumerate(masked):
        check_message(message, index)
    assert "@" not in json.dumps(masked) and json.dumps(masked).count("e-mail-1") == 6
    assert masked[1]["tool_calls"][0]["id"] == masked[2]["tool_call_id"]
    assert json.loads(masked[1]["tool_calls"][0]["function"]["arguments"]) == {"to": "[masked: e-mail-1]"}
