"""Reads a lesson from MyST text; what is wrong with it is told with file, row, cell and key."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from pydantic import ValidationError

from torchwise.lessons.model import (
    ROLES_OF_EXERCISES,
    Cell,
    Fault,
    Head,
    Lesson,
    Meta,
    Section,
)

_LABEL = re.compile(r"^\((?P<anchor>[\w:.-]+)\)=\s*$")
_NUMBERED = re.compile(r"^\d\d-")


class Unreadable(Exception):
    """The file is no lesson: nothing of it can be shown."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def lesson_id(path: str) -> str:
    """`02-tensors/03-strides.md` is `02-tensors/strides`."""
    pure = PurePosixPath(path)
    return f"{pure.parent.name}/{_NUMBERED.sub('', pure.stem)}"


def read_lesson(path: str, text: str) -> tuple[Lesson, list[Fault]]:
    """The lesson, and what is wrong with it. Raises Unreadable."""
    notebook = _notebook(path, text)
    head = _head(path, notebook)
    faults: list[Fault] = []
    lines = text.splitlines()
    cells: list[Cell] = []
    sections: list[Section] = []
    slugs: Counter[str] = Counter()
    for raw, start in zip(notebook.cells, notebook.metadata.source_map):
        row = _first_row(lines, start)
        if raw.cell_type == "code":
            cells.append(_code(path, raw, row, faults, _open(sections)))
        else:
            found = list(_sections(raw.source, row, slugs))
            own = found[0].anchor if found else _open(sections)
            sections += found
            cells.append(Cell(kind="markdown", source=raw.source, row=row, section=own))
    lesson = Lesson(id=lesson_id(path), path=path, head=head, cells=tuple(cells), sections=tuple(sections))
    return lesson, [*faults, *_checked(lesson)]


def _first_row(lines: list[str], start: int) -> int:
    """Where a cell's own text begins, from 1: after its options and blank lines. `start` counts from 0."""
    at = start
    if at < len(lines) and lines[at].strip() == "---":
        at = next((row for row in range(at + 1, len(lines)) if lines[row].strip() == "---"), at) + 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at + 1


def _notebook(path: str, text: str) -> Any:
    from jupytext.myst import MystMetadataParsingError, myst_to_notebook
    from nbformat import ValidationError as Malformed

    if not text.startswith("---"):
        raise Unreadable(Fault(path=path, row=1, where="head", what="it has none: `---` and YAML come first"))
    try:
        return myst_to_notebook(text, add_source_map=True)
    except MystMetadataParsingError as error:
        what = " ".join(str(error).split())
        raise Unreadable(Fault(path=path, row=1, where="YAML", what=what)) from None
    except (Malformed, ValueError, TypeError, AttributeError):
        raise Unreadable(Fault(path=path, row=1, where="head", what="it is no mapping")) from None


def _head(path: str, notebook: Any) -> Head:
    own = notebook.metadata.get("torchwise")
    if not isinstance(own, Mapping):
        raise Unreadable(Fault(path=path, row=1, where="head", what="`torchwise:` is missing"))
    try:
        return Head.model_validate(dict(own))
    except ValidationError as error:
        raise Unreadable(Fault(path=path, row=1, where="head", what=_words(error))) from None


def _code(path: str, raw: Any, row: int, faults: list[Fault], section: str) -> Cell:
    given = dict(raw.metadata)
    where = f"cell `{given['name']}`" if given.get("name") else "a cell without name"
    try:
        meta = Meta.model_validate(given)
    except ValidationError as error:
        faults.append(Fault(path=path, row=row, where=where, what=_words(error)))
        known = {key: value for key, value in given.items() if key in ("name", "exercise")}
        try:
            meta = Meta.model_validate(known)
        except ValidationError:
            meta = Meta()
    return Cell(kind="code", source=raw.source, row=row, meta=meta, section=section)


def _words(error: ValidationError) -> str:
    rows = [f"`{'.'.join(map(str, row['loc']))}`: {row['msg']}" for row in error.errors()]
    return "; ".join(rows)


# -- sections ------------------------------------------------------------------------------------------------


@functools.cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _sections(text: str, row: int, slugs: Counter[str]) -> Iterator[Section]:
    lines, tokens = text.splitlines(), _markdown().parse(text)
    for token, inline in pairwise(tokens):
        if token.type != "heading_open" or token.map is None:
            continue
        title = _plain(inline)
        slug = _slug(title)
        number = slugs[slug]
        slugs[slug] += 1
        slug = f"{slug}-{number}" if number else slug
        above = next((line for line in reversed(lines[: token.map[0]]) if line.strip()), "")
        label = _LABEL.match(above)
        yield Section(
            anchor=label["anchor"] if label else slug,
            title=title,
            level=int(token.tag[1]),
            row=row + token.map[0],
            slug=slug,
        )


def _plain(inline: Any) -> str:
    return "".join(child.content for child in inline.children or () if child.type in ("text", "code_inline"))


def _slug(title: str) -> str:
    """As GitHub makes them."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def _open(sections: list[Section]) -> str:
    return sections[-1].anchor if sections else ""


# -- what must hold ------------------------------------------------------------------------------------------


def _checked(lesson: Lesson) -> Iterator[Fault]:
    for cell in lesson.cells:
        if cell.kind == "code":
            yield from (_fault(lesson, cell, what) for what in _of_cell(lesson, cell))
    yield from _of_names(lesson)
    yield from _of_exercises(lesson)
    for subject, anchor in lesson.head.covers.items():
        if lesson.section(anchor) is None:
            what = f"`covers`: `{subject}` is at `{anchor}`, which is no section here"
            yield Fault(path=lesson.path, row=1, where="head", what=what)


def _of_cell(lesson: Lesson, cell: Cell) -> Iterator[str]:
    meta = cell.meta
    if meta.exercise is None:
        if not meta.name:
            yield "`name` is missing"
        if (meta.raises is not None) != ("raises-exception" in meta.tags):
            yield "`raises` and the tag `raises-exception` go together"
        if set(meta.tags) & set(ROLES_OF_EXERCISES):
            yield "`exercise` is missing"
    elif len(set(meta.tags) & set(ROLES_OF_EXERCISES)) != 1:
        yield "a cell of an exercise has one tag of `start`, `solution`, `check`"
    if meta.shadows and not any(c.meta.name == meta.shadows and c.role == "cuda" for c in lesson.cells):
        yield f"`shadows`: there is no cell `{meta.shadows}` with the tag `cuda`"
    if cell.role == "cuda" and not any(c.meta.shadows == meta.name for c in lesson.cells):
        yield f"a cell with the tag `cuda` needs another that has `shadows: {meta.name}`"


def _of_names(lesson: Lesson) -> Iterator[Fault]:
    seen: set[str] = set()
    for cell in lesson.cells:
        if cell.meta.name in seen:
            yield _fault(lesson, cell, "its `name` is taken")
        elif cell.meta.name:
            seen.add(cell.meta.name)


def _of_exercises(lesson: Lesson) -> Iterator[Fault]:
    parts: dict[str, list[Cell]] = {}
    for cell in lesson.cells:
        if cell.meta.exercise:
            parts.setdefault(cell.meta.exercise, []).append(cell)
    for name, cells in parts.items():
        roles = sorted(str(cell.role) for cell in cells)
        if roles != sorted(ROLES_OF_EXERCISES):
            what = (
                f"exercise `{name}` has {', '.join(roles)}: one each of start, solution and check is needed"
            )
            yield _fault(lesson, cells[0], what)


def _fault(lesson: Lesson, cell: Cell, what: str) -> Fault:
    name = cell.meta.name or cell.meta.exercise
    where = f"cell `{name}`" if name else "a cell without name"
    return Fault(path=lesson.path, row=cell.row, where=where, what=what)
