"""The files of a folder or a zip, each opened one after the other; what is no log is named and left out."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator
from os import fspath
from pathlib import Path

from ..errors import LogError

MOST = 4 << 30       # bytes that a zip may unpack to: more is a bomb, or needs its files given one by one
LONGEST_FILE = 2 << 30  # bytes of one file
HEADS = (b"{", b"[", b'"')


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Whether the path is a folder or a zip, by its content."""
    try:
        return Path(path).is_dir() or zipfile.is_zipfile(path)
    except (OSError, ValueError):
        return False


def files(path: str | os.PathLike[str]) -> Iterator[tuple[str, bytes | LogError]]:
    """(name, content) of each file, sorted by name, or in place of the content why it cannot be read.

    Hidden files and folders are passed over; links out of a folder are not followed.  Raises LogError for a zip that
    cannot be opened at all, or that would unpack to more than MOST bytes.
    """
    return _folder(Path(path)) if Path(path).is_dir() else _zip(fspath(path))


def _folder(root: Path) -> Iterator[tuple[str, bytes | LogError]]:
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder) / name
            if name.startswith(".") or not path.is_file():
                continue
            try:
                if path.stat().st_size > LONGEST_FILE:
                    yield str(path), LogError(f"{path}: larger than {LONGEST_FILE >> 30} GB. Cut it into pieces.")
                else:
                    yield str(path), path.read_bytes()
            except OSError as error:
                yield str(path), LogError(f"{path}: cannot be read: {error.strerror or error}.")


def _zip(name: str) -> Iterator[tuple[str, bytes | LogError]]:
    try:
        with zipfile.ZipFile(name) as archive:
            members = sorted((member for member in archive.infolist() if not member.is_dir()),
                             key=lambda member: member.filename)
            size = sum(member.file_size for member in members)
            if size > MOST:
                raise LogError(f"{name}: would unpack to {size >> 30} GB. Unpack it, and give the files that are logs.")
            for member in members:
                inside = member.filename.encode("utf-8", "replace").decode()
                if any(part.startswith((".", "__MACOSX")) for part in inside.split("/")):
                    continue
                place = f"{name}/{inside}"
                try:
                    with archive.open(member) as file:
                        yield place, file.read(min(member.file_size, LONGEST_FILE) + 1)
                except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError,
                        NotImplementedError) as error:
                    yield place, LogError(f"{place}: cannot be unpacked: {error}. Unpack the archive by hand.")
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise LogError(f"{name}: this zip archive cannot be opened ({error}). Unpack it by hand, or export again.") \
            from error


def looks_like_text(raw: bytes) -> bool:
    """Whether the content could be JSON or JSON Lines: what comes first is a bracket, in UTF-8 or UTF-16."""
    head = raw[:200].removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    return head.replace(b"\0", b"").lstrip().startswith(HEADS)
