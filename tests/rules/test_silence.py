"""Right programs of the kinds that packages are made of, on which nothing is said."""

import pytest

from tests.rules.examples import clean, findings

BACKWARD_OF_AN_UNKNOWN_GRAPH = """
    import torch
    from torch import nn

    def train(config, criterion, batches):
        model = nn.parallel.DistributedDataParallel(config["model"])
        optimizer = config["optimizer"](model.parameters())
        for batch in batches:
            optimizer.zero_grad()
            criterion(model(batch)).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
"""
A_MODULE_THAT_UNKNOWN_CODE_HAS = """
    import torch.nn.functional as F
    from torch import nn
    from elsewhere import engine

    def train(batches):
        model = nn.Linear(3, 4)
        step = engine(model)
        for x, y in batches:
            model.zero_grad()
            F.cross_entropy(step(x), y).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
"""
A_FUNCTION_THAT_UNKNOWN_CODE_CALLS = """
    import torch
    import torch.nn.functional as F
    from torch import nn
    from elsewhere import run

    def train(batches):
        model = nn.Linear(3, 4)
        for x, y in batches:
            model.zero_grad()
            run(lambda: F.cross_entropy(model(x), y))
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
"""
A_SETATTR_OF_ITS_OWN = """
    import typing
    import torch
    from torch import nn

    class Start(typing.NamedTuple):
        value: torch.Tensor
        positive: bool

    class Kernel(nn.Module):
        def __setattr__(self, name, value):
            super().__setattr__(name, nn.Parameter(value.value) if isinstance(value, Start) else value)

    class Scaled(Kernel):
        def __init__(self):
            super().__init__()
            self.variance = Start(torch.ones(3), True)

        def forward(self, x):
            return self.variance * x
"""


@pytest.mark.parametrize(
    "program",
    [
        BACKWARD_OF_AN_UNKNOWN_GRAPH,
        A_MODULE_THAT_UNKNOWN_CODE_HAS,
        A_FUNCTION_THAT_UNKNOWN_CODE_CALLS,
        A_SETATTR_OF_ITS_OWN,
    ],
)
def test_a_right_program_is_left_in_peace(program: str) -> None:
    assert [found.message for found in findings(clean(program))] == []
