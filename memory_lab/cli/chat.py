"""memory-lab chat: a chatbot in the terminal that shows what its memory does."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from .model_options import add_model_options, model_calls

MEMORIES = {"buffer": "truncation.BufferMemory", "sliding_window": "truncation.SlidingWindowMemory",
            "token_window": "window.TokenWindowMemory", "summary": "summary.SummaryMemory",
            "hierarchy": "hierarchy.HierarchicalSummaryMemory", "facts": "facts.FactTableMemory",
            "hybrid": "layered.HybridMemory", "layered": "layered.LayeredMemory", "vector": "retrieval.VectorMemory"}
SYSTEM = "You are a helpful assistant. Answer from what the user has told you."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing; the parser knows the options of `chat`."""
    parser.add_argument("--memory", choices=list(MEMORIES), default="layered", help="default: layered")
    parser.add_argument("--token-limit", type=int, metavar="N",
                        help="of the whole context (default: 3000; not for buffer and sliding_window)")
    parser.add_argument("--system", default=SYSTEM, metavar="TEXT", help="what the model is told first")
    parser.add_argument("--session", default="default", metavar="ID", help="which chat goes on (default: default)")
    parser.add_argument("--store", metavar="WHERE",
                        help="an SQLite file, a folder/ of JSON lines, redis://..., or none to keep nothing "
                             f"(default: {_default_store()})")
    parser.add_argument("--mask", action="store_true", help="remember no card numbers, keys and passwords")
    add_model_options(parser, extraction="who finds the facts of --memory facts (default: rules, no model)",
                      embedding="who makes the vectors of --memory vector (default: the offline model)")


def run(args: argparse.Namespace) -> int:
    """The exit code.  Raises SettingError for a bad option, StoreError for a store that cannot be read."""
    with model_calls(args, progress=False) as client:
        return _chat(args, client)


def _chat(args: argparse.Namespace, client: Any) -> int:
    from ..masking import mask
    from ..session import ChatSession
    from ..stores import open_store

    # what a dry run's model says is not to be remembered
    store = None if args.store == "none" or args.dry_run else open_store(args.store or _default_store())
    session = ChatSession(_memory(args, client), client, store, args.session, mask=mask if args.mask else None,
                          clock=lambda: datetime.now(UTC))
    try:
        print(f"{args.memory} memory, model {client.models_.chat}, session {args.session}. /help lists the commands.")
        _notices(session)
        for line in _lines():
            if line.startswith("/"):
                from .chat_commands import command

                if not command(session, line):
                    break
            else:
                _turn(session, line)
            _notices(session)
        if store is not None:
            session.save()
    finally:
        if hasattr(store, "close"):
            store.close()
    return 0


def _default_store() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "memory-lab" / "chats.sqlite"


def _memory(args: argparse.Namespace, client: Any) -> Any:
    from ..errors import SettingError

    home, _, name = MEMORIES[args.memory].partition(".")
    limit: dict[str, Any] = {}
    for memory, option, setting in (("facts", "extraction", {"extractor": "model"}),
                                    ("vector", "embedding", {"embed": args.embedding_model})):
        if getattr(args, f"{option}_model"):
            if args.memory != memory:
                raise SettingError(f"--{option}-model is for --memory {memory}; take that memory, or leave it out")
            limit |= setting
    if args.memory not in ("buffer", "sliding_window"):
        limit |= {"token_limit": 3000 if args.token_limit is None else args.token_limit}
    elif args.token_limit is not None:
        raise SettingError(f"--token-limit is not for {args.memory}; take another memory, or leave it out")
    return getattr(import_module(f"memory_lab.{home}"), name)(args.system, client=client, **limit)


def _lines() -> Iterator[str]:
    """What is typed, until Ctrl-D or Ctrl-C."""
    if sys.stdin.isatty():
        import contextlib

        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (input() can be edited once it is there)
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return
        if line:
            # a terminal may hand over bytes that are no text; a message must be
            yield line.encode("utf-8", "replace").decode("utf-8")


def _turn(session: Any, text: str) -> None:
    """Print the reply as it comes.  Ctrl-C ends the reply, not the chat."""
    import openai

    from ..endpoint.explain import explain
    from ..errors import MemoryLabError

    pieces = session.stream(text)
    try:
        for piece in pieces:
            print(shown(piece), end="", flush=True)
        print()
    except KeyboardInterrupt:
        pieces.close()
        print("\n(stopped; what came is kept)")
    except (openai.OpenAIError, MemoryLabError) as error:
        why = shown(explain(error) or str(error)).rstrip(".")
        print(f"\n(no reply: {why}. Your message is kept: /retry asks again.)")


def _notices(session: Any) -> None:
    for notice in session.notices:
        print(f"({shown(notice)})")
    session.notices.clear()


def shown(text: str) -> str:
    """The text without what would steer the terminal.

    >>> shown("red \\x1b[31m")
    'red ?[31m'
    """
    return "".join(character if character.isprintable() or character in "\n\t\u200d" else "?" for character in text)
