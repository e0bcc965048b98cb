"""A memory that looks up: the newest turns, and behind them whatever older turns the newest question is about.

What it does not do: put anything into other words (summary.py), or keep a fact that no question names (facts).

Chapter 9.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from ..errors import SettingError, whole
from ..facts import CarriesFacts
from ..memory import BaseMemory, View
from ..messages import INSTRUCTIONS, Message, text_of
from ..outline import Turn, Unit
from ..window import fit
from .fuse import fuse, share
from .talk import TalkIndex
from .vectors import Vectors

PUBLISHED = {"top_k": 5, "minimum_similarity": 0.3, "keyword_weight": 0.3}  # source 003; ours find more (chapter 9)


class VectorMemory(CarriesFacts, BaseMemory):
    """The newest turns, and the older messages that the newest user message is about, in the order of the log.

    token_limit: tokens of the whole context.  recent_tokens: of them for the newest turns (default: a quarter; the
    newest turn goes out whatever it takes).  top_k: messages looked up at most (None: what fits).  minimum_similarity:
    0 to 1, the least fused score of one that is; the best has about 1.  keyword_weight: of the keywords' score against
    the vectors' (see fuse).  neighbours: what a word in the next message counts (see TalkIndex).
    embed: "offline" (lexical vectors, made in this process), another embedding model's name, asked through `client`,
    or None for keywords alone.
    whole_turns: send the whole turn of what was found; else a reply brings its user message along, and no more.
    facts_limit: tokens for the facts that rules find in the user's words (facts/), in the system block and under the
    same token_limit; 0 for none.  Where they have no room beside the newest turn, they stay away.

    If all turns fit, all go out.  Law 4's filling stops at recent_tokens; what retrieval brings back stands before that
    window, and room that is left over goes to the window.  A user message speaks first in any case.
    Vectors are made in add(), in one call a user message for all that is new; messages() calls nothing.  A fault of the
    embedding model is kept in .faults, and the keywords go on alone; the next user message tries again.
    Cost: each text embedded once; a view O(terms of the question x messages).  Source: 003.

    >>> from memory_lab.messages import assistant, user
    >>> memory = VectorMemory(token_limit=65, recent_tokens=40)
    >>> for text in ("My order is A-4471.", "I like jazz.", "It rains in Graz.", "I read a lot."):
    ...     memory.add(user(text)); memory.add(assistant("I see, thank you for telling me."))
    >>> memory.add(user("Which order did I make?"))
    >>> [message["content"] for message in memory.messages() if message["role"] == "user"]
    ['My order is A-4471.', 'I read a lot.', 'Which order did I make?']
    """

    def __init__(self, system: str | None = None, *, token_limit: int = 3000, recent_tokens: int | None = None,
                 top_k: int | None = None, minimum_similarity: float = 0.0, keyword_weight: float = 0.8,
                 neighbours: float = 0.5, embed: str | None = "offline", whole_turns: bool = True,
                 facts_limit: int = 0, count=None, client: Any = None):
        self.token_limit = whole("token_limit", token_limit, 0)
        self.recent_tokens = whole("recent_tokens", token_limit // 4 if recent_tokens is None else recent_tokens, 0)
        self.top_k = None if top_k is None else whole("top_k", top_k, 0)
        self.minimum_similarity = share("minimum_similarity", minimum_similarity)
        self.keyword_weight, self.neighbours = share("keyword_weight", keyword_weight), neighbours
        if embed is not None and not isinstance(embed, str):
            raise SettingError(f"embed is {embed!r}: name the embedding model, or None for keywords alone")
        self.embed, self.whole_turns = embed, whole_turns
        self.facts_limit = whole("facts_limit", facts_limit, 0)
        super().__init__(system, count=count, client=client)

    def clear(self) -> None:
        """Empty again, as constructed."""
        super().clear()
        self.index = TalkIndex(neighbours=self.neighbours)
        self.vectors = Vectors(self._embedder, None if self.embed == "offline" else self.embed)
        self.faults: list[str] = []

    def add(self, message: Message, *, at: datetime | None = None) -> None:
        """Append one message; with a user message, embed what is new.  Never raises for a fault of the model."""
        self.append(message, at=at)
        if self.embed is not None and message["role"] == "user":
            try:
                self.vectors.extend([self._text(index) for index in range(len(self.vectors), len(self._log))])
            except Exception as error:  # whatever network, server or model throw, the keywords go on
                self.faults.append(f"{type(error).__name__}: {error}")

    def append(self, message: Message, *, at: datetime | None = None) -> None:
        """Append one message and embed nothing: to feed a log before restore()."""
        turns = len(self.outline.turns)
        super().add(message, at=at)
        if len(self.outline.turns) > turns:  # a turn is searched once it is over, so that no question finds itself
            for index in range(len(self.index), len(self._log) - 1):
                said = self._log[index]
                self.index.add(self._text(index), speaker=said.get("name", said["role"]), at=self.times[index])

    def _embedder(self) -> Any:
        if self.embed == "offline" and self._client is not None:
            from ..client import connect

            return connect("offline")
        return self.client

    def _text(self, index: int) -> str:
        message = self._log[index]
        return "" if message["role"] in INSTRUCTIONS else text_of(message)

    def _view(self) -> View:
        turns, before, facts = self.outline.turns, self.outline.before, self.facts
        newest = turns[-1].tokens if turns else 0
        if self.front_tokens(facts) + newest > self.token_limit:
            facts = ""
        left = self.token_limit - self.front_tokens(facts) - newest
        if not turns or left < 0 or self.outline.tokens() - newest <= left:
            return fit(self, self.token_limit, derived=facts)  # all of it fits, or not even the newest turn whole
        first = len(turns) - 1
        while first and self.outline.tokens() - before[first - 1] <= min(self.recent_tokens, left + turns[-1].tokens):
            first -= 1
        left -= before[-1] - before[first]
        kept, left = self._looked_up(first, left)
        while first and turns[first - 1].tokens - self._paid(turns[first - 1], kept) <= left:
            first -= 1
            left -= turns[first].tokens - self._paid(turns[first], kept)
        recent = [index for turn in turns[first:] for index in turn.indices]
        return View(sorted(kept.union(recent)), derived=facts)

    def _paid(self, turn: Turn, kept: set[int]) -> int:
        return sum(self._tokens[index] for index in turn.indices if index in kept)

    def _looked_up(self, end: int, room: int) -> tuple[set[int], int]:
        """What the turns before turn number `end` have to say to the question, as log indices; and the room left."""
        kept: set[int] = set()
        if self.top_k == 0:
            return kept, room
        found = 0
        for turn, unit in self._best(end):
            wanted = turn.indices if self.whole_turns else self._with_question(turn, unit)
            tokens = sum(self._tokens[index] for index in wanted if index not in kept)
            if tokens <= room and not kept.issuperset(wanted):
                kept.update(wanted)
                room -= tokens
                found += 1
                if found == self.top_k:
                    break
        return kept, room

    def _with_question(self, turn: Turn, unit: Unit) -> Iterable[int]:
        """The unit's places in the log, and that of the user message that it answers, if it is not one itself."""
        if self._log[unit.indices[0]]["role"] == "user":
            return unit.indices
        return [turn.units[turn.users - 1].indices[0], *unit.indices]

    def _best(self, end: int) -> list[tuple[Turn, Unit]]:
        """The units of older turns that the question is about, the likeliest first; among equals the newest."""
        scores = self.similarities()
        found = [(max(scores[index] for index in unit.indices), turn, unit) for turn in self.outline.turns[:end]
                 for unit in turn.complete()]
        found = [each for each in found if each[0] > 0 and each[0] >= self.minimum_similarity]
        return [(turn, unit) for _, turn, unit in sorted(found, key=lambda each: (-each[0], -each[2].indices[0]))]

    def similarities(self) -> list[float]:
        """For each message of the turns that are over, how near it is to the newest user message, about 0 to 1."""
        newest = max((i for i, message in enumerate(self._log) if message["role"] == "user"), default=None)
        if newest is None:
            return []
        asked = self._log[newest]
        keywords = self.index.scores_of(text_of(asked), asker=asked.get("name", "user"))
        vector = self.vectors.rows[newest] if newest < len(self.vectors) else None
        cosines = None if vector is None else self.vectors.similarities(vector, len(self.index))
        return fuse(keywords, cosines, self.keyword_weight).tolist()

    def state(self) -> dict[str, Any]:
        """All but the log, as JSON values: the vectors, so that restore() embeds nothing twice."""
        rows = [None if row is None else base64.b64encode(row.tobytes()).decode() for row in self.vectors.rows]
        return {"strategy": type(self).__name__, "embed": self.embed, "vectors": rows, "faults": list(self.faults),
                "table": self.table.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Put a state() back beside its log, which append() feeds without embedding.

        Raises SettingError if it is another strategy's or another embedding model's, or has more vectors than the log.
        """
        import numpy as np

        if (state["strategy"], state["embed"]) != (type(self).__name__, self.embed):
            raise SettingError(f"this is the state of a {state['strategy']} with embed={state['embed']!r}, not of a "
                               f"{type(self).__name__} with embed={self.embed!r}")
        if len(state["vectors"]) > len(self._log):
            raise SettingError(f"the state has {len(state['vectors'])} vectors, the log {len(self._log)} messages: "
                               "append() them first")
        self.vectors.rows = [None if row is None else np.frombuffer(base64.b64decode(row), dtype=np.float32)
                             for row in state["vectors"]]
        self._restore_facts(state["table"])
        self.faults, self._seen = list(state["faults"]), None
