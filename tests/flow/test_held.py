"""What modules keep in containers of which not all is known."""

from tests.flow.seen import events


def test_layers_under_unknown_keys_are_seen() -> None:
    code = """
import torch
from torch import nn

class Heads(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.by_task = {}
        for task, size in sizes.items():
            self.by_task[task] = nn.Linear(8, size)

    def forward(self, x, task):
        return self.by_task[task](x)
"""
    assert len(events(code, "unregistered-modules")) == 1


def test_fields_that_are_made_anew_are_known() -> None:
    code = """
from dataclasses import dataclass, field
import torch
from torch import nn

@dataclass
class Settings:
    sizes: dict = field(default_factory=lambda: {"a": 2, "b": 3})

class Heads(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.heads = {name: nn.Linear(8, size) for name, size in settings.sizes.items()}

heads = Heads(Settings())
"""
    assert len(events(code, "unregistered-modules")) == 1


def test_a_tensor_that_a_method_of_init_sets_is_state() -> None:
    code = """
import torch
from torch import nn

class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.reset(size)

    def reset(self, size):
        self.mean = torch.zeros(size)

    def forward(self, x):
        self.mean = torch.lerp(self.mean, x.mean(0), 0.1)
        return x - self.mean

norm = Norm(3)
"""
    assert len(events(code, "state-not-registered")) == 1
