"""A loss is differentiated where autograd is off, or was computed while it was off.

Under `torch.no_grad()`, `inference_mode()` and after `torch.set_grad_enabled(False)` nothing is recorded:
the loss has no
graph, and `backward` raises. `set_grad_enabled(False)` called as a statement holds until it is called
again, so that an
evaluation helper switches off all training after it.

Source: https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
"""

from collections.abc import Iterator

from torchwise.rules.vocabulary import ERROR, Example, Flag, Reading

CODE, LEVEL, LESSON = "TW106", ERROR, "07-training/loop#evaluating"

EXAMPLES = [
    Example(
        bad="""
            @torch.no_grad()
            def train(batches):
                for features, target in batches:
                    optimizer.zero_grad()
                    loss = F.mse_loss(head(features), target)
                    loss.backward()
                    ^^^^^^^^^^^^^^^ `loss` has no graph: autograd is off here
                    optimizer.step()

            train([(torch.ones(8, 4), torch.zeros(8, 1))])
            """,
        good="""
            def train(batches):
                for features, target in batches:
                    optimizer.zero_grad()
                    loss = F.mse_loss(head(features), target)
                    loss.backward()
                    optimizer.step()

            train([(torch.ones(8, 4), torch.zeros(8, 1))])
            """,
        setup="""
            import torch
            from torch import nn
            import torch.nn.functional as F

            head = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            """,
        harm=RuntimeError,
    ),
]

SILENT = [
    """
    import torch

    def epoch(model, batches, optimizer=None):
        for batch in batches:
            with torch.set_grad_enabled(optimizer is not None):
                loss = model(batch).mean()
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()  # recorded wherever it is differentiated
                optimizer.step()
    """,
]


def check(scope: Reading) -> Iterator[Flag]:
    for backward in scope.happenings("no-graph"):
        off = backward.grad_off
        if off is None:
            continue
        loss = backward.callee.removesuffix(".backward")
        because = ((off.at, "switched off here"),) if off.at is not None else ()
        yield backward.flag(f"`{loss}` has no graph: autograd is off here", because)
