"""The parameters of a lazy layer are used before its first call.

`LazyLinear`, `LazyConv2d` and the like learn their sizes from the first batch. Until then their parameters
have no size and no numbers, and initialising, counting or copying them raises ValueError. Run one batch
through the model first.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.lazy.LazyModuleMixin.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW417", ERROR, "04-neural-networks/layers#bilinear-and-lazy"

EXAMPLES = [
    Example(
        bad="""
            net = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(1))
            size = sum(p.numel() for p in net.parameters())
                       ^^^^^^^^^ has no size before the first call
            out = net(torch.ones(2, 4))
            """,
        good="""
            net = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(1))
            out = net(torch.ones(2, 4))
            size = sum(p.numel() for p in net.parameters())
            """,
        setup="import torch\nfrom torch import nn",
        harm=ValueError,
    ),
    Example(
        bad="""
            def begin(module):
                if isinstance(module, nn.Linear):
                    nn.init.zeros_(module.bias)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^ has no size before the first call

            net = nn.Sequential(nn.LazyLinear(8), nn.ReLU())
            net.apply(begin)
            out = net(torch.ones(2, 4))
            """,
        good="""
            def begin(module):
                if isinstance(module, nn.Linear):
                    nn.init.zeros_(module.bias)

            net = nn.Sequential(nn.LazyLinear(8), nn.ReLU())
            out = net(torch.ones(2, 4))
            net.apply(begin)
            """,
        setup="import torch\nfrom torch import nn",
        harm=ValueError,
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    layer = nn.LazyLinear(8)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)  # steps them all the same, once they are there
    layer.to(torch.float64)
    kept = layer.state_dict()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    """Only the first: the rest is not reached."""
    for call in scope.calls_that_break("unborn"):
        for broken in call.breaks("unborn"):
            source = call[broken.param]
            if source is not None:
                yield call.flag(f"`{source.text}` is of a lazy layer, and has no size before the first call")
                return
    for read in scope.happenings("unborn-read")[:1]:
        yield read.flag(f"`{read.text}` is of a lazy layer, and has no size before the first call")
