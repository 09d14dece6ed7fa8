"""An attribute of a model is looked for on its wrapper.

DistributedDataParallel and DataParallel keep the model as `module` and show nothing of it through:
`ddp.head` raises AttributeError. Use `ddp.module.head`, or keep a name for the model itself.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW807", ERROR, "10-distributed/processes#what-goes-wrong-with-ddp"

EXAMPLES = [
    Example(
        bad="""
            wrapped = nn.DataParallel(Model())
            head = wrapped.head
                   ^^^^^^^^^^^^ is an attribute of the model
            """,
        good="""
            wrapped = nn.DataParallel(Model())
            head = wrapped.module.head
            """,
        setup="""
            from torch import nn

            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.head = nn.Linear(2, 2)
            """,
        harm=AttributeError,
    ),
]

SILENT = [
    """
    from torch import nn

    wrapped = nn.DataParallel(nn.Linear(2, 2))
    wrapped.train()
    count = sum(p.numel() for p in wrapped.parameters())
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for read in scope.happenings("wrapper-attribute"):
        yield read.flag(
            f"`{read.detail}` is an attribute of the model that is wrapped: use `.module.{read.detail}`",
            because=tuple((site, "wrapped here") for site in read.because),
        )
