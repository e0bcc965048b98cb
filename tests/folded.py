"""What the tests of folding share: every summarising memory by name, chats for them, and what holds after any chat."""

from __future__ import annotations

import json

import laws
from summarisers import Summariser

from memory_lab.hierarchy import HierarchicalSummaryMemory
from memory_lab.layered import HybridMemory, LayeredMemory
from memory_lab.messages import assistant, tool, tool_call, user
from memory_lab.summary import SummaryMemory

SMALL = {"token_limit": 400, "summary_limit": 90, "trigger_tokens": 160, "trigger_messages": 2}
KINDS = {  # name -> (the class, its settings for small chats)
    "summary": (SummaryMemory, SMALL),
    "summary_light": (SummaryMemory, SMALL | {"light": True}),
    "summary_segments": (SummaryMemory, SMALL | {"every_turns": 2, "shown": 3}),
    "hierarchical": (HierarchicalSummaryMemory, SMALL | {"fan_in": 3, "level_limits": (30, 35)}),
    "hybrid": (HybridMemory, SMALL | {"window_turns": 3}),
    "layered": (LayeredMemory, SMALL | {"recent_messages": 4, "fold_messages": 4, "facts_limit": 60,
                                        "fan_in": 3, "level_limits": (30, 35)}),
}
PACE = {  # name -> how many folds may be due by turns or messages, for those that do not count tokens alone
    "summary_segments": lambda memory: len(memory.outline.turns) / memory.every_turns,
    "hybrid": lambda memory: len(memory.outline.turns) / (memory.window_turns + 1 - max(1, memory.window_turns // 2)),
    "layered": lambda memory: len(memory._log) / memory.fold_messages,
}
MODELLED = [name for name in KINDS if "light" not in name]  # those that ask a model in add()


def make(name, client=None, system_text="Be brief.", **more):
    kind, settings = KINDS[name]
    return kind(system_text, client=Summariser() if client is None else client, **settings | more)


def sentence(number):
    """A user's message that is told from all others, of about 15 tokens."""
    return f"Note {number}: my marker is M{number:04d}, and I like tea."


def feed(memory, turns, start=0):
    for number in range(start, start + turns):
        memory.add(user(sentence(number)))
        memory.add(assistant(f"Noted, {number}."))
    return memory


def agent_steps(number, results=2):
    """A call for several tools at once and its results."""
    ids = [f"c{number}-{each}" for each in range(results)]
    return [assistant(tool_calls=[tool_call(each, "look_up", '{"q": "x"}') for each in ids]),
            *(tool(f"result of {each}: {'words ' * 12}", tool_call_id=each) for each in ids)]


def taken(memory):
    """The records of folds that stand and covered something new."""
    return [record for record in memory.compactions if record.error is None and not record.again]


def holds(memory, log):
    """The laws; and each message that can be sent is covered once, or waits and is covered by nothing."""
    for law in laws.EACH:
        law(memory, log)
    covers = [index for record in taken(memory) for index in record.covers]
    assert len(covers) == len(set(covers)), "covered twice"
    waiting = [index for _, unit in memory._progress.waiting(memory.outline.turns) for index in unit.indices]
    fates = laws.fates(log)
    assert sorted(covers + waiting) == [index for index, fate in enumerate(fates) if fate == "send"]
    if laws.context(memory) is not None:
        shown = memory.count.text(memory.summary)
        assert shown <= memory.summary_limit
        states, shown = memory.states, set(memory._shown())
        if memory.summary and memory.summary in memory.messages()[max(0, len(front(memory, log)) - 1)]["content"]:
            assert all(states[index] in ("summarised", "kept", "clipped") for index in shown)
        assert all(state != "summarised" or index in shown for index, state in enumerate(states))


def front(memory, log):
    """The instructions of a memory."""
    return [memory.system] * (memory.system is not None) + [m for m in log if m["role"] in ("system", "developer")]


def stored(memory):
    """A state as it comes back from a file."""
    return json.loads(json.dumps(memory.state()))


def reborn(name, memory, **more):
    """A new memory of that kind with the log and the state of another, as after a restart."""
    again = make(name, client=memory._client, system_text=memory.system, **more)
    for message in memory.log:
        again.append(message)
    again.restore(stored(memory))
    return again


