"""A hover over the name of what is called: by what it is, with the values of this very call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.session import REAL, connected
from torchwise.engine import Engine
from torchwise.findings import Called
from torchwise.lessons.hovers import api_hover, linked
from torchwise.lessons.signatures import packages_of
from torchwise.syntax.notebook import Cell

PROGRAM = """\
import torch
from torch import nn, optim
import torch.nn.functional as fun
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 8)

    def forward(self, rows):
        return fun.relu(self.head(rows))

net = Net()
step = optim.SGD(net.parameters(), lr=0.1)
rows = torch.randn(3, 4)
flat = net(rows).transpose(0, 1).reshape(-1)
loss = fun.cross_entropy(net(rows), torch.tensor([0, 1, 2]))
step.zero_grad()
loader = DataLoader(TensorDataset(rows), batch_size=2)
known = rows @ rows.mT
"""


def pointed(word: str, text: str = PROGRAM, after: str = "") -> Called | None:
    """At the word, its first place after some other text."""
    engine = Engine()
    engine.set_text("a.py", text)
    start = text.index(word, text.index(after))
    row = text.count("\n", 0, start) + 1
    return engine.called("a.py", row, start - text.rfind("\n", 0, start) - 1)


@pytest.mark.parametrize(
    ("word", "after", "name"),
    [
        ("Linear", "", "torch.nn.Linear"),
        ("head(rows)", "", "torch.nn.Linear"),  # the layer, by its value
        ("relu", "", "torch.nn.functional.relu"),  # whatever the module was imported as
        ("SGD", "", "torch.optim.SGD"),
        ("reshape", "", "torch.Tensor.reshape"),
        ("transpose", "", "torch.Tensor.transpose"),  # not the call around it
        ("tensor([", "", "torch.tensor"),
        ("zero_grad", "", "torch.optim.Optimizer.zero_grad"),
        ("DataLoader(", "", "torch.utils.data.DataLoader"),
    ],
)
def test_what_is_called_is_known_by_value(word: str, after: str, name: str) -> None:
    found = pointed(word, after=after)
    assert found is not None and found.names == (name,)


@pytest.mark.parametrize("word", ["fun.relu", "rows)", "net(rows)", "@ rows", "0.1", "class Net", "lr="])
def test_what_is_no_name_of_an_api_is_none(word: str) -> None:
    assert pointed(word) is None


def test_the_values_are_those_of_this_call() -> None:
    found = pointed("cross_entropy")
    assert (
        found
        and dict(found.arguments) == {"input": "f32[3, 8]", "target": "i64[3]"}
        and found.result == "f32[]"
    )
    found = pointed("DataLoader(")
    assert found and dict(found.arguments) == {"dataset": "TensorDataset", "batch_size": "2"}


def test_what_differs_between_calls_is_not_told_as_one() -> None:
    text = "import torch\ndef f(x):\n    return x.relu()\nf(torch.ones(2, 3))\nf(torch.ones(2, 5))\n"
    found = pointed("relu", text)
    assert found and dict(found.arguments) == {"input": "f32[2, ?]"}


def test_a_notebook_has_rows_of_its_cells() -> None:
    engine = Engine()
    engine.set_notebook("a.ipynb", [Cell("code", "import torch"), Cell("code", "x = 1\ny = torch.ones(2)")])
    found = engine.called("a.ipynb", 2, 11, 1)
    assert found and found.names == ("torch.ones",) and (found.at.cell, found.at.span.row) == (1, 2)
    assert engine.called("a.ipynb", 9, 0, 7) is None


def test_a_hover_has_signature_values_note_and_pitfalls() -> None:
    found = pointed("reshape")
    assert found is not None
    text = api_hover(found, packages_of(None)) or ""
    assert text.startswith("```python\ntorch.Tensor.reshape(")
    assert "Here: input `f32[8, 3]`" in text and "→ `f32[24]`" in text
    assert "Shapes: `" in text
    loader = pointed("DataLoader(")
    assert loader is not None
    assert "/rules/data/loader-options-conflict)" in (api_hover(loader, packages_of(None)) or "")


def test_without_torch_there_is_still_the_note() -> None:
    found = pointed("reshape")
    assert found is not None
    assert (api_hover(found, None) or "").startswith("`torch.Tensor.reshape`\n\nHere: input")


def test_links_lead_to_the_site() -> None:
    text = linked("[a](rule:TW301) [b](rule:nothing) [c](note:torch.relu) [d](lesson:02-tensors/views#gaps)")
    a, b, c, d = text.split(" ")
    assert a.endswith("/rules/tensors/view-on-non-contiguous)") and (b, c) == ("b", "c")
    assert d.endswith("/lessons/02-tensors/views#gaps)")


async def test_the_server_shows_value_and_api_together(tmp_path: Path) -> None:
    async with connected(tmp_path, command=REAL) as session:
        uri = session.open("a.py", PROGRAM)
        line = next(row for row, text in enumerate(PROGRAM.splitlines()) if "reshape" in text)
        column = PROGRAM.splitlines()[line].index("reshape")
        found = await session.hover(uri, line, column + 2)
        assert found is not None and found.range is not None
        text = getattr(found.contents, "value", "")
        assert "strides" in text and "torch.Tensor.reshape(" in text and "Here: input `f32[8, 3]`" in text
        assert (found.range.start.character, found.range.end.character) == (column, column + len("reshape"))
