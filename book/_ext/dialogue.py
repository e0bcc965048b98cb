"""A conversation in tabs, one a language, so that a reader of any of them can follow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx_design.shared import create_component

from memory_lab.conversations import Conversation, load

FILE = Path(__file__).resolve().parents[1] / "dialogues.yml"
LANGUAGES = {"en": "English", "zh-Hant": "繁體中文", "zh-Hans": "简体中文", "es": "Español"}
BOOK = {"zh_TW": "zh-Hant"}  # the tab that is open in a book of that language, where the two have different names


def dialogues() -> dict[str, dict[str, Any]]:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def speakers(entry: dict[str, Any], places: list[int]) -> list[str]:
    """Who says each message: the name in it, or its role."""
    if "roles" in entry:
        return [entry["roles"][place] for place in places]
    messages = load(entry["en"]).messages
    return [messages[place].get("name", messages[place]["role"]) for place in places]


def lines(entry: dict[str, Any], language: str, places: list[int]) -> list[str]:
    """The messages' words.  A name in place of a translation is that of a shipped conversation in the language."""
    said = entry[language]
    return [load(said).messages[place]["content"] if isinstance(said, str) else said[place] for place in places]


def questions(entry: dict[str, Any], language: str) -> list[str]:
    talk: Conversation = load(entry[language])
    return [probe.question for probe in talk.probes if probe.answerable]


class Dialogue(SphinxDirective):
    """`{dialogue} kyoto` with `:messages: 0 2 4`, and `:probes:` where the questions should stand below.

    The names are those in book/dialogues.yml.  Nothing in it is translated with the page: all languages are there.
    """

    required_arguments = 1
    option_spec = {"messages": directives.unchanged_required, "probes": directives.flag}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(FILE))
        entry = dialogues()[self.arguments[0]]
        places = [int(place) for place in self.options["messages"].split()]
        open_tab = BOOK.get(self.config.language, self.config.language)
        tabs = create_component("tab-set", classes=["sd-tab-set", "dialogue"])
        for language, name in LANGUAGES.items():
            label = nodes.rubric(name, "", nodes.Text(name), sync_id=language, sync_group="language", said_in=language,
                                 translatable=False, classes=["sd-tab-label"])
            content = create_component("tab-content", classes=["sd-tab-content"], said_in=language)
            content += self.talk(entry, language, places)
            tabs += create_component("tab-item", children=[label, content], classes=["sd-tab-item"],
                                     selected=language == open_tab)
        return [tabs]

    def talk(self, entry: dict[str, Any], language: str, places: list[int]) -> list[nodes.Node]:
        made: list[nodes.Node] = []
        said = zip(places, speakers(entry, places), lines(entry, language, places), strict=True)
        for number, (place, speaker, words) in enumerate(said):
            if number and place != places[number - 1] + 1:
                made.append(self.paragraph(nodes.Text("⋯"), css="gap"))
            shown = nodes.literal("", words[1:-1]) if words.startswith("`") else nodes.Text(words)
            made.append(self.paragraph(nodes.strong("", speaker), nodes.Text(" "), shown))
        if "probes" in self.options:
            made += [self.paragraph(nodes.strong("", "probe"), nodes.Text(" "), nodes.Text(question))
                     for question in questions(entry, language)]
        return made

    def paragraph(self, *content: nodes.Node, css: str = "said") -> nodes.paragraph:
        return nodes.paragraph("", "", *content, classes=[css], translatable=False)


class SaidIn(SphinxTransform):
    """lang="..." in the page. Behind SmartQuotes, which warns of a language whose quotes it does not know."""

    default_priority = 870

    def apply(self, **kwargs: Any) -> None:
        for node in self.document.findall(lambda node: isinstance(node, nodes.Element) and "said_in" in node):
            node["classes"].append(f"language-{node['said_in']}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("dialogue", Dialogue)
    app.add_transform(SaidIn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
