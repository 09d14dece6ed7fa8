"""`python -m website`: writes all pages, builds them, and looks at every link."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator

from sphinx.cmd.build import build_main

from torchwise.lessons.prove import Processes
from website.lesson_pages import course_page, lesson_page, module_page
from website.links import broken_links
from website.other_pages import doc_pages, first_page, note_pages, rule_pages
from website.outputs import DidNotRun, outputs_of
from website.places import HTML, OUTPUTS, PAGES, ROOT, Site


def main() -> int:
    begun = time.monotonic()
    site = Site.here()
    shutil.rmtree(PAGES, ignore_errors=True)
    try:
        for name, content in pages(site):
            path = PAGES / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    except DidNotRun as error:
        print(f"website: {error}", file=sys.stderr)
        return 1
    shutil.rmtree(HTML, ignore_errors=True)
    theme = ROOT / "website" / "theme"
    built = build_main(["-q", "-W", "--keep-going", "-j", "2", "-c", str(theme), str(PAGES), str(HTML)])
    wrong = [*site.broken, *broken_links(HTML)]
    for line in wrong:
        print(f"website: {line}", file=sys.stderr)
    count = len(list(HTML.rglob("*.html")))
    print(f"{count} pages in {HTML.relative_to(ROOT)}, {time.monotonic() - begun:.0f} s")
    return 1 if built or wrong else 0


def pages(site: Site) -> Iterator[tuple[str, str | bytes]]:
    yield "index.md", first_page(site)
    yield from rule_pages(site)
    yield from note_pages(site)
    yield from doc_pages()
    yield from lesson_pages(site)


def lesson_pages(site: Site) -> Iterator[tuple[str, str | bytes]]:
    yield "lessons/index.md", course_page(site.course.modules)
    with Processes() as processes:
        for module in site.course.modules:
            yield f"lessons/{module.id}/index.md", module_page(module)
            for lesson in module.lessons:
                text, pictures = lesson_page(site, lesson, outputs_of(lesson, OUTPUTS, processes))
                yield f"lessons/{lesson.id}.md", text
                yield from ((f"pictures/{name}", picture) for name, picture in pictures.items())


if __name__ == "__main__":
    sys.exit(main())
