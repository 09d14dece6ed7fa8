"""One version, in one place; the rest is written from it."""

from __future__ import annotations

import json
import re
import tomllib

from release.versions import LOCK, PACKAGES, ROOT, written
from torchwise import __version__


def test_every_file_has_the_version() -> None:
    for name, text in written().items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, f"{name}: run python -m release.versions"
    assert {json.loads((ROOT / name).read_text())["version"] for name in (*PACKAGES, LOCK)} == {__version__}


def test_python_packages_take_it_from_the_source() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in project["project"] and project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "server/torchwise/__init__.py"


def test_the_changelog_tells_of_what_comes() -> None:
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert heads[0] == "Unreleased" or heads[0].startswith(__version__)
