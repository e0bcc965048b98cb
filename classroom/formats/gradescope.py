"""Gradescope: results.json for each graded student, and autograder.zip for grading there.

autograder.zip holds the two packages, the manifest and two scripts. `run_autograder` first writes a valid results.json
that says that nothing was graded, and replaces it when there is something better: a crash, a full disk or a time limit
leaves a file that Gradescope can read. Students see visible checks at once, hidden ones by name only. The packages are
installed in place: only there can the sandbox leave a withheld module out.

    python -m classroom.formats.gradescope /autograder      (inside Gradescope's container)
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from classroom import manifest
from classroom.feedback import parts
from classroom.formats import by_student
from classroom.manifest import Manifest
from classroom.results import file_name
from classroom.results import write as keep

_WHEN = (1980, 1, 1, 0, 0, 0)
_SETUP = """#!/usr/bin/env bash
set -e
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy bubblewrap util-linux python3 python3-venv
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  apt-get install -qy python3.11 python3.11-venv
  python=python3.11
fi
$python -m venv /opt/classroom
/opt/classroom/bin/pip install --quiet -e /autograder/source/course -r /autograder/source/requirements.txt
chmod -R go-rwx /autograder/source
"""
_RUN = """#!/usr/bin/env bash
mkdir -p /autograder/results
cat > /autograder/results/results.json <<'END'
{"score": 0, "tests": [], "output": "The grader did not come to an end. It is not your fault; tell your teacher."}
END
cd /autograder/source && /opt/classroom/bin/python -m classroom.formats.gradescope /autograder
exit 0
"""


def write(out: Path, course: Manifest, rows: list[dict[str, Any]], roster: Path | None = None) -> list[Path]:
    """The files written: OUT/gradescope/autograder.zip and a results.json per student."""
    folder, written = out / "gradescope", []
    for student, own in by_student(rows).items():
        path = folder / f"{file_name(student)}.results.json"
        keep(path, json.dumps(results(course, list(own.values())), ensure_ascii=False, indent=1) + "\n")
        written.append(path)
    autograder(folder / "autograder.zip", course)
    return [folder / "autograder.zip", *written]


def results(course: Manifest, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One student's rows as Gradescope's results.json: a test per part, the file's fate on top. Notes stay out."""
    tests, said = [], []
    for row in rows:
        if row["status"] != "graded":
            said.append(f"{row['exercise']}: {row['status']}" + (f": {row['reason']}" if row["reason"] else ""))
        for part in parts(row, course.exercises[row["exercise"]]):
            wrong = [f"{name}: {text}" for name, passed, text in part["lines"] if not passed]
            tests.append({"name": part["title"], "number": f"{row['exercise'][:2]}.{len(tests) + 1}",
                          "score": part["points"], "max_score": part["max_points"], "visibility": "visible",
                          "status": "failed" if wrong else "passed", "output": _sendable("\n".join(wrong)[:2000])})
    return {"score": sum(row["points"] for row in rows), "visibility": "visible", "stdout_visibility": "hidden",
            "execution_time": round(sum(row["seconds"] for row in rows)), "tests": tests,
            "output": _sendable("\n".join(said)[:2000])}


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def autograder(path: Path, course: Manifest) -> None:
    """Nothing; the zip to upload to a programming assignment. It holds the solutions: it is the teacher's alone."""
    root = Path(__file__).parent.parent.parent
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        manifest.save(course, Path(scratch) / "manifest.json")
        texts = {"manifest.json": (Path(scratch) / "manifest.json").read_bytes(), "setup.sh": _SETUP.encode(),
                 "run_autograder": _RUN.encode()}
        for name in ("requirements.txt", "constraints.txt"):
            if (root / name).is_file():
                texts[name] = (root / name).read_bytes()
        for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-text"):
            if (root / name).is_file():
                texts[f"course/{name}"] = (root / name).read_bytes()
        for package in ("memory_lab", "classroom"):
            for file in sorted((root / package).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    texts[f"course/{file.relative_to(root).as_posix()}"] = file.read_bytes()
        data = Path(course.data) if course.data else None
        for file in sorted(data.rglob("*")) if data else []:
            inner = file.relative_to(data).as_posix()
            if file.is_file() and file.suffix != ".ipynb" and not inner.startswith(".") and "/." not in inner:
                texts[f"exercises/{inner}"] = file.read_bytes()
        for name, text in sorted(texts.items()):
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name in ("setup.sh", "run_autograder") else 0o644) << 16
            archive.writestr(entry, text)
    path.chmod(0o600)


def main(words: list[str]) -> int:
    """Grade what Gradescope put into BASE/submission; BASE/results/results.json is valid whatever happens. Always 0."""
    from classroom.grade import Settings, grade

    base = Path(words[0] if words else "/autograder")
    target = base / "results" / "results.json"
    keep(target, json.dumps(_failed("the grader did not come to an end")))
    try:
        course = manifest.read(base / "source" / "manifest.json")
        with tempfile.TemporaryDirectory(prefix="gradescope-") as scratch:
            handed = Path(scratch) / "class" / "student"
            shutil.copytree(base / "submission", handed, symlinks=True)
            rows = grade(handed.parent, Path(scratch) / "out", course, Settings(jobs=1, quiet=True), ["student"])
        keep(target, json.dumps(results(course, rows), indent=1) + "\n")
    except BaseException as error:  # whatever it was, Gradescope needs a file that it can read
        keep(target, json.dumps(_failed(type(error).__name__)))
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return 0


def _failed(why: str) -> dict[str, Any]:
    return {"score": 0, "visibility": "visible", "stdout_visibility": "hidden", "tests": [],
            "output": f"This could not be graded ({why}). It is not your fault; tell your teacher."}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
