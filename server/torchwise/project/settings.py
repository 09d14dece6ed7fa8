"""What a project asks for: which rules, how loud, which files.

`[tool.torchwise]` of `pyproject.toml`, or a `torchwise.toml`, whichever is nearest upward. A table that
cannot be understood names each key that is wrong, and the nearest key that is right.
"""

from __future__ import annotations

import difflib
import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from torchwise.findings import Severity

Level = Severity | Literal["off"]
LEVELS: tuple[Level, ...] = ("error", "warning", "hint", "off")

SYNTAX_ERROR = "TW000"  # a file that does not parse: `select` never hides it, `ignore` does

EXCLUDED = (
    *(
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pants.d",
        ".pytest_cache",
    ),
    *(
        ".ruff_cache",
        ".svn",
        ".torchwise_cache",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "__pypackages__",
        "_build",
    ),
    *("buck-out", "build", "dist", "node_modules", "site-packages", "venv"),
)


class SettingsError(Exception):
    """The configuration cannot be understood; each problem is one line for the user."""

    def __init__(self, problems: Iterable[str]):
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True)
class Settings:
    """A selector is `ALL`, a family (`gradients`), a prefix of codes (`TW3`), a code or a rule's name."""

    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()  # glob of the path below root -> selectors
    severity: tuple[tuple[str, Level], ...] = ()
    include: tuple[str, ...] = ("*.py", "*.ipynb")
    exclude: tuple[str, ...] = EXCLUDED
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    target_torch: str | None = None  # "2.9"; None: that of the selected environment
    cache_dir: str | None = None
    baseline: str | None = None  # a file of known findings, below root
    root: str = ""  # the folder of the file that this came from; "" when there is none

    def level(self, code: str, name: str, family: str, default: Severity) -> Severity | None:
        """How loud a rule is, or None where it is off."""
        if not self._selects(code, name, family):
            return None
        rated = [(_closeness(key, code, name, family), level) for key, level in self.severity]
        closeness, level = max(rated, key=lambda pair: pair[0], default=(0, default))
        if not closeness:
            return default
        return None if level == "off" else level

    def for_file(self, path: str) -> Settings:
        """The same, with what `per-file-ignores` says about this file among `ignore`."""
        more = [
            key for glob, keys in self.per_file_ignores if below(self.root, (glob,), path) for key in keys
        ]
        return replace(self, ignore=self.ignore + tuple(more), per_file_ignores=()) if more else self

    def excludes(self, path: str) -> bool:
        """Asked for each folder on the way down, and for the file."""
        return below(self.root, self.exclude + self.extend_exclude, path)

    def includes(self, path: str) -> bool:
        return below(self.root, self.include, path)

    def unknown_selectors(self, known: Iterable[str]) -> list[str]:
        """One line for each selector that means no rule. `known`: every code, name and family."""
        names = set(known)
        asked = {
            "select": self.select,
            "extend-select": self.extend_select,
            "ignore": self.ignore,
            "severity": tuple(key for key, _ in self.severity),
            "per-file-ignores": tuple(key for _, keys in self.per_file_ignores for key in keys),
        }
        return [
            f"`{selector}` in `{key}` is no rule, family or prefix of codes{nearest(selector, names)}"
            for key, selectors in asked.items()
            for selector in selectors
            if selector != "ALL" and not any(_means(selector, name) for name in names)
        ]

    def _selects(self, code: str, name: str, family: str) -> bool:
        chosen = ("ALL",) if code == SYNTAX_ERROR else self.select + self.extend_select
        wanted = max((_closeness(key, code, name, family) for key in chosen), default=0)
        refused = max((_closeness(key, code, name, family) for key in self.ignore), default=0)
        return wanted > refused


def _closeness(selector: str, code: str, name: str, family: str) -> int:
    """0: means another rule; otherwise the greater the narrower. A prefix is as narrow as it is long."""
    if selector in (code, name):
        return 100
    if selector == family:
        return 3
    if selector == "ALL":
        return 1
    return len(selector) if _is_prefix(selector) and code.startswith(selector) else 0


def _is_prefix(selector: str) -> bool:
    return re.fullmatch(r"TW\d*", selector) is not None


def _means(selector: str, name: str) -> bool:
    return selector in (name, SYNTAX_ERROR) or (_is_prefix(selector) and name.startswith(selector))


def below(root: str, globs: tuple[str, ...], path: str) -> bool:
    """Does a plain name mean the last part of the path, or a glob the path below root?"""
    plain, matches = _globs(globs)
    whole = Path(path)
    if whole.name in plain:
        return True
    if matches is None:
        return False
    return matches(whole.relative_to(root).as_posix() if root and whole.is_relative_to(root) else whole.name)


@functools.cache
def _globs(globs: tuple[str, ...]) -> tuple[frozenset[str], Callable[[str], bool] | None]:
    """Plain names and `*.suffix` need no pathspec, whose import takes longer than checking a small file."""
    plain = frozenset(glob for glob in globs if not re.search(r"[*?\[\]!/\\#]", glob))
    suffixes = tuple(glob[1:] for glob in globs if re.fullmatch(r"\*\.\w+", glob))
    if len(plain) + len(suffixes) == len(globs):
        return plain, (lambda path: path.endswith(suffixes)) if suffixes else None
    from pathspec import GitIgnoreSpec

    if any(glob.startswith("!") for glob in globs):  # then their order matters
        return frozenset(), GitIgnoreSpec.from_lines(globs).match_file
    return plain, GitIgnoreSpec.from_lines([glob for glob in globs if glob not in plain]).match_file


# -- reading a table ---------------------------------------------------------------------------------------


class _Wrong(Exception):
    """What a key must hold instead."""


def _selectors(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _Wrong('must be a list of strings, like `["TW301", "gradients"]`')
    return tuple(value)


def _globs_of_paths(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _Wrong('must be a list of globs, like `["tests/**", "*_pb2.py"]`')
    return tuple(value)


def _by_glob(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise _Wrong('must be a table from globs to lists, like `{ "tests/**" = ["TW301"] }`')
    return tuple((str(glob), _selectors(keys)) for glob, keys in value.items())


def _levels(value: object) -> tuple[tuple[str, Level], ...]:
    if not isinstance(value, Mapping):
        raise _Wrong('must be a table from rules to levels, like `{ TW301 = "hint" }`')
    for rule, level in value.items():
        if level not in LEVELS:
            raise _Wrong(f'says `{rule} = "{level}"`; a level is one of {", ".join(LEVELS)}')
    return tuple(value.items())


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong("must be true or false")
    return value


def _version(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not re.match(r"\d+\.\d+(\.\d+)?", value):
        raise _Wrong('must be a version of torch, like "2.9"')
    return value


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise _Wrong("must be a string")
    return value


# The key as it is written, what it may hold. Fields are named the same with underscores.
KEYS: dict[str, Callable[[object], Any]] = {
    "select": _selectors,
    "extend-select": _selectors,
    "ignore": _selectors,
    "per-file-ignores": _by_glob,
    "severity": _levels,
    "include": _globs_of_paths,
    "exclude": _globs_of_paths,
    "extend-exclude": _globs_of_paths,
    "respect-gitignore": _boolean,
    "target-torch": _version,
    "cache-dir": _text,
    "baseline": _text,
}


def override(settings: Settings, table: Mapping[str, object], where: str) -> Settings:
    """The settings with what the table says. `where` begins each message: a file, or what stands for one."""
    fields: dict[str, Any] = {}
    problems = []
    for key, value in table.items():
        if key not in KEYS:
            problems.append(f"{where}: `{key}` is not a setting{nearest(key, KEYS)}")
            continue
        try:
            fields[key.replace("-", "_")] = KEYS[key](value)
        except _Wrong as wrong:
            problems.append(f"{where}: `{key}` {wrong}")
    if problems:
        raise SettingsError(problems)
    return replace(settings, **fields)


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean ...?`, or nothing where nothing is near."""
    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""


# -- finding the file --------------------------------------------------------------------------------------


@functools.cache
def config_of(folder: Path) -> Path | None:
    """The nearest file upward that configures Torchwise. Remembered until `cache_clear()`."""
    own, shared = folder / "torchwise.toml", folder / "pyproject.toml"
    if os.path.isfile(own):  # unlike Path, never raises: a folder may be closed to us
        return own
    if os.path.isfile(shared) and b"torchwise" in _bytes(shared) and _table(shared) is not None:
        return shared
    return config_of(folder.parent) if folder.parent != folder else None


def load(config: Path) -> Settings:
    """Raises SettingsError."""
    return override(Settings(root=str(config.parent)), _table(config) or {}, str(config))


def _table(config: Path) -> Mapping[str, object] | None:
    import tomllib  # takes longer to import than most runs need

    try:
        whole = tomllib.loads(_bytes(config).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError([f"{config}: not TOML: {error}"]) from None
    if config.name == "torchwise.toml":
        return whole
    tool = whole.get("tool", {})
    table = tool.get("torchwise") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError([f"{config}: `tool.torchwise` must be a table"])
    return table


def _bytes(config: Path) -> bytes:
    try:
        return config.read_bytes()
    except OSError as error:
        raise SettingsError([f"{config}: {error.strerror}"]) from None
