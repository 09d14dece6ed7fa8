"""What a torch version says of itself, generated from its own files: `facts_for("2.13.0").saves["exp"]`.

Operators go by their ATen names with the overload (`mul.Tensor`), arguments by the names in torch's schemas,
results by `result`, or by their own names (`indices`) where there are several. Nothing here is written by
hand: see `generate`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from torchwise.record import record

Value = TypeVar("Value")

FILE_NAME = re.compile(r"torch-(\d+)\.(\d+)\.json")


@record
class Saved:
    """A value kept for backward: changing it in place before backward runs raises an error.

    With `needed_by`, it is kept only where that argument requires grad: `mul.Tensor` keeps `self` if `other`
    does."""

    value: str
    needed_by: str | None = None


@record
class Deprecation:
    """`kind` says how torch tells: "decorator" and "warning" at run time, "directive" and "documented" in
    docstrings.

    With `when`, the condition in torch's source, only some calls are: an argument, or the type of one.
    """

    name: str
    message: str
    kind: Literal["decorator", "warning", "directive", "documented", "removed"]
    replacement: str | None = None
    when: str | None = None


@record
class TorchFacts:
    """What one version of torch says; the version is that of the file, which may be the nearest to the one
    asked for."""

    version: str
    saves: Mapping[str, tuple[Saved, ...]]
    """Differentiable operators and what each keeps; nothing is kept by one with an empty tuple."""
    composite_saves: Mapping[str, tuple[str, ...]]
    """The same for operators as users write them (`torch.softmax`), seen by running them on the CPU."""
    composites: frozenset[str]
    """Operators put together from others: autograd sees those, so they are not in `saves`."""
    views: Mapping[str, str]
    """Operators whose result is certainly a view, and of which argument."""
    aliases: Mapping[str, str]
    """Composite operators whose result may be a view of that argument, the argument itself, or new."""
    mutations: Mapping[str, tuple[str, ...]]
    """Operators and the arguments that they write to, `out=` forms left out."""
    tags: Mapping[str, frozenset[str]]
    """`tags["data_dependent_output"]` and the like: the operators that torch has tagged so."""
    deprecations: tuple[Deprecation, ...]
    dtypes: frozenset[str]
    classes: Mapping[str, tuple[str, ...]]
    """Public classes: "modules", "losses", "optimizers", "schedulers", "distributions"."""
    names: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Module, or `torch.Tensor`, to its public names, each with its parameters: one text for each overload.

    `names["torch"]["add"] == ("input, other, *, alpha=1, out=None",)`; an empty tuple where they are not
    known. """

    def knows(self, qualified_name: str) -> bool:
        """Whether this version has the public name: `torch.nn.functional.relu`, `torch.Tensor.view`."""
        module, _, name = qualified_name.rpartition(".")
        return name in self.names.get(module, ())


def versions() -> tuple[str, ...]:
    """The versions that there are facts for, oldest first: `("2.13",)`."""
    found = [match for entry in files(__package__).iterdir() if (match := FILE_NAME.fullmatch(entry.name))]
    numbers = sorted((int(match[1]), int(match[2])) for match in found)
    return tuple(f"{major}.{minor}" for major, minor in numbers)


def facts_for(version: str) -> TorchFacts:
    """The facts of this version (`2.13.0+cpu`), or of the nearest below it, or else of the oldest known."""
    known = versions()
    assert known, "at least one version's facts are packaged"
    below = [candidate for candidate in known if release(candidate) <= release(version)]
    return loaded(below[-1] if below else known[0])


def release(version: str) -> tuple[int, int]:
    """`2.13.0+cpu` is (2, 13); what is no version comes after all of them, and so gets the newest facts."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else (10**6, 0)


def raw_facts(version: str) -> dict[str, Any]:
    """The newest version's file holds all it says; an earlier one's what is different from a later."""
    text = files(__package__).joinpath(f"torch-{version}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return changed(raw_facts(found["from"]), found) if "from" in found else found


def changed(later: dict[str, Any], difference: dict[str, Any]) -> dict[str, Any]:
    """The facts of an earlier version. A list or table loses what is `without`, and gets what is `with`."""
    lacking, having = difference["without"], difference["with"]
    out: dict[str, Any] = {**later, "version": difference["version"]}
    for section in {*lacking, *having}:
        out[section] = turned_back(later[section], lacking.get(section, ()), having.get(section, ()))
    return out


def turned_back(later: Any, without: Any, more: Any) -> Any:
    """A list or table of an earlier version; a table of tables has each of them turned back."""
    if isinstance(later, list):
        return [*(entry for entry in later if entry not in without), *more]
    if isinstance(without, dict) or any(isinstance(entry, dict) for entry in later.values()):
        without, more = without or {}, more or {}
        return {
            key: turned_back(entries, without.get(key, ()), more.get(key, ()))
            for key, entries in later.items()
        }
    return {**{key: entry for key, entry in later.items() if key not in without}, **dict(more)}


@cache
def loaded(version: str) -> TorchFacts:
    raw = raw_facts(version)
    return TorchFacts(
        version=raw["version"],
        saves=frozen({operator: tuple(map(saved, texts)) for operator, texts in raw["saves"].items()}),
        composite_saves=frozen(tuples(raw["composite_saves"])),
        composites=frozenset(raw["composites"]),
        views=frozen(raw["views"]),
        aliases=frozen(raw["aliases"]),
        mutations=frozen(tuples(raw["mutations"])),
        tags=frozen({tag: frozenset(operators) for tag, operators in raw["tags"].items()}),
        deprecations=tuple(Deprecation(**entry) for entry in raw["deprecations"]),
        dtypes=frozenset(raw["dtypes"]),
        classes=frozen(tuples(raw["classes"])),
        names=frozen({module: frozen(tuples(members)) for module, members in raw["names"].items()}),
    )


def saved(text: str) -> Saved:
    value, _, needed_by = text.partition(" if ")
    return Saved(value, needed_by or None)


def tuples(table: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in table.items()}


def frozen(table: dict[str, Value]) -> Mapping[str, Value]:
    return MappingProxyType(table)
