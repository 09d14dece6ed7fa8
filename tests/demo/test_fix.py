"""What `torchwise fix --unsafe-fixes` makes of the faulty demo: every fault that has a fix is gone, as in the
mended twin, and nothing else has changed."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "demo"
WITHOUT_FIX = {
    ("layers.py", "inplace-breaks-backward"),
    ("networks.py", "feature-mismatch"),
    ("serve.py", "graph-break-control-flow"),
    ("serve.py", "graph-break-print"),
    ("serve.py", "graph-break-scalar"),
    ("steps.py", "missing-zero-grad"),
    ("steps.py", "softmax-before-cross-entropy"),
}
FAULT = re.compile(r" *# fault: [\w-]+")


def torchwise(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "torchwise", *arguments, "--isolated", "--no-cache"]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False).stdout


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "faulty"
    shutil.copytree(DEMO / "faulty", folder)
    torchwise("fix", "--unsafe-fixes", ".", cwd=folder)
    return folder


def test_what_is_left_has_no_fix(mended: Path) -> None:
    found = json.loads(torchwise("check", ".", "--output-format", "json", cwd=mended))
    assert {(Path(f["filename"]).name, f["name"]) for f in found} == WITHOUT_FIX
    assert not any(f["fix"] for f in found)


def test_a_second_run_changes_nothing(mended: Path) -> None:
    before = {path: path.read_bytes() for path in mended.rglob("*") if path.is_file()}
    torchwise("fix", "--unsafe-fixes", ".", cwd=mended)
    assert {path: path.read_bytes() for path in mended.rglob("*") if path.is_file()} == before


def test_what_is_fixed_is_as_in_the_mended_twin(mended: Path) -> None:
    assert FAULT.sub("", (mended / "look.ipynb").read_text()) == (DEMO / "mended" / "look.ipynb").read_text()
    attention = "self.out(seen.transpose(1, 2).reshape(batch, patches, dim))"
    for folder in (mended, DEMO / "mended"):
        assert attention in (folder / "orchard" / "layers.py").read_text()
        assert re.search(
            r"^    model\.eval\(\)$", (folder / "orchard" / "evaluate.py").read_text(), re.MULTILINE
        )
        assert "model.train()" in (folder / "orchard" / "train.py").read_text()


def test_only_lines_of_fixes_differ(mended: Path) -> None:
    for path in (DEMO / "faulty").rglob("*.py"):
        lines = path.read_text().splitlines()
        after = [
            line.strip() for line in (mended / path.relative_to(DEMO / "faulty")).read_text().splitlines()
        ]
        gone = [line for line in lines if line.strip() not in after]
        assert all("# fault: view-on-non-contiguous" in line for line in gone)
