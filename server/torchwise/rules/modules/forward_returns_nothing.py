"""A module's `forward` works out a result and does not return it.

A function without `return` gives None, and the error comes later and elsewhere: the loss is called with None. A `forward` that is there for its effect (a metric that counts) ends in no such computation.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward
"""

from collections.abc import Iterator

from torchwise.fixes.edits import insert_after
from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW405", ERROR, "04-neural-networks/modules#from-init-to-call"

EXAMPLES = [
    Example(
        bad="""
            class Head(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.out = nn.Linear(4, 2)

                def forward(self, x):
                    x = self.out(x)
                        ^^^^^^^^^^^ is not returned

            total = Head()(torch.ones(3, 4)).sum()
            """,
        good="""
            class Head(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.out = nn.Linear(4, 2)

                def forward(self, x):
                    x = self.out(x)
                    return x

            total = Head()(torch.ones(3, 4)).sum()
            """,
        setup="import torch\nfrom torch import nn",
        harm=AttributeError,
    ),
    Example(
        bad="""
            class Pool(nn.Module):
                def forward(self, x, how):
                    if how == "mean":
                        return x.mean(dim=1)
                    else:
                        pooled = x.amax(dim=1)
                                 ^^^^^^^^^^^^^ is not returned

            total = Pool()(torch.ones(3, 4), "max").sum()
            """,
        good="""
            class Pool(nn.Module):
                def forward(self, x, how):
                    if how == "mean":
                        return x.mean(dim=1)
                    else:
                        pooled = x.amax(dim=1)
                        return pooled

            total = Pool()(torch.ones(3, 4), "max").sum()
            """,
        setup="import torch\nfrom torch import nn",
        harm=AttributeError,
    ),
]

SILENT = [
    """
    from torch import nn

    class Warm(nn.Module):
        def __init__(self):
            super().__init__()
            self.out = nn.Linear(4, 2)

        def forward(self, x):
            _ = self.out(x)  # thrown away on purpose
    """,
    """
    from torch import nn

    class Branches(nn.Module):
        def forward(self, x):
            if x.ndim == 2:
                y = x.mean(dim=1)
            else:
                y = x.mean(dim=(1, 2))
            return y
    """,
    """
    import torch
    from torch import nn

    class Mean(nn.Module):
        def forward(self, x):
            self.total = x.sum()  # kept, for later
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    if scope.name != "forward" or not scope.in_module:
        return
    last = scope.last_assignment
    found = [last] if last is not None and scope.returns_nothing else list(scope.unreturned())
    for ref, name in found:
        if name != "_":
            yield scope.flag(
                ref,
                f"`{name}`, worked out at the end of `forward`, is not returned: the module gives None",
                fix=insert_after(scope.site(ref), f"return {name}", f"Return `{name}`", safe=False),
            )
