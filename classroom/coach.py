"""What the coach says: plain text, the first thing to mend, hints one at a time, where the course stands.

Nothing here decides; verdict.py does.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from classroom import progress, shipped
from classroom.progress import Progress
from classroom.reading import UnreadableError
from classroom.verdict import Part, Verdict

_WIDE = 100


def report(verdict: Verdict, command: str) -> str:
    """The verdict in words. command: what to type for a hint, the notebook's name included."""
    lines = [f"{verdict.slug or verdict.path.stem}  {verdict.title}".rstrip()]
    wide = max((len(part.title) for part in verdict.parts), default=0)
    lines += [f"  part {part.number}  {part.title:<{wide}}  {part.state}" for part in verdict.parts]
    lines += [f"  note: {note}" for note in verdict.notes[:5]]
    fault = verdict.fault
    if fault is None:
        worth = sum(part.points for part in verdict.parts)
        return "\n".join([*lines, "", f"All parts pass. Points ({worth}) are earned on inputs that you have not seen."])
    part = next((part for part in verdict.parts if part.number == fault.part), None)
    title = f"Part {part.number}: {part.title}" if part else "A given cell"
    if fault.message == "not begun":
        told = f", {part.points} points, about {part.minutes} minutes" if part and part.minutes else ""
        lines += ["", f"Next, {title}{told}.", "  Your code goes into the cell that raises NotImplementedError."]
    else:
        lines += ["", f"Mend {title}" + (f" ({fault.cell})" if fault.cell else ""),
                  *textwrap.wrap(fault.message, _WIDE, initial_indent="  ", subsequent_indent="  ")]
        said = [("the check", fault.asserted), ("expected", fault.expected), ("got", fault.got)]
        if fault.where:
            cell, line, text = fault.where
            said.append(("your code", f"{cell}, line {line}: {text}"))
        lines += [""] * any(text for _, text in said)
        for name, text in said:
            if text:
                lines += textwrap.wrap(" ".join(text.split()), _WIDE, initial_indent=f"  {name:<10} ",
                                       subsequent_indent=" " * 13)
    if part and part.hints:
        lines += ["", f"A hint ({len(part.hints)} in all): {command} --hint"]
    return "\n".join(lines)


def hint(part: Part, shown: int) -> str:
    """The hint that comes now. shown: how many were shown, this one included; behind the last one, all of them."""
    if not part.hints:
        return f"Part {part.number} has no hints."
    if shown <= len(part.hints):
        return f"Part {part.number}, hint {shown} of {len(part.hints)}\n\n{part.hints[shown - 1]}"
    again = "\n\n".join(f"Hint {number}\n{text}" for number, text in enumerate(part.hints, 1))
    return f"Part {part.number}: these are all hints that there are.\n\n{again}"


def exercises(folder: Path) -> dict[str, Path]:
    """The notebooks of an exercise folder, by slug, in order."""
    return {path.stem: path for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))}


def table(found: dict[str, Path], kept: Progress) -> str:
    """How far the reader is, a line per exercise and a sum."""
    known = kept.read()["exercises"]
    lines, whole = [], 0
    wide = max((len(slug) for slug in found), default=0)
    for slug, path in found.items():
        one = known.get(slug)
        told = _facts(path)
        of = len(told.get("parts", [])) or (one or {}).get("parts", 0)
        passed = len(one["passed"]) if one else 0
        whole += bool(one) and progress.done(one)
        hints = sum(one["hints"].values()) if one else 0
        state = "done" if one and progress.done(one) else f"{passed} of {of} parts" if one else "not begun"
        lines.append(f"  {slug:<{wide}}  {state:<14}" + (f"  {hints} hints" if hints else "").rstrip())
    return "\n".join([*(line.rstrip() for line in lines), f"{whole} of {len(found)} exercises done"])


def following(found: dict[str, Path], kept: Progress) -> str | None:
    """The exercise to work on: the first that is not done behind the last one, else the first that is not done."""
    body = kept.read()
    order = list(found)
    at = order.index(body["last"]) if body["last"] in order else 0
    undone = [slug for slug in order[at:] + order[:at] if not progress.done(body["exercises"].get(slug, {"parts": 0}))]
    return undone[0] if undone else None


def introduce(slug: str, path: Path) -> str:
    """One exercise in a line or two."""
    told = _facts(path)
    about = [f"{told['points']} points" if "points" in told else "", f"about {told['minutes']} minutes"
             if "minutes" in told else "", str(told.get("difficulty", ""))]
    return f"Next: {slug}  {told.get('title', '')}\n  {', '.join(word for word in about if word)}\n  {path}"


def _facts(path: Path) -> dict[str, Any]:
    try:
        return shipped.facts(shipped.load(path)[0])
    except UnreadableError:
        return {}
