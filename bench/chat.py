"""A made chat of a shop's support desk: the same from the same arguments, messages of about 39 tokens."""

from __future__ import annotations

import json
from random import Random

from memory_lab import Message, assistant, tool, tool_call, user

INSTRUCTIONS = "You are the support desk of a shop. Be brief. Never promise a refund before the order was looked up."
_TALK = """order invoice customer and delivery on Tuesday or blue then the warehouse of another refund address
please check the number again as it was shipped late with a broken charger from the store to the phone colour size
price total account email window ticket change cancel return battery cable"""
_WORDS = _TALK.split()


def chat(length: int, *, tool_every: int = 4, seed: int = 0) -> list[Message]:
    """`length` messages: a question and an answer a turn, in each `tool_every`th turn a call and its result between.

    tool_every=0: no tool calls.
    """
    random = Random(seed)

    def words(count: int) -> str:
        return f"{' '.join(random.choices(_WORDS, k=count))} {random.randrange(10**6)}."

    messages, turn = [], 0
    while len(messages) < length:
        turn += 1
        messages.append(user(words(31)))
        if tool_every and turn % tool_every == 0:
            call = tool_call(f"call_{turn}", "look_up_order", json.dumps({"query": words(19)}))
            messages += [assistant(tool_calls=[call]), tool(words(31), tool_call_id=call["id"])]
        messages.append(assistant(words(31)))
    return messages[:length]
