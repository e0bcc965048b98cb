"""How far a reader is, kept in one local file beside `exercises`: parts that pass, hints that were shown.

    .memory_lab_progress.json
    {"format": 1, "last": slug, "exercises": {slug: {"parts": 4, "passed": [1], "hints": {"2": 1}}}}

It is the reader's own note, not a grade: anyone may edit or delete it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME, FORMAT = ".memory_lab_progress.json", 1


@dataclass
class Progress:
    """The file, read. Each change reads it anew and writes it whole, so that two terminals do not undo each other."""

    path: Path
    notes: list[str]

    @classmethod
    def beside(cls, folder: Path) -> Progress:
        """The progress of a course's folder."""
        return cls(folder / NAME, [])

    def read(self) -> dict[str, Any]:
        """What the file holds. A file that is damaged is set aside under another name, and noted."""
        try:
            body = json.loads(self.path.read_text(encoding="utf-8"))
            if body["format"] == FORMAT and all(map(_sound, body["exercises"].values())):
                return body
        except FileNotFoundError:
            return {"format": FORMAT, "last": "", "exercises": {}}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass
        aside, number = self.path.with_name(f"{NAME}.damaged"), 1
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{NAME}.damaged-{number}")
        try:
            os.replace(self.path, aside)
            self.notes.append(f"your progress file could not be read; it is now {aside.name}, and a new one begins")
        except OSError as error:
            self.notes.append(f"your progress file cannot be read: {error}")
        return {"format": FORMAT, "last": "", "exercises": {}}

    def of(self, slug: str) -> dict[str, Any]:
        """One exercise: {"parts": how many, "passed": [...], "hints": {part: shown}}."""
        return self.read()["exercises"].get(slug, {"parts": 0, "passed": [], "hints": {}})

    def change(self, slug: str, **what: Any) -> None:
        """Keep these values for an exercise, and that it was the last one. A folder that is read-only is noted."""
        body = self.read()
        body["exercises"][slug] = self.of(slug) | what
        body["last"] = slug
        draft = self.path.with_name(f"{NAME}.{os.getpid()}")
        try:
            draft.write_text(json.dumps(body, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            os.replace(draft, self.path)
        except OSError as error:
            self.notes.append(f"your progress could not be kept: {error}")

    def hint(self, slug: str, part: int) -> int:
        """How many hints of a part were shown, this one included."""
        hints = dict(self.of(slug)["hints"])
        hints[str(part)] = shown = hints.get(str(part), 0) + 1
        self.change(slug, hints=hints)
        return shown


def _sound(one: Any) -> bool:
    return (isinstance(one["parts"], int) and all(isinstance(part, int) for part in one["passed"])
            and all(isinstance(number, int) for number in one["hints"].values()))


def done(one: dict[str, Any]) -> bool:
    """Whether every part of an exercise passes its visible checks."""
    return bool(one["parts"]) and len(one["passed"]) >= one["parts"]
