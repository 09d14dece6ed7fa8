"""An activation changes in place what has been kept for later, or is read again.

`ReLU(inplace=True)` writes into the tensor that it gets, and gives that very tensor back. Where the tensor was put
into a list before, or is read once more afterwards (the other way round a residual block), the values from before
the activation are gone: nothing raises, the network is another one. Use the activation that makes a tensor of its
own, or keep the result.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW430", WARNING, "04-neural-networks/layers#activations"

EXAMPLES = [
    Example(
        bad="""
            taps = []
            x = torch.tensor([-1.0, 2.0])
            taps.append(x)
            x = act(x)
                ^^^^^^ overwrites `x`, which was kept
            lowest = taps[0].min()
            """,
        good="""
            taps = []
            x = torch.tensor([-1.0, 2.0])
            taps.append(x)
            x = torch.relu(x)
            lowest = taps[0].min()
            """,
        setup="import torch\nfrom torch import nn\n\nact = nn.ReLU(inplace=True)",
        harm=lambda bad, good: bad["lowest"] == 0 and good["lowest"] == -1,
    ),
    Example(
        bad="""
            x = torch.tensor([-1.0, 2.0])
            y = act(x) * 3
                ^^^^^^ overwrites `x`, which is read again
            y = y + x
            """,
        good="""
            x = torch.tensor([-1.0, 2.0])
            y = torch.relu(x) * 3
            y = y + x
            """,
        setup="import torch\nfrom torch import nn\n\nact = nn.ReLU(inplace=True)",
        harm=lambda bad, good: bad["y"][0] == 0 and good["y"][0] == -1,  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    act = nn.ReLU(inplace=True)
    taps = []
    x = torch.tensor([-1.0, 2.0])
    x = act(x)
    taps.append(x)  # kept afterwards
    x = x + 1
    act(x)  # and what is read next is meant
    taps.append(x)
    for i in range(len(taps)):
        taps[i] = act(taps[i])
    print(taps)
    """,
    """
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.act = nn.Conv2d(4, 4, 3, padding=1), nn.ReLU(inplace=True)

        def forward(self, x):
            identity = x
            out = self.act(self.conv(x))
            out = self.conv(out)
            out += identity
            return self.act(out)
    """,
    """
    import torch

    def either(x, first):
        if first:
            y = torch.relu_(x)
        else:
            y = x * 2  # another way
        return y.view(x.size(0), -1)

    either(torch.ones(2), True)
    """,
]
ACTIVATIONS = ("relu", "relu6", "leaky_relu", "elu", "selu", "celu", "silu", "mish", "hardtanh", "hardswish",
               "hardsigmoid", "rrelu", "threshold")  # fmt: skip


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to(*ACTIVATIONS):
        source, first = call["input"], call.part.strip(".0") == ""
        if source is None or not first or not call.gives_back(source) or not scope.used(call.ref):
            continue
        read = source.ref if call.part == "" else call.positional(0)
        kept = scope.kept_beside(read)
        again = scope.read_again(read, call.ref) if kept is None else None
        where = "was kept for later" if kept is not None else "is read again"
        place = kept or again
        if place is not None and read is not None:
            yield call.flag(
                f"this overwrites `{scope.text(read)}`, which {where}: its values from before are gone",
                because=((scope.site(place), where.replace("was ", "").replace("is ", "")),),
                level=None if call.part == "" else HINT,
            )
