"""An optimizer is made anew for every epoch, and forgets what it has gathered.

Momentum and the running averages of Adam live in the optimizer. One that is built again at each epoch (or
step) over the
same weights starts from nothing each time; so do its schedulers. Build it once, before the loop.

Source: https://docs.pytorch.org/docs/stable/optim.html
"""

import re
from collections.abc import Iterator

from torchwise.rules.vocabulary import WARNING, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW120", WARNING, "05-optimizers/optimizers#state-and-its-dict"
ROUND = re.compile(r"(^|_)(epochs?|steps?|iter|iters|iterations?|batch|batches|it)(_|$)")

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
        setup="""
            import torch
            from torch import nn

            torch.manual_seed(0)
            head = nn.Linear(4, 1)
            batches = [torch.ones(8, 4)]
            """,
        harm=lambda bad, good: bad["head"].bias.item() > good["head"].bias.item() + 0.1,  # type: ignore[attr-defined]
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
]


def check(scope: Reading) -> Iterator[Flag]:
    for made in scope.happenings("optimizer-recreated"):
        if any(ROUND.search(name.lower()) for name in (scope.name, *scope.loop_names(made.ref))):
            yield made.flag(
                "starts anew, over weights that the one before has stepped: its momentum and averages are "
                "lost"
            )
