"""Looks at every link of the built pages: the file that it leads to, and the place in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Stateful: what a page names and what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value)
            elif name in ("src", "href") and tag in ("img", "script", "link"):
                self.loads.append(value)


def broken_links(folder: Path) -> Iterator[str]:
    """What leads nowhere, and what would be loaded from a network."""
    for path in sorted(folder.rglob("*.html")):
        page, where = _read(path), path.relative_to(folder)
        for link in dict.fromkeys([*page.links, *page.loads]):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    yield f"{where}: loads {link}"
            elif not _leads(path, folder, unquote(parts.path), unquote(parts.fragment)):
                yield f"{where}: {link} leads nowhere"


def _leads(page: Path, folder: Path, path: str, fragment: str) -> bool:
    target = (page.parent / path).resolve() if path else page
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file() or not target.is_relative_to(folder.resolve()):
        return False
    return not fragment or target.suffix != ".html" or fragment in _read(target).places


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page
