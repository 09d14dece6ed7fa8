"""`__getattr__` of a module reads a layer of the module, and calls itself for ever.

`nn.Module` keeps layers, parameters and buffers in dicts of its own, and finds them in its own `__getattr__`: a
class that replaces it without calling it no longer finds them. `self.model` in it asks `__getattr__` for
`model`, which asks again, until Python raises RecursionError. Ask `super().__getattr__(name)` first.

Source: https://docs.python.org/3/reference/datamodel.html#object.__getattr__
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW428", ERROR, "04-neural-networks/modules#what-a-module-does-for-you"

EXAMPLES = [
    Example(
        bad="""
            class Wrapped(nn.Module):
                def __init__(self, model):
                    super().__init__()
                    self.model = model

                def forward(self, x):
                    return self.model(x)

                def __getattr__(self, name):
                    return getattr(self.model, name)
                                   ^^^^^^^^^^ is looked up by this very `__getattr__`

            width = Wrapped(nn.Linear(4, 2)).in_features
            """,
        good="""
            class Wrapped(nn.Module):
                def __init__(self, model):
                    super().__init__()
                    self.model = model

                def forward(self, x):
                    return self.model(x)

                def __getattr__(self, name):
                    try:
                        return super().__getattr__(name)
                    except AttributeError:
                        return getattr(self.model, name)

            width = Wrapped(nn.Linear(4, 2)).in_features
            """,
        setup="import torch\nfrom torch import nn",
        harm=RecursionError,
    ),
]

SILENT = [
    """
    from torch import nn

    class Hidden(nn.Module):
        def __init__(self, model: nn.Linear):
            super().__init__()
            self.held = [model]

        def __getattr__(self, name):
            return getattr(self.held[0], name)  # a plain attribute
    """,
    """
    from torch import nn

    class Wrapped(nn.Module):
        def __init__(self, model: nn.Linear):
            super().__init__()
            self.model = model

        def __getattr__(self, name):
            if name in self._modules:
                return self._modules[name]
            return getattr(self.model, name)
    """,
]
KNOWS = ("super", "__getattr__", "__dict__", "_modules", "_parameters", "__getattribute__")


def check(scope: Reading) -> Iterator[Flag]:
    for read in scope.seen("registered-in-getattr"):
        if not scope.mentions(*KNOWS):
            yield read.flag(f"`{read.text}` is looked up by this very `__getattr__`, again and again")
