"""What hooks give back, wherever they are registered."""

from __future__ import annotations

import pytest

from tests.flow.seen import PATH, engine

PROGRAM = """
from functools import partial
from torch import nn

class Tap:
    def __init__(self, model, names):
        self.kept = {}
        for name, layer in model.named_modules():
            if name in names:
                layer.register_forward_hook(HOOK)

    def make(self, name):
        def hook(module, inputs, output):
            self.kept[name] = output.detach()
            BACK
        return hook

    def keep(self, name, module, inputs, output):
        self.kept[name] = output.detach().cpu()
        BACK
"""


@pytest.mark.parametrize("hook", ["self.make(name)", "partial(self.keep, name)"])
@pytest.mark.parametrize(
    "back, faults",
    [
        ("return self.kept[name]", 1),
        ("return self.kept", 1),
        ("return", 0),
        ("return output", 0),
        ("pass", 0),
    ],
)
def test_what_is_kept_is_given_back(hook, back, faults):
    found = engine(PROGRAM.replace("HOOK", hook).replace("BACK", back)).findings(PATH)
    assert [f.name for f in found] == ["hook-gives-back"] * faults
