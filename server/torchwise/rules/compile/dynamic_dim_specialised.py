"""A dimension is declared open for torch.export, and the example lets it have one size only.

Sizes 0 and 1 are special in torch: a graph traced with a batch of 1 is a graph for a batch of 1, so export
refuses to call that dimension open. An example outside of the declared range, or two examples of different
size for one `Dim`, are refused too. Trace with a batch of 2 or more.

Source: https://docs.pytorch.org/docs/stable/export.html#expressing-dynamism
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

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
