"""A convolution or linear layer has a bias, and BatchNorm follows at once.

In train mode BatchNorm subtracts the mean of each channel, and the bias with it: it gets no gradient but rounding
errors, and costs memory and time. Leave it out with `bias=False`; BatchNorm has a bias of its own. With fixed
statistics (eval mode) a bias counts.

Source: https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW431", HINT, "04-neural-networks/layers#normalisation"

EXAMPLES = [
    Example(
        bad="""
            net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
                                ^^^^^^^^^^^^^^^^^^ has a bias that the BatchNorm behind it takes away again
            net(images).square().sum().backward()
            """,
        good="""
            net = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4))
            net(images).square().sum().backward()
            """,
        setup="import torch\nfrom torch import nn\n\nimages = torch.randn(8, 3, 6, 6)",
        harm=lambda bad, good: (
            bad["net"][0].bias.grad.abs().max() < 1e-3 and good["net"][0].bias is None  # type: ignore[index]
        ),
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)

        def forward(self, x):
            y = self.conv(x)
            return self.norm(y) + y  # used without it, too

    Both()(torch.randn(8, 3, 6, 6))
    frozen = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4).eval())
    frozen(torch.randn(8, 3, 6, 6))
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for fed in scope.happenings("biased-norm"):
        layer, norm = fed.because
        if scope.only_goes_to(int(fed.detail), fed.ref):
            yield Flag(
                layer,
                "this has a bias that the BatchNorm behind it takes away again: `bias=False` gives the same",
                because=((norm, "the BatchNorm"),),
            )
