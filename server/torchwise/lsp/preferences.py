"""What the client's configuration says: settings that stand above the project's, and how the server behaves.

The section is `torchwise`. Keys are those of `[tool.torchwise]` in camel case, and the fields of
`Preferences`; a client keeps more there that is its own business, so unknown keys mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchwise.project.settings import KEYS, Settings, SettingsError, config_of, load, override

Table = Mapping[str, object]


@dataclass(frozen=True)
class Preferences:
    inlay_hints: bool = True
    workspace_diagnostics: bool | None = None  # of files that are not open; None: if the client asks for them
    delay_ms: int = 60  # at most, from the last keystroke to the analysis
    most_files: int = 3000  # that are read when a workspace is opened


def preferences(table: Table) -> Preferences:
    """What has the wrong type is left as it was."""
    chosen: dict[str, Any] = {}
    for name, default in vars(Preferences()).items():
        value = table.get(camel(name))
        if isinstance(value, bool if isinstance(default, bool | None) else int):
            chosen[name] = value
    return Preferences(**chosen)


def camel(name: str) -> str:
    return re.sub("[_-](.)", lambda match: match[1].upper(), name)


@dataclass
class Configuration:
    """Which settings hold for a file: its project's, and above them the client's for its workspace folder.

    Stateful: it reads each file once, and says once what is wrong in it.
    """

    roots: tuple[str, ...]
    tables: Mapping[str, Table]  # by root; "" for what is in no root
    tell: Callable[[str], None]
    _told: set[str] = field(default_factory=set)
    _known: dict[Path, tuple[str, Settings]] = field(default_factory=dict)  # by folder

    def project_of(self, path: str) -> tuple[str, Settings]:
        """A key that is the same for files of one project, and its settings."""
        return self.project_in(Path(path).parent)

    def project_in(self, folder: Path) -> tuple[str, Settings]:
        if folder not in self._known:
            self._known[folder] = self._found(folder)
        return self._known[folder]

    def _found(self, folder: Path) -> tuple[str, Settings]:
        root = self.root_of(str(folder))
        key, settings = root, Settings(root=root)
        try:
            if config := config_of(folder):
                key, settings = str(config), load(config)
        except SettingsError as error:
            self._complain(error)
        table = self.tables.get(root, {})
        own = {name: table[camel(name)] for name in KEYS if table.get(camel(name)) is not None}
        try:
            settings = override(settings, own, "the editor's settings")
        except SettingsError as error:
            self._complain(error)
        return f"{key} in {root}", settings

    def _complain(self, error: SettingsError) -> None:
        for problem in error.problems:
            if problem not in self._told:
                self._told.add(problem)
                self.tell(problem)

    def root_of(self, path: str) -> str:
        """The innermost root that the path is in, or ""."""
        holding = [root for root in self.roots if Path(path).is_relative_to(root)]
        return max(holding, key=len, default="")
