"""Which files a run is about: the arguments of the command line, or the folders of an editor.

A file that is named is taken as it is. A folder is walked: `include`, `exclude` and `.gitignore` decide,
folders that are symbolic links are not entered (so there are no loops), virtual environments are left alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchwise.project.settings import Settings, config_of, load

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SettingsOf = Callable[[Path], Settings]  # for a folder; raises SettingsError


@dataclass(frozen=True)
class Trouble:
    """A file or folder that could not be looked at; the run goes on without it."""

    path: str
    message: str


@dataclass(frozen=True)
class Project:
    """The files that are configured together. They see each other through imports."""

    settings: Settings
    paths: tuple[str, ...]  # absolute, sorted


def discover(arguments: Iterable[str], settings_of: SettingsOf) -> tuple[list[Project], list[Trouble]]:
    """The files that the arguments mean, each once."""
    troubles: list[Trouble] = []
    members: dict[Settings, set[str]] = {}
    for argument in arguments:
        path = os.path.abspath(argument)
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            troubles.append(Trouble(argument, reason(error)))
            continue
        if stat.S_ISDIR(mode):
            found: Iterable[str] = walk(path, settings_of, troubles)
        elif stat.S_ISREG(mode):
            found = (path,)
        else:
            troubles.append(Trouble(argument, "neither a file nor a folder"))
            continue
        for file in found:
            members.setdefault(settings_of(Path(file).parent), set()).add(file)
    return [Project(settings, tuple(sorted(paths))) for settings, paths in members.items()], troubles


def nearest_settings(base: Settings) -> SettingsOf:
    """For a folder: the nearest configuration upward, or `base` where there is none. Each is read once."""
    loaded: dict[Path, Settings] = {}

    def settings_of(folder: Path) -> Settings:
        config = config_of(folder)
        if config is None:
            return base
        if config not in loaded:
            loaded[config] = load(config)
        return loaded[config]

    return settings_of


def walk(folder: str, settings_of: SettingsOf, troubles: list[Trouble]) -> Iterator[str]:
    """The files below a folder that its settings include, in order of their names."""
    above = _ignores_above(folder)
    yield from _walk(folder, settings_of, () if _ignored(f"{folder}/", above) else above, troubles)


def _walk(folder: str, settings_of: SettingsOf, ignores: _Ignores, troubles: list[Trouble]) -> Iterator[str]:
    settings = settings_of(Path(folder))
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        troubles.append(Trouble(folder, reason(error)))
        return
    names = {entry.name for entry in entries}
    if "pyvenv.cfg" in names:
        return
    if settings.respect_gitignore and ".gitignore" in names:
        ignores = ((folder, _spec(folder, ".gitignore")), *ignores)
    for entry in entries:
        if _is_folder(entry):
            if not settings.excludes(entry.path) and not _ignored(f"{entry.path}/", ignores):
                yield from _walk(entry.path, settings_of, ignores, troubles)
        elif settings.includes(entry.path) and _is_file(entry):
            if not settings.excludes(entry.path) and not _ignored(entry.path, ignores):
                yield entry.path


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """A link to a file is one; a link to nothing (editors lock files so) or to itself is not."""
    try:
        return entry.is_file()
    except OSError:
        return False


def reason(error: Exception) -> str:
    """What the system says, without the number and the path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


# -- .gitignore --------------------------------------------------------------------------------------------

_Ignores = tuple[tuple[str, "GitIgnoreSpec"], ...]  # (folder, its patterns), the nearest first


def _ignores_above(folder: str) -> _Ignores:
    """From the folder's parent up to the root of its repository; nothing outside a repository."""
    found: list[tuple[str, GitIgnoreSpec]] = []
    for above in (Path(folder), *Path(folder).parents):
        if str(above) != folder and os.path.isfile(above / ".gitignore"):
            found.append((str(above), _spec(str(above), ".gitignore")))
        if os.path.exists(above / ".git"):
            return (*found, (str(above), _spec(str(above), ".git/info/exclude")))
    return ()


def _spec(folder: str, name: str) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # its import takes longer than checking a small file

    try:
        lines = Path(folder, name).read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # a pattern that git itself would not understand
        return GitIgnoreSpec([])


def _ignored(path: str, ignores: _Ignores) -> bool:
    """The nearest file that has a pattern for the path decides."""
    for folder, spec in ignores:
        verdict = spec.check_file(path[len(folder) :].lstrip("/\\")).include
        if verdict is not None:
            return verdict
    return False
