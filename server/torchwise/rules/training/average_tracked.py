"""A running average of weights is recorded by autograd, and its graph grows with every update.

An average of parameters (an EMA, a target network) is a number to keep, not something to differentiate. Computed from
parameters while autograd records, each value has a graph that reaches back through all earlier ones: memory and time grow
with every step. Update it under `torch.no_grad()`.

Source: https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
"""

from collections.abc import Iterator

from torchwise.fixes.edits import wrap_statement
from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW134", WARNING, "07-training/better-models#a-moving-average-of-weights"

SETUP = """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    average = {name: value.detach().clone() for name, value in head.named_parameters()}
    """

EXAMPLES = [
    Example(
        bad="""
            for step in range(3):
                head(torch.ones(2, 4)).sum().backward()
                optimizer.step()
                optimizer.zero_grad()
                for name, value in head.named_parameters():
                    average[name] = 0.9 * average[name] + 0.1 * value
                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is recorded on top of all earlier averages
            """,
        good="""
            for step in range(3):
                head(torch.ones(2, 4)).sum().backward()
                optimizer.step()
                optimizer.zero_grad()
                for name, value in head.named_parameters():
                    with torch.no_grad():
                        average[name] = 0.9 * average[name] + 0.1 * value
            """,
        setup=SETUP,
        harm=lambda bad, good: bad["average"]["bias"].grad_fn and not good["average"]["bias"].grad_fn,  # type: ignore[index]
    ),
    Example(
        bad="""
            for step in range(3):
                head(torch.ones(2, 4)).sum().backward()
                optimizer.step()
                optimizer.zero_grad()
                for name, value in head.named_parameters():
                    average[name].mul_(0.9).add_(value, alpha=0.1)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ is recorded on top of all earlier averages
            """,
        good="""
            for step in range(3):
                head(torch.ones(2, 4)).sum().backward()
                optimizer.step()
                optimizer.zero_grad()
                for name, value in head.named_parameters():
                    with torch.no_grad():
                        average[name].mul_(0.9).add_(value, alpha=0.1)
            """,
        setup=SETUP,
        harm=lambda bad, good: bad["average"]["bias"].grad_fn and not good["average"]["bias"].grad_fn,  # type: ignore[index]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    head = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    average = [p.detach().clone() for p in head.parameters()]
    for step in range(3):
        penalty = sum((p - a).pow(2).sum() for p, a in zip(head.parameters(), average))  # meant to be recorded
        (head(torch.ones(2, 4)).sum() + penalty).backward()
        optimizer.step()
        optimizer.zero_grad()
        for kept, value in zip(average, head.parameters()):
            kept.lerp_(value.detach(), 0.1)
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for update in scope.happenings("average-tracked"):
        yield update.flag(
            "is recorded on top of all earlier averages: its graph grows with every update",
            fix=wrap_statement(update.at, "with torch.no_grad():", "Update it under `no_grad`"),
        )
