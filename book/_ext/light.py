"""What a page of the book does without: the theme's script of all icons (1.5 MB), most of its icon font, MathJax where
there is no formula.

The icons that the book shows come from a font of those glyphs alone, cut from the theme's own; book/_static/custom.css
names it behind the theme's, so a glyph that is missing from it is still found, in the whole font.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pydata_sphinx_theme
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
FONT = "vendor/fontawesome/webfonts/fa-solid-900.ttf"
BUTTONS = ("magnifying-glass", "bars", "download", "file", "file-pdf", "sun", "moon", "circle-half-stroke", "list",
           "arrow-up", "angle-left", "angle-right", "angle-down", "chevron-down", "xmark")
_SCRIPT = re.compile(r"<script[^>]*/fontawesome\.js[^>]*></script>")


def glyphs() -> set[int]:
    """The code points of the buttons' icons, and of those that the theme's style sheet puts before titles and links."""
    style = (THEME / "styles/pydata-sphinx-theme.css").read_text(encoding="utf-8")
    named = [re.search(rf'\.fa-{name}:before[^{{]*{{content:"\\([0-9a-f]+)"', style) for name in BUTTONS]
    own = re.findall(r'--pst-(?:icon|breadcrumb)-[\w-]+:"(\\[0-9a-f]+|[^"\\])"', style)
    return {int(found[1], 16) for found in named if found} | {
        int(code[1:], 16) if len(code) > 1 else ord(code) for code in own}


def font(codes: set[int]) -> bytes:
    """The theme's icon font, of these glyphs alone, as WOFF."""
    whole = TTFont(THEME / FONT)
    cut = Subsetter(Options(layout_features=[], notdef_outline=True))
    cut.populate(unicodes=codes)
    cut.subset(whole)
    whole.flavor = "woff"
    file = BytesIO()
    whole.save(file)
    return file.getvalue()


def write_font(app: Sphinx) -> None:
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / "icons.woff").write_bytes(font(glyphs()))


def drop(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    # Jupyter Book always loads sphinx-thebe, which names unpkg.com and declares one constant twice: an error a page.
    # To Sphinx a page has every formula of the pages below it in the table of contents: the first page, all.
    gone = ["sphinx-thebe"]
    if app.builder.name != "singlehtml" and not app.env.get_domain("math").data["has_equations"].get(pagename):
        gone.append("mathjax")
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context.get(kind) or [] if not any(
            name in str(getattr(file, "filename", file)) for name in gone)
            and "THEBE_JS_URL" not in (getattr(file, "attributes", None) or {}).get("body", "")]
    context["without_icons"] = lambda head: _SCRIPT.sub("", head)


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_font)
    app.connect("html-page-context", drop, priority=900)
