"""What can be asked of a chat between two messages: /memory, /facts, /diff and the others."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import MemoryLabError, StoreError, TokenLimitError
from ..messages import text_of
from .chat import _turn, shown


def command(session: Any, line: str) -> bool:
    """Whether the chat goes on after that command."""
    name, _, rest = line.partition(" ")
    if name in ("/quit", "/exit"):
        return False
    work = COMMANDS.get(name)
    if work is None:
        print(f"No command {shown(name)}. /help lists them.")
        return True
    try:
        work(session, rest.strip())
    except MemoryLabError as error:
        print(f"({shown(str(error))})")
    return True


def memory(session: Any, rest: str) -> None:
    """what the model sees now, with the tokens of each part"""
    memory, count = session.memory, session.memory.count
    context = memory.messages()
    derived = memory.view().derived
    print(f"{count.base:6,}  the reply's start")
    for message in context:
        text = text_of(message) or json.dumps(message.get("tool_calls"), ensure_ascii=False)
        tokens = count.message(message)
        if derived and text.endswith(derived):
            own = count.text(derived)
            print(f"{tokens - own:6,}  {message['role']}: {_short(text[:-len(derived)])}")
            print(f"{own:6,}  derived by the memory:\n" + "\n".join(f"        {shown(row)}" for row in
                                                                    derived.splitlines()))
        else:
            print(f"{tokens:6,}  {message['role']}: {_short(text)}")
    limit = getattr(memory, "token_limit", None)
    print(f"{count(context):6,}  together" + (f", of {limit:,} allowed" if limit else ""))


def facts(session: Any, rest: str) -> None:
    """what the memory holds for facts, in your words"""
    table = getattr(session.memory, "table", None)
    if table is None:
        print(f"A {type(session.memory).__name__} has no facts: start with --memory layered or --memory facts.")
    else:
        print("\n".join(map(shown, table.lines())) or "No facts yet.")


def diff(session: Any, rest: str) -> None:
    """what the last compaction kept, changed and lost"""
    folds = [fold for fold in session.memory.compactions if hasattr(fold, "diff")]
    if not folds:
        print("Nothing was compacted yet.")
        return
    fold = folds[-1]
    state = f"not taken: {fold.error}" if fold.error else f"{fold.tokens_before:,} tokens became {fold.tokens_after:,}"
    print(f"{len(fold.covers)} messages, {shown(state)}\n{shown(str(fold.diff()))}")


def undo(session: Any, rest: str) -> None:
    """take the last compaction back"""
    print("The last compaction was taken back." if session.undo() else "There is no compaction to take back.")


def clear(session: Any, rest: str) -> None:
    """empty the chat, here and in the store"""
    session.clear()
    print("The chat is empty.")


def save(session: Any, rest: str) -> None:
    """write what waits for the store; with a file's name, the messages as a JSON list there"""
    session.save()
    if not rest:
        print("Nothing is kept: --store is none." if session.store is None else "Saved.")
        return
    path = Path(rest)
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            json.dump(session.memory.log, out, ensure_ascii=False, indent=1)
    except FileExistsError as error:
        raise StoreError(f"{path} is there already; give another name") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; give another name") from error
    print(f"{len(session.memory.log)} messages written to {path}. memory-lab replay {path} measures every memory on "
          "them.")


def tokens(session: Any, rest: str) -> None:
    """how much goes out, how much was said, what the memory itself has spent"""
    memory = session.memory
    said = sum(memory.count.message(message) for message in memory.log)
    print(f"The log has {said:,} tokens in {len(memory.times)} messages.")
    try:
        states = Counter(memory.states)
        print(f"The context has {memory.count(memory.messages()):,} tokens; of the messages "
              f"{', '.join(f'{n} are {state}' for state, n in states.items()) or 'none is there'}.")
    except TokenLimitError as error:
        print(shown(str(error)))
    calls = sum(fold.model_calls for fold in memory.compactions)
    print(f"The memory itself made {calls} model calls, with "
          f"{sum(fold.model_tokens for fold in memory.compactions):,} tokens.")


def retry(session: Any, rest: str) -> None:
    """ask again what has no answer yet"""
    if session.asked is None:
        print("Everything is answered.")
    else:
        _turn(session, session.asked)


def show_help(session: Any, rest: str) -> None:
    """this list"""
    for name, work in COMMANDS.items():
        print(f"{name:9} {work.__doc__}")
    print("/quit     end; so do Ctrl-D, and Ctrl-C where you type. Ctrl-C in a reply stops the reply.")


def _short(text: str) -> str:
    text = " ".join(shown(text).split())
    return text if len(text) <= 100 else f"{text[:70]} ... {text[-25:]}"


COMMANDS: dict[str, Callable[[Any, str], None]] = {
    "/memory": memory, "/facts": facts, "/diff": diff, "/undo": undo, "/clear": clear, "/save": save,
    "/tokens": tokens, "/retry": retry, "/help": show_help}
