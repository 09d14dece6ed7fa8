"""What Dynamo really does with a file's functions, called with what is inferred or written down."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from torchwise.engine import Engine
from torchwise.engine.inputs import Input

PROGRAM = """import torch
from torch import nn


def tell(x):
    print("on the way")
    return x * 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, scale: int = 2):
        y = self.fc(x)
        if y.sum() > 0:
            y = y + 1
        return tell(y) * scale


class Wide(nn.Module):
    def __init__(self, width):
        super().__init__()


def alone(x: torch.Tensor):
    return x.relu()


if __name__ == "__main__":
    Net()(torch.randn(2, 4))
"""


N = Input("n", None, None, 2)  # a default


def report(folder: Path, entry: str) -> tuple[int, dict[str, Any]]:
    (folder / "main.py").write_text(PROGRAM)
    return reported(folder, f"main.py::{entry}")


def reported(folder: Path, target: str) -> tuple[int, dict[str, Any]]:
    line = [
        sys.executable,
        "-m",
        "torchwise",
        "compile-report",
        target,
        "--output-format",
        "json",
    ]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, json.loads(done.stdout)


def test_breaks_have_rows_reasons_and_callers(tmp_path: Path) -> None:
    code, found = report(tmp_path, "Net")
    assert (code, found["error"], found["problem"]) == (1, None, None)
    assert found["inputs"] == ["float32[2, 4] on cpu", "2"] and found["graphs"] in (3, 4)
    assert [(row["row"], row["via"]) for row in found["breaks"]] == [(17, []), (6, [19])]
    assert found["breaks"][0]["reason"] == "Data-dependent branching" and found["breaks"][0]["hints"]
    assert "expected 2, actual 3" in found["recompiles"][0]["reasons"][0]


def test_arguments_can_be_written_down(tmp_path: Path) -> None:
    code, found = report(tmp_path, "alone(torch.randn(5))")
    assert (code, found["graphs"], found["breaks"]) == (0, 1, [])
    assert found["inputs"] == ["float32[5] on cpu"]


def test_a_file_of_a_package_imports_its_neighbours(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    package.mkdir()
    for name, text in (
        ("__init__", ""),
        ("parts", "def told(x):\n    print('x')\n    return x\n"),
        (
            "whole",
            "from shop.parts import told\nfrom .parts import told as same\n\n"
            "def both(x):\n    return told(x)\n",
        ),
    ):
        (package / f"{name}.py").write_text(text)
    code, found = reported(tmp_path, "shop/whole.py::both(3.0)")
    assert (code, found["error"], found["problem"]) == (1, None, None)
    assert [row["path"] for row in found["breaks"]] == [str(package / "parts.py")]


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ("alone", "the shape of `x` is not known"),
        ("missing", "`missing` is no function or class of the file"),
        ("Wide(torch.randn(2))", "missing 1 required positional argument: 'width'"),
    ],
)
def test_what_cannot_be_called_says_why(tmp_path: Path, entry: str, what: str) -> None:
    code, found = report(tmp_path, entry)
    assert code == 2 and what in found["problem"]["what"]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(torch.zeros(3, 4, dtype=torch.int64))", [Input("x", (3, 4), "int64"), N]),
        ("f(torch.zeros(3), 5, flag=True)", [Input("x", (3,), "float32"), Input("n", None, None, 5)]),
        ("f(unknown)", "nothing is known of `x`"),
    ],
)
def test_inputs_are_those_of_a_real_call(call: str, expected: object) -> None:
    engine = Engine()
    text = (
        f"import torch\ndef f(x: torch.Tensor, n: int = 2, *, flag=False):\n    return x.sum() * n\n{call}\n"
    )
    engine.set_text("/a.py", text)
    assert engine.inputs("/a.py", "f") == expected
