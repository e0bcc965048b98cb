"""That a solution and its exercise are a pair: one passes every check, the other fails each and gives nothing away."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from classroom import exercise, fast, markers
from classroom.source import Source

SEEDS = (0, 1, 2)


def prove(source: Source) -> list[str]:
    """What speaks against the pair, one line each; none if nothing does.

    source: a solutions file, from build.load().
    Runs the solution with three seeds, the exercise with nothing solved,
     and each part unsolved on its own behind solved
    ones. A check fails if it raises or shows something else than the solution did.
    Cost: about a second, the cells before the first answer once, the others once per part and four times more.
    """
    cells = [cell for cell in source.notebook.cells if cell.cell_type == "code"]
    solved = [cell.source for cell in cells]
    unsolved = [exercise.unsolved(cell).source for cell in cells]
    answers = [n for n, cell in enumerate(cells) if exercise.kind(cell) == "answer"]
    alone = [[*solved[:n], unsolved[n], *solved[n + 1 :]] for n in answers]
    folder = source.target.parent
    runs = fast.run([solved] * len(SEEDS) + [unsolved, *alone], folder, seeds=[*SEEDS] + [SEEDS[0]] * (1 + len(alone)))
    seeded, (none, *each) = runs[: len(SEEDS)], runs[len(SEEDS) :]
    first = seeded[0]

    found = []
    for n, cell in enumerate(cells):
        name = f"{source.facts['source']}: {cell.metadata.memory_lab.get('id') or solved[n].splitlines()[0]}"
        found.extend(f"{name}: {text}" for text in _solved(exercise.kind(cell), [run[n] for run in seeded]))
        if exercise.kind(cell) in ("check", "hidden-check"):
            own = cell.metadata.memory_lab["part"]
            part = [cells[answer].metadata.memory_lab["part"] for answer in answers].index(own)
            if _same(none[n], first[n]):
                found.append(f"{name}: passes with nothing solved")
            if _same(each[part][n], first[n]):
                found.append(f"{name}: passes while its own part is unsolved")
    return found


def leaks(source: Source) -> Iterator[str]:
    """One line for each telling line of the solution that can be read in the exercise, code or text. Runs nothing."""
    cut = exercise.cut(source.notebook)
    text = "\n".join(cell.source for cell in cut.cells)
    for cell in source.notebook.cells:
        if exercise.kind(cell) == "answer":
            for line in markers.solution_lines(cell.source):
                if line in text:
                    yield f"{source.facts['source']}: {cell['id']}: the exercise shows a line of the solution: {line}"


def _same(run: fast.Run, reference: fast.Run) -> bool:
    return run["ok"] and run["outputs"] == reference["outputs"]


def _solved(kind: str | None, runs: list[fast.Run]) -> Iterator[str]:
    """What is wrong with a cell of the solution, from its runs with different seeds."""
    for seed, run in zip(SEEDS, runs, strict=True):
        if not run["ok"]:
            yield f"fails in the solution (seed {seed}): {run['error']}"
            return
    shown = [run["outputs"] for run in runs]
    if kind == "check" and not shown[0]:
        yield "shows nothing, so there is nothing to compare; end it with a value"
    if kind == "hidden-check":
        if not all(_plain(outputs) for outputs in shown):
            yield "must show one plain value (list, dict, str, int, float, bool) as its last line, and print nothing"
        elif shown.count(shown[0]) == len(shown):
            yield "shows the same for every seed, so a constant would pass; draw the inputs from CLASSROOM_SEED"
    elif shown.count(shown[0]) != len(shown):
        yield "shows something else on each run or for each seed; only hidden checks may depend on the seed"


def _plain(outputs: list[list[str]]) -> bool:
    if [mime for mime, _ in outputs] != ["text/plain"]:
        return False
    try:
        ast.literal_eval(outputs[0][1])
    except (ValueError, SyntaxError):
        return False
    return True
