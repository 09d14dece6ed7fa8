"""A module that keeps a result with its graph is copied deeply.

`copy.deepcopy` copies leaves only: a tensor that came out of a recorded computation and was kept as an
attribute
(an activation, a hidden state) makes it raise. Keep it detached.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW414", ERROR, "04-neural-networks/modules#hooks"

EXAMPLES = [
    Example(
        bad="""
            class Probe(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = nn.Linear(2, 2)

                def forward(self, x):
                    self.last = self.layer(x)
                    return self.last.sum()

            probe = Probe()
            probe(torch.ones(1, 2))
            twin = copy.deepcopy(probe)
                   ^^^^^^^^^^^^^^^^^^^^ keeps a result with its graph
            """,
        good="""
            class Probe(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = nn.Linear(2, 2)

                def forward(self, x):
                    out = self.layer(x)
                    self.last = out.detach()
                    return out.sum()

            probe = Probe()
            probe(torch.ones(1, 2))
            twin = copy.deepcopy(probe)
            """,
        setup="import copy\n\nimport torch\nfrom torch import nn",
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import copy

    import torch

    weight = torch.ones(2, requires_grad=True)
    twin = copy.deepcopy(weight)  # a leaf
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("deepcopy"):
        for kept in call.breaks("non-leaf"):
            source = call["x"]
            if source is not None:
                what = f"`{source.text}.{kept.axis}`" if kept.axis else f"`{source.text}`"
                yield call.flag(
                    f"{what} keeps a result with its graph, which cannot be copied deeply; keep it detached"
                )
