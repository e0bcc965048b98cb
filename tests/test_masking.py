"""Secrets by pattern: what is masked, what is left alone, and that nothing remembers it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from memory_lab import FactTableMemory, LayeredMemory
from memory_lab.client import connect
from memory_lab.masking import mask, secrets
from memory_lab.messages import user
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
