"""`python -m release.locks [--check]`: each package that is installed or bundled is pinned, with its hashes.

`release/development.txt` is what `make setup` installs beside torch; the `requirements.txt` of the VS Code
extension is what the .vsix brings; `package-lock.json` is what both extensions are built with. Without
`--check` the first two are resolved anew (with uv). The check reads files only.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.licences import allowed, of_python
from release.versions import LOCK, OURS, ROOT

DEVELOPMENT = "release/development.txt"
BUNDLED = "vscode-extension/python/requirements.txt"
HEAD = "# Made by `make lock`: do not edit.\n"
IN_KERNELS = {"ipykernel"}  # it runs in the user's environment, not beside the server
# npm packages that end up in what is built, beside which all others are tools. `make release-check` compares.
IN_EXTENSIONS = {
    "vscode-extension": (
        *("@vscode/python-extension", "balanced-match", "brace-expansion", "minimatch", "semver"),
        *("vscode-jsonrpc", "vscode-languageclient", "vscode-languageserver-protocol"),
        *("vscode-languageserver-textdocument", "vscode-languageserver-types"),
    ),
    "lab-extension": ("@codemirror/lint", "css-loader", "react", "style-loader"),
}


def wanted(name: str) -> list[str]:
    """The requirements of ours that a lock answers."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        read = tomllib.load(file)
    project = read["project"]
    extras = project["optional-dependencies"]
    names = ("run", "lessons") if name == BUNDLED else ("run", "lessons", "lab", "dev")
    build = [] if name == BUNDLED else read["build-system"]["requires"]
    rows = project["dependencies"] + [row for extra in names for row in extras[extra]] + build
    left_out = {"torchwise", *(IN_KERNELS if name == BUNDLED else ())}
    return sorted({row for row in rows if Requirement(row).name not in left_out})


@dataclass(frozen=True)
class Pin:
    text: str
    requirement: Requirement
    hashes: int

    @property
    def version(self) -> str | None:
        each = list(self.requirement.specifier)
        return each[0].version if len(each) == 1 and each[0].operator == "==" else None


def pins(text: str) -> list[Pin]:
    rows = text.replace("\\\n", " ").splitlines()
    return [_pin(row) for row in rows if row.strip() and not row.startswith("#")]


def _pin(row: str) -> Pin:
    requirement, *hashes = row.split("--hash=")
    sound = sum(each.startswith("sha256:") and len(each.strip()) == 71 for each in hashes)
    return Pin(row, Requirement(requirement.strip()), sound)


# -- what may be wrong


def python_faults(text: str, rows: list[str]) -> list[str]:
    found = pins(text)
    faults = [f"{pin.requirement.name}: no version" for pin in found if pin.version is None]
    faults += [f"{pin.requirement.name}: no hash" for pin in found if not pin.hashes]
    versions = {canonicalize_name(pin.requirement.name): pin.version for pin in found}
    for row in map(Requirement, rows):
        version = versions.get(canonicalize_name(row.name))
        if version is None:
            faults.append(f"{row.name}: wanted, and not pinned")
        elif not row.specifier.contains(version, prereleases=True):
            faults.append(f"{row.name}: {version} is not {row.specifier}")
    return faults


def licence_faults(text: str) -> list[str]:
    """Of what is bundled, by what is installed here; the rest is judged where it is bundled."""
    faults = []
    for pin in pins(text):
        try:
            said = of_python(metadata(pin.requirement.name))  # type: ignore[arg-type]
        except PackageNotFoundError:
            continue
        if not allowed(said):
            faults.append(f"{pin.requirement.name}: its licence, {said}, is not among those allowed")
    return faults


def npm_faults(lock: dict[str, Any]) -> list[str]:
    faults = []
    for folder in OURS:
        package = json.loads((ROOT / folder / "package.json").read_text(encoding="utf-8"))
        for kind in ("dependencies", "devDependencies"):
            if package.get(kind, {}) != lock["packages"][folder].get(kind, {}):
                faults.append(f"{folder}: its {kind} are not those of the lock")
    shipped = {name for names in IN_EXTENSIONS.values() for name in names}
    for place, package in lock["packages"].items():
        name = place.rpartition("node_modules/")[2]
        if place in OURS or package.get("link"):
            continue
        if not package.get("integrity", "").startswith("sha512-"):
            faults.append(f"{name}: no hash")
        if name in shipped and not allowed(package.get("license")):
            faults.append(f"{name}: its licence, {package.get('license')}, is not among those allowed")
    return faults


def check() -> list[str]:
    faults = []
    for name in (DEVELOPMENT, BUNDLED):
        text = (ROOT / name).read_text(encoding="utf-8")
        faults += [f"{name}: {fault}" for fault in python_faults(text, wanted(name))]
    faults += [
        f"{BUNDLED}: {fault}" for fault in licence_faults((ROOT / BUNDLED).read_text(encoding="utf-8"))
    ]
    lock = json.loads((ROOT / LOCK).read_text(encoding="utf-8"))
    return faults + [f"{LOCK}: {fault}" for fault in npm_faults(lock)]


def resolve(name: str) -> None:
    """For all platforms and Pythons at once. What is pinned already stays, where it still fits."""
    command = [
        *(str(Path(sys.executable).with_name("uv")), "pip", "compile", "-", "--quiet", "--universal"),
        *("--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"),
        *("--no-emit-index-url", "--no-emit-find-links", "--output-file", str(ROOT / name)),
    ]
    subprocess.run(command, input="\n".join(wanted(name)), text=True, check=True, stdout=subprocess.DEVNULL)
    path = ROOT / name
    path.write_text(HEAD + path.read_text(encoding="utf-8").removeprefix(HEAD), encoding="utf-8")


def main(arguments: list[str]) -> int:
    if "--check" not in arguments:
        for name in (DEVELOPMENT, BUNDLED):
            resolve(name)
    faults = check()
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
