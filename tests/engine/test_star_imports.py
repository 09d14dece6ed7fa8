"""Files that take all names from each other: what goes round in a circle is not known, and the rest is."""

from __future__ import annotations

import pytest

from torchwise.engine import Engine

MAIN = "import torch\nfrom a import *\ntorch.zeros(2, 3) @ torch.zeros(WIDTH, 2)\n"


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "from b import *\n", "b.py": "from a import depth\n"},
        {"p/__init__.py": "from .b import *\n", "p/b.py": "from p import depth\n"},
        {"p/__init__.py": "from .b import *\n", "p/b.py": "from . import depth\n"},
    ],
    ids=["files", "a package by its name", "a package"],
)
def test_names_that_go_round_in_a_circle_are_not_known(files: dict[str, str]) -> None:
    engine = Engine()
    for path, text in files.items():
        engine.set_text(f"/project/{path}", text + "WIDTH = 4\n")
    for path in files:
        found = engine.memo.global_name(f"/project/{path}", "depth")
        assert found is not None and type(found.value).__name__ == "Any"
    if "a.py" in files:
        engine.set_text("/project/main.py", MAIN)
        assert [f.name for f in engine.survey("/project/main.py")] == ["shape-mismatch"]
    assert engine.crashes == []
