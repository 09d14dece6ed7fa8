"""Parameters are unfrozen that a filter kept out of the optimizer.

`[p for p in model.parameters() if p.requires_grad]` takes what learns at that moment. What is unfrozen later gets
gradients, and no steps: fine-tuning in stages never reaches the layers below. Give the optimizer all parameters (it
passes over those without gradients), or hand the new ones to `optimizer.add_param_group`.

Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.add_param_group.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW154", WARNING, "05-optimizers/optimizers#what-an-optimizer-holds"

EXAMPLES = [
    Example(
        bad="""
            optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ was made while they were frozen
            model[0].requires_grad_(True)
            before = model[0].weight.detach().clone()
            model(torch.ones(3, 4)).sum().backward()
            optimizer.step()
            """,
        good="""
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model[0].requires_grad_(True)
            before = model[0].weight.detach().clone()
            model(torch.ones(3, 4)).sum().backward()
            optimizer.step()
            """,
        setup="""
            import torch
            from torch import nn

            model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
            model[0].requires_grad_(False)
            """,
        harm=lambda bad, good: (
            bad["before"].equal(bad["model"][0].weight)  # type: ignore[attr-defined, index]
            and not good["before"].equal(good["model"][0].weight)  # type: ignore[attr-defined, index]
        ),
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    model(torch.ones(3, 4)).sum().backward()  # frozen all the time
    optimizer.step()
    optimizer.zero_grad()
    model[0].requires_grad_(True)
    optimizer.add_param_group({"params": model[0].parameters(), "lr": 0.01})
    model(torch.ones(3, 4)).sum().backward()
    optimizer.step()
    """,
    """
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    head = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    model[0].requires_grad_(True)
    below = torch.optim.SGD([p for p in model[0].parameters()], lr=0.01)
    model(torch.ones(3, 4)).sum().backward()
    head.step()
    below.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for step in scope.happenings("unfrozen-step"):
        (optimizer,) = step.because
        yield Flag(
            optimizer,
            "was made while they were frozen, and left out parameters that get gradients now: they get no steps",
            because=((step.at, "stepped here"),),
        )
