"""Secrets by pattern, replaced before a session remembers them: card and account numbers, keys, tokens, passwords.

    ChatSession(memory, client, store, mask=mask)

Off unless it is asked for: what is masked is gone for good, from the log, from what is derived, and from what the model
reads.  What it does not do: find a secret that looks like any other word, or one that is split over two messages.
Chapter 11.

Copy with: nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

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
_FOUND = {kind: re.compile(pattern, re.DOTALL) for kind, pattern in PATTERNS.items()}


class Secret(NamedTuple):
    """Where a secret stands: text[start:end].  kind: one of PATTERNS."""

    kind: str
    start: int
    end: int


def secrets(text: str) -> list[Secret]:
    """What in the text looks like a secret, in order, none inside another.

    Card and account numbers count only if their check digits are right, so an order number rarely does (one in ten of
    those with 13 to 19 digits).

    >>> [(found.kind, found.start) for found in secrets("My card is 4111 1111 1111 1111, order 4111 1111 1111 1112.")]
    [('card number', 11)]
    """
    found: list[Secret] = []
    for kind, pattern in _FOUND.items():
        for match in pattern.finditer(text):
            start, end = match.span("secret" if "secret" in pattern.groupindex and match["secret"] else 0)
            if _CHECKS.get(kind, bool)(text[start:end]) and all(end <= old.start or start >= old.end for old in found):
                found.append(Secret(kind, start, end))
    return sorted(found, key=lambda secret: secret.start)


def mask(text: str) -> str:
    """The text with the kind of each secret in its place.

    >>> mask("The password is hunter2, my order is A-4471.")
    'The password is [masked: password], my order is A-4471.'
    """
    for kind, start, end in reversed(secrets(text)):
        text = f"{text[:start]}[masked: {kind}]{text[end:]}"
    return text


def _luhn(text: str) -> bool:
    digits = [int(digit) for digit in reversed(re.sub(r"\D", "", text))]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return len(set(digits)) > 1 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _iban(text: str) -> bool:
    text = text.replace(" ", "")
    return 15 <= len(text) <= 34 and int("".join(str(int(letter, 36)) for letter in text[4:] + text[:4])) % 97 == 1


_CHECKS = {"card number": _luhn, "account number": _iban}
