"""Items that a reader does not understand, kept whole: sent with what they belong to, their size guessed.

An opaque part is a part of a message's content whose type the chat API does not have: a reasoning item with encrypted
text, a search that ran at the provider's, something newer than this file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..estimate import estimate_tokens

KNOWN = ("text", "image_url", "input_audio", "file", "refusal", "input_text", "output_text", "input_image",
         "input_file")
SEALED = 200              # characters without a space: no words, but encoded bytes
LETTERS_A_TOKEN = 16 / 3  # of base64: three bytes in four letters, about four bytes a token
PIECE = 100_000           # characters of words that are looked at; the rest is taken to be like them


def is_opaque(part: Any) -> bool:
    """Whether a part of a message's content is of no type that the chat API has."""
    return isinstance(part, Mapping) and part.get("type") not in KNOWN


def estimate(value: Any) -> int:
    """About how many tokens an opaque value stands for, in tokens.

    Encoded text counts by the bytes that it holds, words as estimate_tokens does, keys and marks not at all.  No
    provider says what a sealed item costs: a guess, and named as one wherever it is shown.

    >>> estimate({"type": "reasoning", "encrypted_content": "A" * 1600})
    301
    """
    if isinstance(value, str):
        if len(value) >= SEALED and " " not in value[:SEALED]:
            return round(len(value) / LETTERS_A_TOKEN)
        tokens = estimate_tokens(value[:PIECE].encode("utf-8", "replace").decode())  # it may hold half a character
        return tokens if len(value) <= PIECE else tokens * len(value) // PIECE
    if isinstance(value, Mapping):
        return sum(map(estimate, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(estimate, value))
    return 0 if value is None else estimate_tokens(json.dumps(value))
