"""A layer is put into a model after the optimizer was made, and is never trained.

An optimizer takes the parameters that a model has when it is made. What is added or replaced later gets gradients, and no
steps: a new head keeps its random weights, and so does a Parameter that takes the place of another. Change the model first, or use `optimizer.add_param_group`.

Source: https://docs.pytorch.org/docs/stable/optim.html#constructing-it
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Happening, Reading, Site

CODE, LEVEL, LESSON = "TW141", WARNING, "05-optimizers/optimizers#what-an-optimizer-holds"

EXAMPLES = [
    Example(
        bad="""
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model.head = nn.Linear(4, 2)
                         ^^^^^^^^^^^^^^^ is not held by the optimizer
            before = model.head.weight.detach().clone()
            model(torch.ones(3, 4)).sum().backward()
            optimizer.step()
            """,
        good="""
            model.head = nn.Linear(4, 2)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            before = model.head.weight.detach().clone()
            model(torch.ones(3, 4)).sum().backward()
            optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn

            class Classifier(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 8)

                def forward(self, x):
                    return self.head(self.body(x))

            model = Classifier()
            """,
        harm=lambda bad, good: (
            bad["before"].equal(bad["model"].head.weight)
            and not good["before"].equal(good["model"].head.weight)
        ),  # type: ignore[attr-defined]
    ),
    Example(
        bad="""
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model.weight = nn.Parameter(model.weight.detach().clamp(min=0))
            ^^^^^^^^^^^^ is not held by the optimizer
            before = model.weight.detach().clone()
            model(torch.ones(3, 4)).sum().backward()
            optimizer.step()
            """,
        good="""
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with torch.no_grad():
                model.weight.clamp_(min=0)
            before = model.weight.detach().clone()
            model(torch.ones(3, 4)).sum().backward()
            optimizer.step()
            """,
        setup="import torch\nfrom torch import nn\n\nmodel = nn.Linear(4, 2)",
        harm=lambda bad, good: (
            bad["before"].equal(bad["model"].weight) and not good["before"].equal(good["model"].weight)
        ),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model = nn.ModuleDict({"body": nn.Linear(4, 4)})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model["head"] = nn.Linear(4, 2)
    optimizer.add_param_group({"params": model["head"].parameters()})
    model["head"](model["body"](torch.ones(3, 4))).sum().backward()
    optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in _noticed(scope):
        layer, optimizer, *put = step.because
        stepped, together = (step.at, "and stepped here"), _together(scope, layer, optimizer)
        elsewhere = step.detail == "layer" and not together and not put  # its maker may be right elsewhere
        if elsewhere or (step.detail == "replaced by itself" and not together):
            yield Flag(
                optimizer,
                f"does not hold `{scope.text_at(layer)}`, which is made later: it gets gradients, and no steps",
                because=((layer, "made here"), stepped),
            )
            continue
        held = "holds the layer that was there" if step.detail.startswith("replaced") else "was made"
        yield Flag(
            layer if together or not put else put[0],
            f"is not held by the optimizer, which {held} before: it gets gradients, and no steps",
            because=((optimizer, "made here"), stepped),
        )


def _noticed(scope: Reading) -> Iterator[Happening]:
    """Where the step is sure to miss it; and where a parameter itself got a successor, if only on some path."""
    sure = scope.happenings("unheld-step")
    yield from sure
    parts = {step.because[0]: step for step in scope.seen("unheld-step") if step.detail == "parameter"}
    yield from (step for place, step in parts.items() if place not in {one.because[0] for one in sure})


def _together(scope: Reading, layer: Site, optimizer: Site) -> bool:
    """Whether both are made in one function."""
    return scope.resolve(layer).place[0] == scope.resolve(optimizer).place[0]
