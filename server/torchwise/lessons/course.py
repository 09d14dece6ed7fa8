"""The whole course: where it is, and what has been read of it.

Reading all lessons takes seconds, so what was read is kept in the platform's cache until a file changes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from torchwise import __version__
from torchwise.lessons.model import Course, Fault, Lesson, Module, Strict

MOST_KEPT = 4  # readings of other checkouts or versions
INSTALL = "lessons need more than analysis does: python -m pip install 'torchwise[lessons]'"


class NoCourse(Exception):
    """There is none, or what reads it is not installed; the text says which."""


class ModuleHead(Strict):
    title: str = Field(min_length=1)
    goal: str = Field(min_length=1)


def content_folder() -> Path:
    """In a wheel inside the package, otherwise at the top of the repository. Raises NoCourse."""
    package = Path(__file__).parents[1]
    for folder in (package / "content", package.parents[1] / "content"):
        if folder.is_dir():
            return folder
    raise NoCourse(f"there is no course beside {package}")


def course(folder: Path | None = None) -> Course:
    """All lessons that there are, as they are now. Raises NoCourse."""
    lessons = (folder or content_folder()) / "lessons"
    files = files_of(lessons)
    kept = _cache_of(lessons, files)
    try:
        return Course.model_validate_json(kept.read_bytes())
    except (OSError, ValidationError):
        pass
    found = read_course(lessons, files)
    _keep(kept, found)
    return found


def files_of(lessons: Path) -> list[Path]:
    return sorted([*lessons.glob("*/*.md"), *lessons.glob("*/module.yml")])


def read_course(lessons: Path, files: list[Path]) -> Course:
    """What these files hold. Raises NoCourse."""
    faults: list[Fault] = []
    modules = tuple(
        _module(lessons, folder, [path for path in files if path.parent == folder], faults)
        for folder in sorted({path.parent for path in files})
    )
    faults += _between(modules)
    return Course(modules=modules, faults=tuple(faults))


def _module(lessons: Path, folder: Path, files: list[Path], faults: list[Fault]) -> Module:
    import yaml

    try:
        head = ModuleHead.model_validate(yaml.safe_load((folder / "module.yml").read_text("utf-8")))
    except (OSError, ValidationError, yaml.YAMLError) as error:
        what = "it is missing" if isinstance(error, OSError) else " ".join(str(error).split())
        faults.append(Fault(path=f"{folder.name}/module.yml", row=1, where="module", what=what))
        head = ModuleHead(title=folder.name, goal="unknown")
    found = tuple(_lessons(lessons, [path for path in files if path.suffix == ".md"], faults))
    return Module(id=folder.name, title=head.title, goal=head.goal, lessons=found)


def _lessons(lessons: Path, files: list[Path], faults: list[Fault]) -> Iterator[Lesson]:
    try:
        from torchwise.lessons.reading import Unreadable, read_lesson
    except ImportError as error:
        raise NoCourse(f"{INSTALL} ({error.name} is missing)") from None
    for path in files:
        name = path.relative_to(lessons).as_posix()
        try:
            lesson, wrong = read_lesson(name, path.read_text("utf-8"))
        except Unreadable as error:
            faults.append(error.fault)
        except UnicodeDecodeError as error:
            faults.append(Fault(path=name, row=1, where="text", what=f"it is not UTF-8: {error}"))
        else:
            faults += wrong
            yield lesson


def _between(modules: tuple[Module, ...]) -> Iterator[Fault]:
    """What only shows between lessons."""
    for module in modules:
        ids = [lesson.id for lesson in module.lessons]
        for lesson in module.lessons:
            if ids.count(lesson.id) > 1:
                what = f"two files of the module are `{lesson.id}`"
                yield Fault(path=lesson.path, row=1, where="file", what=what)


# -- what was read before ------------------------------------------------------------------------------------


def _cache_of(lessons: Path, files: list[Path]) -> Path:
    from platformdirs import user_cache_path

    key = hashlib.sha256(f"{__version__} {lessons.resolve()}".encode())
    for path in files:
        known = path.stat()
        key.update(f"{path.name} {known.st_mtime_ns} {known.st_size}".encode())
    for path in (
        Path(__file__),
        Path(__file__).with_name("model.py"),
        Path(__file__).with_name("reading.py"),
    ):
        key.update(str(path.stat().st_mtime_ns).encode())
    return user_cache_path("torchwise", appauthor=False) / "course" / f"{key.hexdigest()[:24]}.json"


def _keep(path: Path, found: Course) -> None:
    """Two that write at once both write the same."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for old in sorted(path.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)[:-MOST_KEPT]:
            old.unlink(missing_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(found.model_dump_json(), "utf-8")
        part.replace(path)
    except OSError:
        return
