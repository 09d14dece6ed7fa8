"""Puts the server and the packages that it needs into `bundled/`, for the Pythons and the platform of a
.vsix.

`libs` holds what fits all of them, `cp311`, `cp312` ... what is compiled for one. `python/launch.py` picks.
Versions and hashes are those of `python/requirements.txt`, which `make lock` writes.
Usage: bundle.py [--target linux-x64] [--pythons 3.11,3.12]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from packaging.markers import Marker

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent
BUNDLED = HERE / "bundled"
PINS = HERE / "python" / "requirements.txt"
PYTHONS = "3.11,3.12,3.13,3.14"  # those that torch is made for, from the oldest that the server runs in

# Names of the marketplace, and what wheels are called for them.
TARGETS = {
    "linux-x64": ["manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"],
    "linux-arm64": ["manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"],
    "darwin-arm64": ["macosx_14_0_arm64", "macosx_12_0_arm64", "macosx_11_0_arm64"],
    "darwin-x64": ["macosx_14_0_x86_64", "macosx_12_0_x86_64", "macosx_10_12_x86_64"],
    "win32-x64": ["win_amd64"],
}
SYSTEMS = {  # what markers call them
    "linux": ("Linux", "linux", "posix"),
    "darwin": ("Darwin", "darwin", "posix"),
    "win32": ("Windows", "win32", "nt"),
}
UNUSED = {"tests", "test", "__pycache__", "labextension"}


def this_target() -> str:
    system = {"Linux": "linux", "Darwin": "darwin", "Windows": "win32"}[platform.system()]
    machine = platform.machine().lower()
    return f"{system}-{'arm64' if machine in ('arm64', 'aarch64') else 'x64'}"


def pip(*arguments: str) -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    env = {**os.environ, "TORCHWISE_WITHOUT_LAB": "1"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env).stdout


def pinned(target: str, python: str) -> str:
    """What the lock holds for them. (pip reads markers for the Python and system that itself runs in.)"""
    system, name, file = SYSTEMS[target.partition("-")[0]]
    other = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_system": system,
        "sys_platform": name,
        "os_name": file,
    }
    rows = PINS.read_text().replace("\\\n", " ").splitlines()
    kept = []
    for row in rows:
        what, marker, hashes = re.fullmatch(r"([^;#]*?)(?: ; (.*?))?((?: +--hash=\S+)*)\s*|#.*", row).groups()
        if what and (marker is None or Marker(marker).evaluate(other)):
            kept.append(f"{what}{hashes}\n")
    return "".join(kept)


def _options(target: str, python: str) -> list[str]:
    named = [part for tag in TARGETS[target] for part in ("--platform", tag)]
    return ["--only-binary=:all:", "--implementation", "cp", "--python-version", python, *named]


def bundle(target: str, pythons: list[str]) -> None:
    shutil.rmtree(BUNDLED, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        own = Path(scratch) / "own"
        pip("wheel", "--quiet", "--no-deps", "--wheel-dir", str(own), str(ROOT))
        found: dict[str, set[str]] = {}  # wheels by name, and for which Pythons
        wheels = Path(scratch) / "wheels"
        for python in pythons:
            folder = Path(scratch) / python
            options = ["--quiet", "--no-deps", "--dest", str(folder), *_options(target, python)]
            wanted = Path(scratch) / f"{python}.txt"
            wanted.write_text(pinned(target, python))
            pip("download", *options, "--require-hashes", "--requirement", str(wanted))
            for wheel in folder.iterdir():
                found.setdefault(wheel.name, set()).add(python)
                wheels.mkdir(exist_ok=True)
                shutil.move(wheel, wheels / wheel.name)
        for wheel in own.iterdir():
            _unpack(wheel, "libs")
        for name, wanted in found.items():
            everywhere = wanted == set(pythons)
            tags = ["libs"] if everywhere else [f"cp{python.replace('.', '')}" for python in sorted(wanted)]
            for tag in tags:
                _unpack(wheels / name, tag)
    (BUNDLED / "bundle.json").write_text(json.dumps({"target": target, "pythons": pythons}) + "\n")


def _unpack(wheel: Path, folder: str) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            parts = name.split("/")
            if UNUSED.isdisjoint(parts) and ".data" not in parts[0]:
                archive.extract(name, BUNDLED / folder)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--target", choices=TARGETS, default=this_target())
    options.add_argument("--pythons", default=PYTHONS)
    chosen = options.parse_args()
    bundle(chosen.target, chosen.pythons.split(","))


if __name__ == "__main__":
    main()
