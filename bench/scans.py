"""Whole runs of the command line: cold against TorchFix and against a bare parse, and warm against cold."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from bench.budget import Row, printed_by, run, typical
from bench.sources import torch_using, without_torch

CHECK = ("-m", "torchwise", "check", "--isolated", "--exit-zero", "--output-format", "json", "-j", "1")

PARSE = """
import sys, time, pathlib
import tree_sitter, tree_sitter_python
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
sources = [path.read_bytes() for path in pathlib.Path(sys.argv[1]).rglob("*.py")]
start = time.perf_counter()
for source in sources:
    parser.parse(source)
print(time.perf_counter() - start)
"""


def copied(paths: list[Path], into: str) -> Path:
    """The files in one folder, so that both checkers walk the same; numbered, since names repeat."""
    folder = Path(into) / "sources"
    folder.mkdir()
    for number, path in enumerate(paths):
        shutil.copyfile(path, folder / f"{path.stem}_{number}.py")
    return folder


def lines_of(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))


def against_torchfix(limit: int = 150) -> Row:
    """Both in one process and from a cold start."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = copied(torch_using(limit), temporary)
        ours = typical(lambda: run(*CHECK, "--no-cache", folder), times=3)
        theirs = run("-c", "from torchfix.__main__ import main; main()", "--select", "ALL", "-j", "1", folder)
        files, lines = len(list(folder.iterdir())), lines_of(folder)
    return Row(
        what=f"cold scan, {files} files that use torch ({lines} lines)",
        figure=f"{ours:.2f} s",
        yardstick=f"TorchFix {theirs:.1f} s",
        ratio=f"{theirs / ours:.1f} x faster",
        budget="20 x faster",
        held=theirs / ours >= 20,
    )


def against_bare_parse() -> Row:
    """What the files cost beyond an empty run: starting Python is in the budget for the start."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = copied(without_torch(), temporary)
        empty = Path(temporary) / "empty"
        empty.mkdir()
        (empty / "nothing.py").write_text("")
        whole = typical(lambda: run(*CHECK, "--no-cache", folder))
        start = typical(lambda: run(*CHECK, "--no-cache", empty))
        parse = float(printed_by(PARSE, str(folder)))
        files, lines = len(list(folder.iterdir())), lines_of(folder)
    ours = whole - start
    return Row(
        what=f"cold scan, {files} files without torch ({lines} lines)",
        figure=f"{ours:.2f} s",
        yardstick=f"bare parse {parse:.2f} s",
        ratio=f"{ours / parse:.1f} x",
        budget="4 x",
        held=ours / parse <= 4,
    )


def warm_against_cold(limit: int = 150) -> Row:
    """The second run over unchanged files. Not isolated: that would leave the cache out."""
    check = [part for part in CHECK if part != "--isolated"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = copied(torch_using(limit), temporary)
        cold = run(*check, ".", cwd=folder)
        warm = typical(lambda: run(*check, ".", cwd=folder))
        files = len(list(folder.glob("*.py")))
    return Row(
        what=f"warm re-scan, {files} files",
        figure=f"{warm:.2f} s",
        yardstick=f"cold {cold:.2f} s",
        ratio=f"{warm / cold:.0%}",
        budget="15 %",
        held=warm / cold < 0.15,
    )
