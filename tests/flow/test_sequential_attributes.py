"""A Sequential applies what it is given as attributes, too: torch says in which order."""

from __future__ import annotations

import pytest
import torch

from tests.flow.seen import shapes

HEAD = "import torch\nfrom collections import OrderedDict\nfrom torch import nn\n"
PROGRAMS = {
    "a class that gives itself its layers": """
class Chain(nn.Sequential):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.add_module("second", nn.Linear(3, 4))
        self.append(nn.Linear(4, 5))

y = Chain()(torch.zeros(6, 2))
""",
    "a layer after those that are handed over": """
class Head(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 4), nn.ReLU())
        self.last = nn.Linear(4, 6)

    def forward(self, x):
        return super().forward(x)[:2]

y = Head(2)(torch.zeros(3, 2))
""",
    "another layer in the place of a named one": """
net = nn.Sequential(OrderedDict([("stem", nn.Linear(4, 8)), ("head", nn.Linear(8, 3))]))
net.head = nn.Linear(8, 2)
y = net(torch.zeros(5, 4))
""",
    "another layer at a number": """
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
net[0] = nn.Linear(2, 9)
y = net(torch.zeros(1, 2))
""",
    "what is no layer": """
net = nn.Sequential(nn.Linear(2, 3))
net.width = 3
net.names = ["first"]
y = net(torch.zeros(len(net), 2))
""",
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_layers_that_are_attributes(kind: str) -> None:
    names: dict[str, torch.Tensor] = {}
    exec(HEAD + PROGRAMS[kind], names)
    assert shapes(HEAD + PROGRAMS[kind])["y"] == " ".join(map(str, names["y"].shape))
