"""Secrets by pattern, replaced before a session remembers them: card and account numbers, keys, tokens, passwords.

    ChatSession(memory, client, store, mask=mask)     what is masked is gone for good, from log, summary and model
    Redactor().message(message)                       personal data too, each value under a number of its own

Off unless it is asked for.  What it does not do: find a secret that looks like any other word, one that is split over
two messages, or a person's name.  Chapter 11.

Copy with: nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Any, NamedTuple

_LABEL = (r"(?:pass(?:word|phrase|code)|passwd|pwd|pin|secret|api[ _-]?key|access[ _-]?token|contraseña|clave"
          r"|密碼|密码|口令|金鑰|密钥)")
PATTERNS = {  # kind -> pattern; the group "secret", where there is one, is what is replaced
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    "token": r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?i:\bbearer[ ]+)(?P<secret>[\w.~+/-]{16,}=*)",
    "api key": r"\b(?:sk|pk|rk)-[\w-]{16,}|\b(?:gh[pousr]_\w{30,}|github_pat_\w{40,}|glpat-[\w-]{20,}|hf_\w{30,})"
               r"|\bxox[abprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}",
    "password": rf"(?i:(?<!\w){_LABEL}s?(?:\s+(?:is|es)\s+|\s*(?:=|:|：|是|為|为)\s*))[\"'“]?"
                r"(?!\[masked: )(?P<secret>[^\s\"'”,;，。]{4,})",
    "account number": r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?\b",
    "card number": r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])",
}
_HAN = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_HOST = rf"(?:(?![{_HAN}])[\w-]){{1,64}}(?:\.(?:(?![{_HAN}])[\w-]){{1,64}})+"
PERSONAL = {  # what a report about other people's chats must not show either
    "link": r"https?://[^\s<>\"')\]，。、；]{1,2000}(?<![.,;:!?])",  # whole: its query may say anything
    "e-mail": rf"(?:(?![{_HAN}])[\w.+%-]){{1,64}}@{_HOST}|[{_HAN}]{{1,10}}@{_HOST}",
    "id number": r"(?<![A-Za-z0-9-])(?:\d{3}-\d{2}-\d{4}|[1-9]\d{16}[\dXx])(?![A-Za-z0-9-])",
    "phone number": r"(?<![A-Za-z0-9.+-])(?:\+\d[\d ()./-]{6,20}\d|(?:\(0\d{1,5}\)|0\d)[\d /-]{6,14}\d"
                    r"|(?:\(\d{3}\)|\d{3})[ .-]\d{3}[ .-]\d{4}|1[3-9]\d{9})(?![A-Za-z0-9-])",
    "network address": r"(?<![A-Za-z0-9.])(?:\d{1,3}\.){3}\d{1,3}(?![A-Za-z0-9.])",
}
# A Chinese character is a letter to \w, so that no border would stand between it and a key behind it: ASCII has them.
_FOUND = {kind: re.compile(pattern, re.DOTALL | (re.ASCII if kind != "password" else 0))
          for kind, pattern in PATTERNS.items()}
_PERSONAL = {"link": re.compile(PERSONAL["link"]), **_FOUND,
             **{kind: re.compile(pattern) for kind, pattern in PERSONAL.items() if kind != "link"}}


class Secret(NamedTuple):
    """Where a secret stands: text[start:end].  kind: one of PATTERNS."""

    kind: str
    start: int
    end: int


def secrets(text: str, *, personal: bool = False) -> list[Secret]:
    """What in the text looks like a secret, in order, none inside another.  personal: personal data, too.

    Card and account numbers count only if their check digits are right, so an order number rarely does (one in ten of
    those with 13 to 19 digits).

    >>> [(found.kind, found.start) for found in secrets("My card is 4111 1111 1111 1111, order 4111 1111 1111 1112.")]
    [('card number', 11)]
    """
    found: list[Secret] = []
    for kind, pattern in (_PERSONAL if personal else _FOUND).items():
        for match in pattern.finditer(text):
            start, end = match.span("secret" if "secret" in pattern.groupindex and match["secret"] else 0)
            place = bisect_left(found, start, key=lambda secret: secret.start)
            free = (place == 0 or found[place - 1].end <= start) and (place == len(found) or end <= found[place].start)
            if free and _CHECKS.get(kind, bool)(text[start:end]):
                found.insert(place, Secret(kind, start, end))
    return found


def mask(text: str) -> str:
    """The text with the kind of each secret in its place.

    >>> mask("The password is hunter2, my order is A-4471.")
    'The password is [masked: password], my order is A-4471.'
    """
    for kind, start, end in reversed(secrets(text)):
        text = f"{text[:start]}[masked: {kind}]{text[end:]}"
    return text


class Redactor:
    """Secrets and personal data of one chat, each value under its kind and a number: the same one every time.

    So what a later turn names again can still be told from what it does not.  A message stays valid for add().

    >>> Redactor().text("ana@example.com or bo@example.com? Write to ana@example.com.")
    '[masked: e-mail-1] or [masked: e-mail-2]? Write to [masked: e-mail-1].'
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: dict[str, int] = {}

    def text(self, text: str) -> str:
        """The text with all of it masked.  Cost: some regular expressions over the text."""
        pieces, last = [], 0
        for kind, start, end in secrets(text, personal=True):
            kind = kind.replace(" ", "-")
            key = (kind, re.sub(r"[\s()./-]", "", text[start:end]).casefold())
            if key not in self._numbers:
                self._counts[kind] = self._numbers[key] = self._counts.get(kind, 0) + 1
            pieces += [text[last:start], f"[masked: {kind}-{self._numbers[key]}]"]
            last = end
        return "".join([*pieces, text[last:]]) if pieces else text

    def message(self, value: Any) -> Any:
        """A copy of a message, or of any JSON value, with every text in it masked."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.message(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {key: item if key in ("role", "type") else re.sub(r"\s", "_", self.text(item))[:64]
                if key in ("name", "id", "tool_call_id") and isinstance(item, str) else self.message(item)
                for key, item in value.items()}


def _luhn(text: str) -> bool:
    digits = [int(digit) for digit in reversed(re.sub(r"\D", "", text))]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return len(set(digits)) > 1 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _iban(text: str) -> bool:
    text = text.replace(" ", "")
    return 15 <= len(text) <= 34 and int("".join(str(int(letter, 36)) for letter in text[4:] + text[:4])) % 97 == 1


_CHECKS = {"card number": _luhn, "account number": _iban}
