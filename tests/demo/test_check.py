"""`torchwise check` finds every planted fault of the demo on its line, nothing else, and none in the twin."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FAULT = re.compile(r"# fault: ([\w-]+)")

Place = tuple[str, int | None, int, str]  # file, cell, row, rule


def found(twin: str) -> set[Place]:
    command = [sys.executable, "-m", "torchwise", "check", f"demo/{twin}", "--isolated", "--exit-zero"]
    ran = subprocess.run(
        [*command, "--output-format", "json"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {
        (Path(finding["filename"]).name, finding["cell"], finding["location"]["row"], finding["name"])
        for finding in json.loads(ran.stdout)
    }


def planted(twin: str) -> set[Place]:
    places = set()
    for path in (ROOT / "demo" / twin).rglob("*.py"):
        places |= faults_in(path.name, None, path.read_text())
    for path in (ROOT / "demo" / twin).rglob("*.ipynb"):
        for number, cell in enumerate(json.loads(path.read_text())["cells"], 1):
            places |= faults_in(path.name, number, "".join(cell["source"]))
    return places


def faults_in(name: str, cell: int | None, text: str) -> set[Place]:
    rows = enumerate(text.splitlines(), 1)
    return {(name, cell, row, fault[1]) for row, line in rows if (fault := FAULT.search(line))}


def test_the_planted_faults_are_found_and_nothing_else() -> None:
    assert found("faulty") == planted("faulty")


def test_the_mended_twin_is_silent() -> None:
    assert found("mended") == set()
