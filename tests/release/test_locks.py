"""What is installed and bundled is pinned; and each check of it sees what it is there for."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from release import sbom
from release.licences import allowed
from release.locks import BUNDLED, DEVELOPMENT, check, npm_faults, pins, python_faults, wanted
from release.versions import LOCK, ROOT

HASH = "--hash=sha256:" + "0" * 64
LOCKED: dict[str, Any] = json.loads((ROOT / LOCK).read_text(encoding="utf-8"))
BUILT_IN = {"name": "react", "versionInfo": "18.3.1", "licenseId": "MIT", "extractedText": "MIT License"}


def test_all_is_pinned() -> None:
    assert check() == []


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (f"click==8.5.1 {HASH}", None),
        (f"click>=8.1 {HASH}", "click: no version"),
        ("click==8.5.1", "click: no hash"),
        ("click==8.5.1 --hash=md5:" + "0" * 32, "click: no hash"),
        (f"click==7.0 {HASH}", "click: 7.0 is not >=8.1"),
        (f"Rich==15.0.0 {HASH}", "click: wanted, and not pinned"),
    ],
)
def test_a_row_that_pins_nothing_is_a_fault(row: str, fault: str | None) -> None:
    found = python_faults(f"# a comment\n{row}\n", ["click>=8.1"])
    assert found[:1] == ([fault] if fault else [])


def test_what_is_bundled_is_among_what_is_installed() -> None:
    """So the tests run with what users get; Torchfix, which we are measured beside, holds LibCST."""
    names = ({(pin.requirement.name, pin.version) for pin in pins((ROOT / each).read_text())}
             for each in (BUNDLED, DEVELOPMENT))  # fmt: skip
    bundled, installed = names
    assert {name for name, _ in bundled - installed} == {
        "libcst",
        "pyyaml-ft",
    }  # and one is for a single Python
    assert not any(pin.requirement.name == "torch" for pin in pins((ROOT / DEVELOPMENT).read_text()))
    assert len(wanted(BUNDLED)) < len(wanted(DEVELOPMENT))


def _without_hash(lock: dict[str, Any]) -> None:
    del lock["packages"]["node_modules/react"]["integrity"]


def _under_gpl(lock: dict[str, Any]) -> None:
    lock["packages"]["node_modules/react"]["license"] = "GPL-3.0-only"


def _other_dependencies(lock: dict[str, Any]) -> None:
    lock["packages"]["lab-extension"]["dependencies"]["left-pad"] = "^1"


@pytest.mark.parametrize(
    ("spoil", "word"),
    [(_without_hash, "react: no hash"), (_under_gpl, "GPL-3.0-only"), (_other_dependencies, "lab-extension")],
)
def test_faults_of_the_lock_of_npm_are_seen(spoil: Callable[[dict[str, Any]], None], word: str) -> None:
    lock = copy.deepcopy(LOCKED)
    spoil(lock)
    (fault,) = npm_faults(lock)
    assert word in fault


@pytest.mark.parametrize(
    ("expression", "fits"),
    [
        ("MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("(MPL-2.0 OR GPL-3.0-only) AND BSD-3-Clause", True),
        ("GPL-3.0-only AND MIT", False),
        ("SEE LICENSE IN LICENSE.txt", False),
        ("", False),
        (None, False),
    ],
)
def test_a_licence_is_allowed_by_what_it_says(expression: str | None, fits: bool) -> None:
    assert allowed(expression) is fits


# -- what is read out of artefacts


def package(folder: Path, name: str, version: str, licence: str) -> Path:
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (folder / f"{name}.py").write_text("")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nLicense-Expression: {licence}\n"
    )
    (info / "RECORD").write_text(f"{name}.py,,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n")
    return folder


def test_a_bundle_of_what_is_pinned_is_right(tmp_path: Path) -> None:
    version = next(
        pin.version for pin in pins((ROOT / BUNDLED).read_text()) if pin.requirement.name == "click"
    )
    assert sbom.bundled_faults([package(tmp_path, "click", str(version), "BSD-3-Clause")]) == []


def test_what_is_bundled_without_a_pin_is_seen(tmp_path: Path) -> None:
    package(tmp_path, "click", "0.1", "GPL-3.0-only")
    (tmp_path / "stray.py").write_text("")
    other, licence, stray = sbom.bundled_faults([tmp_path])
    assert other.startswith("click 0.1 is bundled") and "GPL-3.0-only" in licence
    assert stray == "stray.py belongs to no package"


def test_what_is_built_in_without_being_declared_is_seen() -> None:
    rest = [{**BUILT_IN, "name": name} for name in ("@codemirror/lint", "css-loader", "style-loader")]
    faults = sbom.npm_faults(
        "lab-extension", [{**BUILT_IN, "extractedText": ""}, *rest, {**BUILT_IN, "name": "d3"}]
    )
    assert "d3 is built in, and not declared" in faults
    assert "react: no text of a licence that is allowed" in faults
    assert "css-loader 18.3.1 is built in, and not in the lock" in faults


def test_a_bill_of_materials_names_each_package(tmp_path: Path) -> None:
    found = sbom.python_packages(package(tmp_path / "libs", "click", "8.5.1", "BSD-3-Clause"))
    parts = sbom.of_python_packages(found) + sbom.of_npm_packages([BUILT_IN])
    told = json.loads(sbom.bill("torchwise.vsix", parts, tmp_path).read_text())
    assert {each["purl"] for each in told["components"]} == {"pkg:pypi/click@8.5.1", "pkg:npm/react@18.3.1"}
    assert told["specVersion"] == "1.6" and told["metadata"]["component"]["name"] == "torchwise.vsix"


def test_the_audit_asks_about_every_lock() -> None:
    job = yaml.safe_load((ROOT / ".github/workflows/audit.yml").read_text())
    told = {path for event in ("push", "pull_request") for path in job[True][event]["paths"]}  # YAML's `on`
    assert {DEVELOPMENT, BUNDLED, LOCK} <= told and job[True]["schedule"]
    steps = " ".join(step.get("run", "") for each in job["jobs"].values() for step in each["steps"])
    assert DEVELOPMENT in steps and BUNDLED in steps and "npm audit" in steps
