"""A module that keeps a result with its graph is copied deeply.

`copy.deepcopy` copies leaves only: a tensor that came out of a recorded computation and was kept as an
attribute makes it raise, however deep inside. Keep it detached.

Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW414", ERROR, "04-neural-networks/modules#hooks"

SETUP = """
            import copy, torch
            from torch import nn
"""
EXAMPLES = [
    Example(
        bad="""
            class Probe(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = nn.Linear(2, 2)

                def forward(self, x):
                    self.last = self.layer(x)
                    return self.last.sum()

            probe = Probe()
            probe(torch.ones(1, 2))
            twin = copy.deepcopy(probe)
                   ^^^^^^^^^^^^^^^^^^^^ keeps a result with its graph
            """,
        good="""
            class Probe(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = nn.Linear(2, 2)

                def forward(self, x):
                    out = self.layer(x)
                    self.last = out.detach()
                    return out.sum()

            probe = Probe()
            probe(torch.ones(1, 2))
            twin = copy.deepcopy(probe)
            """,
        setup=SETUP,
        harm=RuntimeError,
    ),
    Example(
        bad="""
            model(torch.ones(1, 2))
            twin = copy.deepcopy(model)
                   ^^^^^^^^^^^^^^^^^^^^ `model[0].last` keeps a result with its graph
            """,
        good="""
            twin = copy.deepcopy(model)
            model(torch.ones(1, 2))
            """,
        setup=f"""{SETUP}
            class Probe(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = nn.Linear(2, 2)

                def forward(self, x):
                    self.last = self.layer(x)
                    return self.last

            model = nn.Sequential(Probe())
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import copy

    import torch
    from torch import nn

    class Probe(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def __getstate__(self):
            return {**self.__dict__, "last": None}

        def forward(self, x):
            self.last = self.layer(x)
            return self.last.sum()

    model = Probe()
    model(torch.ones(1, 2))
    twin = copy.deepcopy(nn.Sequential(model))  # which leaves the result out
    """,
    """
    import copy, torch
    weight = torch.ones(2, requires_grad=True)
    twin = copy.deepcopy(weight)  # a leaf
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.calls_to("deepcopy"):
        for kept in call.breaks("non-leaf"):
            source = call["x"]
            if source is not None:
                inner = f".{kept.axis}" if kept.axis and not kept.axis.startswith("[") else kept.axis
                what = f"`{source.text}{inner}`"
                yield call.flag(
                    f"{what} keeps a result with its graph, which cannot be copied deeply; keep it detached"
                )
