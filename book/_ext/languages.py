"""The book in other languages: what Sphinx's own translation leaves out.

Part captions, texts inside outputs, a note on pages that are still in English, links between the languages, and a
search that finds Chinese words.  Everything else is gettext: book/locales/LANGUAGE/LC_MESSAGES, one file a page.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from outputs import translated, translator, words_of
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.locale import _, init
from sphinx.search.zh import SearchChinese
from sphinx.transforms import SphinxTransform

NAMES = {"en": ("English", "EN"), "es": ("Español", "ES"), "zh_TW": ("中文", "中")}  # the second for a phone
FIXED = ("Toggle primary sidebar", "Toggle secondary sidebar", "Toggle hidden content", "Main", "Page")
HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")


class Rest(SphinxTransform):
    """Behind Sphinx's Locale and behind sphinx_external_toc, which inserts the captions only after it."""

    default_priority = 110

    def apply(self, **kwargs: Any) -> None:
        language, page = self.config.language, self.env.docname
        if language == "en" or self.app.builder.name == "gettext":
            return
        catalogue, translates = init(self.config.locale_dirs, language, page)
        self.document.settings.language_code = language if translates else "en"  # whose quotes SmartQuotes sets
        if not translates:
            self.in_english(language)
            return
        for tree in self.document.findall(addnodes.toctree):
            if tree.get("caption"):
                tree["caption"] = catalogue.gettext(tree["caption"])
        say = translator(words_of(language))
        for node in self.document.findall(nodes.raw):
            if "text_html" in node["classes"]:
                words = translated(node.astext(), say)
                node.clear()
                node += nodes.Text(words)

    def in_english(self, language: str) -> None:
        """English inside another language, and said to be: a reader and a screen reader both want to know."""
        for section in self.document.findall(nodes.section):
            own = language.replace("_", "-")
            note = nodes.note("", nodes.paragraph("", _("This page has not been translated yet: it is in English.")))
            section["said_in"], note["said_in"] = "en", own
            title = section[0]
            if (words := _(title.astext())) != title.astext():  # the side bar shows it, among translated ones
                title.clear()
                title += nodes.Text(words)
                title["said_in"] = own
            section.insert(1, note)
            return


class SearchPairs(SearchChinese):
    """Chinese has no spaces: a text's terms are all pairs of neighbouring characters, in both scripts, and Latin words.

    A query is cut in the same way (js_splitter_code), so a word is found wherever it stands.  No dictionary, which
    would know few traditional words.
    """

    js_splitter_code = """
var splitQuery = query => query.toLowerCase().split(/([\\u3400-\\u9fff\\uf900-\\ufaff]+)/u).flatMap((run, odd) =>
  odd % 2 === 0 ? run.split(/[^\\p{Letter}\\p{Number}_]+/gu).filter(Boolean)
    : run.length === 1 ? [run] : Array.from({length: run.length - 1}, (_, at) => run.substr(at, 2)));
"""

    def split(self, input: str) -> list[str]:
        runs = HAN.findall(input)
        both = [*runs, *map(simplified().convert, runs)]
        return super().split(input) + [run[at:at + 2] for run in both for at in range(len(run) - 1)]


@cache
def simplified() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


def link_languages(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """English lies at the top, every other language in a folder of its own; links are relative, as file:// needs."""
    built, own = app.config.memory_lab_languages, app.config.language
    top = "../" * (pagename.count("/") + (own != "en"))
    context["languages"] = [
        {"names": NAMES[each], "lang": each.replace("_", "-"), "own": each == own,
         "url": f"{top}{'' if each == 'en' else each + '/'}{pagename}.html"} for each in built]


def translate_theme(app: Sphinx, exception: Exception | None) -> None:
    """A few words of the theme's and of myst-nb's pages are written into them, out of gettext's reach."""
    if exception or app.config.language == "en" or app.builder.name != "html":
        return
    said = re.compile(f'((?:title|aria-label)=")({"|".join(FIXED)})"')
    for path in Path(app.outdir).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        path.write_text(said.sub(lambda found: f'{found[1]}{_(found[2])}"', text), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("memory_lab_languages", [], "html")
    app.add_transform(Rest)
    app.add_search_language(SearchPairs)
    app.connect("html-page-context", link_languages)
    app.connect("build-finished", translate_theme)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
