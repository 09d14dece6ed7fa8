"""Which files may import torch: asked of every file of a project, so of its text alone."""

from __future__ import annotations

import pytest

from torchwise.project.links import imports_torch


@pytest.mark.parametrize(
    "text",
    [
        "import torch",
        "import torch as t",
        "import numpy as np, torch",
        "import os; import torch",
        "try: import torch\nexcept ImportError: torch = None",
        "from torch import nn",
        "from pytorch_lightning import Trainer",
        "import torchvision.transforms as T",
        "def f(x):\n    import torch",
        'torch = pytest.importorskip("torch")',
        "importlib.import_module('torch.nn')",
    ],
)
def test_a_text_that_imports_torch(text: str) -> None:
    assert imports_torch(f"x = 1\n{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# import torch",
        'named = "import torch"',
        "from package.printing.pytorch import Printer",
        "import package.torch",
        "words = ['torch', 'import']",
        "import os  # as torch does",
    ],
)
def test_a_text_that_speaks_of_torch_alone(text: str) -> None:
    assert not imports_torch(f"x = 1\n{text}\n")
