"""The laws of tests/laws.py that can be seen from outside: from the messages that were added and the contexts alone.

More lenient than the laws that our own memories are held to, so that a peer is not blamed for another taste: derived
text may stand in a message of its own, an instruction may stay where it was said, a message may be shortened in any
way.  A context is looked at where a chat would ask for one: behind a user message, and behind the last result of a
call.  Left out: 7 (a state for each message: no peer has one) and 9 (cost: see bench/windows.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from laws import fates  # tests/laws.py

from memory_lab import Message, TokenCounter, TokenWindowMemory, message_problems
from memory_lab.errors import TokenLimitError
from memory_lab.messages import INSTRUCTIONS, text_of
from memory_lab.tokens import CLIP_MARK
from memory_lab.tool_results import STUB

from .adapter import Adapter, Entrant
from .model import Model, squeezed

Piece = tuple[str, ...]


class NotTaken(Exception):
    """The library has no form for a message of this history."""


def broken(entrant: Entrant, history: Sequence[Message], system: str | None, limit: int, model: Model, *,
           fault: str | None = None) -> set[int]:
    """The laws that this memory breaks on this history.  fault: of the model; then law 10 alone is looked at."""
    model.reset()
    model.fault = fault
    peer = entrant.make(system, limit, model)
    try:
        return _faulty(entrant, peer, history, limit) if fault else _all(entrant, peer, history, system, limit, model)
    finally:
        model.fault = None
        peer.close()


def asked(history: Sequence[Message]) -> bool:
    """Whether a chat would call its model now."""
    return history[-1]["role"] == "user" or (history[-1]["role"] == "tool" and fates(history)[-1] == "send")


def _natives(peer: Adapter, message: Message) -> tuple[Any, list[Message]]:
    try:
        native = peer.native(message)
        told = peer.plain([native]) if not isinstance(native, list) else peer.plain(native)
    except Exception as error:  # each library refuses in its own way
        raise NotTaken(repr(error)) from error
    return native, told


def _faulty(entrant: Entrant, peer: Adapter, history: Sequence[Message], limit: int) -> set[int]:
    count = TokenCounter()
    for end, message in enumerate(history, 1):
        native, _ = _natives(peer, message)
        try:
            peer.put(native)
            sent = peer.messages() if asked(history[:end]) else []
        except TokenLimitError:
            continue
        except Exception:
            return {10}
        if entrant.limited and sent and count(sent) > limit:
            return {10}
    return set()


def _all(entrant: Entrant, peer: Adapter, history: Sequence[Message], system: str | None, limit: int,
         model: Model) -> set[int]:
    found: set[int] = set()
    front = peer.plain([]) if system is None or peer.plain([]) else [{"role": "system", "content": system}]
    said: list[Message] = []
    outside = len(peer.plain([]))
    for end, message in enumerate(history, 1):
        native, told = _natives(peer, message)
        said += told[outside:]
        try:
            peer.put(native)
            if not asked(history[:end]):
                continue
            sent = peer.messages()
        except Exception as error:
            if not isinstance(error, TokenLimitError):
                found.add(8 if _taken_text(error) else 2)
            elif _possible(history[:end], system, limit):
                found.add(2)
            continue
        found |= set(_seen(entrant, front, said, sent, limit))
        if entrant.summarises and _skips(said, sent, model.read):
            found.add(11)
        if end == len(history) and _differs(peer, sent):
            found.add(1)
    return found


def _differs(peer: Adapter, sent: list[Message]) -> bool:
    """Whether a second context is another: looked at last, for it may change a memory."""
    try:
        return peer.messages() != sent
    except Exception:
        return True


def _taken_text(error: Exception) -> bool:
    return "special token" in str(error)


def _possible(history: Sequence[Message], system: str | None, limit: int) -> bool:
    memory = TokenWindowMemory(system, token_limit=limit)
    for message in history:
        memory.add(message)
    try:
        return bool(memory.messages())
    except TokenLimitError:
        return False


def _seen(entrant: Entrant, front: list[Message], said: list[Message], sent: list[Message],
          limit: int) -> Iterator[int]:
    if entrant.limited and TokenCounter()(sent) > limit:
        yield 2
    instructions = [message for message in sent if message["role"] in INSTRUCTIONS]
    wanted = front + [message for message in said if message["role"] in INSTRUCTIONS]
    if not _in_order([text_of(message) for message in wanted], [text_of(message) for message in instructions]):
        yield 3
    behind = [message for message in sent if message["role"] not in INSTRUCTIONS]
    newest = next((message for message in reversed(said) if message["role"] == "user"), None)
    if newest is not None and not (behind and behind[0]["role"] == "user" and any(
            message["role"] == "user" and _same(text_of(newest), text_of(message)) for message in behind)):
        yield 4
    if any(problem.rule in ("orphan_result", "missing_result") for problem in message_problems(sent)):
        yield 5
    talk = [message for message in said if message["role"] not in INSTRUCTIONS]
    if not _subsequence([piece for message in behind for piece in pieces(message)],
                        [piece for message in talk for piece in pieces(message)]):
        yield 6
    if "\ufffd" in "".join(map(text_of, sent)):
        yield 8


def _in_order(wanted: list[str], found: list[str]) -> bool:
    """Whether each wanted text stands in one of the found, in order (one may hold several: they may be joined)."""
    place = 0
    for text in wanted:
        while place < len(found) and text not in found[place]:
            place += 1
        if place == len(found):
            return False
    return True


def pieces(message: Message) -> list[Piece]:
    """A message as what it says and what it calls, so that a library may split or join the two."""
    calls = [("call", call["id"], call["function"]["name"], call["function"]["arguments"])
             for call in message.get("tool_calls") or ()]
    words = [(message["role"], text_of(message), message.get("tool_call_id") or "")]
    return calls if calls and not text_of(message) else words + calls


def _same(text: str, other: str) -> bool:
    """Equal, or shortened: it begins alike, or carries a mark of what was left out."""
    marked = CLIP_MARK.search(other) or STUB.search(other)
    return text == other or bool(other and (other[:4] == text[:4] or marked))


def _subsequence(sent: list[Piece], said: list[Piece]) -> bool:
    rest = iter(said)
    return all(any(mine[0] == theirs[0] and mine[2:] == theirs[2:] and _same(theirs[1], mine[1]) for theirs in rest)
               for mine in sent)


def _skips(said: list[Message], sent: list[Message], read: str) -> bool:
    """Whether a text is neither sent nor was ever read by the model, though one behind it was read."""
    begun = next((place for place, message in enumerate(said) if message["role"] == "user"), len(said))
    texts = [squeezed(text_of(message)).strip()[:30] for message in said[begun:]
             if message["role"] in ("user", "assistant")]
    out = squeezed("\n".join(map(text_of, sent)))
    known = [not text.strip() or text in out or text in read for text in texts]
    first = next((place for place, is_known in enumerate(known) if not is_known), len(texts))
    return any(text.strip() and text in read and text not in out for text in texts[first + 1:])
