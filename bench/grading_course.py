"""A course of one notebook with five checks, and a class that solved it, in the form of each grader.

Each check shows a list: nbgrader takes a number that a check shows for partial credit.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path

SLUG = "01_mean"
TEXT = '''---
memory_lab: {chapter: mean, number: 1, title: A mean and a median, minutes: 10, difficulty: easy, withhold: []}
kernelspec: {name: python3, display_name: Python 3, language: python}
---

# Exercise 1: A mean and a median

## Part 1: The mean

*4 points, 5 minutes*

Write it.

HINTS

```{code-cell} ipython3
:memory_lab: {id: 01-mean-1, kind: answer}
def mean(values):
    """The sum by the number."""
    ### BEGIN SOLUTION
    return sum(values) / len(values) if values else 0
    ### END SOLUTION
```

```{code-cell} ipython3
:memory_lab: {id: 01-mean-1a, kind: check}
assert mean([1, 2, 6]) != 9, "you gave the sum"
[mean([1, 2, 6])]
```

```{code-cell} ipython3
:memory_lab: {id: 01-mean-1b, kind: hidden-check, points: 2}
import os, random
rng = random.Random(int(os.environ.get("CLASSROOM_SEED", "0")))
some = [rng.randrange(100) for _ in range(9)]
assert mean(some) == sum(some) / 9, "wrong on numbers that you have not seen"
[mean(some)]
```

```{code-cell} ipython3
:memory_lab: {id: 01-mean-1c, kind: hidden-check, points: 2}
rng = random.Random(int(os.environ.get("CLASSROOM_SEED", "0")) + 2)
some = [rng.randrange(100) for _ in range(5)]
assert mean([]) == 0, "no numbers"
[mean(some)]
```

## Part 2: The median

*2 points, 5 minutes*

Write it.

HINTS

```{code-cell} ipython3
:memory_lab: {id: 01-mean-2, kind: answer}
def median(values):
    """The middle."""
    ### BEGIN SOLUTION
    line = sorted(values)
    return (line[(len(line) - 1) // 2] + line[len(line) // 2]) / 2
    ### END SOLUTION
```

```{code-cell} ipython3
:memory_lab: {id: 01-mean-2a, kind: check}
assert median([1, 9, 2]) != 9, "sort them first"
[median([1, 9, 2])]
```

```{code-cell} ipython3
:memory_lab: {id: 01-mean-2b, kind: hidden-check, points: 2}
import os, random
rng = random.Random(int(os.environ.get("CLASSROOM_SEED", "0")) + 1)
some = [rng.randrange(100) for _ in range(6)]
assert median(some) == sum(sorted(some)[2:4]) / 2, "wrong on numbers that you have not seen"
[median(some)]
```
'''
HINT = "<details><summary>Hint {n}</summary>\n\nThink.\n\n</details>"


def course(base: Path, number: int) -> None:
    """Writes base/course (ours), base/class (a folder per student) and base/nbgrader (the same cells, its keys)."""
    text = base / "course/solutions/_src" / f"{SLUG}.md"
    text.parent.mkdir(parents=True)
    hints = "\n".join(HINT.format(n=n) for n in (1, 2, 3))
    text.write_text(TEXT.replace("HINTS", hints), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "classroom.build", "--root", str(base / "course")], check=True)
    solved = json.loads((base / "course/solutions" / f"{SLUG}.ipynb").read_text(encoding="utf-8"))
    keyed = copy.deepcopy(solved)
    for cell in keyed["cells"]:
        kind = cell["metadata"].get("memory_lab", {}).get("kind", "")
        if kind:
            check = kind.endswith("check")
            cell["metadata"]["nbgrader"] = {
                "schema_version": 3, "grade_id": cell["id"], "grade": check, "solution": kind == "answer",
                "locked": check, "task": False} | ({"points": 1} if check else {})
    students = [f"s{n:02d}" for n in range(number)]
    home = base / "nbgrader"
    for folder, body in [(home / "source/ps1", keyed)] + [
            pair for name in students for pair in ((home / "submitted" / name / "ps1", keyed),
                                                   (base / "class" / name, solved))]:
        folder.mkdir(parents=True)
        (folder / f"{SLUG}.ipynb").write_text(json.dumps(body), encoding="utf-8")
    (home / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'bench'\n",
                                             encoding="utf-8")
