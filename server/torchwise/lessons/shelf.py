"""The course as it is asked for: read once, and again when a file of it has changed."""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass, field
from pathlib import Path

from torchwise.lessons import messages
from torchwise.lessons.course import content_folder, course, files_of
from torchwise.lessons.model import Cell, Course, Lesson, Module
from torchwise.lessons.progress import Noted, default_path, note, noted
from torchwise.lessons.search import Index


class NotThere(Exception):
    """There is no such lesson, section, snippet, rule or note; the text names what is near."""


@dataclass
class Shelf:
    """Stateful: what was read last, and its index once it was searched."""

    folder: Path | None = None
    progress: Path | None = None
    _course: Course = field(default_factory=Course)
    _index: Index | None = None
    _read_at: tuple[object, ...] | None = None

    @property
    def course(self) -> Course:
        """Raises NoCourse."""
        root = self.folder or content_folder()
        now = tuple((str(path), path.stat().st_mtime_ns) for path in files_of(root / "lessons"))
        if now != self._read_at:
            self._course, self._index, self._read_at = course(root), None, now
        return self._course

    def lesson(self, id_: str) -> Lesson:
        known = self.course.lessons
        if id_ in known:
            return known[id_]
        near = difflib.get_close_matches(id_, known, 3, 0.5)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise NotThere(f"there is no lesson `{id_}`{hint}")

    def file(self, lesson: Lesson) -> Path:
        return (self.folder or content_folder()) / "lessons" / lesson.path

    # -- answers ---------------------------------------------------------------------------------------------

    def list(self) -> messages.LessonList:
        known = noted(self.progress or default_path())
        return messages.LessonList(modules=[_module(module, known) for module in self.course.modules])

    def show(self, id_: str, anchor: str = "") -> messages.LessonShown:
        """The whole lesson, or one section with those below it."""
        lesson = self.lesson(id_)
        wanted = _section(lesson, anchor) if anchor else {cell.section for cell in lesson.cells}
        known = noted(self.progress or default_path())
        return messages.LessonShown(
            lesson=_lesson(lesson, known),
            path=str(self.file(lesson)),
            cells=[_cell(cell) for cell in lesson.cells if cell.section in wanted],
        )

    def search(self, text: str, most: int = 20) -> messages.Hits:
        read = self.course
        if self._index is None:
            self._index = Index.of(read)
        return messages.Hits(
            hits=[
                messages.Hit(lesson=hit.lesson, anchor=hit.anchor, title=hit.title, excerpt=hit.excerpt)
                for hit in self._index.search(text, most)
            ]
        )

    def note_progress(self, id_: str, done: bool | None = None, read: str | None = None) -> messages.Progress:
        lesson = self.lesson(id_)
        if read is not None and lesson.section(read) is None:
            raise NotThere(f"`{id_}` has no section `{read}`")
        now = note(self.progress or default_path(), id_, done, read)
        return messages.Progress(lesson=id_, done=now.done, read=now.read)


def _section(lesson: Lesson, anchor: str) -> set[str]:
    top = lesson.section(anchor)
    if top is None:
        anchors = ", ".join(each.anchor for each in lesson.sections if each.level > 1)
        raise NotThere(f"`{lesson.id}` has no section `{anchor}`; it has: {anchors}")
    below = lesson.sections[lesson.sections.index(top) + 1 :]
    own = itertools.takewhile(lambda each: each.level > top.level, below)
    return {top.anchor, *(each.anchor for each in own)}


def _module(module: Module, known: Noted) -> messages.ModuleRow:
    rows = [_lesson(lesson, known) for lesson in module.lessons]
    return messages.ModuleRow(id=module.id, title=module.title, goal=module.goal, lessons=rows)


def _lesson(lesson: Lesson, known: Noted) -> messages.LessonRow:
    of_lesson = known.of(lesson.id)
    return messages.LessonRow(
        id=lesson.id,
        title=lesson.head.title,
        goal=lesson.head.goal,
        minutes=lesson.head.minutes,
        needs=list(lesson.head.needs),
        sections=[
            messages.SectionRow(
                anchor=each.anchor, title=each.title, level=each.level, read=each.anchor in of_lesson.read
            )
            for each in lesson.sections
            if each.level in (2, 3)
        ],
        snippets=len(lesson.snippets),
        exercises=len(lesson.exercises),
        done=of_lesson.done,
    )


def _cell(cell: Cell) -> messages.CellShown:
    meta = cell.meta
    return messages.CellShown(
        kind=cell.kind,
        role=cell.role,
        source=cell.source,
        row=cell.row,
        anchor=cell.section,
        name=meta.name,
        exercise=meta.exercise,
        shadows=meta.shadows,
        raises=meta.raises,
        finds=list(meta.finds),
    )
