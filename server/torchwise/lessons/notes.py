"""API notes: what a function, class or method of torch does, its shapes, and two things that go wrong."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from torchwise.lessons.course import INSTALL, NoCourse, content_folder
from torchwise.lessons.model import Strict

# As people import them.
ROOTS = {
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "optim": "torch.optim",
    "Tensor": "torch.Tensor",
    "dist": "torch.distributed",
}


class Note(Strict):
    symbol: str  # "torch.Tensor.view"
    also: tuple[str, ...] = ()  # other names that the same holds for
    does: str
    shapes: str = ""
    wrong: tuple[str, ...] = Field(default=(), max_length=2)
    claims: str = ""  # what a test runs to show that all of this is so
    lesson: str | None = None
    chapter: str = ""


class BadNotes(NoCourse):
    """A file of notes cannot be read; the text says which and why."""


@functools.cache
def notes(folder: Path | None = None) -> Mapping[str, Note]:
    """By each of their names. Raises NoCourse."""
    found: dict[str, Note] = {}
    for path in sorted(((folder or content_folder()) / "notes").glob("*.yml")):
        for note in read_notes(path):
            for name in (note.symbol, *note.also):
                found.setdefault(name, note)
    return found


def read_notes(path: Path) -> list[Note]:
    try:
        import yaml
    except ImportError as error:
        raise NoCourse(f"{INSTALL} ({error.name} is missing)") from None
    quick = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        rows = TypeAdapter(list[Note]).validate_python(yaml.load(path.read_text("utf-8"), quick))
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError) as error:
        raise BadNotes(f"{path.name}: {' '.join(str(error).split())}") from None
    return [row.model_copy(update={"chapter": path.stem}) for row in rows]


def full_name(symbol: str) -> str:
    """`F.relu` is `torch.nn.functional.relu`."""
    root, dot, rest = symbol.strip().rstrip("()").partition(".")
    return f"{ROOTS.get(root, root)}{dot}{rest}"


def note_of(symbol: str) -> Note | None:
    return notes().get(full_name(symbol))


def markdown(note: Note) -> str:
    """Without its title. Links to rules and lessons are `rule:NAME` and `lesson:ID#ANCHOR`."""
    parts = [note.does]
    if note.shapes:
        parts.append(f"Shapes: `{note.shapes}`")
    if note.wrong:
        parts.append("\n".join(f"- {text}" for text in note.wrong))
    return "\n\n".join(parts)
