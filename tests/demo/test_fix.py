"""What `torchwise fix --unsafe-fixes` makes of the faulty demo: the mended twin, text for text."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "demo"
# Behind a statement, or on a line of its own where the statement has been written anew.
FAULT = re.compile(r"(?m)^ *# fault: [\w-]+\n| *# fault: [\w-]+")


def torchwise(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "torchwise", *arguments, "--isolated", "--no-cache"]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False).stdout


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "faulty"
    shutil.copytree(DEMO / "faulty", folder)
    torchwise("fix", "--unsafe-fixes", ".", cwd=folder)
    return folder


def sources(folder: Path) -> dict[str, str]:
    """The texts of a twin, without what the comments say of planted faults."""
    return {
        path.relative_to(folder).as_posix(): FAULT.sub("", path.read_text())
        for path in folder.rglob("*")
        if path.suffix in (".py", ".ipynb")
    }


def test_what_is_made_of_the_faulty_twin_is_the_mended_one(mended: Path) -> None:
    """Which `tests/demo/test_demo.py` runs."""
    assert sources(mended) == sources(DEMO / "mended")


def test_nothing_is_found_any_more(mended: Path) -> None:
    assert json.loads(torchwise("check", ".", "--output-format", "json", cwd=mended)) == []


def test_a_second_run_changes_nothing(mended: Path) -> None:
    before = {path: path.read_bytes() for path in mended.rglob("*") if path.is_file()}
    torchwise("fix", "--unsafe-fixes", ".", cwd=mended)
    assert {path: path.read_bytes() for path in mended.rglob("*") if path.is_file()} == before
