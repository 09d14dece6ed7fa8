"""What is in the artefacts, read out of them, as bills of materials (CycloneDX) that lie beside them.

What is found must be what is pinned: the check of a release ends where something else was bundled.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.utils import canonicalize_name

from release.licences import allowed, of_python
from release.locks import BUNDLED, IN_EXTENSIONS, pins
from release.versions import LOCK, ROOT
from torchwise import __version__

LICENCES = "third-party-licenses.json"


def bill(name: str, components: Iterable[Component], into: Path) -> Path:
    bom = Bom(components=components)
    bom.metadata.component = Component(name=name, version=__version__, type=ComponentType.APPLICATION)
    for component in bom.components:
        bom.register_dependency(bom.metadata.component, [component])
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, error
    path = into / f"{name}.cdx.json"
    path.write_text(text + "\n", encoding="utf-8")
    return path


def python_packages(*folders: Path) -> dict[str, Distribution]:
    """By name; where a package is there once for each Python, all are of one version."""
    found: dict[str, Distribution] = {}
    for each in distributions(path=[str(folder) for folder in folders]):
        name = canonicalize_name(each.metadata["Name"])
        if name != "torchwise":
            assert found.setdefault(name, each).version == each.version, f"{name} in two versions"
    return found


def npm_packages(folder: Path) -> list[dict[str, Any]]:
    """As the builders of both extensions write them down."""
    (path,) = folder.rglob(LICENCES)
    packages: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["packages"]
    return packages


def of_python_packages(found: dict[str, Distribution]) -> list[Component]:
    return [
        _component("pypi", name, each.version, of_python(each.metadata))
        for name, each in sorted(found.items())
    ]


def of_npm_packages(found: Iterable[dict[str, Any]]) -> list[Component]:
    return [_component("npm", each["name"], each["versionInfo"], each["licenseId"]) for each in found]


def _component(kind: str, name: str, version: str, licence: str | None) -> Component:
    group, _, plain = name.rpartition("/")
    purl = PackageURL(kind, group or None, plain, version)
    licences = [LicenseFactory().make_from_string(licence)] if licence else []
    return Component(name=plain, group=group or None, version=version, licenses=licences, purl=purl,
                     type=ComponentType.LIBRARY, bom_ref=str(purl))  # fmt: skip


# -- as it is pinned


def bundled_faults(folders: Iterable[Path]) -> list[str]:
    """Of a .vsix's Python: other than pinned, under another licence, or a file that is no package's."""
    folders = list(folders)
    wanted = {
        canonicalize_name(pin.requirement.name): pin.version for pin in pins((ROOT / BUNDLED).read_text())
    }
    faults = []
    for name, each in python_packages(*folders).items():
        if wanted.get(name) != each.version:
            faults.append(f"{name} {each.version} is bundled; pinned is {wanted.get(name)}")
        if not allowed(said := of_python(each.metadata)):
            faults.append(f"{name}: its licence, {said}, is not among those allowed")
    for folder in folders:
        owned = {str(file) for each in distributions(path=[str(folder)]) for file in each.files or ()}
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        faults += [f"{name} belongs to no package" for name in sorted(there - owned)]
    return faults


def npm_faults(extension: str, found: Iterable[dict[str, Any]]) -> list[str]:
    found = list(found)
    names = {each["name"] for each in found}
    faults = [f"{name} is built in, and not declared" for name in sorted(names - {*IN_EXTENSIONS[extension]})]
    faults += [
        f"{name} is declared, and not built in" for name in IN_EXTENSIONS[extension] if name not in names
    ]
    locked = json.loads((ROOT / LOCK).read_text(encoding="utf-8"))["packages"]
    versions = {(place.rpartition("node_modules/")[2], row.get("version")) for place, row in locked.items()}
    for each in found:
        if (each["name"], each["versionInfo"]) not in versions:
            faults.append(f"{each['name']} {each['versionInfo']} is built in, and not in the lock")
        if not allowed(each["licenseId"]) or not each["extractedText"].strip():
            faults.append(f"{each['name']}: no text of a licence that is allowed")
    return faults
