"""What the explorer shows, as plain Python: a memory that is filled anew whenever something is chosen.

Nothing typed is lost: your own messages lie beside the conversation, and each new memory hears them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..compaction import Compaction
from ..conversations import Conversation, Probe, load
from ..errors import MemoryLabError, SettingError, TokenLimitError
from ..evaluate import ask_probe, fork
from ..live import facts
from ..memory import BaseMemory
from ..messages import Message, assistant, check_message, user
from ..recall import Asked
from . import context
from .settings import MEMORIES, Maker, movable


def faults() -> tuple[type[Exception], ...]:
    """What a memory or a model may raise for what somebody typed or chose: to be shown, not to be thrown."""
    from openai import OpenAIError

    return MemoryLabError, OpenAIError


class ExplorerState:
    """One conversation in one memory.

    conversation: a Conversation, or the name of a shipped one.  memory: a name of `memories`, which are makers as
    tradeoff() takes them; the whole numbers that a partial was given can be set().  client: who answers (default: the
    offline model); a memory's own calls go where its maker says.
    .memory is the filled memory (None if it cannot be made).  .problem says why nothing can be sent ("" if it can).
    .said: how many messages of the conversation were said; .own: what you said after them, and the replies.
    Raises SettingError for a name that is not there, and for a setting that the memory does not have.
    Cost: each change fills a new memory with the conversation.

    >>> state = ExplorerState("five_facts", "token window")
    >>> state.set(token_limit=100)
    >>> sum(state.parts().values()), len(state.sent()), len(state.withheld())
    (91, 12, 18)
    """

    def __init__(self, conversation: Conversation | str = "five_facts", memory: str = "layers", *,
                 memories: Mapping[str, Maker] = MEMORIES, client: Any = None):
        self.memories, self.client = dict(memories), client
        self.own: list[Message] = []
        self.settings = {name: movable(make) for name, make in self.memories.items()}
        self.choose(conversation=conversation, memory=memory)

    def choose(self, *, conversation: Conversation | str | None = None, memory: str | None = None,
               said: int | None = None) -> None:
        """Another conversation (then all of it is said), another memory, or another number of its messages said."""
        if memory is not None and memory not in self.memories:
            raise SettingError(f"no memory is called {memory!r}: take one of {', '.join(self.memories)}")
        if conversation is not None:
            self.conversation = load(conversation) if isinstance(conversation, str) else conversation
            self.said = len(self.conversation.messages)
        if said is not None:
            self.said = min(max(0, said), len(self.conversation.messages))
        if memory is not None:
            self.name = memory
        self._fill()

    def set(self, **settings: int) -> None:
        """Other values for settings of the memory that is chosen; each memory keeps its own."""
        known = self.settings[self.name]
        for name in settings:
            if name not in known:
                raise SettingError(f"{self.name} has no setting {name!r}: it has {', '.join(known) or 'none'}")
        known |= settings
        self._fill()

    def _fill(self) -> None:
        self.memory: BaseMemory | None = None
        try:
            memory = self.memories[self.name](self.conversation.system, **self.settings[self.name])
            for message in [*self.conversation.messages[:self.said], *self.own]:
                memory.add(message)
        except MemoryLabError as error:
            self.problem = str(error)
        else:
            self.memory = memory
            self._look()

    def _look(self) -> None:
        try:
            self.memory.messages()
            self.problem = ""
        except TokenLimitError as error:
            self.problem = str(error)

    def say(self, text: str, *, reply: bool = True) -> str:
        """The model's answer to your message; both stay in the chat.

        "" with reply=False, and where nothing can be sent.  Raises SettingError for no words and MessageError for text
        that cannot be sent: then nothing was said.  What the client raises passes: then your message stays, without an
        answer.
        """
        if not text.strip():
            raise SettingError("there is nothing to say yet: type a message first")
        check_message(user(text))
        self._take(user(text))
        if not reply or self.problem:
            return ""
        from ..client import chat

        answer = chat(self._answers(), self.memory.messages())
        self._take(assistant(answer))
        return answer

    def _take(self, message: Message) -> None:
        self.own.append(message)
        if self.memory is not None:
            self.memory.add(message)
            self._look()

    def unsay(self) -> None:
        """Takes back all that you said, and the replies."""
        self.own = []
        self._fill()

    def _answers(self) -> Any:
        if self.client is None:
            from ..client import connect

            self.client = connect("offline")
        return self.client

    @property
    def probes(self) -> list[Probe]:
        """The conversation's questions, but for those that belong into its middle."""
        return [probe for probe in self.conversation.probes if probe.at is None]

    def ask(self, question: Probe | str, expected: str = "") -> Asked:
        """What comes of a question to a copy of the memory: the chat goes on as if it had not been asked.

        question: a probe, or your own words; expected: the answer that you would accept of those (none: no verdict).
        evidence is None for your own words, and for a probe that asks for what the chat has not come to yet.
        Raises SettingError for no words or where nothing can be sent, TokenLimitError if the question is too long, and
        what the client raises.  Cost: one model call.
        """
        if isinstance(question, str):
            if not question.strip():
                raise SettingError("there is nothing to ask yet: type a question, or take one from the list")
            question = Probe(question, "free", (expected.strip(),) if expected.strip() else ())
        if self.problem:
            raise SettingError(f"nothing can be asked while nothing can be sent: {self.problem}")
        known, judged = bool(question.evidence) and self._stated(question), question.accept or not question.answerable
        probe = replace(question, evidence=question.evidence * known, answerable=bool(question.accept))
        asked = ask_probe(fork(self.memory), probe, conversation=self.conversation, client=self._answers())
        return replace(asked, probe=question, evidence=asked.evidence if known else None,
                       verdict=asked.verdict if judged else None)

    def planted(self) -> list[tuple[Probe, str]]:
        """Each planted fact, and the word for it in the context: there, in other words, gone, or not said yet."""
        probes = facts.planted(self.conversation)
        stated = [probe for probe in probes if self._stated(probe)]
        found = [facts.GONE] * len(stated) if self.problem else facts.found(self.memory, self.conversation, stated)
        words = dict(zip(map(id, stated), found, strict=True))
        return [(probe, words.get(id(probe), facts.NOT_YET)) for probe in probes]

    def _stated(self, probe: Probe) -> bool:
        return all(index < self.said for index in probe.evidence)

    def sent(self) -> list[context.Line]:
        """The context message by message; [] where nothing can be sent."""
        return [] if self.problem else context.sent(self.memory)

    def withheld(self) -> list[context.Line]:
        """The logged messages that are not in it; [] where nothing can be sent."""
        return [] if self.problem else context.withheld(self.memory)

    def parts(self) -> dict[str, int]:
        """Tokens of each part of the context; {} where nothing can be sent."""
        return {} if self.problem else context.parts(self.memory)

    def facts(self) -> list[Any] | None:
        """The memory's own current facts; None for a memory that keeps no table."""
        table = getattr(self.memory, "table", None)
        return None if table is None else table.current()

    def folded(self) -> Compaction | None:
        """The last compaction, taken or refused; None before the first."""
        records = [] if self.memory is None else self.memory.compactions
        return records[-1] if records else None
