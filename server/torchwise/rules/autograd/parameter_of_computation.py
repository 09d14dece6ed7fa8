"""A module's attribute is the result of a computation on a parameter, made once in `__init__`.

`self.scale = nn.Parameter(...) * 0.02` stores the product. It is no Parameter: `parameters()` does not
list it, the optimizer never sees it, and
the second backward goes through a graph that the first has freed. Compute the start value first, then wrap
it.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW215", ERROR, "04-neural-networks/modules#parameters-and-buffers"

EXAMPLES = [
    Example(
        bad="""
            class Shift(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.offset = nn.Parameter(torch.randn(8)) * 0.02
                    ^^^^^^^^^^^ is the result of a computation, no Parameter

                def forward(self, x):
                    return x * self.offset

            shift = Shift()
            for step in range(2):
                shift(torch.ones(8)).sum().backward()
            """,
        good="""
            class Shift(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.offset = nn.Parameter(torch.randn(8) * 0.02)

                def forward(self, x):
                    return x * self.offset

            shift = Shift()
            for step in range(2):
                shift(torch.ones(8)).sum().backward()
            """,
        setup="""
            import torch
            from torch import nn
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Shift(nn.Module):
        def __init__(self):
            super().__init__()
            self.offset = nn.Parameter(torch.randn(8))
            self.start = self.offset.detach() * 2  # has no graph

        def forward(self, x):
            self.last = x * self.offset  # of this call
            return self.last
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    if scope.name != "__init__" or not scope.in_module:
        return
    for kept in scope.happenings("module-attribute-set"):
        tensor = kept.tensor
        if tensor is not None and tensor.requires_grad.holds and tensor.leaf.fails:
            yield kept.flag(
                "is the result of a computation, no Parameter: it is not registered, and its graph is "
                "freed once"
            )
