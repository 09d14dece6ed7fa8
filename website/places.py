"""Where things are, and how pages name each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from torchwise.lessons.course import files_of, read_course
from torchwise.lessons.model import Course, Lesson
from torchwise.lessons.notes import Note, notes
from torchwise.rules import Rule, all_rules

ROOT = Path(__file__).parents[1]
BUILT = ROOT / ".site"
PAGES, HTML, OUTPUTS = BUILT / "pages", BUILT / "html", BUILT / "outputs"

_OURS = re.compile(r"\[([^\]]+)\]\((rule|note|lesson):([^)\s]+)\)")


@dataclass(frozen=True)
class Site:
    """All that pages are made from; `broken` grows by what they link to and is not there."""

    course: Course
    rules: Mapping[str, Rule]  # by name and by code
    notes: Mapping[str, Note]  # by each of their names
    broken: list[str] = field(default_factory=list)

    @staticmethod
    def here() -> Site:
        lessons = ROOT / "content" / "lessons"
        rules = {key: rule for rule in all_rules() for key in (rule.name, rule.code)}
        return Site(read_course(lessons, files_of(lessons)), rules, notes(ROOT / "content"))

    @cached_property
    def lessons_about(self) -> Mapping[str, list[Lesson]]:
        """By rule: the lessons that link to it or have an exercise that it finds."""
        out: dict[str, list[Lesson]] = {rule.name: [] for rule in self.rules.values()}
        for lesson in self.course.lessons.values():
            named = {name for cell in lesson.cells for name in cell.meta.finds}
            named |= {target for _, kind, target in self._links(lesson) if kind == "rule"}
            for rule in {self.rules[name].name for name in named if name in self.rules}:
                out[rule].append(lesson)
        return out

    @staticmethod
    def _links(lesson: Lesson) -> list[tuple[str, str, str]]:
        return [
            link for cell in lesson.cells if cell.kind == "markdown" for link in _OURS.findall(cell.source)
        ]

    def linked(self, text: str, page: str) -> str:
        """With links of ours made into links between pages."""

        def address(match: re.Match[str]) -> str:
            found = self.address(match[2], match[3])
            if found is None:
                self.broken.append(f"{page}: `{match[2]}:{match[3]}` is not there")
                return match[1]
            return f"[{match[1]}]({found})"

        return _OURS.sub(address, text)

    def address(self, kind: str, target: str) -> str | None:
        match kind:
            case "rule":
                rule = self.rules.get(target)
                return f"/rules/{rule.family}/{rule.name}.md" if rule else None
            case "note":
                note = self.notes.get(target)
                return f"/notes/{note.chapter}.md#{slug_of(note.symbol)}" if note else None
        id_, _, anchor = target.partition("#")
        lesson = self.course.lessons.get(id_)
        section = lesson.section(anchor) if lesson and anchor else None
        if lesson is None or (anchor and section is None):
            return None
        return f"/lessons/{id_}.md" + (f"#{section.slug}" if section else "")


def slug_of(title: str) -> str:
    """As MyST makes them of headings."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
