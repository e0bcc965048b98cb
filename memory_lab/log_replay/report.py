"""A replay as rows, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .hurt import KINDS
from .limit import Recommendation
from .measure import LogReplay, StrategyReplay
from .money import bill
from .plan import Plan


def rows(replays: Sequence[LogReplay]) -> list[dict[str, Any]]:
    """One dict per strategy, over all conversations.

    prompt_tokens: of all calls.  of_full: share of what sending everything costs at the same calls.  per_turn: tokens
    per turn in which a call went out.  cached: share of the prompts that repeats the prompt before.  own_tokens: what a
    model would have read and written for the memory's own_calls summaries.  turns_out: turns that are not in the last
    context.  lost: references whose value was not in the context when a user named it again, of `references`; missed:
    the same of the `leans` (plan.Call).  kinds: kind -> [still there, all] of both.  gone: values that only turns that
    fell out held.  failed: calls at which the instructions and the newest message did not fit.
    """
    table = []
    for label in dict.fromkeys(label for replay in replays for label in replay.strategies):
        parts = [(replay.plan, replay.strategies[label]) for replay in replays if label in replay.strategies]
        tokens, costs = sum(result.prompt_tokens for _, result in parts), bill(replays, label)
        full = sum(call.full for made, result in parts
                   for call, sent in zip(made.calls, result.tokens, strict=True) if sent is not None)
        turns = len({(number, call.turn) for number, (made, result) in enumerate(parts)
                     for call, sent in zip(made.calls, result.tokens, strict=True) if sent is not None})
        table.append({
            "strategy": label, "prompt_tokens": tokens, "of_full": tokens / full if full else None,
            "per_turn": tokens / turns if turns else 0.0, "peak": max((result.peak for _, result in parts), default=0),
            "cached": costs.share, "own_calls": costs.calls, "own_tokens": costs.read + costs.written,
            "turns": sum(made.turns for made, _ in parts), "turns_out": sum(len(result.fell) for _, result in parts),
            "references": sum(len(made.references) for made, _ in parts),
            "lost": sum(len(result.lost) for _, result in parts),
            "leans": sum(len(made.leans) for made, _ in parts),
            "missed": sum(len(result.missed) for _, result in parts), "kinds": _kinds(parts),
            "gone": sum(len(result.gone) for _, result in parts),
            "calls": sum(len(result.tokens) for _, result in parts),
            "failed": sum(len(result.failures) for _, result in parts)})
    return table


def _kinds(parts: Sequence[tuple[Plan, StrategyReplay]]) -> dict[str, list[int]]:
    asked = Counter(each.value.kind for made, _ in parts for each in (*made.references, *made.leans))
    lost = Counter(each.value.kind for _, result in parts for each in (*result.lost, *result.missed))
    return {kind: [asked[kind] - lost[kind], asked[kind]] for kind in KINDS if asked[kind]}


def losses(replays: Sequence[LogReplay]) -> list[dict[str, Any]]:
    """Each value that a later turn leant on while some strategy had lost it, the most painful kinds first.

    said, asked: message numbers from 1, of the newest earlier mention and of each time it was missed.
    """
    found: dict[tuple, dict[str, Any]] = {}
    for number, replay in enumerate(replays):
        for label, result in replay.strategies.items():
            for lost in (*result.lost, *result.missed):
                entry = found.setdefault((number, lost.value), {
                    "conversation": replay.name, "kind": lost.value.kind,
                    "value": replay.plan.written(lost.value),
                    "said_by": replay.plan.messages[lost.said]["role"], "said": lost.said + 1, "asked": [],
                    "turns_back": lost.turns_back, "needs": lost.needs, "lost_by": []})
                if lost.asked + 1 not in entry["asked"]:
                    entry["asked"].append(lost.asked + 1)
                if label not in entry["lost_by"]:
                    entry["lost_by"].append(label)
    order = {kind: rank for rank, kind in enumerate(KINDS)}
    return sorted(found.values(), key=lambda entry: (
        order[entry["kind"]], entry["said_by"] != "user", -len(entry["asked"]), -len(entry["lost_by"])))


def as_json(replays: Sequence[LogReplay], recommendation: Recommendation | None) -> dict[str, Any]:
    """The whole result as JSON values: totals, recommendation, losses, and each conversation call by call."""
    return {"strategies": rows(replays), "recommendation": vars(recommendation) if recommendation else None,
            "losses": losses(replays), "conversations": [_conversation(replay) for replay in replays]}


def _conversation(replay: LogReplay) -> dict[str, Any]:
    made = replay.plan
    return {"name": replay.name, "messages": len(made.messages), "turns": made.turns,
            "references": len(made.references), "leans": len(made.leans),
            "calls": [{"message": call.before + 1, "turn": call.turn + 1, "full": call.full} for call in made.calls],
            "strategies": {label: {
                "tokens": result.tokens, "cached": result.cached, "lost": len(result.lost),
                "missed": len(result.missed), "folds": [
                    {"call": number + 1, "read": read, "written": written} for number, read, written in result.folds],
                "failures": [{"call": number + 1, "error": words} for number, words in result.failures],
                "fell_out": [{"turn": turn + 1, "at_call": number + 1} for turn, number in sorted(result.fell.items())],
                "gone": [{"kind": value.kind, "value": made.written(value)}
                         for value in result.gone]}
                for label, result in replay.strategies.items()}}


