"""TokenWindowMemory against peers: one context for each turn of a growing chat, in CPU seconds, as ratios of one run.

Ours counts within its time all that a chat pays for: add() (check, copy, count) and messages() (choose, copy).
A peer gets its messages ready made; what it counts is within its time. Rows name what was sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from statistics import median
from time import process_time
from typing import Any

from chat import INSTRUCTIONS, chat
from entrants import LIMIT, OURS, PEERS, Entrant, langchain_messages, trimmer
from timing import grow, machine
from windows_report import markdown

from memory_lab import Message, TokenCounter, TokenWindowMemory, assistant, message_problems, tool, tool_call, user

SIZES = (1_000, 10_000)  # messages
REPEATS = 5
BARS = [{"messages": 10_000, "peer": "trim_messages, cached counts", "at_least": 20},
        {"messages": 10_000, "peer": "trim_messages, tiktoken counter", "at_least": 1_000}]
PACKAGES = ("langchain-core", "llama-index-core", "openai-agents", "tiktoken", "memory-lab")


def run(*, quick: bool = False) -> dict[str, Any]:
    """All figures, as JSON.  quick: 1,000 messages, one repeat."""
    sizes, repeats = (SIZES[:1], 1) if quick else (SIZES, REPEATS)
    return {"date": date.today().isoformat(), "machine": machine(PACKAGES), "token_limit": LIMIT, "repeats": repeats,
            "sizes": [compare(size, PEERS, repeats) for size in sizes], "bars": [] if quick else BARS,
            "sampling": sampling(1_000), "agreement": [agreement("no tool calls", chat(1_000, tool_every=0)),
                                                       agreement("with tool calls", chat(1_000))],
            "hard_cases": [hard_case(name, messages) for name, messages in HARD_CASES.items()]}


def compare(size: int, peers: Sequence[Entrant], repeats: int) -> dict[str, Any]:
    """One size: each repeat runs ours, then each peer with ours again behind it; ratios are of neighbours in time."""
    messages = chat(size)
    asks = [message["role"] == "user" for message in messages]
    counts = list(map(TokenCounter().message, messages))  # also loads the vocabulary, outside the clock
    front = TokenCounter()([{"role": "system", "content": INSTRUCTIONS}])
    runnable = [peer for peer in peers if size not in peer.unrunnable]
    for entrant in (OURS, *runnable):  # imports and first calls are nobody's speed
        grow(entrant.start(INSTRUCTIONS, messages[:40]), asks[:40])
    own, encoding, seconds, newest = [], [], {peer.name: [] for peer in runnable}, {}
    ratios: dict[str, list[float]] = {peer.name: [] for peer in runnable}
    for _ in range(repeats):
        before, newest[OURS.name] = grow(OURS.start(INSTRUCTIONS, messages), asks)
        own.append(before)
        encoding.append(counting(messages))
        for peer in runnable:
            spent, newest[peer.name] = grow(peer.start(INSTRUCTIONS, messages), asks, peer.samples.get(size))
            after, _ = grow(OURS.start(INSTRUCTIONS, messages), asks)
            own.append(after)
            seconds[peer.name].append(spent)
            ratios[peer.name].append(spent / ((before + after) / 2))
            before = after

    def row(entrant: Entrant) -> dict[str, Any]:
        sent = newest[entrant.name]
        return {"name": entrant.name, "package": entrant.package, "settings": entrant.settings,
                "contexts_built": entrant.samples.get(size) or sum(asks), "last_context_messages": sent,
                "last_context_tokens": front + sum(counts[-sent:])}

    return {"messages": size, "contexts": sum(asks), "tokens_per_message": round(sum(counts) / size, 1),
            "ours": row(OURS) | {"seconds": round(median(own), 4), "counting_seconds": round(median(encoding), 4)},
            "peers": [row(peer) | {"seconds": round(median(seconds[peer.name]), 3),
                                   "ratios": [round(ratio, 2) for ratio in ratios[peer.name]],
                                   "ratio": round(median(ratios[peer.name]), 1)} for peer in runnable],
            "not_run": {peer.name: peer.unrunnable[size] for peer in peers if size in peer.unrunnable}}


def counting(messages: Sequence[Message]) -> float:
    """CPU seconds to count each message once: what no memory with exact limits can save."""
    count, start = TokenCounter(), process_time()
    for message in messages:
        count.message(message)
    return process_time() - start


def sampling(size: int) -> dict[str, Any]:
    """What 20 contexts and the trapezium rule make of a chat whose contexts were all built."""
    messages = chat(size)
    asks, start = [message["role"] == "user" for message in messages], trimmer("plain")
    whole, _ = grow(start(INSTRUCTIONS, messages), asks)
    sample, _ = grow(start(INSTRUCTIONS, messages), asks, 20)
    return {"peer": "trim_messages, tiktoken counter", "messages": size, "whole_seconds": round(whole, 3),
            "sampled_seconds": round(sample, 3)}


def both(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """(ours, trim_messages') context for a history, as plain dicts."""
    memory = TokenWindowMemory(INSTRUCTIONS, token_limit=LIMIT)
    theirs = trimmer("plain")(INSTRUCTIONS, messages)
    original = {id(native): message for native, message in zip(theirs.natives, messages, strict=True)}
    for message, native in zip(messages, theirs.natives, strict=True):
        memory.add(message)
        theirs.add(native)
    system = {"role": "system", "content": INSTRUCTIONS}
    return memory.messages(), [original.get(id(native), system) for native in theirs.context()]


def agreement(name: str, messages: Sequence[Message]) -> dict[str, Any]:
    """In how many turns of a chat trim_messages and TokenWindowMemory send the same."""
    ends = [index + 1 for index, message in enumerate(messages) if message["role"] == "user"]
    counts = {str(native.type) for native in langchain_messages(INSTRUCTIONS, messages)}
    pairs = [both(messages[:end]) for end in ends[::5]]
    return {"chat": name, "kinds": sorted(counts), "contexts": len(pairs),
            "equal": sum(ours == theirs for ours, theirs in pairs)}


def _loop(rounds: int) -> list[Message]:
    calls = [tool_call(f"call_{number}", "look_up_order", "{}") for number in range(rounds)]
    steps = [[assistant(tool_calls=[call]), tool("in stock " * 100, tool_call_id=call["id"])] for call in calls]
    return [user("Check every order."), *(message for step in steps for message in step)]


HARD_CASES = {
    "a newest turn of 40 tool calls, over the limit by itself": _loop(40),
    "a newest user message over the limit by itself": [user("Hello"), assistant("Hi"), user("why " * 4_000)],
    "a call that was given up, then a question": [
        user("Where is it?"), assistant(tool_calls=[tool_call("call_1", "look_up_order")]), user("Never mind. Hello?")],
}


def hard_case(name: str, messages: Sequence[Message]) -> dict[str, Any]:
    """What each sends where a history is not a plain one: messages, tokens, and the rules of the API that it breaks."""
    def told(context: list[Message]) -> dict[str, Any]:
        return {"messages": len(context), "user_messages": sum(message["role"] == "user" for message in context),
                "tokens": TokenCounter()(context),
                "breaks": sorted({problem.rule for problem in message_problems(context)})}

    ours, theirs = both(messages)
    return {"case": name, "ours": told(ours), "trim_messages": told(theirs)}


__all__ = ["BARS", "markdown", "run"]
