"""Live figures for the tests, and their pages as XML."""

from __future__ import annotations

import json
from functools import partial
from xml.etree import ElementTree

from memory_lab import (
    BufferMemory,
    HierarchicalSummaryMemory,
    SlidingWindowMemory,
    SummaryMemory,
    TokenWindowMemory,
    tradeoff,
)
from memory_lab.conversations import load
from memory_lab.live import BudgetFigure, ChoiceFigure, CompactionFigure, PlaneFigure, RaceFigure, TreeFigure

MARKS = {"summary_limit": 120, "trigger_tokens": 300, "target_tokens": 100, "trigger_messages": 6}
SUMMARY = partial(SummaryMemory, **MARKS)
RACERS = {"buffer": BufferMemory, "sliding window, 2 turns": partial(SlidingWindowMemory, max_turns=2),
          "summary": SUMMARY}
PUBLISHED = {"everything (000)": (13_262, 4, 4), "window (000)": (2_382, 0, 4)}


def filled(memory, messages):
    for message in messages:
        memory.add(message)
    return memory


def tree(conversation=None, **limits):
    conversation = conversation or load("order_number_50")
    memory = HierarchicalSummaryMemory(conversation.system, token_limit=500, level_limits=(60, 100),
                                       trigger_tokens=300, trigger_messages=0, **limits)
    return filled(memory, conversation.messages)


MAKE = {
    "budget": lambda: BudgetFigure(load("order_number"), TokenWindowMemory),
    "budget of two": lambda: BudgetFigure(load("kyoto_en"), {"window": TokenWindowMemory, "summary": SUMMARY}),
    "choice": lambda: ChoiceFigure({"facts": "52 % of the tokens"}),
    "race": lambda: RaceFigure(load("kyoto_zh_hant"), RACERS),
    "compaction": lambda: CompactionFigure(filled(SUMMARY(None), load("order_number_50").messages)),
    "tree": lambda: TreeFigure(tree()),
    "plane": lambda: PlaneFigure(tradeoff(RACERS, [load("kyoto_en")], answer=False), PUBLISHED),
}


def parsed(figure):
    """The figure's HTML as an XML tree, which a page with one mistake in it could not be."""
    return ElementTree.fromstring(figure._repr_html_())


def data(figure):
    script, = [each for each in parsed(figure).iter("script") if each.get("type")]
    return json.loads(script.text)


def unpacked(figure, step):
    """What the script will say at a step, read from the page as the script reads it."""
    stored = data(figure)
    run = stored["steps"][step]
    return [stored["words"][word] for word, times in zip(run[::2], run[1::2], strict=True) for _ in range(times)]


def shown(figure):
    """What stands in each slot of the page before any script has run."""
    words = {"text": lambda slot: slot.text or "", "state": lambda slot: slot.text or "",
             "bar": lambda slot: slot.get("style").removeprefix("width:"),
             "say": lambda slot: slot.get("aria-valuetext")}
    return [words[slot.get("data-slot")](slot) for slot in parsed(figure).iter() if slot.get("data-slot")]
