"""What is registered under which name, as torch has it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tests.flow.seen import PATH, engine

FIRST = {
    "nothing": "pass",
    "None": "self.part = None",
    "a tensor": "self.part = torch.zeros(2)",
    "a number": "self.part = 3",
    "a parameter": "self.part = nn.Parameter(torch.zeros(2))",
    "a layer": "self.part = nn.Linear(2, 2)",
    "an empty buffer": 'self.register_buffer("part", None)',
    "a buffer filled later": 'self.register_buffer("part", None); self.part = torch.zeros(2)',
    "what is gone": "self.part = torch.zeros(2); del self.part",
}
THEN = {
    "a buffer": 'self.register_buffer("part", torch.zeros(2))',
    "a parameter": 'self.register_parameter("part", nn.Parameter(torch.zeros(2)))',
    "a module": 'self.add_module("part", nn.Linear(2, 2))',
}


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("then", THEN)
def test_a_name_that_is_taken(first: str, then: str) -> None:
    lines = ["super().__init__()", *FIRST[first].split("; "), THEN[then]]
    code = "class Model(nn.Module):\n    def __init__(self):\n" + "".join(
        f"        {line}\n" for line in lines
    )
    found = engine("import torch\nfrom torch import nn\n" + code + "Model()\n").findings(PATH)
    space: dict[str, type] = {}
    exec(code, {"torch": torch, "nn": nn}, space)
    try:
        space["Model"]()
        refused = False
    except KeyError:
        refused = True
    said = "module-name-taken" in [f.name for f in found]
    silent = (first, then) in (("None", "a parameter"), ("None", "a module"))  # once registered, perhaps
    assert said is (refused and not silent)
