"""Where each subject of the course is taught: `python -m tests.lessons.coverage [--check]` writes
`docs/coverage.md`.
"""

from __future__ import annotations

import sys
from collections import Counter

from tests.lessons.here import HEADINGS, ROOT, course
from torchwise.lessons.model import Lesson
from torchwise.lessons.prove import counts

PAGE = ROOT / "docs" / "coverage.md"
FURTHER = {"B": "A first tour", "C": "Ideas and their failure modes"}  # of subjects across modules


def places() -> dict[str, list[str]]:
    """By subject: links to the sections that teach it."""
    out: dict[str, list[str]] = {}
    for lesson in course().lessons.values():
        for subject, anchor in lesson.head.covers.items():
            out.setdefault(subject, []).append(_link(lesson, anchor))
    return out


def subjects() -> list[str]:
    return HEADINGS.read_text("utf-8").splitlines()


def _link(lesson: Lesson, anchor: str) -> str:
    section = lesson.section(anchor)
    assert section is not None, f"{lesson.path}: no section `{anchor}`"
    return f"[{lesson.head.title}: {section.title}](../content/lessons/{lesson.path}#{section.slug})"


def page() -> str:
    taught, asked, total = places(), subjects(), counts(course())
    placed = sum(subject in taught for subject in asked)
    numbers = ", ".join(f"{total[what]} {what}" for what in ("lessons", "snippets", "exercises", "asserts"))
    parts = [
        "# What the course covers",
        "Made by `make gen` from what lessons say they cover.",
        f"{placed} of {len(asked)} subjects have their section. The course has {numbers}.",
    ]
    titles = {module.id[:2]: module.title for module in course().modules} | FURTHER
    for key in Counter(subject.partition(" ")[0] for subject in asked):
        parts += [f"## {titles.get(key, key)}", "| subject | taught in |\n|---|---|"]
        rows = [subject for subject in asked if subject.partition(" ")[0] == key]
        parts[-1] += "".join(f"\n| {_cell(row)} | {'; '.join(taught.get(row, []))} |" for row in rows)
    return "\n\n".join(parts) + "\n"


def _cell(subject: str) -> str:
    return subject.partition(" ")[2].replace("|", "\\|").replace("__", "\\_\\_")


def main(check: bool) -> int:
    text = page()
    if PAGE.exists() and PAGE.read_text("utf-8") == text:
        return 0
    if check:
        print("docs/coverage.md is not what `make gen` writes")
        return 1
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
