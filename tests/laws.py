"""The eleven laws of shared/design.md as functions that raise AssertionError; test_laws.py runs them over every memory.

Each takes a memory and the list of messages that was added to it, and uses nothing of the memory but its contract.
The parsing here is a second one, naive and quadratic on purpose, so that it cannot share a mistake with memory.py.
"""

from __future__ import annotations

import copy

from memory_lab.errors import TokenLimitError
from memory_lab.messages import INSTRUCTIONS, check_messages, text_of
from memory_lab.tokens import CLIP_ENCODES, CLIP_MARK
from memory_lab.tool_results import STUB

STATES = {"kept", "clipped", "summarised", "dropped", "pending"}
REASONS = {"over the limit", "orphan result", "abandoned call", "before the first user", "nothing to send"}


def context(memory):
    """The context, or None where the memory rightly refuses."""
    try:
        return memory.messages()
    except TokenLimitError as error:
        limit = getattr(memory, "token_limit", None)
        assert limit is not None, "a memory without a limit refused"
        assert error.needed > limit and error.token_limit == limit, (error.needed, limit)
        for index, message in enumerate(memory.log):
            assert message["role"] not in INSTRUCTIONS or f"[{index}]" in str(error), (index, str(error))
        return None


def fates(log):
    """What every memory must think of each message by itself: 'instruction', 'send', 'pending' or a reason."""
    fate = [None] * len(log)
    talk = [i for i, message in enumerate(log) if message["role"] not in INSTRUCTIONS]
    for i in set(range(len(log))) - set(talk):
        fate[i] = "instruction"
    first_user = next((i for i in talk if log[i]["role"] == "user"), len(log))
    for place, i in enumerate(talk):
        message = log[i]
        if fate[i] is not None:
            continue
        if i < first_user:
            fate[i] = "before the first user"
        elif message["role"] == "tool":
            fate[i] = "orphan result"
        elif message.get("tool_calls"):
            missing, run = [call["id"] for call in message["tool_calls"]], [i]
            after = place + 1
            while after < len(talk) and log[talk[after]]["role"] == "tool":
                if log[talk[after]]["tool_call_id"] in missing:
                    missing.remove(log[talk[after]]["tool_call_id"])
                    run.append(talk[after])
                after += 1
            for j in run:
                fate[j] = "send" if not missing else "pending" if after == len(talk) else "abandoned call"
        elif message["role"] == "assistant" and message.get("content") is None and "refusal" not in message:
            fate[i] = "nothing to send"
        else:
            fate[i] = "send"
    return fate


def law_1(memory, log):
    """messages() twice is equal, fresh, and the memory's own is out of reach."""
    first = context(memory)
    if first is None:
        return
    wanted = copy.deepcopy(first)
    _spoil(first)
    assert memory.messages() == wanted
    assert memory.log == log
    _spoil(memory.log)
    assert memory.log == log


def _spoil(value):
    if isinstance(value, dict):
        for item in list(value.values()):
            _spoil(item)
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            _spoil(item)
        value.append("spoilt")


def law_2(memory, log):
    """Never over the limit."""
    sent = context(memory)
    if sent is not None and getattr(memory, "token_limit", None) is not None:
        assert memory.count(sent) <= memory.token_limit


def _front(memory, log):
    return [{"role": "system", "content": memory.system}] * (memory.system is not None) + [
        message for message in log if message["role"] in INSTRUCTIONS]


def law_3(memory, log):
    """Instructions first, in order, none lost; only the last may have derived text behind it."""
    sent = context(memory)
    if sent is None:
        return
    front = _front(memory, log)
    if front:
        assert sent[:len(front) - 1] == front[:-1]
        last, out = front[-1], sent[len(front) - 1]
        assert {**out, "content": None} == {**last, "content": None}
        assert out["content"][:len(last["content"])] == last["content"]
    rest = sent[len(front):]
    if not front and rest and rest[0]["role"] == "system":
        rest = rest[1:]  # a memory's own text, where there is no instruction to carry it
    assert not any(message["role"] in INSTRUCTIONS for message in rest)


def _behind(memory, log, sent):
    start = len(_front(memory, log))
    return sent[start + 1:] if not start and sent and sent[0]["role"] == "system" else sent[start:]


def law_4(memory, log):
    """A user speaks first behind the instructions, and the newest user message is there."""
    sent = context(memory)
    if sent is None or not any(message["role"] == "user" for message in log):
        return
    assert _behind(memory, log, sent)[0]["role"] == "user"
    states = memory.states
    newest = max(i for i, message in enumerate(log) if message["role"] == "user")
    assert states[newest] in ("kept", "clipped"), states


def law_5(memory, log):
    """Only whole units go out, so the API takes the list."""
    sent = context(memory)
    if sent:
        check_messages(sent)
    for state, fate in zip(memory.states if sent is not None else (), fates(log), strict=False):
        if fate == "pending":
            assert state == "pending"
        elif fate not in ("send", "instruction"):
            assert state == "dropped" and state.reason == fate


def law_6(memory, log):
    """Behind the instructions stands a subsequence of the log: equal messages, or their marked clips."""
    sent = context(memory)
    if sent is None:
        return
    out = [i for i, state in enumerate(memory.states)
           if state in ("kept", "clipped") and log[i]["role"] not in INSTRUCTIONS]
    behind = _behind(memory, log, sent)
    assert len(out) == len(behind)
    for i, message in zip(out, behind, strict=True):
        if memory.states[i] == "kept":
            assert message == log[i]
        else:
            assert message != log[i] and is_clip(message, log[i])


def is_clip(message, original):
    """Whether message is original with marks in its texts, and the numbers in the marks are true."""
    if {**message, "content": None} != {**original, "content": None}:
        return False
    ours, theirs = message["content"], original["content"]
    if isinstance(ours, str) and isinstance(theirs, list):
        return _is_stub(ours, text_of(original))
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(
            part == other or (part | {"text": ""} == other | {"text": ""} and _is_cut(part["text"], other["text"]))
            for part, other in zip(ours, theirs, strict=True))
    return _is_cut(ours, theirs)


def _is_stub(text, original):
    found = STUB.fullmatch(text)
    return bool(found) and int(found["size"].replace(",", "")) == len(original) and found["begin"] in original


def _is_cut(text, original):
    if _is_stub(text, original):
        return True
    for mark in CLIP_MARK.finditer(text):
        head, tail = text[:mark.start()], text[mark.end():]
        cut = int(mark.group(1).replace(",", ""))
        if original.startswith(head) and original.endswith(tail) and len(head) + cut + len(tail) == len(original):
            return True
    return False


def law_7(memory, log):
    """Each message has one state, and a reason where it was dropped."""
    if context(memory) is None:
        return
    states = memory.states
    assert len(states) == len(log)
    for state, fate in zip(states, fates(log), strict=True):
        assert state in STATES
        assert (state == "dropped") == bool(state.reason) and (not state.reason or state.reason in REASONS)
        if fate == "instruction":
            assert state == "kept"


def law_9(memory, log, calls, views):
    """encode_calls is bounded by the strings of the log, and a constant per clip and view."""
    if context(memory) is None:
        return
    strings = sum(_strings(message) for message in log) + (memory.system is not None)
    clips = views * (4 * (CLIP_ENCODES + 4) + max((_strings(m) for m in log), default=0) * (CLIP_ENCODES + 4) * 4)
    assert calls <= strings + clips, (calls, strings, clips)


def _strings(value):
    if isinstance(value, dict):
        return sum(_strings(item) for item in value.values())
    return sum(_strings(item) for item in value) if isinstance(value, list) else isinstance(value, str)


EACH = (law_1, law_2, law_3, law_4, law_5, law_6, law_7)
