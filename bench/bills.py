"""What memories cost in money over a long chat: long_300, 300 turns, each memory with room for 3,000 tokens.

    .bench-venv/bin/python bench/run.py bills [--quick]      as run.py says; no peer is needed, so .venv does as well

Nothing is timed: the tokens are counted, and the money is theirs at the list prices of the date that is named.
"""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

LIMIT = 3000
MODELS = ("gpt-4.1-mini", "gpt-5-mini")


def memories() -> dict[str, Any]:
    from memory_lab import (
        BufferMemory,
        FactTableMemory,
        HierarchicalSummaryMemory,
        LayeredMemory,
        SummaryMemory,
        TokenWindowMemory,
        VectorMemory,
    )

    return {"buffer": BufferMemory, "token window": partial(TokenWindowMemory, token_limit=LIMIT),
            "summary": partial(SummaryMemory, token_limit=LIMIT, trigger_tokens=2000, trigger_messages=0),
            "tree": partial(HierarchicalSummaryMemory, token_limit=LIMIT, trigger_tokens=2000, trigger_messages=0),
            "fact table": partial(FactTableMemory, token_limit=LIMIT),
            "layers": partial(LayeredMemory, token_limit=LIMIT),
            "retrieval": partial(VectorMemory, token_limit=LIMIT)}


def run(*, quick: bool) -> dict[str, Any]:
    """The table's rows; quick: over a chat of 52 turns."""
    from memory_lab.bill import bill, bill_table
    from memory_lab.conversations import load
    from memory_lab.prices import load_prices

    talk, prices = load("order_number_50" if quick else "long_300"), load_prices()
    table = bill_table({name: bill(make, talk) for name, make in memories().items()}, MODELS, prices)
    return {"date": date.today().isoformat(), "conversation": talk.name, "token_limit": LIMIT, "prices": prices.date,
            "currency": prices.currency, "header": list(table.header), "rows": table.rows}


def markdown(result: dict[str, Any]) -> str:
    """The table as a page."""
    from memory_lab.report import Table

    caption = (f"{result['currency']} per 1,000 turns, prices of {result['prices']}; run on {result['date']}, limit of "
               f"{result['token_limit']:,} tokens")
    return f"# Bills: {result['conversation']}\n\n{Table(result['header'], result['rows'], caption).markdown()}\n"
