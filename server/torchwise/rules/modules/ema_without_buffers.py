"""An averaged copy of a model follows its parameters, and not the statistics of its BatchNorm layers.

`parameters()` has no buffers in it. A copy that is moved towards the parameters of a model in training keeps the
`running_mean` and `running_var` that it was copied with, and evaluates with them: often at chance. Copy the buffers
along with each update, or average all of `state_dict()`.

Source: https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW439", WARNING, "07-training/better-models#stochastic-weight-averaging"

SETUP = """
    import copy

    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4, bias=False), nn.BatchNorm1d(4), nn.Linear(4, 1))
    average = copy.deepcopy(model).requires_grad_(False)
    average.eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = 10 + torch.randn(64, 4)
    """

EXAMPLES = [
    Example(
        bad="""
            for _ in range(4):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
                with torch.no_grad():
                    for own, other in zip(average.parameters(), model.parameters()):
                                          ^^^^^^^^^^^^^^^^^^^^ has no buffers
                        own.lerp_(other, 0.1)
            out = average(batch)
            """,
        good="""
            for _ in range(4):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
                with torch.no_grad():
                    for own, other in zip(average.parameters(), model.parameters()):
                        own.lerp_(other, 0.1)
                    for own, other in zip(average.buffers(), model.buffers()):
                        own.copy_(other)
            out = average(batch)
            """,
        setup=SETUP,
        harm=lambda bad, good: (
            not bad["average"][1].running_mean.any() and good["average"][1].running_mean.any()
        ),
    ),
]

TRAINED = """
    for _ in range(4):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
"""
SILENT = [
    SETUP
    + TRAINED
    + """
        with torch.no_grad():
            for name, own in average.state_dict().items():  # with its buffers
                own.copy_(model.state_dict()[name])
    out = average(batch)
    """,
    SETUP
    + """
    model[1].eval()  # its statistics stay as they are
    """
    + TRAINED
    + """
        with torch.no_grad():
            for own, other in zip(average.parameters(), model.parameters()):
                own.lerp_(other, 0.1)
    out = average(batch)
    """,
    SETUP
    + """
    average.train()  # with the statistics of each batch, as a teacher
    """
    + TRAINED
    + """
        with torch.no_grad():
            for own, other in zip(average.parameters(), model.parameters()):
                own.lerp_(other, 0.1)
            out = average(batch)
    """,
    SETUP
    + TRAINED
    + """
    shaken = copy.deepcopy(model).requires_grad_(False)
    for own in shaken.parameters():
        own.add_(torch.randn_like(own), alpha=0.01)  # of its own, and its statistics fit
    shaken.eval()
    out = shaken(batch)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for call in scope.happenings("followed-without-statistics"):
        moved, made = call.because
        yield Flag(
            moved,
            "has no buffers in it: the BatchNorm layers of the copy keep the statistics that they were copied with",
            because=((made, "copied here"), (call.at, "and evaluated here")),
        )
