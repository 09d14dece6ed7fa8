"""`LESSON#SNIPPET` of `torchwise run`: a lesson by its id or its file.

Ordinary snippets run after those before them, without what needs another device. An exercise is a program of
its own: its start, or with `#NAME/solution` its solution, and then the check.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from torchwise.run.snippets import NoSuchSnippet, Snippet

if TYPE_CHECKING:
    from torchwise.lessons.model import Cell, Lesson

Chosen = tuple[Path, list[Snippet], list[Snippet]]


def chosen_in_lesson(target: str, cuda: bool) -> Chosen | None:
    """The file, what has to run before, and what was asked for; None if it is no lesson.

    Raises NoSuchSnippet.
    """
    name, hash_, wanted = target.partition("#")
    found = _lesson(name)
    if found is None:
        return None
    path, lesson = found
    program = [cell for cell in lesson.snippets if cuda or cell.role != "cuda"]
    if not hash_:
        return path, [], [_snippet(cell) for cell in program]
    for index, cell in enumerate(program):
        if cell.meta.name == wanted:
            return path, [_snippet(each) for each in program[:index]], [_snippet(cell)]
    for exercise in lesson.exercises:
        parts = {exercise.name: exercise.start, f"{exercise.name}/solution": exercise.solution}
        if wanted in parts:
            return path, [], [_snippet(parts[wanted]), _snippet(exercise.check)]
    raise NoSuchSnippet(_what_there_is(lesson, wanted, cuda))


def _lesson(name: str) -> tuple[Path, Lesson] | None:
    path = Path(name)
    if path.suffix == ".md" and path.is_file():
        return _of_file(path)
    if path.exists() or name.count("/") != 1:
        return None
    from torchwise.lessons.course import NoCourse
    from torchwise.lessons.shelf import NotThere, Shelf

    shelf = Shelf()
    try:
        lesson = shelf.lesson(name)
    except NoCourse as error:
        raise NoSuchSnippet(str(error)) from None
    except NotThere as error:
        if any(name.startswith(f"{module.id}/") for module in shelf.course.modules):
            raise NoSuchSnippet(str(error)) from None
        return None
    return shelf.file(lesson), lesson


def _of_file(path: Path) -> tuple[Path, Lesson] | None:
    """Other notebooks in MyST are no lessons."""
    try:
        text = path.read_text("utf-8")
        if not text.startswith("---") or "\ntorchwise:" not in text:
            return None
        from torchwise.lessons.reading import Unreadable, read_lesson
    except (UnicodeDecodeError, ImportError):
        return None
    try:
        return path, read_lesson(f"{path.absolute().parent.name}/{path.name}", text)[0]
    except Unreadable as error:
        raise NoSuchSnippet(str(error)) from None


def _snippet(cell: Cell) -> Snippet:
    label = cell.meta.name or f"{cell.meta.exercise}/{cell.role}"
    return Snippet(cell.source, cell.row, label, may_raise=cell.meta.raises is not None)


def _what_there_is(lesson: Lesson, wanted: str, cuda: bool) -> str:
    cell = lesson.snippet(wanted)
    if cell is not None and cell.role == "cuda" and not cuda:
        return f"`{wanted}` needs a CUDA device: say `--device cuda:0`"
    names = [cell.meta.name or "" for cell in lesson.snippets] + [each.name for each in lesson.exercises]
    return f"{lesson.id} has no snippet `{wanted}`; it has: {', '.join(names)}"
