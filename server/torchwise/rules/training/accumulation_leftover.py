"""The last batches of an epoch are accumulated and never stepped.

Gradients are gathered over several batches, and the optimizer steps on every n-th. Where the number of
batches is no multiple
of n, the rest at the end is thrown away by the next `zero_grad`, or leaks into the next epoch. Step on the
last batch too.

Source: https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import HINT, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW129", HINT, "07-training/precision#a-batch-in-parts"

EXAMPLES = [
    Example(
        bad="""
            for number, batch in enumerate(batches):
                (head(batch).mean() / every).backward()
                if (number + 1) % every == 0:
                   ^^^^^^^^^^^^^^^^^^^^^^^^^ leaves out the last batches
                    optimizer.step()
                    optimizer.zero_grad()
            """,
        good="""
            for number, batch in enumerate(batches):
                (head(batch).mean() / every).backward()
                if (number + 1) % every == 0 or number + 1 == len(batches):
                    optimizer.step()
                    optimizer.zero_grad()
            """,
        setup="""
            import torch
            from torch import nn

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            batches, every = [torch.ones(8, 4)] * 5, 2
            """,
    ),
]

SILENT = [
    """
    def train(model, loader, optimizer, every):
        for number, batch in enumerate(loader):
            (model(batch).mean() / every).backward()
            if (number + 1) % every == 0:
                optimizer.step()
                optimizer.zero_grad()
        optimizer.step()  # the rest
        optimizer.zero_grad()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.calls_to("Tensor.backward"):
        for nth in scope.every_nth(backward.ref):
            if nth.steps and not scope.mentions("drop_last", "is_last", "last"):
                yield scope.flag(
                    nth.test,
                    "leaves out the last batches where their number is no multiple: they are never stepped",
                )
