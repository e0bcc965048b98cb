"""Chat logs of several programs, read into the messages that a memory takes.

One file per format, found by content and never by name:

    files.py             bytes to JSON or JSON Lines, and every way in which that fails
    draft.py             one conversation being read: repairs, counts and notes
    repair.py            one raw message in the OpenAI form to a valid one
    openai_messages.py   OpenAI messages, JSON and JSONL
    chatgpt.py           ChatGPT export (a tree)
    sharegpt.py          ShareGPT and LLaMA-Factory
    refused.py           formats that are recognised and not read yet

A new format is a module with NAME, looks_like(data) and read(source), added to FORMATS.  Chapter 12.
"""

from __future__ import annotations

from os import PathLike

from ..errors import LogError
from . import chatgpt, openai_messages, refused, sharegpt
from .draft import LoggedConversation
from .files import Source, open_log

__all__ = ["FORMATS", "LoggedConversation", "Source", "load", "open_log"]

# The order matters where a file could be taken for two: a tree and ShareGPT are more special than messages.
FORMATS = (chatgpt, sharegpt, openai_messages)


def load(path: str | PathLike[str]) -> list[LoggedConversation]:
    """The conversations of a log file, in file order, each message valid for a memory's add().

    path: one file, JSON or JSON Lines, UTF-8 or UTF-16.  Reads OpenAI messages, ChatGPT exports and ShareGPT.
    What was repaired or left out stands in each conversation's notes, what was not understood in its unknown.
    Raises LogError with the file, the line or item, what was expected, and what to do.
    Cost: the whole file is in memory, about six times its size.  Does not read zip archives or folders.
    """
    source = open_log(path)
    try:
        return _read(source)
    except RecursionError:
        raise LogError(f"{source.path}: nested too deeply to be a chat log.") from None


def _read(source: Source) -> list[LoggedConversation]:
    reason = refused.why(source.data)
    if reason:
        raise LogError(f"{source.path}: {reason}")
    for form in FORMATS:
        if form.looks_like(source.data):
            conversations = form.read(source)
            for conversation in conversations:
                conversation.notes[:0] = source.notes
            return conversations
    readable = ", ".join(form.NAME for form in FORMATS)
    raise LogError(f"{source.path}: {refused.describe(source.data)}, which is no chat log that is known here. "
                   f"Readable are: {readable}. Convert it to a list of {{\"role\": ..., \"content\": ...}} objects.")
