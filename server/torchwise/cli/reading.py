"""How the course looks in a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from torchwise.lessons.messages import CellShown, Hits, LessonList, LessonRow, LessonShown

_OURS = re.compile(r"\[([^\[\]]+)\]\((rule|note|lesson):([^()\[\]\s]+)\)")
_LABEL = re.compile(r"^\([\w:.-]+\)=\s*$", re.M)


def print_list(found: LessonList) -> None:
    console = Console(highlight=False)
    for module in found.modules:
        console.print(Text.assemble((module.title, "bold"), f"  {module.goal}"))
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        for lesson in module.lessons:
            table.add_row(_mark(lesson), lesson.id, lesson.title, f"{lesson.minutes} min")
        console.print(Padding(table, (0, 0, 1, 2)))
    lessons = [lesson for module in found.modules for lesson in module.lessons]
    done = sum(lesson.done for lesson in lessons)
    console.print(f"{len(lessons)} lessons, {done} done")


def _mark(lesson: LessonRow) -> str:
    begun = any(section.read for section in lesson.sections)
    return "✓" if lesson.done else "·" if begun else " "


def print_lesson(found: LessonShown, solutions: bool) -> None:
    console = Console(highlight=False)
    row = found.lesson
    needs = f"; read before: {', '.join(row.needs)}" if row.needs else ""
    console.print(Text(f"{row.id} · {row.minutes} min{needs}", "dim"))
    console.print(Text(row.goal, "italic"))
    for cell in found.cells:
        if cell.role not in ("solution", "check") or solutions:
            console.print()
            for part in _shown(found, cell):
                console.print(part)


def _shown(found: LessonShown, cell: CellShown) -> list[RenderableType]:
    if cell.kind == "markdown":
        return [Markdown(_LABEL.sub("", _OURS.sub(r"\1 (`\3`)", cell.source)))]
    target = f"{found.lesson.id}#{cell.name or cell.exercise}"
    notes = {
        "cuda": "needs CUDA",
        "start": "broken: find the fault",
        "solution": "one solution",
        "check": "holds when the fault is mended",
    }
    words = [f"torchwise run {target}", notes.get(cell.role, "")]
    words.append(f"raises {cell.raises}" if cell.raises else "")
    return [
        Text(" · ".join(word for word in words if word), "dim"),
        Padding(Syntax(cell.source, "python", background_color="default"), (0, 0, 0, 2)),
    ]


def print_hits(found: Hits) -> None:
    console = Console(highlight=False)
    for hit in found.hits:
        place = f"{hit.lesson}#{hit.anchor}" if hit.anchor else hit.lesson
        console.print(Text.assemble((hit.title, "bold"), f"  {place}"))
        console.print(Padding(Text(hit.excerpt, "dim"), (0, 0, 0, 2)))
    if not found.hits:
        console.print("no section has all of these words")
