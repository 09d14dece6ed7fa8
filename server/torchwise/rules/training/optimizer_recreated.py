"""An optimizer is made anew for every epoch, and forgets what it has gathered.

Momentum and the running averages of Adam live in the optimizer. One that is built again at each epoch (or
step) over the
same weights starts from nothing each time. Build it once, before the loop. A scheduler goes on with the optimizer
that it was made for: where that is replaced, its steps change no rate that is in use.

Source: https://docs.pytorch.org/docs/stable/optim.html
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW120", WARNING, "05-optimizers/optimizers#state-and-its-dict"
ROUND = re.compile(r"(^|_)(epochs?|steps?|iter|iters|iterations?|batch|batches|it)(_|$)")
SETUP = """
    import torch
    from torch import nn

    torch.manual_seed(0)
    head = nn.Linear(4, 1)
    batches = [torch.ones(8, 4)]
    """

EXAMPLES = [
    Example(
        bad="""
            for epoch in range(3):
                optimizer = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9)
                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ starts anew
                for batch in batches:
                    optimizer.zero_grad()
                    head(batch).mean().backward()
                    optimizer.step()
            """,
        good="""
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9)
            for epoch in range(3):
                for batch in batches:
                    optimizer.zero_grad()
                    head(batch).mean().backward()
                    optimizer.step()
            """,
        setup=SETUP,
        harm=lambda bad, good: bad["head"].bias.item() > good["head"].bias.item() + 0.1,  # type: ignore[attr-defined]
    ),
    Example(
        bad="""
            optimizer = torch.optim.SGD(head.parameters(), lr=1.0)
            schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            for batch in batches * 3:
                optimizer.zero_grad()
                head(batch).mean().backward()
                optimizer.step()
                schedule.step()
                ^^^^^^^^^^^^^^^ sets the rate of an optimizer that another one has replaced
            """,
        good="""
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            for batch in batches * 3:
                optimizer.zero_grad()
                head(batch).mean().backward()
                optimizer.step()
                schedule.step()
            """,
        setup=SETUP,
        harm=lambda bad, good: (
            bad["optimizer"].param_groups[0]["lr"] == 0.1 > good["optimizer"].param_groups[0]["lr"]
        ),  # type: ignore[attr-defined]
    ),
]

SILENT = [
    """
    import torch
    from torch import nn

    def folds(batches):
        for fold in range(5):
            head = nn.Linear(4, 1)
            optimizer = torch.optim.Adam(head.parameters())  # of a new model
            for batch in batches:
                optimizer.zero_grad()
                head(batch).mean().backward()
                optimizer.step()
    """,
    """
    import torch
    from torch import nn

    head, makers = nn.Linear(4, 1), (torch.optim.SGD, torch.optim.AdamW)
    optimizers = [make(head.parameters(), lr=0.1) for make in makers]
    schedules = [torch.optim.lr_scheduler.StepLR(optimizer, 10) for optimizer in optimizers]
    for number in range(20):
        head(torch.ones(2, 4)).mean().backward()
        optimizers[number % 2].step()
        optimizers[number % 2].zero_grad()
        for schedule in schedules:
            schedule.step()  # both are in use
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for made in scope.happenings("optimizer-recreated"):
        if any(ROUND.search(name.lower()) for name in (scope.name, *scope.loop_names(made.ref))):
            yield made.flag(
                "starts anew, over weights that the one before has stepped: its momentum and averages are lost"
            )
    for step in scope.happenings("scheduler-left"):
        own, other = step.because
        yield Flag(
            step.at,
            "sets the rate of an optimizer that another one has replaced: the rate in use stays as it is",
            because=((own, "made for this optimizer"), (other, "which this one has replaced")),
        )
