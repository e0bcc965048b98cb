"""The table of exercises on the teacher's page, read from the exercises themselves whenever the book is built."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

HEAD = ("", "exercise", "parts", "points", "minutes", "difficulty")


def exercises(root: Path) -> dict[Path, dict]:
    """What each stored exercise says of itself, in the order of the chapters."""
    found = {path: json.loads(path.read_text(encoding="utf-8"))["metadata"]["memory_lab"]
             for path in (root / "exercises").glob("[0-9]*.ipynb")}
    return dict(sorted(found.items(), key=lambda item: item[1]["number"]))


def rows(root: Path) -> list[tuple[str, ...]]:
    """The table's cells as text: a row per exercise, then the sums."""
    made = list(exercises(root).values())
    lines = [(str(one["number"]), one["title"], " + ".join(str(part["points"]) for part in one["parts"]),
              str(one["points"]), str(one["minutes"]), one["difficulty"]) for one in made]
    return [*lines, ("", "in all", str(sum(len(one["parts"]) for one in made)) + " parts",
                     str(sum(one["points"] for one in made)), str(sum(one["minutes"] for one in made)), "")]


class Points(SphinxDirective):
    """`{points}`: a row per exercise, its title a link; the points of its parts, and their sum."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        paths = list(exercises(root))
        for path in paths:
            self.env.note_dependency(str(path))
        table, group, body = nodes.table(classes=["points"]), nodes.tgroup(cols=len(HEAD)), nodes.tbody()
        group += [nodes.colspec(colwidth=width) for width in (1, 6, 3, 2, 2, 2)]
        group += nodes.thead("", self.row(HEAD))
        for number, cells in enumerate(rows(root)):
            body += self.row(cells, paths[number] if number < len(paths) else None)
        group += body
        table += group
        return [table]

    def row(self, cells: tuple[str, ...], page: Path | None = None) -> nodes.row:
        row = nodes.row()
        for number, cell in enumerate(cells):
            shown: nodes.Node = nodes.Text(cell)
            name = f"exercises/{page.stem}" if page else ""
            if number == 1 and name in self.env.found_docs:
                shown = pending_xref("", nodes.inline(cell, cell), refdomain="std", reftype="doc", refexplicit=True,
                                     reftarget=f"/{name}", refdoc=self.env.docname, refwarn=True)
            row += nodes.entry("", nodes.paragraph("", "", shown))
        return row
