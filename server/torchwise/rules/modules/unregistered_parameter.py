"""Something to be learned is held by a module that does not know of it.

`parameters()` lists Parameters that are attributes or stand in a `ParameterList` or `ParameterDict`.
Parameters in a plain list or dict, and a tensor with `requires_grad=True`, are not in it: no optimizer that
is given `parameters()` trains them, and `state_dict()` and `to()` pass them over.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ParameterList.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW420", WARNING, "04-neural-networks/modules#parameters-and-buffers"

EXAMPLES = [
    Example(
        bad="""
            class Mixed(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.scales = [nn.Parameter(torch.ones(2)) for _ in range(3)]
                    ^^^^^^^^^^^ holds parameters that the module does not know of

                def forward(self, x):
                    return sum(x * scale for scale in self.scales)

            known = len(list(Mixed().parameters()))
            """,
        good="""
            class Mixed(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.scales = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(3)])

                def forward(self, x):
                    return sum(x * scale for scale in self.scales)

            known = len(list(Mixed().parameters()))
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: bad["known"] == 0 and good["known"] == 3,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(2))
            self.known = [self.scale]  # registered as well

        def forward(self, x):
            return x * self.known[0]
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for held in scope.seen("unregistered-parameters"):
        yield held.flag(
            f"`{held.detail}` holds parameters that the module does not know of: they are not in `parameters()`"
        )
    for held in scope.seen("leaf-not-registered"):
        yield held.flag(
            f"`{held.detail}` requires grad, but is no Parameter: it is not in `parameters()`", level=HINT
        )
