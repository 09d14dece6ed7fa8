"""Files that take all names from each other: what goes round in a circle is not known, and the rest is."""

from __future__ import annotations

from torchwise.engine import Engine

FILES = {
    "/project/a.py": "import torch\nfrom b import *\nWIDTH = 4\n",
    "/project/b.py": "from a import *\nfrom a import depth\n",
    "/project/main.py": (
        "import torch\nfrom a import *\nfrom b import depth\n"
        "torch.zeros(2, 3) @ torch.zeros(WIDTH, 2)\ntorch.zeros(depth) @ torch.zeros(5)\n"
    ),
}


def test_names_that_go_round_in_a_circle_are_no_fault() -> None:
    engine = Engine()
    for path, text in FILES.items():
        engine.set_text(path, text)
    found = [(f.name, f.at.span.row) for f in engine.survey("/project/main.py")]
    assert engine.crashes == []
    assert found == [("shape-mismatch", 4)]
