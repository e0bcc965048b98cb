"""Writes a class of 30 to practise grading on: python tools/make_class.py OUT

    OUT/submissions/    what came in: folders, flat files, zips, in all the forms of a real class
    OUT/roster.csv      the students
    OUT/expected.csv    student,exercise,points,status: what each was made to earn, written by hand below

Then: make grade SUBMISSIONS=OUT/submissions OUT=grades ARGS="--roster OUT/roster.csv --exercise 1 --exercise 2"
"""

from __future__ import annotations

import csv
import io
import json
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from class_answers import ANSWERS

ROOT = Path(__file__).resolve().parents[1]
ONE, TWO = ANSWERS
NOTHING = (0, "not submitted")


@dataclass
class Student:
    """files: path in the folder -> content. one, two: (points, status) in exercises 1 and 2. why: what they did."""

    name: str
    why: str
    files: dict[str, bytes]
    one: tuple[int, str]
    two: tuple[int, str]


def work(slug: str, letters: str, edit: Callable[[dict[str, Any]], Any] | None = None) -> bytes:
    """A notebook. letters: one a part, keys of class_answers; n: not attempted; p: the published solution."""
    body = json.loads((ROOT / "exercises" / f"{slug}.ipynb").read_text(encoding="utf-8"))
    solved = json.loads((ROOT / "solutions" / f"{slug}.ipynb").read_text(encoding="utf-8"))
    public = {cell["id"]: "".join(cell["source"]) for cell in solved["cells"]}
    answers = [cell for cell in body["cells"] if cell["metadata"].get("memory_lab", {}).get("kind") == "answer"]
    for cell, letter, known in zip(answers, letters, ANSWERS[slug], strict=True):
        if letter == "p":
            lines = public[cell["id"]].split("\n")
            cell["source"] = "\n".join(line for line in lines if line.strip()[:4] != "### ")
        elif letter != "n":
            cell["source"] = known[letter].strip()
    if edit is not None:
        edit(body)
    return json.dumps(body, ensure_ascii=False, indent=1).encode()


def code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "id": "extra", "metadata": {}, "source": source,
            "outputs": [], "execution_count": None}


def ahead(source: str) -> Callable[[dict[str, Any]], Any]:
    """A cell of the student's own, before all others."""
    return lambda body: body["cells"].insert(0, code(source))


def colab(body: dict[str, Any]) -> None:
    body["metadata"]["colab"] = {"provenance": []}
    for number, cell in enumerate(body["cells"]):
        cell.update(id=f"aB{number}_x", metadata={"id": f"aB{number}_x"})


def no_checks(body: dict[str, Any]) -> None:
    body["cells"] = [cell for cell in body["cells"] if not cell["id"].endswith("a")]


def points_rewritten(body: dict[str, Any]) -> None:
    for cell in body["cells"]:
        about = cell["metadata"].get("memory_lab", {})
        if about.get("kind") == "check":
            about["points"], cell["source"] = 100, "True"


def zipped(**files: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.ipynb", content)
    return held.getvalue()


def both(name: str, why: str, one: str, two: str, first: int, second: int, **more: Any) -> Student:
    """A student with a folder of their own and a notebook for each exercise."""
    return Student(name, why, {f"{name}/{ONE}.ipynb": work(ONE, one, **more), f"{name}/{TWO}.ipynb": work(TWO, two)},
                   (first, "graded"), (second, "graded"))


def drop_asserts() -> str:
    return ("import ast\nclass Calm(ast.NodeTransformer):\n    def visit_Assert(self, node):\n"
            "        return ast.Pass()\nget_ipython().ast_transformers.append(Calm())")


def students() -> list[Student]:
    """The class. Points by part: exercise 1 has 2, 2, 3, 3; exercise 2 has 3, 3, 3, 2, 3."""
    full, all_of_two = (10, "graded"), (14, "graded")
    right, right_two = work(ONE, "rrrr"), work(TWO, "rrrrr")
    moodle, canvas = "O'Brien, Mary_40321_assignsubmission_file_", "leeann"
    return [
        # right, in every wrapping
        both("Ana Costa", "all right", "rrrr", "rrrrr", 10, 14),
        both("Łukasz Żak", "all right, part 2 built on part 1", "rhrr", "rrrrr", 10, 14),
        Student("O'Brien, Mary", "Moodle's folder", {
            f"{moodle}/{ONE}.ipynb": right, f"{moodle}/{TWO}.ipynb": right_two}, full, all_of_two),
        Student(canvas, "Canvas's names, one of them late", {
            f"{canvas}_LATE_123_456_{ONE}-1.ipynb": right, f"{canvas}_123_457_{TWO}.ipynb": right_two},
            full, all_of_two),
        Student("Chen Wei", "a zip", {"Chen Wei/work.zip": zipped(**{ONE: right, TWO: right_two})}, full, all_of_two),
        Student("Fatima Haddad", "flat files", {f"Fatima Haddad_{ONE}.ipynb": right, f"Fatima Haddad_{TWO}.ipynb":
                right_two}, full, all_of_two),
        Student("Ravi Iyer", "two files, the second try counts", {
            f"Ravi Iyer/{ONE}.ipynb": work(ONE, "wwww"), f"Ravi Iyer/{ONE} (1).ipynb": right,
            f"Ravi Iyer/{TWO}.ipynb": right_two}, full, all_of_two),
        Student("Sofia Rossi", "Colab took the ids; a name of her own", {
            "Sofia Rossi/Homework final.ipynb": work(ONE, "rrrr", colab), f"Sofia Rossi/{TWO}.ipynb": right_two},
            full, all_of_two),
        Student("Tom Byte", "saved as UTF-16 and with a byte order mark", {
            f"Tom Byte/{ONE}.ipynb": right.decode().encode("utf-16"),
            f"Tom Byte/{TWO}.ipynb": b"\xef\xbb\xbf" + right_two}, full, all_of_two),
        both("Nora Lind", "right, prints a lot", "rrrr", "rrrrr", 10, 14,
             edit=ahead("for n in range(3000):\n    print('debug', n)")),
        # half right
        Student("Ben Half", "the first exercise, half of it", {f"Ben Half/{ONE}.ipynb": work(ONE, "rrnn")},
                (4, "graded"), NOTHING),
        both("Ida Zero", "a limit of 0 keeps everything: seen and unseen checks ask for it", "zrrr", "rrrrr", 8, 14),
        both("Jon Early", "a step too early; counts a reply too soon", "rrrw", "rrwrr", 7, 11),
        both("Kim Naive", "the counter unrepaired, rounding part by part", "wrrr", "wrrwr", 8, 9),
        both("Leo Always", "counts always, clips always", "rwrr", "rwrrw", 8, 8),
        both("Maya Colon", "a syntax error in part 1; the rest stands alone", "srrr", "nrrrn", 8, 8),
        both("Omar Pandas", "imports what is not there", "rmrr", "rrrrr", 8, 14),
        Student("Pia Second", "the second exercise alone", {f"Pia Second/{TWO}.ipynb": work(TWO, "rrnnn")},
                NOTHING, (6, "graded")),
        # wrong
        both("Quinn Wrong", "all wrong", "wwww", "wwwww", 0, 0),
        both("Rosa Blank", "handed in as it was given out", "nnnn", "nnnnn", 0, 0),
        Student("Sam Absent", "nothing", {}, NOTHING, NOTHING),
        # cheating
        both("Tess Copy", "the published solutions", "pppp", "ppppp", 10, 14),
        both("Uma Calm", "takes the asserts out of later cells", "wwww", "rrrrr", 0, 14, edit=ahead(drop_asserts())),
        both("Vic Constant", "constants for the visible check", "cnnn", "nnnnn", 0, 0),
        both("Wes Equal", "a list that equals everything", "ennn", "nnnnn", 0, 0),
        both("Xan Import", "imports the module with the answer", "innn", "nnnnn", 0, 0),
        both("Yan Points", "checks emptied and worth 100; two parts are honest", "wwrr", "rrrrr", 6, 14,
             edit=points_rewritten),
        Student("=SUM(A1:A9)", "a formula for a name, no checks in the file", {
            f"=SUM(A1:A9)/{ONE}.ipynb": work(ONE, "rrrr", no_checks)}, full, NOTHING),
        # broken
        Student("Zed Loop", "runs for ever in part 1; a web page for a notebook", {
            f"Zed Loop/{ONE}.ipynb": work(ONE, "lrrr"),
            f"Zed Loop/{TWO}.ipynb": b"<!DOCTYPE html><html><body>Sign in</body></html>"},
            (8, "timed out"), (0, "unreadable")),
        Student("Åsa Exit", "ends its own process; a file cut off", {
            f"Åsa Exit/{ONE}.ipynb": work(ONE, "rrrr", lambda body: body["cells"].insert(
                len(body["cells"]), code("import os\nos._exit(0)"))), f"Åsa Exit/{TWO}.ipynb": right_two[:3000]},
            (10, "killed"), (0, "unreadable")),
    ]


def write(out: Path) -> None:
    """Nothing; the folder, new. Raises FileExistsError rather than mix two classes."""
    made = students()
    (out / "submissions").mkdir(parents=True)
    for student in made:
        for name, content in student.files.items():
            path = out / "submissions" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    with (out / "roster.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["student"], *([student.name] for student in made)])
    with (out / "expected.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [[student.name, slug, *due, student.why] for student in made
                for slug, due in ((ONE, student.one), (TWO, student.two))]
        csv.writer(file).writerows([["student", "exercise", "points", "status", "why"], *rows])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tools/make_class.py OUT")
    try:
        write(Path(sys.argv[1]))
    except FileExistsError as error:
        raise SystemExit(f"{error.filename} is there already; name a new folder") from error
