"""What Jupyter Book needs so that no page asks another host for anything, and the directives of this book."""

from __future__ import annotations

import re
from typing import Any

import api
import light
from card import ExerciseCard
from docutils import nodes
from docutils.statemachine import StringList
from points import Points
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Ladder(SphinxDirective):
    """The chapters as a numbered list; what is written already is linked.

    One chapter a line: `slug | title | what the reader learns`. The number is the line's place; book/NN_slug,
    exercises/NN_slug and solutions/NN_slug are the pages. Nothing here has to change when a chapter arrives.
    All of it is parsed as Markdown, so that a translation finds its sentences.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        ladder = nodes.bullet_list(classes=["ladder"])
        for number, line in enumerate(filter(str.strip, self.content), start=1):
            parts = [part.strip() for part in line.split("|")]
            if len(parts) != 3:
                raise self.error(f"ladder: expected 'slug | title | what is learned', got {line!r}")
            slug, title, learned = parts
            item = nodes.list_item()
            text = [self.head(f"{number:02d}_{slug}", title), "", learned]
            self.state.nested_parse(StringList(text, self.env.docname), self.content_offset, item)
            item[0]["classes"].append("rung-title")
            ladder += item
        return [ladder]

    def head(self, stem: str, title: str) -> str:
        pages = [(f"book/{stem}", title), (f"exercises/{stem}", "exercise"), (f"solutions/{stem}", "solution")]
        links = [f"[{word}](/{page}.ipynb)" for page, word in pages if page in self.env.found_docs]
        return " ".join(links) if pages[0][0] in self.env.found_docs else " ".join([title, *links])


def mend_roles(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    # Docutils gives a work in the bibliography a role that ARIA has withdrawn, and a folded cell's toggle is named by
    # other words than those that it shows.
    if "body" in context:
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"').replace(
            '<summary aria-label="Toggle hidden content">', "<summary>")
    context["named"] = named


def named(page: str) -> str:
    """The page with names where the theme has none: a side bar's arrow, and a button that says more than its label.

    >>> named('<summary><span class="toctree-toggle">')
    '<summary aria-label="Toggle hidden content"><span class="toctree-toggle">'
    """
    page = page.replace('<summary><span class="toctree-toggle"',
                        '<summary aria-label="Toggle hidden content"><span class="toctree-toggle"')
    return re.sub(r'(<button class="btn search-button-field[^>]*?) aria-label="[^"]*"', r"\1", page)


def share_html_handlers(app: Sphinx) -> None:
    # sphinx-exercise registers its handlers for the builder called singlehtml, which hides everybody's html handlers.
    handlers = app.registry.translation_handlers
    if "singlehtml" in handlers:
        handlers["singlehtml"] = {**handlers.get("html", {}), **handlers["singlehtml"]}


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("ladder", Ladder)
    app.add_directive("points", Points)
    app.add_directive("exercise-card", ExerciseCard)
    api.setup(app)
    light.setup(app)
    app.connect("builder-inited", share_html_handlers)
    app.connect("html-page-context", mend_roles)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
