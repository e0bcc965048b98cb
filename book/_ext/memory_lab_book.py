"""What Jupyter Book needs so that no page asks another host for anything, and the ladder on the cover."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from points import Points
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Ladder(SphinxDirective):
    """The chapters as a numbered list; what is written already is linked.

    One chapter a line: `slug | title | what the reader learns`. The number is the line's place; book/NN_slug,
    exercises/NN_slug and solutions/NN_slug are the pages. Nothing here has to change when a chapter arrives.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        ladder = nodes.bullet_list(classes=["ladder"])
        for number, line in enumerate(filter(str.strip, self.content), start=1):
            parts = [part.strip() for part in line.split("|")]
            if len(parts) != 3:
                raise self.error(f"ladder: expected 'slug | title | what is learned', got {line!r}")
            slug, title, learned = parts
            ladder += self.rung(f"{number:02d}_{slug}", title, learned)
        return [ladder]

    def rung(self, stem: str, title: str, learned: str) -> nodes.list_item:
        item = nodes.list_item()
        head = nodes.paragraph(classes=["rung-title"])
        head += self.link(f"book/{stem}", title) or nodes.inline(title, title, classes=["unwritten"])
        pages = [self.link(f"{folder}/{stem}", word)
                 for folder, word in (("exercises", "exercise"), ("solutions", "solution"))]
        for page in filter(None, pages):
            head += [nodes.Text(" "), nodes.inline("", "", page, classes=["rung-page"])]
        item += [head, nodes.paragraph(learned, learned)]
        return item

    def link(self, docname: str, text: str) -> pending_xref | None:
        if docname not in self.env.found_docs:
            return None
        return pending_xref("", nodes.inline(text, text), refdomain="std", reftype="doc", refexplicit=True,
                            reftarget=f"/{docname}", refdoc=self.env.docname, refwarn=True)


def drop_thebe(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    # Jupyter Book always loads sphinx-thebe, which names unpkg.com and declares one constant twice: an error a page.
    context["script_files"] = [
        script for script in context.get("script_files") or []
        if "THEBE_JS_URL" not in (getattr(script, "attributes", None) or {}).get("body", "")
        and "sphinx-thebe" not in str(getattr(script, "filename", script))
    ]


def share_html_handlers(app: Sphinx) -> None:
    # sphinx-exercise registers its handlers for the builder called singlehtml, which hides everybody's html handlers.
    handlers = app.registry.translation_handlers
    if "singlehtml" in handlers:
        handlers["singlehtml"] = {**handlers.get("html", {}), **handlers["singlehtml"]}


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("ladder", Ladder)
    app.add_directive("points", Points)
    app.connect("builder-inited", share_html_handlers)
    app.connect("html-page-context", drop_thebe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
