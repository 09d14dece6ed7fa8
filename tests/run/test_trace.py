"""What a file's assignments really bind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from torchwise.run.choice import choice
from torchwise.run.messages import Traced
from torchwise.run.traced import traced


async def trace(folder: Path, text: str, time_s: float = 30.0) -> Traced:
    path = folder / "main.py"
    path.write_text(text)
    return await traced(str(path), sys.executable, choice("cpu"), time_s)


def forms(found: Traced) -> list[Any]:
    return [(row.row, row.name, row.shape) for row in found.rows]


async def test_every_kind_of_binding_is_read_when_it_has_ended(tmp_path: Path) -> None:
    found = await trace(
        tmp_path,
        """import torch
a = torch.zeros(2, 3)
b, (c, *rest) = a + 1, (a[0], a)
b += 1
if (d := a.sum()) == 0:
    pass
for row in a:
    last = row.unsqueeze(0)
def scaled(x):
    y = (
        x * 2
    )
    return y
e: torch.Tensor = scaled(a.T)
words = "no tensor"
""",
    )
    assert found.error is None and forms(found) == [
        (2, "a", [2, 3]),
        (3, "b", [2, 3]),
        (3, "c", [3]),
        (4, "b", [2, 3]),
        (5, "d", []),
        (7, "row", [3]),
        (8, "last", [1, 3]),
        (10, "y", [3, 2]),
        (14, "e", [3, 2]),
    ]


async def test_forms_of_a_name_grad_and_what_came_before_an_error(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("import torch\nsizes = 1, 2, 1\n")
    found = await trace(
        tmp_path,
        """from beside import sizes, torch
for n in sizes:
    x = torch.zeros(n, dtype=torch.float64)
w = torch.nn.Parameter(x)
y = w @ torch.zeros(3)
""",
    )
    assert forms(found) == [(3, "x", [1]), (3, "x", [2]), (4, "w", [1])]
    assert [(row.dtype, row.device, row.requires_grad) for row in found.rows[1:]] == [
        ("float64", "cpu", False),
        ("float64", "cpu", True),
    ]
    assert found.error and found.error.startswith("RuntimeError: ")


async def test_a_file_that_never_ends_tells_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(
        "class Tensor: shape, dtype, device, requires_grad = (2,), 'x', 'cpu', False"
    )
    found = await trace(tmp_path, "import torch\nx = torch.Tensor()\nwhile True:\n    pass\n", time_s=1.0)
    assert forms(found) == [(2, "x", [2])] and "longer than 1 s" in (found.error or "")


async def test_a_file_that_ends_its_interpreter_is_said_to(tmp_path: Path) -> None:
    found = await trace(tmp_path, "import os\nos._exit(4)\n")
    assert found.problem and "it exited with code 4" in found.problem.what


async def test_broken_syntax_is_an_error_of_the_file(tmp_path: Path) -> None:
    assert (await trace(tmp_path, "x = (\n")).error == "SyntaxError: '(' was never closed (main.py, line 1)"
