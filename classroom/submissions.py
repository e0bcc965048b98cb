"""Who handed in what: a folder per student, flat files with names, or zips as Canvas and Moodle make them.

    alice/01_truncation.ipynb                                   a folder per student (a roster name, or any)
    alice_01_truncation.ipynb, alice-01_truncation (1).ipynb    flat files
    Ann Lee_12345_assignsubmission_file_/01_truncation.ipynb    Moodle, flat or as folders
    leeann_LATE_123_456_01_truncation-1.ipynb                   Canvas
    any of these inside a .zip

Nothing of a submission's names becomes a path of ours, and nothing outside the folder is read: no links, no `..`.
"""

from __future__ import annotations

import csv
import re
import unicodedata
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from classroom.errors import CourseError
from classroom.manifest import Exercise, Manifest
from classroom.reading import LARGEST, UnreadableError, read_cells

_MOST_FILES, _WIDEST = 5_000, 2_000_000_000
_COLUMNS = ("student", "id", "login", "username", "email", "name")
_MOODLE = re.compile(r"(?P<who>.+?)_\d+_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)")
_CANVAS = re.compile(r"(?P<who>[^_]+?)_(?:LATE_)?\d+_\d+_(?P<file>.+)")
_COPY = re.compile(r"[ _-]*(?:\((\d+)\)|-(\d+)| copy(?: (\d+))?|-Copy(\d+))$", re.IGNORECASE)


@dataclass
class Submission:
    """What one student handed in for one exercise. path: None if nothing. notes: what was odd."""

    student: str
    slug: str
    path: Path | None = None
    notes: list[str] = field(default_factory=list)


@dataclass
class Handed:
    """A whole class: one submission per student and exercise; files that belong nowhere, with why."""

    submissions: list[Submission]
    students: list[str]
    strays: list[str] = field(default_factory=list)


def read_roster(path: Path) -> list[str]:
    """The students of a roster CSV: its column student, id, login or name, else its first one.

    Raises CourseError for a file that is no roster or names a student twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError([f"{path}: no roster: {error}"]) from error
    rows = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    if not rows:
        raise CourseError([f"{path}: the roster is empty"])
    head = [cell.strip().lower() for cell in rows[0]]
    named = [head.index(word) for word in _COLUMNS if word in head]
    column = named[0] if named else 0
    names = [row[column].strip() for row in (rows[1:] if named else rows) if len(row) > column]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CourseError([f"{path}: {', '.join(twice)} stands twice"])
    return [name for name in names if name and name.lower() != "points possible"]  # a line of Canvas's gradebook


def collect(folder: Path, manifest: Manifest, scratch: Path, roster: Iterable[str] | None = None) -> Handed:
    """The class's submissions. folder: a folder or a zip. scratch: where zips are unpacked.

    Every student of the roster gets one submission per exercise; without a roster, every student who handed in.
    Raises CourseError if there is no such folder.
    """
    if not folder.exists():
        raise CourseError([f"{folder}: no such folder or zip"])
    listed = None if roster is None else list(roster)
    handed = Handed([], list(listed or []))
    files: dict[tuple[str, str], list[Path]] = {}
    extra: dict[tuple[str, str], list[str]] = {}
    for path, inner in _walk(folder, scratch, handed):
        if path.suffix.lower() != ".ipynb":
            continue
        student, name = _who(inner, listed)
        slug, note = _which(path, name, manifest)
        if slug is None:
            handed.strays.append(f"{inner}: {note}")
            continue
        student = student or "unnamed"
        if student not in handed.students:
            handed.students.append(student)
            if listed is not None:
                handed.strays.append(f"{inner}: {student} is not on the roster; graded all the same")
        files.setdefault((student, slug), []).append(path)
        if note:
            extra.setdefault((student, slug), []).append(note)
    for student in handed.students:
        for slug in manifest.exercises:
            found = sorted(files.get((student, slug), []), key=lambda path: (_copy_number(path), path.name))
            notes = extra.get((student, slug), [])
            if len(found) > 1:
                notes = [*notes, f"{len(found)} files for this exercise; graded {found[-1].name}"]
            handed.submissions.append(Submission(student, slug, found[-1] if found else None, notes))
    return handed


def _walk(folder: Path, scratch: Path, handed: Handed) -> Iterable[tuple[Path, str]]:
    """(file, name inside) for every file, those in zips included; links and hidden files left out."""
    if folder.is_file():
        if not zipfile.is_zipfile(folder):
            raise CourseError([f"{folder}: neither a folder nor a zip"])
        yield from _zip(folder, "", scratch, handed)
        return
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder).as_posix()
        if any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(inner).parts):
            continue
        if any(piece.is_symlink() for piece in (path, *path.parents) if folder in piece.parents):
            handed.strays.append(f"{inner}: a link; not followed")
        elif path.is_file() and path.suffix.lower() == ".zip":
            yield from _zip(path, inner, scratch, handed)
        elif path.is_file():
            yield path, inner


def _zip(path: Path, inner: str, scratch: Path, handed: Handed) -> Iterable[tuple[Path, str]]:
    """The notebooks of a zip, unpacked under names of ours."""
    prefix = inner[: -len(".zip")] if inner else ""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > _MOST_FILES or sum(entry.file_size for entry in entries) > _WIDEST:
                handed.strays.append(f"{inner or path.name}: too many files, or too large unpacked; not opened")
                return
            for entry in entries:
                parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
                shown = "/".join(part for part in (prefix, *parts) if part)
                if any(part.startswith((".", "__MACOSX")) and part != ".." for part in parts):
                    continue
                linked = (entry.external_attr >> 16) & 0o170000 == 0o120000
                if ".." in parts or entry.filename.startswith(("/", "\\")) or ":" in parts[0] or linked:
                    handed.strays.append(f"{shown}: a path outside the zip, or a link; not unpacked")
                    continue
                if PurePosixPath(shown).suffix.lower() != ".ipynb" or entry.file_size > LARGEST:
                    continue
                target = scratch / f"{len(list(scratch.iterdir())):06d}" / _plain(parts[-1])
                target.parent.mkdir(parents=True)
                with archive.open(entry) as source, target.open("wb") as copy:
                    left = LARGEST  # what it says of its size may be a lie
                    while left > 0 and (piece := source.read(min(left, 1 << 20))):
                        copy.write(piece)
                        left -= len(piece)
                yield target, shown
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        handed.strays.append(f"{inner or path.name}: this zip cannot be read: {error}")


def _who(inner: str, listed: list[str] | None) -> tuple[str, str]:
    """(student, the rest of the file's name). A student is the first folder, or what stands before the exercise."""
    parts = PurePosixPath(inner).parts
    for part in parts:
        for pattern in (_MOODLE, _CANVAS):
            if match := pattern.fullmatch(part):
                return _known(match["who"], listed) or _tidy(match["who"]), match["file"] or parts[-1]
    if listed is not None:
        for part in parts[:-1]:
            if name := _known(part, listed):
                return name, parts[-1]
    if len(parts) > 1:
        return _tidy(parts[-2] if len(parts) == 2 else parts[0]), parts[-1]
    stem = PurePosixPath(parts[-1]).stem
    if listed is not None:
        for name in sorted(listed, key=len, reverse=True):
            if _key(stem).startswith(_key(name)):
                return name, parts[-1]
    before = re.split(r"[ _-]*(?<!\d)\d\d[_-][a-z]", stem, maxsplit=1, flags=re.IGNORECASE)[0]
    return _tidy(before), parts[-1]


def _known(name: str, listed: list[str] | None) -> str | None:
    return next((student for student in listed or [] if _key(student) == _key(name)), None)


def _key(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if c.isalnum())


def _tidy(name: str) -> str:
    """A name fit to be shown: one line, no control characters, not endless."""
    text = "".join(c for c in unicodedata.normalize("NFC", name) if c.isprintable())
    return text.strip(" _-")[:80]


def _plain(name: str) -> str:
    return re.sub(r"[^\w. ()-]", "_", name)[-80:] or "file.ipynb"


def _copy_number(path: Path) -> int:
    match = _COPY.search(path.stem)
    return int(next((group for group in match.groups() if group), 1)) if match else 0


def _which(path: Path, name: str, manifest: Manifest) -> tuple[str | None, str]:
    """(the exercise that a file is for, a note), by its name, else by its cells."""
    stem = _key(PurePosixPath(name).stem)
    for slug in manifest.exercises:
        if _key(slug) in stem:
            return slug, ""
    try:
        found, _ = read_cells(path)
    except UnreadableError as error:
        only = list(manifest.exercises)
        if len(only) == 1:
            return only[0], f"renamed to {PurePosixPath(name).name[:60]!r}"
        return None, f"no exercise's name, and it cannot be read: {error}"
    best = max(manifest.exercises.values(), key=lambda made: _shared(made, found), default=None)
    if best is not None and _shared(best, found):
        return best.slug, f"renamed to {PurePosixPath(name).name[:60]!r}; recognised by its cells"
    return None, "it belongs to no exercise"


def _shared(exercise: Exercise, found: list) -> int:
    ids = {name for cell in found for name in cell.ids}
    text = "\n".join(cell.source for cell in found)
    by_name = sum(any(re.search(rf"\b(?:def|class) {name}\b|^{name}\s*=", text, re.M) for name in cell.names)
                  for cell in exercise.cells if cell.kind == "answer")
    return 2 * sum(cell.id in ids for cell in exercise.cells if "-" in cell.id) + by_name
