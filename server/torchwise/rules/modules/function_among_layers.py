"""A container of modules gets something that is no module.

`nn.Sequential`, `nn.ModuleList` and `nn.ModuleDict` take modules (and None) only: a function, a class that
was not called, or a list raises TypeError. Use the layer of the same name (`nn.GELU()` for `F.gelu`), call
the class, or spread the list with `*`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Sequential.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW415", ERROR, "04-neural-networks/modules#containers"

EXAMPLES = [
    Example(
        bad="""
            mlp = nn.Sequential(nn.Linear(4, 8), torch.relu, nn.Linear(8, 1))
                                                 ^^^^^^^^^^ is the function relu, but `Sequential` takes modules only
            """,
        good="""
            mlp = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
            """,
        setup="import torch\nfrom torch import nn",
        harm=TypeError,
    ),
    Example(
        bad="""
            layers = [nn.Linear(4, 8), nn.ReLU()]
            mlp = nn.Sequential(layers)
                                ^^^^^^ is a list, but `Sequential` takes modules only
            """,
        good="""
            layers = [nn.Linear(4, 8), nn.ReLU()]
            mlp = nn.Sequential(*layers)
            """,
        setup="from torch import nn",
        harm=TypeError,
    ),
]

SILENT = [
    """
    from torch import nn

    class Apply(nn.Module):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, x):
            return self.function(x)

    mlp = nn.Sequential(nn.Linear(4, 8), Apply(abs), None)  # wrapped, and None is let through
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_that_break("not-module"):
        for broken in call.breaks("not-module"):
            ref = call.positional(int(broken.axis)) if broken.param == "args" else call.ref
            ref, who = (call.ref, "one of its arguments") if ref is None else (ref, f"`{scope.text(ref)}`")
            who = who if ref != call.ref or broken.param == "args" else f"what `{call.name}` gets"
            container = call.name.rpartition(".")[2] if call.makes_layer else "the container"
            yield scope.flag(ref, f"{who} is {broken.got}, but `{container}` takes modules only")
