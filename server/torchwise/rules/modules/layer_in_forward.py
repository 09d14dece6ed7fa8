"""A layer with parameters is made in `forward`.

Each call draws new weights and throws them away afterwards: they are never in `parameters()`, never trained
and never saved. Make the layer in `__init__`. Layers without parameters cost nothing but time, and a layer
that is made once and kept (`if self.head is None: self.head = ...`) is another matter: a lazy layer does
that better.

Source: https://docs.pytorch.org/docs/stable/notes/modules.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW422", WARNING, "04-neural-networks/modules#from-init-to-call"

EXAMPLES = [
    Example(
        bad="""
            class Net(nn.Module):
                def forward(self, x):
                    return nn.Linear(x.shape[-1], 2)(x)
                           ^^^^^^^^^^^^^^^^^^^^^^^^^ makes new weights in every call

            net, x = Net(), torch.ones(1, 3)
            same = net(x).equal(net(x))
            """,
        good="""
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.head = nn.Linear(3, 2)

                def forward(self, x):
                    return self.head(x)

            net, x = Net(), torch.ones(1, 3)
            same = net(x).equal(net(x))
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: good["same"] and not bad["same"],
    ),
    Example(
        bad="""
            class Net(nn.Module):
                def forward(self, x):
                    return x.relu() + self.shortcut(x)

                def shortcut(self, x):
                    project = nn.Linear(x.shape[-1], x.shape[-1])
                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ makes new weights in every call
                    return project(x)

            net, x = Net(), torch.ones(1, 3)
            same = net(x).equal(net(x))
            """,
        good="""
            class Net(nn.Module):
                def forward(self, x):
                    return x.relu() + self.shortcut(x)

                def shortcut(self, x):
                    return x

            net, x = Net(), torch.ones(1, 3)
            same = net(x).equal(net(x))
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: good["same"] and not bad["same"],
    ),
]

SILENT = [
    """
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = None

        def forward(self, x):
            if self.head is None:
                self.head = nn.Linear(x.shape[-1], 2)  # kept
            return nn.ReLU()(self.head(x))
    """,
    """
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = self.make(4)

        def make(self, size):
            return nn.Linear(size, size)  # made where it is kept
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    if scope.name == "__init__" or not scope.in_module:
        return
    for call in scope.calls_to(*LEARNING):
        if not call.makes_layer or call.part != "" or call.under("grad", "off") is not None:
            continue
        thrown_away = (
            not scope.keeps(call.ref) if scope.name == "forward" else scope.called_with_parameters(call.ref)
        )
        if thrown_away:
            yield call.flag(
                f"`{call.name}` makes new weights in every call of `{scope.name}`: they are never trained"
            )


LEARNING = (
    "Linear", "Bilinear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
    "Embedding", "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "MultiheadAttention", "TransformerEncoderLayer",
)  # fmt: skip
