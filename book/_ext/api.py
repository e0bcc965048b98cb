"""The reference, made from the docstrings whenever the book is built, and a page for each source file.

`{api} memory_lab.summary` on a page of book/api shows a module's public names; `{module}`memory_lab/summary.py`` in a
chapter links to that entry and to the source.  Nothing is imported: what a page says stands in the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any

from docstrings import Entry, entries, module_file, module_text
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.nodes import make_refnode

BOOK = Path(__file__).resolve().parents[2]
ROOT = Path(find_spec("memory_lab").origin).parents[1]  # a copy of the book may lie apart from the package
SOURCES = "_modules"
_API = re.compile(r"^`{3,}\{api\} ([\w.]+)$", re.M)


@cache
def pages(root: Path = BOOK) -> dict[str, str]:
    """The page of each module of the reference, in reading order."""
    return {module: f"book/api/{path.stem}" for path in sorted((root / "book/api").glob("*.md"))
            for module in _API.findall(path.read_text(encoding="utf-8"))}


@cache
def chapters(root: Path = BOOK) -> dict[int, str]:
    """The page of each chapter that is written."""
    return {int(path.name[:2]): f"book/{path.stem}" for path in (root / "book/_src").glob("[0-9][0-9]_*.md")}


def numbers(text: str) -> list[int]:
    """The chapters that a docstring names: "Chapter 4.", "chapters 4 to 6".

    >>> numbers("... to learn with.  Chapters 4 to 6, and chapter 9.")
    [4, 5, 6, 9]
    """
    found: list[int] = []
    for first, last in re.findall(r"[Cc]hapters?\s+(\d+)(?:\s+to\s+(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    return sorted(set(found))


class Api(SphinxDirective):
    """`{api} module`: what its docstring says, then an entry for each public name."""

    required_arguments = 1
    option_spec = {"chapter": int}  # noqa: RUF012  (where the docstring names none)

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        file = module_file(ROOT, name)
        for path in sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]:
            self.env.note_dependency(str(path))
        doc = module_text(file)
        section = nodes.section(ids=[nodes.make_id(name)], names=[name])
        shown = name.replace(".", "/") + ("/" if file.name == "__init__.py" else ".py")
        section += nodes.title("", "", nodes.literal(shown, shown))
        taught = numbers(doc) or [self.options.get("chapter", 0)]
        section += blocks(re.sub(r"\s*(?:Source: .*?)?[Cc]hapters? \d+(?: to \d+)?\.(?=\s|$)", "", doc))
        section += self.links(taught, file, 1)
        for entry in entries(ROOT, name):
            section += self.entry(name, entry, taught)
        return [section]

    def entry(self, module: str, entry: Entry, taught: list[int]) -> nodes.section:
        section = nodes.section(ids=[nodes.make_id(f"{module}.{entry.name}")])
        section += nodes.title("", "", nodes.literal(entry.name, entry.name))
        section += code(entry.signature)
        section += blocks(entry.text)
        for method in entry.methods:
            item = nodes.definition_list_item(
                "", nodes.term("", "", nodes.literal(method.signature, method.signature)),
                nodes.definition("", *blocks(method.text)))
            section += nodes.definition_list("", item, classes=["api-methods"])
        section += self.links(numbers(entry.text) or taught, entry.file, entry.line)
        return section

    def links(self, taught: list[int], file: Path, line: int) -> nodes.paragraph:
        paragraph = nodes.paragraph(classes=["api-links"])
        for number in taught:
            if (page := chapters().get(number)) in self.env.found_docs:
                paragraph += [doc_link(self.env, page, f"Chapter {number}"), nodes.Text(" · ")]
        paragraph += source_link(self.env, file, f"source, line {line}" if line > 1 else "source", line)
        return paragraph


def blocks(text: str) -> list[nodes.Node]:
    """A docstring as paragraphs, examples, and what is indented as it stands."""
    found: list[nodes.Node] = []
    for block in re.split(r"\n[ ]*\n", text.strip("\n")):
        if block.lstrip().startswith(">>>") or (found and block and found[-1].get("language") == "pycon"
                                                and not block[0].isupper()):
            found.append(code(block, "pycon"))
        elif block.startswith(" "):
            found.append(nodes.literal_block(block, dedent(block.rstrip()), language="text"))
        elif block.strip():
            paragraph = nodes.paragraph()
            for place, piece in enumerate(re.split(r"`([^`\n]+)`", " ".join(block.split()))):
                paragraph += nodes.literal(piece, piece) if place % 2 else nodes.Text(piece)
            found.append(paragraph)
    return found


def code(text: str, language: str = "python") -> nodes.literal_block:
    block = nodes.literal_block(text, text, language=language)
    block["force"] = True
    return block


def doc_link(env: Any, page: str, words: str) -> pending_xref:
    return pending_xref("", nodes.inline(words, words), refdomain="std", reftype="doc", refexplicit=True,
                        reftarget=f"/{page}", refdoc=env.docname, refwarn=True)


def source_page(file: Path) -> str:
    return f"{SOURCES}/{file.relative_to(ROOT).with_suffix('').as_posix()}"


def source_link(env: Any, file: Path, words: str, line: int = 1) -> nodes.Node:
    """A link to a line of the page that shows a source file; plain words where the book is no set of HTML pages."""
    builder = env.app.builder
    if builder.name not in ("html", "dirhtml"):
        return nodes.Text(file.relative_to(ROOT).as_posix())
    uri = builder.get_relative_uri(env.docname, source_page(file))
    return nodes.reference("", "", nodes.inline(words, words), internal=True, refuri=f"{uri}#line-{line}")


class Module(SphinxRole):
    """`{module}`memory_lab/summary.py``: a file of the package, with links to its entry and its source."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        module = self.text.removesuffix("/").removesuffix(".py").replace("/", ".")
        link = pending_xref("", nodes.literal(self.text, self.text), refdomain="", reftype="api", refexplicit=True,
                            reftarget=module, refdoc=self.env.docname, refwarn=True)
        source = source_link(self.env, module_file(ROOT, module), _("source"))
        return [link, nodes.Text(" ("), source, nodes.Text(")")] if isinstance(source, nodes.reference) else [link], []


def resolve(app: Sphinx, env: Any, node: pending_xref, child: nodes.Element) -> nodes.reference | None:
    """The entry that a {module} role names."""
    if node.get("reftype") != "api" or node["reftarget"] not in pages():
        return None
    target = node["reftarget"]
    return make_refnode(app.builder, node["refdoc"], pages()[target], nodes.make_id(target), child)


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each file of the modules in the reference."""
    if app.builder.name not in ("html", "dirhtml"):
        return
    for file, module in sorted({path: name for name in pages() for path in files(name)}.items()):
        shown = file.relative_to(ROOT).as_posix()
        entry = f"{app.builder.get_relative_uri(source_page(file), pages()[module])}#{nodes.make_id(module)}"
        body = app.builder.highlighter.highlight_block(file.read_text(encoding="utf-8"), "python", linespans="line")
        yield source_page(file), {
            "title": shown, "body": f'<h1>{shown}</h1>\n<p><a href="{entry}">{module}</a></p>\n{body}'}, "page.html"


def files(module: str) -> list[Path]:
    file = module_file(ROOT, module)
    return sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]


def setup(app: Sphinx) -> None:
    app.add_directive("api", Api)
    app.add_role("module", Module())
    app.connect("missing-reference", resolve)
    app.connect("html-collect-pages", source_pages)
