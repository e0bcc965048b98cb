"""The smallest history that breaks each law, found and shrunk by hypothesis among those of tests/test_laws.py."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from histories import histories  # tests/histories.py
from hypothesis import HealthCheck, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from memory_lab import message_problems
from memory_lab.peers import LAWS

from .adapter import Entrant
from .laws import NotTaken, broken
from .model import Model

SHRINKING = 80  # histories more, once one was found
limits = st.integers(60, 400)
cases = st.tuples(histories, st.sampled_from([None, "Be brief."]), limits)
faults = st.sampled_from(["error", "long"])


def laws_broken(entrant: Entrant, model: Model, tried: int) -> dict[str, Any]:
    """{broken: [{law, valid, messages, history, system, limit, fault}], tried: histories, not_taken: of them}.

    valid: whether the history is one that the API would take as it is; else what came in was broken already.
    """
    known: dict[str, set[int]] = {}
    not_taken: set[str] = set()
    spent = 0

    def breaks(law: int, case: tuple, fault: str | None = None) -> bool:
        nonlocal spent
        key = repr((case, fault))
        if key not in known and spent >= tried + SHRINKING:
            return False  # the shrinking ends with what it has
        if key not in known:
            spent += 1
            try:
                known[key] = broken(entrant, *case, model, fault=fault)
            except NotTaken:
                known[key] = set()
                not_taken.add(key)
        return law in known[key]

    found = []
    for law in LAWS:
        if law in (10, 11) and not entrant.summarises:
            continue
        spent = 0
        strategy = st.tuples(cases, faults if law == 10 else st.none())
        case = smallest(strategy, lambda drawn, law=law: breaks(law, *drawn), tried)
        if case is None:
            continue
        if not _valid(case):
            spent = 0
            case = smallest(strategy.filter(_valid), lambda drawn, law=law: breaks(law, *drawn), tried) or case
        (history, system, limit), fault = case
        found.append({"law": law, "valid": _valid(case), "messages": len(history), "history": history,
                      "system": system, "limit": limit, "fault": fault})
    return {"broken": found, "tried": len(known), "not_taken": len(not_taken)}


def _valid(drawn: tuple) -> bool:
    """Whether the API itself would take the history: a memory that only passes on what was broken is no worse."""
    return not any(True for _ in message_problems(drawn[0][0]))


def smallest(strategy: st.SearchStrategy, condition: Callable[[Any], bool], tried: int) -> Any:
    """The simplest value for which the condition holds, or None where none was found."""
    try:
        return find(strategy, condition, random=Random(0), settings=settings(
            max_examples=tried, database=None, deadline=None, suppress_health_check=list(HealthCheck)))
    except NoSuchExample:
        return None
