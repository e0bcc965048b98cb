"""Memories of other libraries beside ours: recall, tokens, model calls, seconds, and the laws that each breaks.

    adapter.py       add and messages, for all         model.py      the offline model, shared, counted, made to fail
    ours.py, langchain.py, langmem.py, llama_index.py, openai_agents.py, semantic_kernel.py    one library a file
    measure.py       through the shipped chats         laws.py, search.py    the smallest history that breaks each law

    .bench-venv/bin/python bench/run.py peers [--quick]       about a quarter of an hour

memory_lab/peers.py reads what is stored, without any of the libraries.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from datetime import date
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from memory_lab.conversations import load, names
from memory_lab.peers import Peers

LIMIT = 500  # tokens of a context, as in the shipped tables; the longest chat has 1,600
LIBRARIES = ("ours", "langchain", "langmem", "llama_index", "openai_agents", "semantic_kernel")
PACKAGES = ("langchain-core", "langchain", "langchain-openai", "langmem", "llama-index-core", "openai-agents",
            "semantic-kernel", "hypothesis", "openai", "memory-lab")
REPEATS = 3
TRIED = 25  # histories a law and a memory, before shrinking
NOT_RUN = {
    "llama-index-llms-openai 0.8.3": "cannot be installed beside openai 3: \"llama-index-llms-openai 0.8.3 depends on "
                                     "openai<3 and >=1.108.1\"; llama-index got an LLM class of our own instead",
    "OpenAIResponsesCompactionSession (openai-agents)": "asks OpenAI's own responses.compact, which the offline model "
                                                        "does not have",
    "VectorMemoryBlock (llama-index-core)": "needs a vector store and an embedding model of its own",
}


def entrants() -> list[Any]:
    """All memories of the comparison; what each library needs is imported when it is first made."""
    return [entrant for name in LIBRARIES for entrant in import_module(f"peers.{name}").ENTRANTS]


def run(*, quick: bool = False) -> dict[str, Any]:
    """All figures, as JSON.  quick: two conversations, one repeat, five histories a law."""
    tests = str(Path(__file__).resolve().parents[2] / "tests")
    if tests not in sys.path:
        sys.path.append(tests)  # the hostile histories, and what each message of one is
    from timing import machine

    from .model import Model

    logging.getLogger("semantic_kernel").setLevel(logging.ERROR)  # it warns of each fault that we make
    warnings.filterwarnings("ignore", module=r"(llama_index|langchain|langmem|semantic_kernel)\b.*")
    chosen = [name for name in names() if name != "long_300"]
    talks = [load(name) for name in (chosen[:2] if quick else chosen)]
    repeats, tried = (1, 5) if quick else (REPEATS, TRIED)
    model = Model()
    try:
        rows = [_row(entrant, talks, repeats, tried, model) for entrant in entrants()]
    finally:
        model.close()
    return {"date": date.today().isoformat(), "machine": machine(PACKAGES), "token_limit": LIMIT, "repeats": repeats,
            "tried": tried, "conversations": [talk.name for talk in talks], "rows": rows, "not_run": NOT_RUN}


def _row(entrant: Any, talks: list[Any], repeats: int, tried: int, model: Any) -> dict[str, Any]:
    from .measure import seconds, through
    from .search import laws_broken

    window = entrants()[0]
    found = through(entrant, talks, LIMIT, model)
    times, ratios = [], []
    seconds(entrant, talks[:1], LIMIT, model)  # imports are nobody's speed
    for _ in range(repeats):
        own = seconds(window, talks, LIMIT, model)
        times.append(seconds(entrant, talks, LIMIT, model))
        ratios.append(times[-1] / own)
    row = {"name": entrant.name, "package": entrant.package, "ours": entrant.ours, "limited": entrant.limited,
            "summarises": entrant.summarises, "settings": entrant.settings, "better": entrant.better, **found,
            "seconds": round(median(times), 4), "ratio": round(median(ratios), 1),
            "laws": laws_broken(entrant, model, tried)}
    print(json.dumps(row), file=sys.stderr, flush=True)  # it takes a while
    return row


def markdown(result: dict[str, Any]) -> str:
    """The page of bench/results/peers.md."""
    return Peers(result).page()


__all__ = ["entrants", "markdown", "run"]
