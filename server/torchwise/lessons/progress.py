"""How far the user is: one file in the platform's folder for data of users.

It is read anew before each change and written whole, so that two editors do not undo each other. A file that
is damaged is set aside, never overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, ValidationError


class OfLesson(BaseModel):
    done: bool = False
    read: list[str] = []  # anchors of sections


class Noted(BaseModel):
    lessons: dict[str, OfLesson] = {}

    def of(self, lesson: str) -> OfLesson:
        return self.lessons.get(lesson, OfLesson())


class CannotNote(Exception):
    """The progress cannot be written down; the text says why."""


def default_path() -> Path:
    from platformdirs import user_data_path

    return user_data_path("torchwise", appauthor=False) / "progress.json"


def noted(path: Path) -> Noted:
    try:
        return Noted.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Noted()
    except OSError as error:
        raise CannotNote(f"`{path}` cannot be read: {error.strerror}") from None
    except ValidationError:
        _set_aside(path)
        return Noted()


def note(path: Path, lesson: str, done: bool | None = None, read: str | None = None) -> OfLesson:
    """What is noted of the lesson then. Raises CannotNote."""

    def change(of_lesson: OfLesson) -> None:
        if done is not None:
            of_lesson.done = done
        if read is not None and read not in of_lesson.read:
            of_lesson.read.append(read)

    return _changed(path, lesson, change)


def _changed(path: Path, lesson: str, change: Callable[[OfLesson], None]) -> OfLesson:
    known = noted(path)
    of_lesson = known.lessons.setdefault(lesson, OfLesson())
    before = of_lesson.model_copy(deep=True)
    change(of_lesson)
    if of_lesson != before:
        part = path.with_suffix(f".{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(known.model_dump_json(indent=2), "utf-8")
            part.replace(path)
        except OSError as error:
            raise CannotNote(f"`{path}` cannot be written: {error.strerror}") from None
    return of_lesson


def _set_aside(path: Path) -> None:
    try:
        path.replace(path.with_suffix(".unreadable"))
    except OSError as error:
        raise CannotNote(f"`{path}` is damaged and cannot be set aside: {error.strerror}") from None
