"""Small scripted chats, and a memory that pays for a note: what the tests of measuring share."""

from __future__ import annotations

from memory_lab import BaseMemory, Conversation, Probe, assistant, tool, tool_call, user
from memory_lab.compaction import Compaction
from memory_lab.memory import View

FACT = Probe("What is my order number?", "number", accept=("4821",), evidence=(0,))
NEVER = Probe("What is my shoe size?", "number", answerable=False)


def talk(*messages, probes=(FACT,), system_text=None, times=None):
    return Conversation("talk", "A talk", "en", system_text, messages, tuple(probes), "this test", times)


ORDER = talk(user("My order number is 4821."), assistant("Noted."), user("Is it on its way?"), assistant("It is."),
             user("By mail?"), assistant("Yes."), probes=(NEVER, FACT))
TOOLS = talk(user("Where is it?"), assistant(None, tool_calls=[tool_call("a", "find")]),
             tool("in Bonn", tool_call_id="a"), assistant("In Bonn."), user("Thanks."), assistant("Good."), probes=())


class Noting(BaseMemory):
    """The newest message, behind a note that changes: a memory with derived text that pays a model for it."""

    def _view(self):
        turns = [index for turn in self.outline.turns for index in turn.indices]
        return View(turns[-1:], derived=f"The order was named {len(turns)} times.", covered=turns[:-1])

    def add(self, message, *, at=None):
        super().add(message, at=at)
        if message["role"] == "user":
            self.compactions.append(Compaction((0,), "before", "after", 9, 5, model_calls=2, model_tokens=30))
