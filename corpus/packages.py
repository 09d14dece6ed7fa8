"""The pinned packages, fetched from PyPI without their dependencies, and the pinned example programs of some,
fetched with git: unpacked below `.corpus/`; nothing is run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
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

    def unpack(self, folder: Path) -> None:
        with zipfile.ZipFile(downloaded(self)) as archive:
            for name in archive.namelist():
                if self.holds(PurePosixPath(name)):
                    archive.extract(name, folder)

    def holds(self, path: PurePosixPath) -> bool:
        if path.suffix != ".py" or path.parts[0] != self.name:
            return False
        inside = PurePosixPath(*path.parts[1:])
        return (
            not self.parts
            or len(inside.parts) == 1
            or any(inside.is_relative_to(part) for part in self.parts)
        )


@dataclass(frozen=True)
class Examples:
    """Programs that show a package at work, and that none of its distributions has: a folder of its
    repository at one commit, which git makes sure of.
    """

    name: str
    repository: str
    commit: str
    part: str = "examples"

    @property
    def version(self) -> str:
        return self.commit[:10]

    @property
    def folder(self) -> Path:
        return SOURCES / f"{self.name}-{self.version}"

    def unpack(self, folder: Path) -> None:
        with tempfile.TemporaryDirectory() as checkout:
            for command in (
                ["init", "--quiet"],
                ["remote", "add", "origin", self.repository],
                ["config", "extensions.partialClone", "origin"],
                ["fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", self.commit],
                ["sparse-checkout", "set", self.part],
                ["-c", "advice.detachedHead=false", "checkout", "--quiet", self.commit],
            ):
                subprocess.run(["git", "-C", checkout, *command], check=True)
            for path in sorted(Path(checkout, self.part).rglob("*.py")):
                target = folder / path.relative_to(checkout)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target, follow_symlinks=False)


TEN = "bert", "clip", "detr", "gpt2", "llama", "mistral", "t5", "vit", "wav2vec2", "whisper"
FAMILIES = tuple(f"models/{family}" for family in TEN)

PACKAGES = (
    Package("torchvision", "0.29.1"),
    Package("timm", "1.0.31"),
    Package("transformers", "5.24.0", (*FAMILIES, "generation", "integrations", "loss", "pipelines")),
    Package("lightning", "2.6.6"),
    Package("accelerate", "1.15.0"),
    Examples(
        "lightning-examples",
        "https://github.com/Lightning-AI/pytorch-lightning",
        "7f0c3436cd3f6ad3753125672024fc415cbcb414",
    ),
    Examples(
        "accelerate-examples",
        "https://github.com/huggingface/accelerate",
        "16cb6eb80dd9aa8b4df1a63ef57863e455d53b83",
    ),
)


def fetch(package: Package | Examples) -> Path:
    """The folder with the package's Python files; downloads it where it is not there yet."""
    if not package.folder.exists():
        # Unpacked beside, then moved: an interrupted run leaves no half of a package.
        beside = package.folder.with_suffix(".part")
        shutil.rmtree(beside, ignore_errors=True)
        package.unpack(beside)
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
