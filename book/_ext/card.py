"""The card at the end of a chapter: its exercise, with points and minutes as the stored exercise has them."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def facts(about: dict) -> str:
    """The line of numbers of an exercise, from its metadata."""
    parts = counted(len(about["parts"]), "part")
    return f"{counted(about['points'], 'point')} in {parts}, about {about['minutes']} minutes, {about['difficulty']}."


def card(stem: str, about: dict, words: str, *, solution: bool) -> str:
    """The card as Markdown.  stem: of chapter, exercise and solution alike."""
    page = f"exercises/{stem}.ipynb"
    links = [f"[Read it here](/{page})", f"{{download}}`download the notebook </{page}>`"]
    if solution:
        links.append(f"[the solution](/solutions/{stem}.ipynb)")
    title = f"**Exercise {about['number']}: {about['title']}**"
    return "\n\n".join([title, facts(about), words, ", ".join(links) + "."])


class ExerciseCard(SphinxDirective):
    """`{exercise-card}`: what the chapter's exercise asks for, in the author's words; the rest is read from it.

    All of it is parsed as Markdown, so that a translation finds its sentences.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        root, stem = Path(self.env.srcdir), self.env.docname.rpartition("/")[2]
        path = root / f"exercises/{stem}.ipynb"
        if not path.exists():
            raise self.error(f"exercise-card: there is no {path.relative_to(root)}")
        self.env.note_dependency(str(path))
        about = json.loads(path.read_text(encoding="utf-8"))["metadata"]["memory_lab"]
        text = card(stem, about, "\n".join(self.content), solution=f"solutions/{stem}" in self.env.found_docs)
        box = nodes.container(classes=["exercise-card"])
        self.state.nested_parse(StringList(text.splitlines(), self.env.docname), self.content_offset, box)
        return [box]
