"""What is asked and answered about lessons, rules and notes: typed messages, as the command line and both
editors use them.

On the wire their names are in camel case. `docs/protocol.md` and the TypeScript types are made of this.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from torchwise.lessons.model import Role
from torchwise.wire.message import Message

# -- lessons -------------------------------------------------------------------------------------------------


class SectionRow(Message):
    """A heading of a lesson."""

    anchor: str
    title: str
    level: int = Field(description="2 for a section, 3 for what is below one, as exercises are")
    read: bool = False


class LessonRow(Message):
    id: str = Field(description="`02-tensors/strides`")
    title: str
    goal: str
    minutes: int
    needs: list[str] = Field(default=[], description="ids of lessons to have read")
    sections: list[SectionRow] = []
    snippets: int
    exercises: int
    done: bool = False


class ModuleRow(Message):
    id: str = Field(description="`02-tensors`")
    title: str
    goal: str
    lessons: list[LessonRow] = []


class LessonList(Message):
    modules: list[ModuleRow] = []


class LessonRequest(Message):
    id: str


class CellShown(Message):
    """A cell of a lesson. Ordinary snippets are one program in their order.

    `cuda` needs that device, and the `shadow` that names it teaches the same without. `start`, `solution` and
    `check` belong to an exercise, which stands beside that program: a start or solution is a program of its
    own, and the check runs after either, in the same namespace.
    """

    kind: Literal["markdown", "code"]
    role: Role
    source: str
    row: int = Field(description="of its first line in the lesson's file, from 1")
    anchor: str = Field(default="", description="of the section that it stands in")
    name: str | None = Field(default=None, description="`torchwise run LESSON#NAME` runs it")
    exercise: str | None = None
    shadows: str | None = Field(default=None, description="the name of the cell that it stands in for")
    raises: str | None = Field(default=None, description="`Class: part of the message`, where it is to fail")
    finds: list[str] = Field(default=[], description="rules that rightly speak up here")


class LessonShown(Message):
    lesson: LessonRow
    path: str = Field(description="of its file, a notebook in MyST text")
    cells: list[CellShown] = []


class SearchRequest(Message):
    text: str
    most: int = Field(default=20, ge=1, le=200)


class Hit(Message):
    lesson: str
    anchor: str
    title: str
    excerpt: str = Field(description="plain text around what was found")


class Hits(Message):
    hits: list[Hit] = []


class ProgressRequest(Message):
    """Without `done` and `read` it only asks."""

    lesson: str
    done: bool | None = None
    read: str | None = Field(default=None, description="the anchor of a section that was read")


class Progress(Message):
    lesson: str
    done: bool
    read: list[str] = Field(default=[], description="anchors of sections")


# -- rules and notes -----------------------------------------------------------------------------------------


class RuleRequest(Message):
    rule: str = Field(description="its name or its code")


class RulePage(Message):
    code: str
    name: str
    title: str
    severity: Literal["error", "warning", "hint"]
    family: str
    markdown: str = Field(description="the whole page; it links to `lesson:ID#ANCHOR`")
    bad: str = Field(description="a program that has the fault")
    good: str = Field(description="the same without it")
    files: dict[str, str] = Field(default={}, description="modules that both import, by file name")
    lesson: str | None = Field(default=None, description="`02-tensors/strides#views`")


class NoteRequest(Message):
    symbol: str = Field(description="as it is called: `torch.Tensor.view`, `F.relu`, `nn.Linear`")


class NoteShown(Message):
    """Without markdown, nothing is known of that symbol."""

    symbol: str = Field(description="its full name")
    markdown: str | None = None
    lesson: str | None = None
