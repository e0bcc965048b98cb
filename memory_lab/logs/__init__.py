"""Chat logs of several programs, read into the messages that a memory takes.

One file per format, found by content and never by name:

    files.py       bytes to JSON or JSON Lines, and every way in which that fails
    archive.py     the files of a folder or a zip
    draft.py       one conversation being read: repairs, counts and notes
    repair.py      one raw message in the OpenAI form to a valid one
    opaque.py      items that are not understood, kept whole with an estimate of their tokens
    chatgpt.py     ChatGPT export (a tree)
    claude_ai.py   Claude.ai export
    sharegpt.py    ShareGPT and LLaMA-Factory
    calls.py       rows with a request and its answer: LiteLLM, API answers
    lists.py       lists of messages, in four forms: OpenAI's, and
    anthropic.py, langchain.py, responses.py, others.py (Gemini, Bedrock, Vercel and more)
    plain.py       pairs and named speakers
    refused.py     words for what is none of these

A new format is a module with NAME, looks_like(data) and read(source), added to FORMATS.  Chapter 12.
"""

from __future__ import annotations

from os import PathLike, fspath

from ..errors import LogError
from . import anthropic, archive, calls, chatgpt, claude_ai, langchain, lists, plain, refused, responses, sharegpt
from .draft import LoggedConversation
from .files import Source, open_log, parse_log

__all__ = ["FORMATS", "Loaded", "LoggedConversation", "Source", "load", "open_log"]

# The order matters where a file could be taken for two: what is more special comes first.
FORMATS = (chatgpt, claude_ai, sharegpt, calls, lists, plain)
NAMES = (chatgpt.NAME, claude_ai.NAME, sharegpt.NAME, lists.NAME, anthropic.NAME, responses.NAME, langchain.NAME,
         calls.LITELLM, plain.NAME)
MOST_REASONS = 3


class Loaded(list):
    """A list of conversations.  skipped: why each file that is none was left out, of a folder or a zip."""

    skipped: list[str]

    def __init__(self, conversations=(), skipped=()):
        super().__init__(conversations)
        self.skipped = list(skipped)


def load(path: str | PathLike[str]) -> Loaded:
    """The conversations of a log, in file order, each message valid for a memory's add(); a list.

    path: one file, JSON or JSON Lines, UTF-8 or UTF-16, plain or gzip; or a folder or zip of them, where a file that
    is no log is left out and named in .skipped.  What was repaired or left out stands in each conversation's notes,
    what was not understood in its unknown.
    Raises LogError with the file, the line or item, what was expected, and what to do; of a folder or zip, if no file
    in it can be read.
    Cost: one file at a time is in memory, about six times its size.
    """
    if not archive.is_archive(path):
        return Loaded(_read(open_log(path)))
    loaded, files = Loaded(), 0
    for name, content in archive.files(path):
        files += 1
        try:
            if isinstance(content, LogError):
                raise content
            if not archive.looks_like_text(content) and content[:2] != b"\x1f\x8b":
                raise LogError(f"{name}: no JSON.")
            loaded += _read(parse_log(name, content))
        except LogError as error:
            loaded.skipped.append(str(error))
    if not loaded:
        reasons = " ".join(loaded.skipped[:MOST_REASONS]) or "It is empty."
        raise LogError(f"{fspath(path)}: none of {files} files is a chat log that can be read. {reasons}")
    return loaded


def _read(source: Source) -> list[LoggedConversation]:
    try:
        for form in FORMATS:
            if form.looks_like(source.data):
                conversations = form.read(source)
                for conversation in conversations:
                    conversation.notes[:0] = source.notes
                    conversation.file = source.path
                return conversations
    except RecursionError:
        raise LogError(f"{source.path}: nested too deeply to be a chat log.") from None
    raise LogError(f"{source.path}: {refused.describe(source.data)}, which is no chat log that is known here. "
                   f"{refused.advice(source.data)}Readable are: {', '.join(NAMES)}. "
                   "Convert it to a list of {\"role\": ..., \"content\": ...} objects.")
