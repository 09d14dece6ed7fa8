"""What an editor feels: a keystroke in a small and in a large file, the first diagnostics, and memory."""

from __future__ import annotations

import time
from collections.abc import Iterator

import tree_sitter
import tree_sitter_python

from bench.budget import Row, milliseconds, percentile_95, printed_by, typical
from bench.client import Client
from bench.sources import study
from torchwise.engine import Engine

EDITS = 60
TYPED = "        features = features.mul(0.5) + features.detach()\n"


def keystrokes(text: str) -> Iterator[tuple[int, str, str]]:
    """A new line in a forward in the middle, letter by letter: (row, letter, whole text after it)."""
    anchor = "        features = F.relu(self.deeper(features))\n"
    at = text.index(anchor, len(text) // 2)
    row = text.count("\n", 0, at)
    before, after = text[:at], text[at:]
    typed = ""
    while True:
        for letter in TYPED:
            typed += letter
            yield row, letter, before + typed + after
            if letter == "\n":
                row, before, typed = row + 1, before + typed, ""


def bare_parse(text: str) -> float:
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
    source = text.encode()
    start = time.process_time()
    for _ in range(9):
        parser.parse(source)
    return (time.process_time() - start) / 9


def row_for_keystroke(where: str, lines: int, samples: list[float], parse: float) -> Row:
    """The budget is the same at any size: three bare parses and 15 ms."""
    found, allowed = percentile_95(samples), 3 * parse + 0.015
    return Row(
        what=f"keystroke in a file of {lines} lines, {where}, 95th percentile",
        figure=milliseconds(found),
        yardstick=f"bare parse {milliseconds(parse)}",
        ratio=f"{found / parse:.1f} x",
        budget=f"3 x + 15 ms = {milliseconds(allowed)}",
        held=found <= allowed,
    )


def keystroke_in_the_engine(lines: int) -> Row:
    text, path = study(lines), "study.py"
    engine = Engine()
    engine.set_text(path, text)
    engine.findings(path)
    samples = []
    for _, (_, _, edited) in zip(range(EDITS), keystrokes(text)):
        start = time.process_time()
        engine.set_text(path, edited)
        engine.findings(path)
        samples.append(time.process_time() - start)
    return row_for_keystroke("in the engine", text.count("\n"), samples, bare_parse(text))


def keystroke_over_stdio(lines: int) -> Row:
    """From sending the change to having read the diagnostics of that very version."""
    text, uri = study(lines), "file:///study.py"
    client, samples, column = Client(), [], 0
    client.open(uri, text)
    client.diagnostics(uri, version=1)
    for version, (row, letter, _) in zip(range(2, EDITS + 2), keystrokes(text)):
        place = {"line": row, "character": column}
        column = 0 if letter == "\n" else column + 1
        start = time.perf_counter()
        client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": place, "end": place}, "text": letter}],
            },
        )
        client.diagnostics(uri, version)
        samples.append(time.perf_counter() - start)
    client.close()
    return row_for_keystroke("over stdio", text.count("\n"), samples, bare_parse(text))


def start_to_first_diagnostics() -> Row:
    torch_seen = False

    def start() -> float:
        nonlocal torch_seen
        begun = time.perf_counter()
        client = Client()
        client.open("file:///study.py", study(100))
        client.diagnostics("file:///study.py", version=1)
        taken = time.perf_counter() - begun
        torch_seen = torch_seen or client.has_loaded("libtorch")
        client.close()
        return taken

    def importing_pygls() -> float:
        begun = time.perf_counter()
        printed_by("import pygls.lsp.server")
        return time.perf_counter() - begun

    ours, importing = typical(start), typical(importing_pygls)
    return Row(
        what="start to first diagnostics" + (", and torch was imported!" if torch_seen else ""),
        figure=milliseconds(ours),
        yardstick=f"importing pygls {milliseconds(importing)}",
        ratio=f"{ours / importing:.2f} x",
        budget="2 x, torch not imported",
        held=ours / importing <= 2 and not torch_seen,
    )


# Bytes held at most. The usage that the system reports of a child counts its parent's memory too.
PEAK = """
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) * 1024)
"""

HOLD = """
import sys
from torchwise.engine import Engine
from bench.sources import study
engine = Engine()
paths = [f"study_{n}.py" for n in range(int(sys.argv[1]))]
for n, path in enumerate(paths):
    engine.set_text(path, study(60 + 60 * (n % 4), first=n))
for path in paths:
    engine.findings(path)
"""


def memory_of_a_workspace(files: int = 1000) -> Row:
    most = float(printed_by(HOLD + PEAK, str(files)))
    bare = float(printed_by(PEAK))
    return Row(
        what=f"memory at most, a workspace of {files} files, all checked",
        figure=f"{most / 1e6:.0f} MB",
        yardstick=f"Python alone {bare / 1e6:.0f} MB",
        ratio=f"{most / bare:.1f} x",
        budget="150 MB",
        held=most < 150e6,
    )
