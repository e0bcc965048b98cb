"""What stands in the pages of a built book: ids, links, and where each link leads."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class Page(HTMLParser):
    """The ids and the links (attribute, value) of a page; downloads: those that hand out a file.

    images: (source, alternative text).
    """

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)
    images: list[tuple[str, str | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name) and (name == "id" or tag == "a")}
        found = [given[name] for name in ("href", "src") if given.get(name)]
        self.links += found
        if tag == "img":
            self.images.append((given.get("src") or "", given.get("alt")))
        if "download" in given or {"download", "btn-download-source-button"} & set((given.get("class") or "").split()):
            self.downloads += found


def pages(site: Path) -> dict[Path, Page]:
    """Every page of the book by its path."""
    return {path: Page(path) for path in sorted(site.resolve().rglob("*.html")) if "_static" not in path.parts}


def dead(book: dict[Path, Page]) -> list[str]:
    """One line for each link inside the book that leads to no file, or to no place in its page."""
    found = []
    for path, page in book.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not goal.exists() or (parts.fragment and goal in book and unquote(parts.fragment) not in book[goal].ids):
                found.append(f"{path.name}: {link}")
    return found
