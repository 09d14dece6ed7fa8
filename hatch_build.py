"""Puts the built JupyterLab extension where JupyterLab looks for it.

It is built with Node where it is not there yet; a source distribution carries it, so that pip needs no Node.
An editable install leaves it to `make lab`, and what is bundled with the VS Code extension has no use for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHARE = "share/jupyter/labextensions/@torchwise/lab"


class LabExtension(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or os.environ.get("TORCHWISE_WITHOUT_LAB"):
            return
        root = Path(self.root)
        built = root / "server" / "torchwise" / "labextension"
        if not (built / "package.json").exists():
            _build(root)
        if self.target_name == "wheel":
            build_data["shared_data"][str(built)] = SHARE
            install = root / "lab-extension" / "jupyter" / "install.json"
            build_data["shared_data"][str(install)] = f"{SHARE}/install.json"


def _build(root: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("the JupyterLab extension is not built, and there is no npm to build it with")
    if not (root / "node_modules" / "@jupyter" / "builder").exists():
        subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=root, check=True)
    subprocess.run([npm, "--workspace", "lab-extension", "run", "build"], cwd=root, check=True)
