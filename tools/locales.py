"""The book in several languages.

    python tools/locales.py messages          the pages' messages, taken anew and merged into the translations
    python tools/locales.py build LANGUAGE    one language: _build/html-LANGUAGE
    python tools/locales.py all               every language in one tree, linked to one another: _build/html

A language is a folder of book/locales: config.yml is laid over _config.yml, LC_MESSAGES/PAGE.po has a page's words.
`make messages`, `make book BOOK_LANG=...` and `make book-all` call this.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("book/intro", "book/01_truncation", "book/05_summary", "book/07_facts")
TEMPLATES = "templates"  # in book/locales: the messages as they are in English


def languages(root: Path = ROOT) -> list[str]:
    """The folders of book/locales that are a language, sorted."""
    return sorted(path.parent.name for path in (root / "book/locales").glob("*/config.yml"))


def po_file(language: str, name: str, root: Path = ROOT) -> Path:
    return root / f"book/locales/{language}/LC_MESSAGES/{name}.po"


def template(name: str, root: Path = ROOT) -> Path:
    return root / f"book/locales/{TEMPLATES}/{name}.pot"


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def write(path: Path, catalog: Catalog) -> None:
    """One line a message, and no date, so that a change of the text is all that a diff shows."""
    language = f'"Language: {catalog.locale_identifier}\\n"\n' if catalog.locale else ""
    head = (f'# Made and brought up to date by: make messages\nmsgid ""\nmsgstr ""\n'
            f'"Project-Id-Version: Memory Lab {catalog.version}\\n"\n{language}'
            '"Content-Type: text/plain; charset=utf-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n\n')
    for message in catalog:
        message.flags.intersection_update({"fuzzy"})  # Babel takes {term} for a place of str.format
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(head.encode())
        write_po(file, catalog, width=0, omit_header=True, no_location=True, include_previous=False)


def source_hash(page: str, root: Path = ROOT) -> str:
    """What the messages of a page are made from, as twelve digits: a test compares it with the stored template's."""
    notebook = root / f"{page}.ipynb"
    if notebook.exists():
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        parts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        parts += [json.dumps(cell["metadata"].get("mystnb")) for cell in cells]
    else:
        parts = [(root / f"{page}.md").read_text(encoding="utf-8"), (root / "_toc.yml").read_text(encoding="utf-8")]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def configuration(language: str, root: Path = ROOT, **more: object) -> dict:
    """_config.yml with the language's own on top.  more: values of sphinx.config."""
    merged = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    own = root / f"book/locales/{language}/config.yml"
    if own.exists():
        merged = _over(merged, yaml.safe_load(own.read_text(encoding="utf-8")))
    places = {name: str(root / path) for name, path in merged["sphinx"]["local_extensions"].items()}
    return _over(merged, {"sphinx": {"local_extensions": places, "config": {"language": language, **more}}})


def _over(below: dict, above: dict) -> dict:
    both = dict(below)
    for key, value in above.items():
        both[key] = _over(both[key], value) if isinstance(value, dict) and isinstance(both.get(key), dict) else value
    return both


def jupyter_book(config: dict, out: Path, *options: str, root: Path = ROOT) -> Path:
    """The folder with what was built.  Raises SystemExit where it warns."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.yml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    done = subprocess.run([str(Path(sys.executable).with_name("jupyter-book")), "build", str(root), "--all", "-W", "-n",
                           "--keep-going", "--config", str(out / "config.yml"), "--path-output", str(out), *options],
                          cwd=root, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
    return out / "_build"


def compiled(language: str, out: Path, root: Path = ROOT) -> Path:
    """A folder with the language's .mo files, made anew, so that none of them lies in the source."""
    shutil.rmtree(out, ignore_errors=True)
    folder = root / f"book/locales/{language}/LC_MESSAGES"
    for path in sorted(folder.rglob("*.po")):
        made = out / language / "LC_MESSAGES" / path.relative_to(folder).with_suffix(".mo")
        made.parent.mkdir(parents=True, exist_ok=True)
        with made.open("wb") as file:
            write_mo(file, read(path))
    return out


def build(language: str, into: Path, root: Path = ROOT, linked: list[str] | None = None) -> None:
    """The book in a language.  linked: the languages that each page links to; none where they are not built."""
    work = root / f"_build/languages/{language}"
    more: dict[str, object] = {"memory_lab_languages": linked or []}
    if language != "en":
        mo = compiled(language, work / "locales", root)
        more |= {"locale_dirs": [str(mo)], "gettext_compact": False, "gettext_auto_build": False}
    made = jupyter_book(configuration(language, root, **more), work, root=root) / "html"
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(made, into)


def messages(root: Path = ROOT) -> None:
    """The templates anew, and each translation brought up to date; what changed is marked fuzzy."""
    keep_alt_texts = {"nb_mime_priority_overrides": [["gettext", "image/png", 1]]}
    made = jupyter_book(configuration("en", root, gettext_compact=False, gettext_location=False, **keep_alt_texts),
                        root / "_build/languages/messages", "--builder", "custom", "--custom-builder", "gettext",
                        root=root) / "gettext"
    for page in PAGES:
        taken = read(made / f"{page}.pot")
        clean = Catalog(project="Memory Lab", version=source_hash(page, root), charset="utf-8")
        for message in taken:
            if message.id:
                clean.add(message.id)
        write(template(page, root), clean)
        for language in languages(root):
            path = po_file(language, page, root)
            catalog = read(path) if path.exists() else Catalog(locale=language)
            catalog.update(clean)
            catalog.obsolete.clear()
            catalog.version = clean.version
            write(path, catalog)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("messages")
    commands.add_parser("all")
    commands.add_parser("build").add_argument("language", choices=["en", *languages()])
    asked = parser.parse_args(arguments)
    if asked.command == "messages":
        messages()
    elif asked.command == "build":
        build(asked.language, ROOT / f"_build/html-{asked.language}")
    else:
        every = ["en", *languages()]
        for language in every:
            build(language, ROOT / "_build/html" / ("" if language == "en" else language), linked=every)


if __name__ == "__main__":
    main()
