"""The pinned packages, fetched from PyPI without their dependencies and unpacked below `.corpus/`; nothing is
run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1] / ".corpus"
WHEELS, SOURCES = ROOT / "wheels", ROOT / "src"

# The same wheel whatever the machine and its Python: only the Python files in it are of interest.
TARGET = ["--only-binary=:all:", "--python-version=3.11", "--implementation=cp", "--abi=cp311", "--abi=none"]
PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux1_x86_64", "any"]


@dataclass(frozen=True)
class Package:
    """`parts`: the folders of it that are taken; by default all of it. Files right in the package always
    are."""

    name: str
    version: str
    parts: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        return SOURCES / f"{self.name}-{self.version}"

    def holds(self, path: PurePosixPath) -> bool:
        if path.suffix != ".py" or path.parts[0] != self.name:
            return False
        inside = PurePosixPath(*path.parts[1:])
        return (
            not self.parts
            or len(inside.parts) == 1
            or any(inside.is_relative_to(part) for part in self.parts)
        )


TEN = "bert", "clip", "detr", "gpt2", "llama", "mistral", "t5", "vit", "wav2vec2", "whisper"
FAMILIES = tuple(f"models/{family}" for family in TEN)

PACKAGES = (
    Package("torchvision", "0.29.1"),
    Package("timm", "1.0.31"),
    Package("transformers", "5.24.0", (*FAMILIES, "generation", "integrations", "loss", "pipelines")),
    Package("lightning", "2.6.6"),
    Package("accelerate", "1.15.0"),
)


def fetch(package: Package) -> Path:
    """The folder with the package's Python files; downloads it where it is not there yet."""
    if not package.folder.exists():
        wheel = downloaded(package)
        # Unpacked beside, then moved: an interrupted run leaves no half of a package.
        beside = package.folder.with_suffix(".part")
        shutil.rmtree(beside, ignore_errors=True)
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if package.holds(PurePosixPath(name)):
                    archive.extract(name, beside)
        beside.rename(package.folder)
    return package.folder


def downloaded(package: Package) -> Path:
    WHEELS.mkdir(parents=True, exist_ok=True)
    pattern = f"{package.name}-{package.version}-*.whl"
    if not list(WHEELS.glob(pattern)):
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ]
        platforms = [f"--platform={platform}" for platform in PLATFORMS]
        wanted = f"{package.name}=={package.version}"
        subprocess.run([*command, *TARGET, *platforms, f"--dest={WHEELS}", wanted], check=True)
    return next(iter(WHEELS.glob(pattern)))
