"""Names that modules have already: torch says which."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from torchwise.ops.members import OF_CLASS, OF_MODULES


def names(module: nn.Module) -> set[str]:
    return {name for name in dir(module) if not name.startswith("_")}


def test_the_names_of_all_modules_are_those_of_torch() -> None:
    assert names(nn.Module()) == OF_MODULES


@pytest.mark.parametrize("cls", OF_CLASS)
def test_the_names_that_a_container_adds_are_those_of_torch(cls: str) -> None:
    made = getattr(nn, cls.rpartition(".")[2])()
    assert names(made) - OF_MODULES == OF_CLASS[cls]
    name = min(OF_CLASS[cls])
    with pytest.raises(KeyError):
        made.register_parameter(name, nn.Parameter(torch.zeros(1)))
