"""What a lesson is: a notebook in text, of markdown and of cells that run.

Ordinary cells are one program in the order of the file. An exercise stands beside it: `start` is broken,
`solution` is not, and `check` tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Kebab = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Tag = Literal["raises-exception", "cuda", "start", "solution", "check"]
Role = Literal["text", "snippet", "cuda", "shadow", "start", "solution", "check"]
ROLES_OF_EXERCISES: tuple[Role, ...] = ("start", "solution", "check")


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Head(Strict):
    """What a lesson says of itself, under `torchwise:` at its top."""

    title: str = Field(min_length=1)
    goal: str = Field(min_length=1)
    minutes: int = Field(gt=0, le=240)
    needs: tuple[str, ...] = ()  # ids of lessons
    covers: dict[str, str] = {}  # subject -> anchor of a section


class Meta(Strict):
    """What a code cell says of itself."""

    name: Kebab | None = None
    tags: tuple[Tag, ...] = ()
    raises: str | None = Field(default=None, pattern=r"^[\w.]+(: .+)?$")  # `Error: part of its message`
    shadows: Kebab | None = None
    finds: tuple[Kebab, ...] = ()
    exercise: Kebab | None = None

    @property
    def role(self) -> Role:
        for role in ROLES_OF_EXERCISES:
            if role in self.tags:
                return role
        return "cuda" if "cuda" in self.tags else "shadow" if self.shadows else "snippet"


class Cell(Strict):
    kind: Literal["markdown", "code"]
    source: str
    row: int  # in its file, from 1
    meta: Meta = Meta()
    section: str = ""  # anchor of the section that it stands in

    @property
    def role(self) -> Role:
        return "text" if self.kind == "markdown" else self.meta.role


class Section(Strict):
    anchor: str
    title: str
    level: int
    row: int
    slug: str  # what the anchor would be if none were given


class Exercise(Strict):
    name: str
    title: str
    anchor: str
    start: Cell
    solution: Cell
    check: Cell


class Lesson(Strict):
    id: str  # "02-tensors/strides"
    path: str  # below the folder of lessons: "02-tensors/03-strides.md"
    head: Head
    cells: tuple[Cell, ...]
    sections: tuple[Section, ...]

    @property
    def module(self) -> str:
        return self.id.partition("/")[0]

    @cached_property
    def snippets(self) -> tuple[Cell, ...]:
        """The ordinary program, in order: what needs CUDA, too."""
        return tuple(cell for cell in self.cells if cell.role in ("snippet", "cuda", "shadow"))

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        return tuple(self._exercises())

    def _exercises(self) -> Iterator[Exercise]:
        parts: dict[str, dict[str, Cell]] = {}
        for cell in self.cells:
            if cell.meta.exercise:
                parts.setdefault(cell.meta.exercise, {})[cell.role] = cell
        for name, found in parts.items():
            if set(found) == set(ROLES_OF_EXERCISES):
                title = self._title_above(found["start"], name)
                yield Exercise(
                    name=name,
                    title=re.sub(r"^Exercise:\s*", "", title.title),
                    anchor=title.anchor,
                    start=found["start"],
                    solution=found["solution"],
                    check=found["check"],
                )

    def _title_above(self, cell: Cell, name: str) -> Section:
        above = [section for section in self.sections if section.row < cell.row]
        return above[-1] if above else Section(anchor="", title=name, level=3, row=1, slug="")

    def section(self, anchor: str) -> Section | None:
        return next((each for each in self.sections if anchor in (each.anchor, each.slug)), None)

    def snippet(self, name: str) -> Cell | None:
        return next((cell for cell in self.cells if cell.meta.name == name), None)


class Module(Strict):
    id: str  # "02-tensors"
    title: str
    goal: str
    lessons: tuple[Lesson, ...] = ()


class Fault(Strict):
    """Something that is wrong with a file of the course."""

    path: str
    row: int
    where: str  # "cell `a-slice`", "head"
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.row}: {self.where}: {self.what}"


class Course(Strict):
    modules: tuple[Module, ...] = ()
    faults: tuple[Fault, ...] = ()

    @cached_property
    def lessons(self) -> dict[str, Lesson]:
        return {lesson.id: lesson for module in self.modules for lesson in module.lessons}
