"""The result of windows.py as a page."""

from __future__ import annotations

from typing import Any


def markdown(result: dict[str, Any]) -> str:
    """Ratios first, then what they rest on; nothing here that is not in the JSON."""
    machine = result["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    lines = ["# Token windows over a growing chat", "",
             f"Made by `make bench` on {result['date']}, {machine['processor']}, {machine['cores']} cores, "
             f"Python {machine['python']}; {versions}; at commit {machine['commit']}.", "",
             f"One context for each user message, a limit of {result['token_limit']:,} tokens, each fourth turn with a "
             "tool call and its result. CPU seconds. A ratio is the peer's time divided by ours, measured side by side "
             f"in one process: the median of {result['repeats']}. Our time holds `add()` (check, copy, count) and "
             "`messages()`; peers get their messages ready made."]
    for size in result["sizes"]:
        lines += ["", *_size(size)]
    if result["bars"]:
        lines += ["", "## Bars", "", *map(_bar, bars(result))]
    check = result["sampling"]
    lines += ["", "## How far the sampling is to be trusted", "",
              f"{check['peer']}, {check['messages']:,} messages: all contexts built {check['whole_seconds']} s; "
              f"20 built and extrapolated {check['sampled_seconds']} s.", "",
              "## Do they send the same?", ""]
    lines += [f"- 1,000 messages, {row['chat']}: TokenWindowMemory and trim_messages (exact counter, the same budget) "
              f"sent the same list in {row['equal']} of {row['contexts']} turns that were compared."
              for row in result["agreement"]]
    lines += ["", "Where a history is harder they part:", "",
              "| history | who | messages | of them from the user | tokens | rules of the API broken |",
              "|---|---|--:|--:|--:|---|"]
    for case in result["hard_cases"]:
        for who in ("ours", "trim_messages"):
            sent = case[who]
            lines.append(f"| {case['case']} | {who} | {sent['messages']} | {sent['user_messages']} "
                         f"| {sent['tokens']:,} | {', '.join(sent['breaks']) or 'none'} |")
    return "\n".join(lines) + "\n"


def bars(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Each bar with the ratio that was measured and whether it holds."""
    measured = {(size["messages"], peer["name"]): peer["ratio"] for size in result["sizes"] for peer in size["peers"]}
    rows = [bar | {"ratio": measured[bar["messages"], bar["peer"]]} for bar in result["bars"]]
    return [row | {"holds": row["ratio"] >= row["at_least"]} for row in rows]


def _bar(bar: dict[str, Any]) -> str:
    return (f"- {bar['messages']:,} messages, {bar['peer']}: at least {bar['at_least']:,} times; measured "
            f"{bar['ratio']:,} times: {'holds' if bar['holds'] else 'MISSED'}.")


def _size(size: dict[str, Any]) -> list[str]:
    ours = size["ours"]
    lines = [f"## {size['messages']:,} messages, {size['contexts']:,} contexts, "
             f"{size['tokens_per_message']} tokens a message", "",
             "| memory | times our time | CPU seconds | contexts built | last context: messages | tokens |",
             "|---|--:|--:|--:|--:|--:|",
             f"| **{ours['name']}** | 1 | {ours['seconds']:.3f} | all | {ours['last_context_messages'] + 1:,} "
             f"| {ours['last_context_tokens']:,} |"]
    for peer in sorted(size["peers"], key=lambda peer: peer["ratio"]):
        sampled = peer["contexts_built"] < size["contexts"]
        built = f"{peer['contexts_built']}, extrapolated" if sampled else "all"
        lines.append(f"| {peer['package']} {peer['name']} | {peer['ratio']:,} | {peer['seconds']:,.3f} | {built} "
                     f"| {peer['last_context_messages'] + 1:,} | {peer['last_context_tokens']:,} |")
    lines += [f"| {name} | not run: {why} | | | | |" for name, why in size["not_run"].items()]
    lines += ["", f"Of our {ours['seconds']:.3f} s, counting each message once takes {ours['counting_seconds']:.3f} s. "
              "Extrapolated: contexts at evenly spaced turns, the trapezium rule between them, every message added. "
              "The last context is counted as the API bills it, instructions included.", ""]
    lines += [f"- {peer['name']}: {peer['settings']}." for peer in size["peers"]]
    return lines
