"""A dimension is declared open for torch.export, and the example lets it have one size only.

Sizes 0 and 1 are special in torch: a graph traced with a batch of 1 is a graph for a batch of 1, so export
refuses to call that dimension open. An example outside of the declared range, or two examples of different
size for one `Dim`, are refused too. Trace with a batch of 2 or more.

So is code that fits the size of the example alone: a state, a mask or a class token that was made for
`batch_size` rows, and meets a batch of any size. Take the size from the input: `x.shape[0]`.

Source: https://docs.pytorch.org/docs/stable/export.html#expressing-dynamism
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading, breaks_graph

CODE, LEVEL, LESSON = "TW511", ERROR, "11-export/export#sizes"

EXAMPLES = [
    Example(
        bad="""
            example = torch.randn(1, 4)
            program = torch.export.export(net, (example,), dynamic_shapes={"input": {0: Dim("batch")}})
                                                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ axis 0 is declared open, but it is 1 in the example
            """,
        good="""
            example = torch.randn(2, 4)
            program = torch.export.export(net, (example,), dynamic_shapes={"input": {0: Dim("batch")}})
            """,
        setup="import torch\nfrom torch import nn\nfrom torch.export import Dim\n\nnet = nn.Linear(4, 2).eval()",
        harm=Exception,
    ),
    Example(
        bad="""
            class Encoder(nn.Module):
                def __init__(self, rows):
                    super().__init__()
                    self.rows, self.token = rows, nn.Parameter(torch.zeros(1, 1, 6))

                def forward(self, x):
                    tokens = self.token.expand(self.rows, -1, -1)
                    return torch.cat([tokens, x], dim=1)
                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ an axis is declared open, and with 5 in place of 4 this fails

            program = torch.export.export(Encoder(4), (torch.randn(4, 5, 6),), dynamic_shapes={"x": {0: Dim("rows")}})
            """,
        good="""
            class Encoder(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.token = nn.Parameter(torch.zeros(1, 1, 6))

                def forward(self, x):
                    tokens = self.token.expand(x.shape[0], -1, -1)
                    return torch.cat([tokens, x], dim=1)

            program = torch.export.export(Encoder(), (torch.randn(4, 5, 6),), dynamic_shapes={"x": {0: Dim("rows")}})
            """,
        setup="import torch\nfrom torch import nn\nfrom torch.export import Dim",
        harm=Exception,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn
    from torch.export import Dim

    net = nn.Linear(4, 2).eval()
    shapes = {"input": {0: Dim.AUTO}}  # may become 1
    program = torch.export.export(net, (torch.randn(1, 4),), dynamic_shapes=shapes)
    ranged = torch.export.export(net, (torch.randn(3, 4),), dynamic_shapes=({0: Dim("batch", max=64)},))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("specialised"):
        for broken in call.breaks("specialised"):
            declared = call["dynamic_shapes"]
            if declared is not None:
                yield declared.flag(
                    f"axis {broken.axis} is declared open, but it is {broken.got} in the example, where "
                    f"{broken.wanted} is needed",
                    because=scope.made(broken.because, "the example is made here"),
                )
    for call in scope.calls_that_break("open-axis"):
        region = breaks_graph(call)
        broken = next(iter(call.breaks("open-axis")))
        if region is not None:
            yield call.flag(f"{broken.message}: {call.tell_plainly(broken)}", **region.more)
