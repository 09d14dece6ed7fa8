"""A layer with parameters is the default of a constructor's parameter.

Python works a default out once, where the function stands: all modules that are made without an argument of
their own hold one and the same layer, and train it together. Use None, and make the layer in `__init__`. A layer
without parameters can be shared.

Source: https://docs.python.org/3/reference/compound_stmts.html#function-definitions
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW429", WARNING, "04-neural-networks/modules#sharing-weights"

EXAMPLES = [
    Example(
        bad="""
            class Block(nn.Module):
                def __init__(self, act=nn.PReLU()):
                                       ^^^^^^^^^^ is made once for all
                    super().__init__()
                    self.act = act

            one = Block().act is Block().act
            """,
        good="""
            class Block(nn.Module):
                def __init__(self, act=None):
                    super().__init__()
                    self.act = act or nn.PReLU()

            one = Block().act is Block().act
            """,
        setup="import torch\nfrom torch import nn",
        harm=lambda bad, good: bad["one"] and not good["one"],
    ),
]

SILENT = [
    """
    from torch import nn

    class Block(nn.Module):
        def __init__(self, width, act=nn.ReLU(), norm=nn.LayerNorm):
            super().__init__()
            self.act, self.norm = act, norm(width)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for default in scope.seen("layer-as-default"):
        yield default.flag(
            f"`{default.text}` is made once for all: what is made without an argument of its own shares its weights"
        )
